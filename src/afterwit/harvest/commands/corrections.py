"""Commands that were used wrongly, and the changed ones that worked with nothing edited in between.

What is learned is the change, not the two lines: a wrapper dropped, a flag dropped or replaced, a program replaced.
What cannot be said in general is left out. A change that stands for several forms gives the one that worked in most
stories. That the wrong form worked elsewhere speaks against it. Missing programs and wrong paths are left to the
harvesters of these.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile

from afterwit.actions.failures import messages as says
from afterwit.actions.shell.command_changes import (
    ANY,
    GAP,
    CommandChange,
    apply,
    bare,
    bare_commands,
    change_from,
    is_general,
    spelled_commands,
)
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import Weight
from afterwit.actions.steps import command_of
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
_LONGEST_RUN = 4
_LONGEST_WHOLE = 3  # words of a command that may be replaced as a whole
_WRONG = (FailureClass.INVOCATION, FailureClass.ENVIRONMENT, FailureClass.UNCLEAR)
_MENDED = (ResolutionKind.CHANGED, ResolutionKind.REPLACED, ResolutionKind.RETRIED)
_MISSING = regex(r"command not found|No module named|Cannot find module|not installed|executable file not found")
_MOST_PROGRAMS = 8
_MOST_SHAPES = 6
_MOST_SIGNATURES = 4


def change_between(failed: str, fixed: str) -> CommandChange | None:
    """What made the first line the second; None where that cannot be said in general."""
    before, after = ([command.texts for command in spelled_commands(bare(plain(line)))] for line in (failed, fixed))
    gone, come = [words for words in before if words not in after], [words for words in after if words not in before]
    if len(gone) != 1 or not come:
        return None
    best = max(come, key=lambda words: _likeness(gone[0], words))
    return _rewriting(gone[0], best) if len(come) == 1 or _likeness(gone[0], best) >= _ALIKE else None


def _likeness(words: Sequence[str], other: Sequence[str]) -> float:
    return SequenceMatcher(None, words, other, autojunk=False).ratio()


def _rewriting(failed: tuple[str, ...], fixed: tuple[str, ...]) -> CommandChange | None:
    """One run of words that became another, with what tells of the words around it which command is meant."""
    start = _shared(failed, fixed)
    behind = min(_shared(failed[::-1], fixed[::-1]), len(failed) - start, len(fixed) - start)
    gone, come = failed[start : len(failed) - behind], fixed[start : len(fixed) - behind]
    if not start and not behind:
        is_short = max(len(failed), len(fixed)) <= _LONGEST_WHOLE
        return CommandChange(failed, fixed) if is_short and all(map(is_general, (*failed, *fixed))) else None
    masked = _masked(gone, come, is_program=start == 0)
    if masked is None or max(len(gone), len(come)) > _LONGEST_RUN or not set(gone).isdisjoint(come):
        return None
    kept, following = _kept_before(failed[:start], _head_length(failed)), ""
    if behind and ((start == 0 and not come) or (start <= 1 and not gone)):
        word = failed[len(failed) - behind]  # tells what the words before it were put in front of
        following = word if is_general(word, is_program=start == 0) else ""
    old, new = ([*kept, *run, *filter(None, [following])] for run in (masked, come))
    return CommandChange(tuple(old), tuple(new)) if old and old != new else None


def _shared(words: Sequence[str], other: Sequence[str]) -> int:
    """How many words both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(words, other, strict=False)))


def _head_length(words: tuple[str, ...]) -> int:
    """How many words name what is run: the program and its subcommand."""
    main = parsed(" ".join(words)).main
    return 1 + len(main.subcommand.split()) if main and words[0].rpartition("/")[2] == main.program else 1


def _kept_before(words: tuple[str, ...], head: int) -> list[str]:
    """What a change says of words that stay before it: those that name what is run, and the flag of a value."""
    named, rest = [word for word in words[:head] if is_general(word)], words[head:]
    flag = [rest[-1]] if rest and rest[-1].startswith("-") and is_general(rest[-1]) else []
    return [*named, GAP, *flag] if len(rest) > len(flag) else [*named, *flag]


def _masked(gone: tuple[str, ...], come: tuple[str, ...], *, is_program: bool) -> list[str] | None:
    """The words that went, with a flag's value of the moment masked; None where a word is of the moment."""
    if not all(is_general(word, is_program=is_program) for word in come):
        return None
    masked: list[str] = []
    for word in gone:
        is_value = not come and bool(masked) and masked[-1].startswith("-")
        if not is_general(word, is_program=is_program) and not is_value:
            return None
        masked.append(word if is_general(word, is_program=is_program) else ANY)
    return masked


class CallSeen(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """A wrong call that was mended, or the ways in which a program was called and worked."""

    signature: str = ""
    change: str = ""
    shapes: tuple[str, ...] = ()

    @property
    def is_telling(self) -> bool:
        return bool(self.signature)


class Corrections:
    name = "corrections"
    version = 2
    minimum_stories = 2
    seen = CallSeen

    def see(self, digest: Digest) -> Iterable[Grouped[CallSeen]]:
        mended = (grouped for failure in digest.failures for grouped in _see_mended(digest, failure))
        yield from unique(mended, lambda call: (call.seen.signature, call.seen.change))
        yield from _see_worked(digest)

    def conclude(self, group: str, sightings: Sequence[Sighting[CallSeen]]) -> Iterable[Draft]:
        worked = [sighting for sighting in sightings if sighting.seen.shapes]
        mistakes = in_order(sighting for sighting in sightings if sighting.seen.change)
        changing = [(change.old, seen) for seen in mistakes if (change := change_from(seen.seen.change))]
        for _, same in sorted(group_by(changing, lambda pair: pair[0]).items()):
            by_change = group_by((sighting for _, sighting in same), lambda sighting: sighting.seen.change)
            best = max(by_change.values(), key=lambda some: (len(stories_in(some)), when(some[-1])))
            scopes = by_repo(best)
            for scope, seen in [(EVERYWHERE, best)] if len(scopes) > 1 else scopes.items():
                yield from _rule(group, scope, seen, worked)


def _see_mended(digest: Digest, failure: Failure) -> Iterator[Grouped[CallSeen]]:
    pair = _pair(digest, failure)
    change = change_between(*pair) if pair else None
    if pair is None or change is None or not _is_plausible(digest.steps[failure.at].error, change):
        return
    failed, fixed = pair
    seen = CallSeen(
        at=failure.at,
        excerpt=f"{failed[: EXCERPT_LIMIT // 2]} → {fixed[: EXCERPT_LIMIT // 2 - 3]}",
        signature=failure.signature,
        change=str(change),
    )
    yield Grouped(change.program, seen)


def _is_plausible(error: str, change: CommandChange) -> bool:
    """Whether the message blames the use, so that the change can be what mended it."""
    return _is_moved(change) or (says.USAGE.are_in(error) and _is_about_use(change))


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
    failed = bare(plain(command_of(digest.steps, failure.at)))
    fixed = bare(plain(command_of(digest.steps, failure.by)))
    return (failed, fixed) if failed and fixed and failed != fixed else None


def _see_worked(digest: Digest) -> Iterator[Grouped[CallSeen]]:
    """For the programs that do real work, how they were called."""
    shapes: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for at, step in enumerate(digest.steps):
        if step.kind is ActionKind.SHELL and step.has_worked:
            for program, shape in _shapes(command_of(digest.steps, at)):
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
        yield Trigger(program=change.program, words=change.words, signature=signature)
    if is_always and change.words:
        yield Trigger(program=change.program, words=change.words)


def _against(
    change: CommandChange, scope: Scope, same: Sequence[Sighting[CallSeen]], worked: Sequence[Sighting[CallSeen]]
) -> list[Sighting[CallSeen]]:
    """Sessions of other stories in which the form that failed here has worked."""
    stories = stories_in(same)
    return [
        sighting
        for sighting in in_order(worked)
        if sighting.session.story not in stories
        and (scope == EVERYWHERE or scope_of(sighting.session) == scope)
        and any(apply(change, f"{change.program} {shape}") for shape in sighting.seen.shapes)
    ]


def words_of_change(change: CommandChange) -> str:
    """A change in words; "" where nothing is left of the call."""
    if all(word == GAP for word in change.new):
        return ""
    old, new = quote(_call(change.old)), quote(_call(change.new))
    return f"Instead of {old}, which fails, call {new}." if old and new else ""


def _call(words: tuple[str, ...]) -> str:
    text = " ".join(words)
    return text if text.endswith(GAP) else f"{text} {GAP}"
