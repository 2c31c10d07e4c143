"""Commands that were used wrongly, and the changed ones that worked with nothing edited in between.

What is learned is the change, not the two lines: a wrapper dropped, a flag dropped or replaced, a word quoted, a
program replaced. Where the change cannot be said in general, the line itself is kept, for when it comes again. A change
that stands for several forms gives the one that worked in most stories. That the wrong form worked elsewhere speaks
against it. Missing programs and wrong paths are left to the harvesters of these.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from afterwit.actions.failures import messages as says
from afterwit.actions.shell.command_changes import (
    ANY,
    GAP,
    QUOTE,
    VALUE,
    CommandChange,
    SpelledCommand,
    apply,
    bare,
    bare_commands,
    change_from,
    is_general,
    is_glob,
    same_but_for_quotes,
    spelled_commands,
)
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import Weight
from afterwit.harvest.commands.invocations import command_at
from afterwit.harvest.harvester import (
    Grouped,
    by_repo,
    group_by,
    in_order,
    outcomes,
    plain,
    quote,
    scope_of,
    sentence,
    stories_in,
    unique,
    when,
)
from afterwit.model.digest import Digest, Failure
from afterwit.model.kinds import ActionKind, FailureClass, ResolutionKind, Status
from afterwit.model.knowledge import EVERYWHERE, EXCERPT_LIMIT, Category, Channel, Draft, Scope, Seen, Sighting, Trigger
from afterwit.model.text import regex

_ALIKE = 0.4
_MOST_CHANGES = 2
_LONGEST_RUN = 4
_LONGEST_WHOLE = 3  # words of a command that may be replaced as a whole

Opcode = tuple[str, int, int, int, int]
_WRONG = (FailureClass.INVOCATION, FailureClass.ENVIRONMENT, FailureClass.UNCLEAR)
_MENDED = (ResolutionKind.CHANGED, ResolutionKind.REPLACED, ResolutionKind.RETRIED)
_MISSING = regex(r"command not found|No module named|Cannot find module|not installed|executable file not found")
_MOMENT = regex(r"(?<![\w.])/\w|~|[0-9a-f]{7,}|\d{3,}|[$`\n'\"]|\btmp\b")
_LONGEST_LINE = 100
_MOST_PROGRAMS = 8
_MOST_SHAPES = 6
_MOST_SIGNATURES = 4
_QUOTING = "quoting"


def change_between(failed: str, fixed: str) -> CommandChange | None:
    """What made the first line the second."""
    pair = _differing(spelled_commands(bare(plain(failed))), spelled_commands(bare(plain(fixed))))
    if pair is None:
        return None
    before, after = pair
    if same_but_for_quotes(before.texts, after.texts):
        return QUOTE if any(is_glob(word) for word in before.texts) else None
    return _rewriting(before.texts, after.texts)


def _differing(
    failed: Sequence[SpelledCommand], fixed: Sequence[SpelledCommand]
) -> tuple[SpelledCommand, SpelledCommand] | None:
    """The one command that was changed, and what it became."""
    before = [command for command in failed if all(command.texts != other.texts for other in fixed)]
    after = [command for command in fixed if all(command.texts != other.texts for other in failed)]
    if len(before) != 1 or not after:
        return None
    best = max(after, key=lambda command: _likeness(before[0].texts, command.texts))
    return (before[0], best) if len(after) == 1 or _likeness(before[0].texts, best.texts) >= _ALIKE else None


def _likeness(words: Sequence[str], other: Sequence[str]) -> float:
    return SequenceMatcher(None, words, other, autojunk=False).ratio()


def _rewriting(failed: tuple[str, ...], fixed: tuple[str, ...]) -> CommandChange | None:
    codes = SequenceMatcher(None, failed, fixed, autojunk=False).get_opcodes()
    changed = [code for code in codes if code[0] != "equal"]
    if not changed or len(changed) > _MOST_CHANGES:
        return None
    if not any(code[0] == "equal" for code in codes):
        is_short = max(len(failed), len(fixed)) <= _LONGEST_WHOLE
        is_known = all(is_general(word) for word in (*failed, *fixed))
        return CommandChange(failed, fixed) if is_short and is_known else None
    if len(changed) > 1 and any(code[0] != "delete" for code in changed):
        return None
    return _written(failed, fixed, codes)


def _written(failed: tuple[str, ...], fixed: tuple[str, ...], codes: Sequence[Opcode]) -> CommandChange | None:
    old: list[str] = []
    new: list[str] = []
    last = max(at for at, code in enumerate(codes) if code[0] != "equal")
    for at, (kind, start, end, other, other_end) in enumerate(codes):
        if kind == "equal":
            is_behind, head = at > last, max(0, _head_length(failed) - start)
            kept = _kept_behind(failed, codes, at) if is_behind else _kept_before(failed[start:end], head)
            old += kept
            new += kept
            continue
        run = _run(failed[start:end], fixed[other:other_end], is_program=start == 0)
        if run is None:
            return None
        old += run.old
        new += run.new
    return CommandChange(tuple(old), tuple(new)) if old and old != new else None


def _head_length(words: tuple[str, ...]) -> int:
    """How many words name what is run: the program and its subcommand."""
    main = parsed(" ".join(words)).main
    return 1 + len(main.subcommand.split()) if main and words[0].rpartition("/")[2] == main.program else 1


def _kept_before(words: tuple[str, ...], head: int) -> list[str]:
    """What a change says of words that stay before it: those that name what is run, and the flag of a value."""
    named = [word for word in words[:head] if is_general(word)]
    rest = words[head:]
    if not rest:
        return named
    flag = [rest[-1]] if rest[-1].startswith("-") and is_general(rest[-1]) else []
    return [*named, GAP, *flag] if len(rest) > len(flag) else [*named, *flag]


def _kept_behind(words: tuple[str, ...], codes: Sequence[Opcode], at: int) -> list[str]:
    """Of the words that stay behind it, the first, where it tells what the words before it were put in front of."""
    kind, start, *_ = codes[at - 1]
    word = words[codes[at][1]]
    is_telling = (start == 0 and kind == "delete") or (start <= 1 and kind == "insert")
    return [word] if is_telling and is_general(word, is_program=start == 0) else []


def _run(gone: tuple[str, ...], come: tuple[str, ...], *, is_program: bool) -> CommandChange | None:
    """One run of changed words, with values of the moment masked."""
    if max(len(gone), len(come)) > _LONGEST_RUN:
        return None
    if len(gone) == len(come) == 1 and not is_program:
        change = _list_change(gone[0], come[0]) or _unit_change(gone[0], come[0])
        if change:
            return change
    if not all(is_general(word, is_program=is_program) for word in come):
        return None
    old: list[str] = []
    for word in gone:
        if is_general(word, is_program=is_program):
            old.append(word)
        elif not come and old and old[-1].startswith("-"):
            old.append(ANY)
        else:
            return None
    return CommandChange(tuple(old), come)


def _list_change(gone: str, come: str) -> CommandChange | None:
    """One name that a list must not have."""
    lost = [name for name in gone.split(",") if name not in come.split(",")]
    if "," not in gone or len(lost) != 1 or not is_general(lost[0]):
        return None
    return CommandChange((f"…,{lost[0]},…",), (GAP,))


def _unit_change(gone: str, come: str) -> CommandChange | None:
    """A number whose unit was dropped or replaced."""
    old, new = VALUE.fullmatch(gone), VALUE.fullmatch(come)
    if not old or not new or old[1] != new[1] or old[2] == new[2]:
        return None
    return CommandChange((f"N{old[2]}",), (f"N{new[2]}",))


class CallSeen(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """A wrong call that was mended, or the ways in which a program was called and worked."""

    signature: str = ""
    failed: str = ""
    fixed: str = ""
    change: str = ""
    shapes: tuple[str, ...] = ()

    @property
    def is_telling(self) -> bool:
        return bool(self.signature)


class Corrections:
    name = "corrections"
    version = 1
    minimum_stories = 2
    seen = CallSeen

    def see(self, digest: Digest) -> Iterable[Grouped[CallSeen]]:
        yield from _see_mended(digest)
        yield from _see_worked(digest)

    def conclude(self, group: str, sightings: Sequence[Sighting[CallSeen]]) -> Iterable[Draft]:
        mistakes = in_order(sighting for sighting in sightings if sighting.seen.signature)
        changes = [mistake for mistake in mistakes if mistake.seen.change]
        lines = [mistake for mistake in mistakes if not mistake.seen.change]
        worked = [sighting for sighting in sightings if sighting.seen.shapes]
        for scope, same in _changes_by_scope(changes):
            yield from _rule(group, scope, same, worked)
        rules = [change for sighting in changes if (change := change_from(sighting.seen.change))]
        special = (line for line in lines if not any(apply(rule, line.seen.failed) for rule in rules))
        for scope, same in by_repo(special).items():
            yield from _same_lines(scope, same)


def _see_mended(digest: Digest) -> Iterator[Grouped[CallSeen]]:
    """The wrong calls of a session, each change and each line once."""
    mended = (grouped for failure in digest.failures for grouped in _see_mended_call(digest, failure))
    return unique(mended, lambda call: (call.seen.signature, call.seen.failed, call.seen.change))


def _see_mended_call(digest: Digest, failure: Failure) -> Iterator[Grouped[CallSeen]]:
    pair = _pair(digest, failure)
    if pair is None:
        return
    failed, fixed = pair
    change = change_between(failed, fixed)
    if not _is_plausible(digest.steps[failure.at].error, change):
        return
    seen = CallSeen(
        at=failure.at,
        excerpt=f"{failed[: EXCERPT_LIMIT // 2]} → {fixed[: EXCERPT_LIMIT // 2 - 3]}",
        signature=failure.signature,
        failed="" if change else _durable(failed),
        fixed="" if change else _durable(fixed),
        change=str(change or ""),
    )
    if change or (seen.failed and seen.fixed):
        yield Grouped(_QUOTING if change == QUOTE else change.program if change else _program(failed), seen)


def _is_plausible(error: str, change: CommandChange | None) -> bool:
    """Whether the message blames the use, so that the change can be what mended it."""
    if change and _is_moved(change):
        return True
    if not says.USAGE.are_in(error):
        return False
    return change is None or _is_about_use(change)


def _is_moved(change: CommandChange) -> bool:
    """The same script, in another folder."""
    first = change.new[0] if change.new else ""
    return "/" in change.old[0] and first != change.old[0] and first.rpartition("/")[2] == change.program


def _is_about_use(change: CommandChange) -> bool:
    """No operand took the place of another: that is a second try at something else."""
    if GAP not in change.old:
        return True
    first, *_ = change.old[change.old.index(GAP) + 1 :] or ("-",)
    is_dropped = change.new[-1:] == (GAP,)
    return is_dropped or first.startswith(("-", GAP))


def _pair(digest: Digest, failure: Failure) -> tuple[str, str] | None:
    """A wrong command line and the one that mended it, as they can be shown."""
    is_mended = failure.resolution in _MENDED and failure.failure in _WRONG and failure.by is not None
    if not is_mended or failure.edits_between or failure.by is None or _MISSING.search(failure.signature):
        return None
    if digest.steps[failure.by].status is not Status.SUCCEEDED:
        return None
    failed = bare(plain(command_at(digest.steps, failure.at)))
    fixed = bare(plain(command_at(digest.steps, failure.by)))
    return (failed, fixed) if failed and fixed and failed != fixed else None


def _durable(line: str) -> str:
    """The line where it could come again as it is: short, without values of the moment, and more than a look."""
    main = parsed(line).main
    is_work = main is not None and main.weight is Weight.WORKS and len(spelled_commands(line)) == 1
    return line if is_work and len(line) <= _LONGEST_LINE and not _MOMENT.search(line) else ""


def _program(line: str) -> str:
    commands = spelled_commands(line)
    return commands[0].texts[0].rpartition("/")[2] if commands else line.split(maxsplit=1)[0]


def _see_worked(digest: Digest) -> Iterator[Grouped[CallSeen]]:
    """For the programs that do real work, how they were called."""
    shapes: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for at, step in enumerate(digest.steps):
        if step.kind is ActionKind.SHELL and step.has_worked:
            for program, shape in _shapes(command_at(digest.steps, at)):
                shapes[program][shape] = None
    for program in sorted(shapes, key=lambda name: (-len(shapes[name]), name))[:_MOST_PROGRAMS]:
        yield Grouped(program, CallSeen(shapes=tuple(shapes[program])[:_MOST_SHAPES]))


def _shapes(line: str) -> Iterator[tuple[str, str]]:
    main = parsed(line).main
    if main is None or main.weight is not Weight.WORKS:
        return
    for command in bare_commands(line):
        first = command.texts[0].rpartition("/")[2]
        if first == main.program or main.program in command.texts:
            names = [word for word in command.texts[1:3] if is_general(word)]
            flags = [word.partition("=")[0] for word in command.texts[3:] if word.startswith("-") and is_general(word)]
            yield first, " ".join((*names, *flags))


def _changes_by_scope(changes: Sequence[Sighting[CallSeen]]) -> Iterator[tuple[Scope, list[Sighting[CallSeen]]]]:
    """What changes the same words: for all repositories where two have it, else for the one."""
    changing = [(change.old, sighting) for sighting in changes if (change := change_from(sighting.seen.change))]
    for _, same in sorted(group_by(changing, lambda pair: pair[0]).items()):
        best = _in_most_stories([sighting for _, sighting in same], lambda sighting: sighting.seen.change)
        scopes = by_repo(best)
        yield from [(EVERYWHERE, best)] if len(scopes) > 1 else scopes.items()


def _in_most_stories(
    same: Sequence[Sighting[CallSeen]], fix: Callable[[Sighting[CallSeen]], str]
) -> list[Sighting[CallSeen]]:
    """The sightings of the fix that worked in most stories; of several, the latest."""
    return max(group_by(same, fix).values(), key=lambda some: (len(stories_in(some)), when(some[-1])))


def _rule(
    group: str, scope: Scope, same: Sequence[Sighting[CallSeen]], worked: Sequence[Sighting[CallSeen]]
) -> Iterator[Draft]:
    change = change_from(same[0].seen.change)
    words = words_of_change(change) if change else ""
    if change is None or not words:
        return
    against = _against(change, scope, same, worked)
    yield Draft(
        harvester=Corrections.name,
        key=("change", group, " ".join(change.old)),
        scope=scope,
        category=Category.TOOL_QUIRK,
        sentence=sentence(words),
        channel=Channel.OUTCOME,
        triggers=tuple(_triggers(change, same, is_always=not against)),
        advice=str(change),
        evidence=outcomes(same, against),
    )


def _triggers(change: CommandChange, same: Sequence[Sighting[CallSeen]], *, is_always: bool) -> Iterator[Trigger]:
    """The failures seen; and the form itself, where it has never worked and can be known by its words."""
    signatures = sorted({sighting.seen.signature for sighting in same})[:_MOST_SIGNATURES]
    for signature in signatures:
        if change == QUOTE:
            yield Trigger(signature=signature)
        else:
            yield Trigger(program=change.program, words=change.words, signature=signature)
    if is_always and change.words and not any(word.startswith("…,") for word in change.old):
        yield Trigger(program=change.program, words=change.words)


def _against(
    change: CommandChange, scope: Scope, same: Sequence[Sighting[CallSeen]], worked: Sequence[Sighting[CallSeen]]
) -> list[Sighting[CallSeen]]:
    """Sessions of other stories in which the form that failed here has worked."""
    if change == QUOTE:
        return []
    stories = stories_in(same)
    return [
        sighting
        for sighting in in_order(worked)
        if sighting.session.story not in stories
        and (scope == EVERYWHERE or scope_of(sighting.session) == scope)
        and any(apply(change, f"{change.program} {shape}") for shape in sighting.seen.shapes)
    ]


def words_of_change(change: CommandChange) -> str:
    """A change in words."""
    if change == QUOTE:
        return (
            "Quote words with `*`, `?` or `[` that a program is to see: the shell here fails when no file matches them."
        )
    field = next((word.strip("…,") for word in change.old if word.startswith("…,")), "")
    if field:
        call = quote(" ".join(word for word in change.new if word != GAP))
        return f"{call} has no field {quote(field)}: leave it out." if call else ""
    if all(word == GAP for word in change.new):
        return ""
    old, new = quote(_call(change.old)), quote(_call(change.new))
    return f"Instead of {old}, which fails, call {new}." if old and new else ""


def _call(words: tuple[str, ...]) -> str:
    text = " ".join(words)
    return text if text.endswith(GAP) else f"{text} {GAP}"


def _same_lines(scope: Scope, lines: Sequence[Sighting[CallSeen]]) -> Iterator[Draft]:
    """Lines that failed, each with the line that worked in most stories."""
    by_line = group_by(lines, lambda line: (line.seen.signature, line.seen.failed))
    for (signature, failed), same in sorted(by_line.items()):
        best = _in_most_stories(same, lambda line: line.seen.fixed)
        fixed = best[0].seen.fixed
        yield Draft(
            harvester=Corrections.name,
            key=("line", signature, failed),
            scope=scope,
            category=Category.PITFALL,
            sentence=sentence(f"{quote(failed)} fails here; {quote(fixed)} worked instead."),
            channel=Channel.OUTCOME,
            triggers=(Trigger(program=_program(failed), words=tuple(failed.split()[1:]), signature=signature),),
            advice=fixed,
            evidence=outcomes(best),
        )
