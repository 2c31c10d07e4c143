"""Decides whether a call goes against a check: from the call, the files and what happened in this session, alone.

Loaded only where all words occur that a check needs. `judge` takes the call apart and says which checks it would break,
and under which condition; `happened` says what a prompt or a finished call means for checks. Both think without a lock.
The conditions are compared with what the session has noted by `Breach.stands`, under the lock. What cannot be decided
(an alias, a substitution, an outcome that nobody told) passes. Here-documents and quoted text are data, not commands.
Every search is for plain text and needs time in proportion to what is searched; nothing is ever run.
"""

import os

from afterwit.actions.quick_look import fits_path
from afterwit.agents.hook_payloads import Moment
from afterwit.recall.deck.location import Location, is_in_checkout
from afterwit.recall.deck.reader import DeckCheck
from afterwit.recall.hook.asking import AGREED, ASKED, wish_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from afterwit.actions.shell.tree import Command, CommandLine
    from afterwit.recall.holdout import History

# pathlib takes longer to load than all that is done here.
# ruff: noqa: PTH117, PTH118

EDITED, PASSED, UNKNOWN, STOPPED = "edited", "passed", "unknown", "stopped"
_LONGEST = 65_536  # characters of a command line, or of a text, that are looked at
_MOST_TEXTS = 200
_HARMLESS = frozenset(("--dry-run", "--help", "-h", "--version"))
_DRY = frozenset(("-n",))  # in `git push`, the same
_NEW_KEYS = frozenset(
    "content new_string new_str newString newText new_text file_text insert_text code_edit text replace new".split()  # noqa: SIM905
)
_OLD_KEYS = frozenset("old_string old_str oldString oldText old_text search".split())  # noqa: SIM905
_INTO_FILE = (">", ">>", ">|", "&>", "&>>", "<>")
_ON_FILES = frozenset(("rm", "mv", "tee", "truncate", "unlink", "shred"))  # all operands are changed
_ON_LAST = frozenset(("cp", "ln", "install"))
_EDITS_IN_PLACE = frozenset(("sed", "perl", "gsed", "ruby"))


class Breach:
    """A check that a call goes against, as far as `needs` is what the session has noted."""

    __slots__ = ("advice", "check", "needs", "subject")

    def __init__(self, check: DeckCheck, needs: str = "", subject: str = "", advice: str = "") -> None:
        self.check = check
        self.needs = needs  # "": in any case
        self.subject = subject  # the file, where there is one
        self.advice = advice  # the command line to use instead

    def stands(self, state: str, *, hears_user: bool) -> bool:
        """Whether it is one, given what was noted of its check."""
        if self.needs == ASKED:
            return hears_user and state != ASKED
        return not self.needs or state == self.needs


def judge(
    checks: "Iterable[DeckCheck]",
    agent: str,
    moment: Moment,
    place: Location,
    is_there: "Callable[[str], bool]" = os.path.exists,
) -> list[Breach]:
    """The checks that a call goes against, those first that always hold. `is_there` says of a path whether there is
    such a file: what is made anew is no edit."""
    line = _line(moment)
    if line is not None:
        against = (_of_command(check, line, moment, place) for check in checks)
    else:
        against = (_of_edit(check, agent, moment, place, is_there) for check in checks)
    return sorted((breach for breach in against if breach is not None), key=lambda breach: bool(breach.needs))


def happened(checks: "Iterable[DeckCheck]", agent: str, moment: Moment, place: Location) -> dict[str, str]:
    """What is to be noted of checks after a prompt, or after a call."""
    if moment.prompt:
        from afterwit.model.pasted import own_words

        typed = own_words(moment.prompt[:_LONGEST])
        wishes = ((check.id, wish_in(typed, check.command, check.other)) for check in checks)
        return {name: wish for name, wish in wishes if wish}
    if moment.is_error and not moment.command:
        return {}
    line = _line(moment)
    states: dict[str, str] = {}
    paths = _files_written(line, moment, place) if line is not None else _files_edited(agent, moment, place)
    for check in checks:
        wanted = check.other if check.kind == "before" else check.command
        if line is not None and (called := [part for part in _run(line) if _is_call(wanted, part)]):
            states[check.id] = _outcome(line, called, moment)
        elif any(check.kind == "before" or fits_path(check.path, below) for below in paths):
            states[check.id] = EDITED
    return {name: state for name, state in states.items() if state}


def standing(breaches: "Iterable[Breach]", history: "History") -> list[Breach]:
    """Those of the checks that a call does go against, given what the session has noted. Strict ones come first, so
    that a call that passes another one when it is made again is still stopped by them."""
    noted, hears = history.checks, history.hears_user
    stands = (breach for breach in breaches if breach.stands(noted.get(breach.check.id, ""), hears_user=hears))
    return sorted(stands, key=lambda breach: not breach.check.is_strict)


def changes(states: dict[str, str], history: "History") -> dict[str, str]:
    """What is new of what happened."""
    new = {name: _next_state(history.checks.get(name, ""), state) for name, state in states.items()}
    return {name: state for name, state in new.items() if state}


def same_call(breach: Breach, moment: Moment) -> str:
    """What tells the same call when it is made again: its command line, or the file that it is about."""
    is_line = bool(moment.command) and not breach.subject
    return f"{breach.check.id}\0{moment.command.strip() if is_line else breach.subject}"


def _next_state(noted: str, happened_now: str) -> str:
    """What is noted of a check after what was noted of it; "" where nothing changes."""
    if happened_now == AGREED:
        return ASKED if noted == STOPPED else ""
    if happened_now == UNKNOWN and noted != EDITED:
        return ""
    return happened_now if happened_now != noted else ""


def _line(moment: Moment) -> "CommandLine | None":
    """The command line of a call, if it is one and no patch."""
    text = moment.command
    if not text or "*** Begin Patch" in text:
        return None
    from afterwit.actions.shell.parse import parsed

    return parsed(text[:_LONGEST])


def _run(line: "CommandLine") -> "Iterable[Command]":
    from afterwit.actions.shell.parse import commands_run

    return commands_run(line.body)


def _of_command(check: DeckCheck, line: "CommandLine", moment: Moment, place: Location) -> Breach | None:
    if check.kind == "not-file":
        written = _files_written(line, moment, place)
        subject = next((below for below in written if fits_path(check.path, below)), "")
        return Breach(check, subject=subject) if subject else None
    calls = [part for part in _run(line) if not _is_harmless(part)]
    here = [part for part in calls if not (check.repo and _is_elsewhere(part, moment, place))]
    if check.kind == "instead":
        return _of_instead(check, here, moment)
    is_commit = check.kind in ("after-file", "not-text")
    wanted = "git commit" if is_commit else check.command
    called = next((part for part in here if _is_call(wanted, part)), None)
    if called is None:
        return None
    if check.kind == "not-text":
        return Breach(check) if any(_holds(check.pattern, text) for text in _messages(called)) else None
    if check.kind == "not-command":
        return Breach(check, ASKED)
    prepared = check.command if check.kind == "after-file" else check.other
    return None if _comes_first(prepared, called, line) else Breach(check, EDITED)


def _of_instead(check: DeckCheck, parts: "Iterable[Command]", moment: Moment) -> Breach | None:
    wanted, instead = check.command.split(), check.other.split()
    for part in parts:
        words = [word.text for word in part.words]
        start = len(words) - len(part.arguments) - 1
        if any(_begins(words[at:], wanted) for at in {0, start}) and not _begins(words, instead):
            from afterwit.actions.shell.command_changes import advised

            return Breach(check, advice=advised(f"{check.command} → {check.other}", moment.command))
    return None


def _begins(words: list[str], wanted: list[str]) -> bool:
    """Whether a command begins with these words, perhaps with options between them."""
    if not words or words[0] != wanted[0]:
        return False
    rest = (word for word in words[1:])
    for want in wanted[1:]:
        for word in rest:
            if word == want:
                break
            if not word.startswith("-"):
                return False
        else:
            return False
    return True


def _is_call(wanted: str, part: "Command") -> bool:
    """Whether a command of a line is a call of the wanted one: the same program and subcommand, with all of its other
    words in their order."""
    from afterwit.actions.shell.parse import parsed

    (want,) = parsed(wanted).commands
    if _program(want.program) != _program(part.program):
        return False
    if want.subcommand and want.subcommand != part.subcommand and not part.subcommand.startswith(f"{want.subcommand} "):
        return False
    rest = iter(part.arguments)
    return all(any(word == own or own.startswith(f"{word}=") for own in rest) for word in want.arguments)


def _program(name: str) -> str:
    return name.rstrip("0123456789.").lower() or name


def _is_elsewhere(part: "Command", moment: Moment, place: Location) -> bool:
    """Whether a command runs outside the repository that the check is about."""
    workdir = moment.arguments.get("workdir")
    start = workdir if isinstance(workdir, str) and workdir else moment.cwd
    words = [word.text for word in part.words]
    given = words[words.index("-C") + 1 :] if part.program == "git" and "-C" in words else []
    folder = os.path.normpath(os.path.join(start, part.folder, *given[:1]))
    return bool(place.root) and os.path.isabs(folder) and not is_in_checkout(folder, place.root)


def _is_harmless(part: "Command") -> bool:
    flags = set(part.flags)
    return bool(flags & _HARMLESS) or (part.subcommand == "push" and bool(flags & _DRY))


def _comes_first(prepared: str, called: "Command", line: "CommandLine") -> bool:
    """Whether the same line runs first what has to pass, and goes on only if it did, as far as can be told."""
    before = [part for part in _run(line) if part.number < called.number]
    at = next((number for number in reversed(range(len(before))) if _is_call(prepared, before[number])), None)
    return at is not None and all(part.joint in ("&&", "|", "|&") for part in before[at:])


def _outcome(line: "CommandLine", called: "list[Command]", moment: Moment) -> str:
    """How a command ended that has to pass."""
    from afterwit.actions.steps import judge as judge_step
    from afterwit.model.kinds import ActionKind, Lean, Status

    verdict = judge_step(ActionKind.SHELL, line, moment.output, is_error=moment.is_error, exit_code=moment.exit_code)
    part = called[-1]
    is_main = line.main is not None and line.main.number == part.number
    if verdict.status is Status.SUCCEEDED:
        return PASSED if part.number in line.reporting or is_main else UNKNOWN
    if verdict.status is Status.FAILED or verdict.lean is Lean.FAILED:
        return EDITED if is_main and len(line.reporting) <= 1 else UNKNOWN
    return UNKNOWN


def _of_edit(
    check: DeckCheck, agent: str, moment: Moment, place: Location, is_there: "Callable[[str], bool]"
) -> Breach | None:
    edited = [below for below in _files_edited(agent, moment, place) if fits_path(check.path, below)]
    if not edited:
        return None
    if check.kind == "not-text":
        return Breach(check, subject=edited[0]) if _writes(check.pattern, moment, edited) else None
    there = [below for below in edited if is_there(os.path.join(place.root, below))]
    return Breach(check, subject=there[0]) if there and check.kind == "not-file" else None


def _files_edited(agent: str, moment: Moment, place: Location) -> list[str]:
    """The files below the repository that a call of an editing tool changes."""
    from afterwit.actions.tools import paths_of
    from afterwit.model.kinds import CHANGES
    from afterwit.recall.hook.triggers import called

    kind, _ = called(agent, moment)
    if kind not in CHANGES:
        return []
    named = dict.fromkeys((*paths_of(moment.tool, moment.arguments), moment.path))
    return [below for name in named if name and (below := place.below(name.replace("\\", "/"), moment.cwd))]


def _files_written(line: "CommandLine", moment: Moment, place: Location) -> list[str]:
    """The files below the repository that a command line plainly writes to."""
    written: list[str] = []
    for part in _run(line):
        names = [redirection.target for redirection in part.redirections if redirection.operator in _INTO_FILE]
        operands = [word for word in part.arguments if not word.startswith("-")]
        if part.program in _ON_FILES:
            names += operands
        elif part.program in _ON_LAST:
            names += operands[-1:]
        elif part.program in _EDITS_IN_PLACE and any(flag.startswith(("-i", "-pi")) for flag in part.flags):
            names += operands[1:] if "-e" not in part.flags else operands
        elif part.program == "git" and part.subcommand in ("rm", "mv"):
            names += operands[1:]
        folder = os.path.join(moment.cwd, part.folder)
        plain = (name for name in names if name and not set(name) & set("$`*?&\0"))
        written += [below for name in plain if (below := place.below(name, folder))]
    return list(dict.fromkeys(written))


def _messages(part: "Command") -> "Iterable[str]":
    """What a commit is to say, as far as the line tells."""
    words = part.arguments
    for at, word in enumerate(words):
        if word in ("-m", "--message") or (word[:1] == "-" and word[:2] != "--" and word.endswith("m")):
            yield from words[at + 1 : at + 2]
        elif word.startswith("--message="):
            yield word.partition("=")[2]
        elif word[:2] == "-m":
            yield word[2:]
        elif word == "--trailer":
            yield from words[at + 1 : at + 2]
        elif word.startswith("--trailer="):
            yield word.partition("=")[2]
    if "-F" in words or "--file=-" in words or "--file" in words:
        yield from (redirection.body for redirection in part.redirections if redirection.body)


def _writes(pattern: str, moment: Moment, edited: list[str]) -> bool:
    """Whether an edit brings the text in: more often than it stood in what is replaced."""
    new: list[str] = []
    old: list[str] = []
    _texts(moment.arguments, new, old)
    patch = next((text for text in moment.arguments.values() if isinstance(text, str) and "*** " in text), "")
    patch = patch or (moment.command if "*** Begin Patch" in moment.command else "")
    if patch:
        is_here = False
        for row in patch[: 4 * _LONGEST].split("\n"):
            if row.startswith("*** ") and ": " in row:
                name = row.partition(": ")[2].strip()
                is_here = any(name.endswith(below) or below.endswith(name) for below in edited)
            elif is_here and row[:1] in ("+", "-"):
                (new if row[0] == "+" else old).append(row[1:])
    return sum(_count(pattern, text) for text in new) > sum(_count(pattern, text) for text in old)


def _texts(value: object, new: list[str], old: list[str], key: str = "") -> None:
    """The texts that an edit writes, and those that it replaces, by the names of its arguments."""
    if isinstance(value, str):
        if key in _NEW_KEYS and len(new) < _MOST_TEXTS:
            new.append(value[: 4 * _LONGEST])
        elif key in _OLD_KEYS and len(old) < _MOST_TEXTS:
            old.append(value[: 4 * _LONGEST])
    elif isinstance(value, dict):
        for name, inner in value.items():
            if len(new) < _MOST_TEXTS:
                _texts(inner, new, old, str(name))
    elif isinstance(value, list):
        for inner in value[:_MOST_TEXTS]:
            _texts(inner, new, old, key)


def _holds(pattern: str, text: str) -> bool:
    return _count(pattern, text[: 4 * _LONGEST]) > 0


def _count(pattern: str, text: str) -> int:
    """In how many lines of a text the pattern stands. Pieces between `*` are looked for one after the other."""
    pieces = [piece for piece in pattern.lower().split("*") if piece]
    folded = text.lower()
    if not pieces or pieces[0] not in folded:
        return 0
    return sum(_stands_in(pieces, row) for row in folded.split("\n"))


def _stands_in(pieces: list[str], row: str) -> bool:
    """Whether the pieces stand in a row in their order. Where the pattern begins or ends with a letter, a word does."""
    at = _find(pieces[0], row, 0, begins=True, ends=len(pieces) == 1)
    for piece in pieces[1:]:
        if at < 0:
            return False
        at = _find(piece, row, at, begins=False, ends=piece is pieces[-1])
    return at >= 0


def _find(piece: str, row: str, at: int, *, begins: bool, ends: bool) -> int:
    """Where the next such piece ends; -1 where there is none."""
    at = row.find(piece, at)
    while at >= 0:
        end = at + len(piece)
        is_inside = begins and piece[0].isalnum() and row[at - 1 : at].isalnum() and at > 0
        goes_on = ends and piece[-1].isalnum() and row[end : end + 1].isalnum()
        if not is_inside and not goes_on:
            return end
        at = row.find(piece, at + 1)
    return -1
