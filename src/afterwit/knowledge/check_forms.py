"""The forms in which people type checks, what makes one wrong, and the form that a line of the brief plainly has.

Each kind has one form ("never edit PATH", "before COMMAND: COMMAND"); backticks around commands and paths may be left
out. `validate` is asked of every check, typed or proposed: a command has to be one command that can be recognised in
command lines, a path has to name something below the repository, a text needs letters. Pure.
"""

import re
from typing import NamedTuple

from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.tree import Command
from afterwit.model.check import COMMIT_MESSAGE, THE_USER, Check, CheckKind
from afterwit.model.errors import UsageError
from afterwit.model.text import regex

FORMS = (
    "never run COMMAND unless asked",
    "before COMMAND: COMMAND",
    "COMMAND instead of COMMAND",
    "never edit PATH",
    "after PATH: COMMAND",
    "never write TEXT in PATH",
    "never write TEXT in a commit message",
)
LONGEST = 120  # characters of a command, a path or a pattern
_FEWEST_LETTERS = 3  # of a text, so that it is not found everywhere
_MOST_GAPS = 8
_NEEDED = {
    CheckKind.NOT_COMMAND: ("command",),
    CheckKind.BEFORE: ("command", "other"),
    CheckKind.INSTEAD: ("command", "other"),
    CheckKind.NOT_FILE: ("path",),
    CheckKind.AFTER_FILE: ("path", "command"),
    CheckKind.NOT_TEXT: ("pattern",),
}
_COMMANDS = {
    CheckKind.NOT_COMMAND: ("command",),
    CheckKind.BEFORE: ("command", "other"),
    CheckKind.INSTEAD: ("command", "other"),
    CheckKind.AFTER_FILE: ("command",),
}


class _Form(NamedTuple):
    kind: CheckKind
    pattern: "re.Pattern[str]"


_THING = r"(?:`[^`\n]+`|\"[^\"\n]+\"|[^`\"\n]+?)"
_END = r"\s*\.?\s*\Z"
_TYPED = tuple(
    _Form(kind, regex(rf"(?i)\s*{text}{_END}"))
    for kind, text in (
        (CheckKind.NOT_TEXT, rf"never write (?P<pattern>{_THING}) in (?:an? |the )?(?P<message>commit messages?)"),
        (CheckKind.NOT_TEXT, rf"never write (?P<pattern>{_THING}) in (?P<path>{_THING})"),
        (CheckKind.NOT_FILE, rf"never (?:edit|change|touch) (?P<path>{_THING})"),
        (
            CheckKind.NOT_COMMAND,
            rf"never (?:run|call|use) (?P<command>{_THING})"
            r"(?: (?:unless|until) (?:I )?ask(?:ed)?(?: \((?P<other>[^()\n]*)\))?)?",
        ),
        (CheckKind.BEFORE, rf"before (?P<command>{_THING}):\s+(?P<other>{_THING})"),
        (CheckKind.AFTER_FILE, rf"after (?P<path>{_THING}):\s+(?P<command>{_THING})"),
        (CheckKind.INSTEAD, rf"(?:use )?(?P<other>{_THING}) instead of (?P<command>{_THING})"),
    )
)
# Of a line of the brief: commands and paths stand in backticks, or are one of the verbs that everybody means by them.
_VERBS = {"commit": "git commit", "push": "git push", "merging": "gh pr merge", "committing": "git commit"}
_VERBS |= {"pushing": "git push", "merge": "gh pr merge"}
_CODE = r"`(?P<{}>[^`\n]+)`"
_VERB = rf"(?:an? |any |every |the |each )?(?P<verb>{'|'.join(_VERBS)})"
_SAID = tuple(
    _Form(kind, regex(text, re.IGNORECASE))
    for kind, text in (
        (
            CheckKind.NOT_COMMAND,
            rf"\b(?:never|do not|don't)\s+(?:run\s+)?(?:{_CODE.format('command')}|{_VERB}\b)[^.;]{{0,60}}"
            r"\b(?:ask|asks|asked|asking|explicit|told|tells|approv\w+)",
        ),
        (
            CheckKind.NOT_FILE,
            rf"{_CODE.format('path')}[^.;`]{{0,60}}\b(?:is|are) (?:never|not) (?:to be )?(?:edit|chang|touch)ed",
        ),
        (CheckKind.NOT_FILE, rf"\b(?:never|do not|don't) (?:edit|change|touch|modify) {_CODE.format('path')}"),
        (
            CheckKind.INSTEAD,
            rf"\buse {_CODE.format('other')},? (?:not|never|instead of|rather than) {_CODE.format('command')}",
        ),
        (
            CheckKind.AFTER_FILE,
            rf"\bafter (?:editing|changing|a change (?:of|to|in)|edits (?:of|to)) {_CODE.format('path')}"
            rf",?[^.;`]{{0,30}}\brun {_CODE.format('command')}",
        ),
        (
            CheckKind.BEFORE,
            rf"\brun {_CODE.format('other')}[^.;`]{{0,60}}\bbefore (?:you )?(?:{_CODE.format('command')}|{_VERB}\b)",
        ),
        (
            CheckKind.BEFORE,
            rf"{_CODE.format('other')}[^.;`]{{0,40}}\b(?:must pass|passes|has to pass|runs?)\b[^.;`]{{0,30}}"
            rf"\bbefore (?:{_CODE.format('command')}|{_VERB}\b)",
        ),
        (
            CheckKind.BEFORE,
            rf"\bbefore (?:{_CODE.format('command')}|{_VERB}\b)[^.;`]{{0,40}}\brun {_CODE.format('other')}",
        ),
    )
)


def check_from(typed: str, *, repo: str = "", by: str = THE_USER) -> Check:
    """The check that somebody typed in one of the forms."""
    text = " ".join(typed.split())[: 4 * LONGEST]
    for kind, pattern in _TYPED:
        if match := pattern.fullmatch(text):
            check = _check(kind, match, repo=repo, by=by)
            validate(check)
            return check
    raise UsageError(f"{text[:60]!r} has no form of a check. The forms are: {'; '.join(FORMS)}.")


def propose(line: str, *, repo: str, notes: tuple[str, ...] = (), by: str = THE_USER) -> Check | None:
    """The check that a line of the brief plainly asks for; None where it has no such form."""
    for kind, pattern in _SAID:
        if match := pattern.search(line):
            check = _check(kind, match, repo=repo, by=by, text=line, notes=notes)
            if not fault_of(check):
                return check
    return None


def _check(
    kind: CheckKind,
    match: "re.Match[str]",
    *,
    repo: str,
    by: str,
    text: str = "",
    notes: tuple[str, ...] = (),
) -> Check:
    given = {name: value.strip(" `\"'") for name, value in match.groupdict().items() if value}
    if verb := given.pop("verb", ""):
        given["command"] = _VERBS[verb.lower()]
    if given.pop("message", ""):
        given["path"] = COMMIT_MESSAGE
    if given.get("path", "").startswith("./"):
        given["path"] = given["path"][2:]
    return Check(kind=kind, text=text, notes=notes, repo=repo, by=by, **given)


def validate(check: Check) -> None:
    """Raises what is wrong with a check."""
    if fault := fault_of(check):
        raise UsageError(fault)


def fault_of(check: Check) -> str:
    """What is wrong with a check, in one sentence; "" where nothing is."""
    given = {name: str(getattr(check, name)) for name in ("command", "other", "path", "pattern")}
    for name in _NEEDED[check.kind]:
        if not given[name]:
            return f"A check of the kind {check.kind} needs a {name}."
    for name, value in given.items():
        if len(value) > LONGEST or not value.isprintable():
            return f"The {name} of a check has at most {LONGEST} characters, all of them printable."
    for name in _COMMANDS.get(check.kind, ()):
        if fault := _fault_of_command(given[name]):
            return fault
    if check.command and check.command == check.other:
        return f"`{check.command}` cannot be checked against itself."
    if check.path and (fault := _fault_of_path(check.path, is_all_meant=check.kind is CheckKind.NOT_TEXT)):
        return fault
    if check.pattern:
        letters = sum(letter.isalnum() for letter in check.pattern)
        if letters < _FEWEST_LETTERS or check.pattern.count("*") > _MOST_GAPS:
            return f"The text {check.pattern!r} would be found anywhere: it needs {_FEWEST_LETTERS} letters at least."
    return ""


def only_command(line: str) -> Command | None:
    """The one plain command that a line is; None where it is more, or cannot be recognised elsewhere."""
    whole = parsed(line)
    if not whole.is_whole or len(whole.commands) != 1:
        return None
    (command,) = whole.commands
    is_plain = not command.redirections and not any(word.expands or word.globs for word in command.words)
    return command if command.program and is_plain and not command.joint else None


def _fault_of_command(line: str) -> str:
    if only_command(line) is None:
        return f"`{line}` is not one plain command. Leave out pipes, variables, redirections and a second command."
    return ""


def _fault_of_path(path: str, *, is_all_meant: bool) -> str:
    if path.startswith(("/", "~")) or ".." in path.split("/") or (len(path) > 1 and path[1] == ":"):
        return f"`{path}` is not below the repository. Name it as git does, say `src/generated/**`."
    if not path.strip("*/.") and not is_all_meant:
        return f"`{path}` means every file. Name a file or a folder."
    return ""
