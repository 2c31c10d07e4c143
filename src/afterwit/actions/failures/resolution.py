"""What made a failure good, if anything: the later action whose success shows it, and what lay in between.

Asks three things: was anything edited in between, is the command the same, and what class was the failure. A command
counts as the same check if program and subcommand agree and its arguments mostly do; the success of another command
that merely looks alike is no fix. Only what happened in the same session is looked at.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from enum import Enum
from typing import NamedTuple

from afterwit.actions.activities import is_checking
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import Weight, names
from afterwit.actions.shell.tree import Command, CommandLine
from afterwit.actions.steps import command_of
from afterwit.model.kinds import CHANGES, ActionKind, FailureClass, ResolutionKind, Step
from afterwit.model.text import regex

_REACH = 25  # actions in which a wrong call is mended
_WORK_REACH = 400  # work takes longer
_NEAR = 6  # actions in which another way is tried
_ALIKE = 0.5  # share of equal words that makes a command the same attempt
_MUCH_ALIKE = 0.7  # the same with another subcommand
_SHARED = 0.34  # share of telling words that makes another program reach the same aim
_LOOKS = (ActionKind.READ, ActionKind.SEARCH)
_REWRITES = regex(
    r"\b(?:sed\s+(?:-\S+\s+)*-i|gofmt\s+-w|goimports\s+-w|format\b|fmt\b|perl\s+-\S*i|tee\b|apply_patch\b"
    r"|git (?:checkout|restore|stash pop|apply|cherry-pick|merge|rebase)\b)"
    r"|fix\b|--write\b|(?<![0-9&>])>{1,2}\s?[\w./~$-]+"
)
_PREPARES = regex(
    r"\b(?:install|add|mkdir|login|auth|start|up|fetch|pull|sync|init|build|clone|download|chmod|export|kill|pkill|rm|mv|cp"
    r"|remote|config|checkout|switch|stash|unlock|tidy|generate|restart|create|touch)\b"
)
_WORD = regex(r"[\w.@+-]{2,}")
_JOINT = regex(r"[\s/|=,:()]+")
_LONGEST_WORD = 400
_MOVES = frozenset(("cd", "pushd"))
_FILLER = names("head tail cat sed grep rg ls find git run dev null true echo")


class FailureResolution(NamedTuple):
    kind: ResolutionKind
    by: int | None = None  # position of the step whose success shows it


UNRESOLVED = FailureResolution(ResolutionKind.UNRESOLVED)


def resolve(steps: Sequence[Step], at: int, failure: FailureClass) -> FailureResolution:
    """How the failed step at this position was made good."""
    if failure in (FailureClass.DENIED, FailureClass.CANCELLED, FailureClass.ANSWER):
        return UNRESOLVED
    if steps[at].kind is ActionKind.SHELL and failure is not FailureClass.TOOL_CONTRACT:
        return _of_command(steps, at, failure)
    return _of_tool(steps, at)


def _of_tool(steps: Sequence[Step], at: int) -> FailureResolution:
    """A call of the agent's own tool: the same tool on the same thing, or another way to it."""
    failed, has_read = steps[at], False
    for later, step in _later(steps, at, _REACH):
        if not step.has_worked:
            continue
        if step.kind is failed.kind and _is_same_thing(failed, step):
            is_same_call = has_read and failed.kind in CHANGES and "read" in failed.error.lower()
            return FailureResolution(ResolutionKind.PREPARED if is_same_call else ResolutionKind.CHANGED, later)
        if failed.kind in CHANGES and step.kind in CHANGES and _is_same_file(failed.target, step.target):
            return FailureResolution(ResolutionKind.REPLACED, later)
        if failed.kind in CHANGES and step.kind is ActionKind.SHELL and _rewrites(step, failed.target):
            return FailureResolution(ResolutionKind.REPLACED, later)
        if failed.kind in _LOOKS and later <= at + _NEAR and _reaches_same(failed, step):
            return FailureResolution(ResolutionKind.REPLACED, later)
        has_read = has_read or (step.kind is ActionKind.READ and _is_same_file(failed.target, step.target))
    return UNRESOLVED


def _is_same_thing(failed: Step, step: Step) -> bool:
    if failed.kind in (*CHANGES, ActionKind.READ):
        return _is_same_file(failed.target, step.target)
    return step.tool == failed.tool


def _is_same_file(path: str, other: str) -> bool:
    """The same path, or one that ends alike: a wrong folder was corrected."""
    return bool(path and other) and path.rpartition("/")[2] == other.rpartition("/")[2]


def _rewrites(step: Step, path: str) -> bool:
    name = path.rpartition("/")[2]
    return bool(name) and name in step.target and bool(_REWRITES.search(step.target) or "write" in step.target)


def _reaches_same(failed: Step, step: Step) -> bool:
    if step.kind not in (*_LOOKS, ActionKind.SHELL):
        return False
    return _overlap(_words(failed.target), _words(step.target)) >= _SHARED


def _of_command(steps: Sequence[Step], at: int, failure: FailureClass) -> FailureResolution:
    line = parsed(command_of(steps, at))
    is_work = failure is FailureClass.WORK
    edits = prepares = 0
    narrower: FailureResolution | None = None
    another: FailureResolution | None = None
    for later, step in _later(steps, at, _WORK_REACH if is_work else _REACH):
        if not step.has_worked:
            continue
        is_near = later <= at + _NEAR
        if step.kind is not ActionKind.SHELL:
            edits += step.kind in CHANGES
            if another is None and is_near and _looks_instead(line, step):
                another = FailureResolution(ResolutionKind.REPLACED, later)
            continue
        text = command_of(steps, later)
        sameness = _sameness(line, parsed(text), is_work=is_work) if _may_be_same(line, text) else _Sameness.OTHER
        if sameness is _Sameness.SAME:
            return FailureResolution(_how(line, parsed(text), failure, edits, prepares), later)
        if sameness is _Sameness.NARROWER and narrower is None:
            narrower = FailureResolution(_how(line, parsed(text), failure, edits, prepares), later)
        if another is None and is_near and not is_work and _is_another_way(line, text, failure):
            another = FailureResolution(_kind_of_other_way(line, parsed(text)), later)
        edits += bool(_REWRITES.search(text))
        prepares += bool(_PREPARES.search(text))
    return another or narrower or UNRESOLVED


def _may_be_same(failed: CommandLine, text: str) -> bool:
    """A cheap look before a line is taken apart: the same attempt names the program, or what a wrapper wrapped."""
    main = failed.main
    return main is None or _program(main) in text or (bool(main.arguments) and main.arguments[0] in text)


class _Sameness(Enum):
    SAME = "same"
    NARROWER = "narrower"  # the same check of a part of it
    OTHER = "other"


def _sameness(failed: CommandLine, later: CommandLine, *, is_work: bool) -> _Sameness:
    """Whether the later line tries the same thing again."""
    if failed.text.strip() == later.text.strip():
        return _Sameness.SAME
    main = failed.main
    if main is None:
        return _Sameness.SAME if _alike(_bare(failed), _bare(later)) >= _ALIKE else _Sameness.OTHER
    if is_work and is_checking(main):
        checks = [_sameness_of_checks(main, other) for other in later.commands]
        return next((kind for kind in _Sameness if kind in checks), _Sameness.OTHER)
    is_again = any(_is_same_attempt(main, other) for other in later.commands)
    return _Sameness.SAME if is_again else _Sameness.OTHER


def _sameness_of_checks(failed: Command, other: Command) -> _Sameness:
    """A check of the same or more is the same one; a check of something else is another."""
    if (failed.program, failed.subcommand) != (other.program, other.subcommand):
        return _Sameness.OTHER
    before, now = _operands(failed), _operands(other)
    if not now or before == now or (before & now and len(now) >= len(before)):
        return _Sameness.SAME
    return _Sameness.NARROWER if not before or before & now else _Sameness.OTHER


def _operands(command: Command) -> set[str]:
    """What a check is applied to: arguments that are neither options nor part of the subcommand."""
    words = (word for word in command.arguments if not word.startswith("-") and not word.isdigit())
    return {word for word in words if word not in command.subcommand.split() and word != "./..."}


def _is_same_attempt(failed: Command, other: Command) -> bool:
    """The same program with alike arguments; or, where a wrapper was wrong, what it wrapped."""
    if bool(failed.arguments) and failed.arguments[0] == other.program:
        return _alike(failed.arguments, (other.program, *other.arguments)) > _ALIKE
    if _program(failed) != _program(other):
        return False
    before, now = _pieces(_beyond_subcommand(failed)), _pieces(_beyond_subcommand(other))
    if failed.subcommand == other.subcommand:
        return _alike(before, now) >= _ALIKE
    if not before and not now:
        return _alike(failed.subcommand, other.subcommand) > _MUCH_ALIKE
    return _alike(before, now) > _MUCH_ALIKE


def _program(command: Command) -> str:
    return command.program.rstrip("3") if command.program.startswith(("python", "pip")) else command.program


def _beyond_subcommand(command: Command) -> Sequence[str]:
    return command.arguments[len(command.subcommand.split()) :]


def _pieces(words: Sequence[str]) -> list[str]:
    """Arguments cut at their joints, so that one wrong folder does not make a path another one."""
    return [piece for word in words for piece in _JOINT.split(word[:_LONGEST_WORD]) if piece]


def _how(failed: CommandLine, now: CommandLine, failure: FailureClass, edits: int, prepares: int) -> ResolutionKind:
    is_same = (
        _bare(failed) == _bare(now) and _open_words(failed) == _open_words(now) and _around(failed) == _around(now)
    )
    if edits and (failure is FailureClass.WORK or is_same):
        return ResolutionKind.EDITED
    if is_same and _has_preparation(failed, now):
        return ResolutionKind.PREPARED
    if not is_same or _folder(failed) != _folder(now):
        return ResolutionKind.CHANGED
    return ResolutionKind.PREPARED if prepares and failure is not FailureClass.TRANSIENT else ResolutionKind.RETRIED


def _has_preparation(failed: CommandLine, now: CommandLine) -> bool:
    """Whether the later line first puts something right and then does the same."""
    before = {(command.program, command.subcommand) for command in failed.commands}
    return any(
        _PREPARES.search(f"{command.program} {command.subcommand}")
        for command in now.commands
        if (command.program, command.subcommand) not in before and command.program not in _MOVES
    )


def _folder(line: CommandLine) -> str:
    return line.main.folder if line.main else ""


def _is_another_way(failed: CommandLine, text: str, failure: FailureClass) -> bool:
    needed = _SHARED if failure is FailureClass.INVOCATION else _ALIKE
    return _overlap(_words(failed.text), _words(text)) >= needed


def _kind_of_other_way(failed: CommandLine, now: CommandLine) -> ResolutionKind:
    programs = {_program(command) for command in now.commands}
    is_same_program = failed.main is not None and _program(failed.main) in programs
    return ResolutionKind.CHANGED if is_same_program else ResolutionKind.REPLACED


def _looks_instead(failed: CommandLine, step: Step) -> bool:
    """An own tool that reads or searches what a looking command was to show."""
    is_look = failed.main is not None and failed.main.weight < Weight.WORKS
    return is_look and step.kind in _LOOKS and _overlap(_words(step.target), _words(failed.text)) >= _SHARED


def _later(steps: Sequence[Step], at: int, reach: int) -> Iterator[tuple[int, Step]]:
    return ((later, steps[later]) for later in range(at + 1, min(at + 1 + reach, len(steps))))


def _bare(line: CommandLine) -> tuple[str, ...]:
    """Program and arguments of the command that matters: without folder changes, filters and redirections."""
    main = line.main
    return (main.program, *main.arguments) if main else tuple(line.text.split())


def _around(line: CommandLine) -> tuple[object, ...]:
    """What the command runs in: `uv run pytest` where `pytest` was not found is another command."""
    return (line.main.wrappers, line.main.assignments) if line.main else ()


def _open_words(line: CommandLine) -> set[str]:
    """Words that the shell expands: with them quoted, the command is another."""
    return {word.text for word in line.main.words if word.globs or word.expands} if line.main else set()


def _alike(words: Sequence[str], other: Sequence[str]) -> float:
    if not words and not other:
        return 1.0
    return SequenceMatcher(None, words, other, autojunk=False).ratio()


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if word not in _FILLER and not word.startswith("-")}


def _overlap(words: set[str], other: set[str]) -> float:
    return len(words & other) / min(len(words), len(other)) if words and other else 0.0
