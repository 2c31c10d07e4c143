"""Finds what made a command line that failed the line that worked, where it can be said in general.

Exactly one command of the line may differ, and by few words. Words of the moment (paths, numbers, messages, ids) never
go into a change: a value that was dropped with its flag becomes `*`, words that stayed become `…`. Everything else
gives None: the two lines then are two tries, and teach nothing about other lines.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher

from afterwit.actions.shell.command_changes import (
    ANY,
    GAP,
    QUOTE,
    VALUE,
    CommandChange,
    SpelledCommand,
    bare,
    is_general,
    is_glob,
    same_but_for_quotes,
    spelled_commands,
)
from afterwit.actions.shell.parse import parsed
from afterwit.harvest.wording import plain

_ALIKE = 0.4
_MOST_CHANGES = 2
_LONGEST_RUN = 4
_LONGEST_WHOLE = 3  # words of a command that may be replaced as a whole

Opcode = tuple[str, int, int, int, int]


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
