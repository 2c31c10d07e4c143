"""Instruction files (AGENTS.md, CLAUDE.md …) as transcripts show them: read, written, edited, or given by the client.

What every session is told already need not be learned. Only files of the repository that the session works in count,
and those in the user's home folder. Of each the last state is kept; a piece that was read or changed is kept beside it.
Texts are redacted here or were so before. Which text is the newest of several sessions is left to the caller.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.actions import tools
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.tree import Command
from afterwit.capture.assembly.texts import AssemblyContext, beginning, safe_body, safe_text
from afterwit.model.captured import Extract, PartFacts, key_of
from afterwit.model.instruction_files import Instruction, Placed, place_instruction
from afterwit.model.kinds import ActionKind, NoteKind
from afterwit.model.readings import Event
from afterwit.model.text import regex
from afterwit.redaction.markers import unkeyed
from afterwit.redaction.redaction import Redactor
from afterwit.repos.folders import root_name, root_of, user_of

LIMIT = 24_000  # characters of a file that are kept
_MOST_PIECES = 8  # of a file in a part; later ones take the place of earlier ones
_RANGES = ("offset", "limit", "view_range", "start_line", "end_line", "startLine", "endLine", "lines", "line_range")
_CONTENTS = ("content", "file_text", "contents", "file_content")
_REPLACEMENTS = ("new_string", "new_str", "newText", "new_text", "code_edit", "content")
_NUMBERED = regex(r"(?m)^[ \t]*(\d{1,6})(?:→|\t|\||: |\. ) ?")
_CUT = regex(r"(?i)\b(?:truncated|omitted)\b[^\n]{0,40}\]|…\s*\d+ \w+ truncated|\.\.\. ?\[?\d+ \w+ (?:more|omitted)")
_LINES = regex(r"(?P<first>\d{1,6}),(?P<last>\d{1,6}|\$)p")
_QUIET = frozenset(("cd", "test", "[", "true", "set"))
_PATCHED = regex(r"(?ms)^\*\*\* (Add|Update) File: ([^\n]+)\n(.*?)(?=^\*\*\* |\Z)")
_GIVEN = regex(r"AGENTS\.md|CLAUDE\.md|<user_instructions>|Context from: |Instructions from: ")
_IN_CODEX = regex(
    r"(?s)# AGENTS\.md instructions(?: for (?P<folder>[^\n]+))?\s+<INSTRUCTIONS>(?P<text>.*?)(?:</INSTRUCTIONS>|\Z)"
    r"|<user_instructions>(?P<older>.*?)(?:</user_instructions>|\Z)",
)
_IN_SECTIONS = regex(
    r"(?ms)^(?:Contents of (?P<contents>[^\n]+?)(?: \([^\n]*\))?:|-{3} Context from: (?P<context>[^\n]+?) -{3}"
    r"|Instructions from: (?P<source>[^\n]+))\n"
    r"(?P<text>.*?)(?=^Contents of [^\n]+:\n|^-{3} End of Context|^Instructions from: |^ *IMPORTANT: this context|"
    r"^</system-reminder>|\Z)",
)


class Showing(msgspec.Struct, frozen=True, array_like=True):
    """What a call will show of an instruction file, if it works."""

    path: str
    is_whole: bool
    text: str | None = None  # redacted; None: it will be in the output
    most_lines: int = 0  # that the output has; 0: no limit


def showing_of_call(kind: ActionKind, event: Event, part: PartFacts, context: AssemblyContext) -> Showing | None:
    """What a call reads, writes or changes of an instruction file."""
    arguments = event.arguments or {}
    if kind is ActionKind.SHELL:
        return _showing_of_shell(arguments, part, context)
    if kind not in (ActionKind.READ, ActionKind.WRITE, ActionKind.EDIT):
        return None
    for path in tools.paths_of(event.tool, arguments):
        name = _name_of(path, part, context)
        if name and kind is ActionKind.READ:
            return Showing(name, not any(arguments.get(key) for key in _RANGES))
        if name:
            return _text_written(name, path, kind, arguments, context.redactor)
    return None


def of_showing(showing: Showing, place: tuple[int, int], at_ms: int | None, output: str) -> Iterator[Extract]:
    """The note of a call that worked: `place` is its part and its ordinal, `output` its redacted result."""
    number, ordinal = place
    text = _without_numbers(output) if showing.text is None else showing.text
    is_cut = showing.text is None and (_CUT.search(text) or 0 < showing.most_lines <= text.count("\n") + 1)
    is_whole = showing.is_whole and not is_cut
    yield from _extract_file(number, Instruction(showing.path, text, is_whole), at_ms, ordinal)


def of_event(number: int, part: PartFacts, event: Event, context: AssemblyContext) -> Iterator[Extract]:
    """The notes of files that the client put into the context, or that a record holds beside its text."""
    shown = [event.file] if event.file else []
    if not event.call_id and _GIVEN.search(event.text):
        shown += _files_in_notice(event.text)
    for path, text in shown:
        name = _name_of(path, part, context)
        if name:
            yield from _extract_file(number, Instruction(name, safe_body(text, context.redactor), True), event.at_ms, 0)


def _extract_file(number: int, file: Instruction, at_ms: int | None, ordinal: int) -> Iterator[Extract]:
    """Identities leave out what a placeholder is keyed with: they are the same on every machine."""
    text = beginning(file.text.strip(), LIMIT)
    if text:
        identity = unkeyed(file.path) if file.is_whole else f"{unkeyed(file.path)}\n{ordinal % _MOST_PIECES}"
        yield Extract(number, NoteKind.INSTRUCTIONS, key_of(identity), at_ms, f"{file.head}\n{text}")


def _name_of(path: str, part: PartFacts, context: AssemblyContext) -> str:
    """The path below the repository; the redacted path of a file in a home folder; "" for any other file."""
    files, redactor = context.instructions, context.redactor
    at_home = _place_path(path, files.in_homes)
    if at_home and user_of(at_home.folder) and not root_name(at_home.folder):
        return safe_text(path, redactor)
    in_checkout = _place_path(path, files.in_checkouts)
    if in_checkout is None or not (in_checkout.folder in ("", ".") or _is_above(in_checkout.folder, part, redactor)):
        return ""
    return safe_text(in_checkout.name, redactor)


@lru_cache(maxsize=1 << 10)
def _place_path(path: str, patterns: tuple[str, ...]) -> Placed | None:
    """A session reads the same files again and again."""
    return place_instruction(path, patterns)


def _is_above(folder: str, part: PartFacts, redactor: Redactor) -> bool:
    """Whether it is the session's repository, or a folder around it that is more than a home folder."""
    if not part.root or not root_name(folder):
        return False
    root = safe_text(root_of(folder), redactor)
    return part.root == root or part.root.startswith(f"{root}/")


def _showing_of_shell(arguments: Mapping[str, Any], part: PartFacts, context: AssemblyContext) -> Showing | None:
    """A command line that prints one file and nothing else."""
    line = tools.command_of(arguments)
    if not _file_names(context.instructions.in_checkouts).search(line):
        return None
    loud = [command for command in parsed(line).commands if command.program not in _QUIET] if len(line) < LIMIT else []
    if len(loud) != 1 or loud[0].joint in ("|", "|&"):
        return None
    printed = _file_printed(loud[0])
    folder = loud[0].folder or str(arguments.get("workdir") or "")
    name = _name_of(posixpath.normpath(posixpath.join(folder, printed.path)), part, context) if printed else ""
    return msgspec.structs.replace(printed, path=name) if printed and name else None


@cache
def _file_names(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Finds in a command line what may be the name of such a file, or of its folder."""
    names = [PurePosixPath(pattern.removesuffix("/*.md").removesuffix("/*.mdc")).name for pattern in patterns]
    return re.compile("|".join(map(re.escape, names)) or r"(?!)")


def _file_printed(command: Command) -> Showing | None:
    """The file that a command prints, as the command names it."""
    operands = [word for word in command.arguments if not word.startswith("-")]
    if command.program == "cat" and len(operands) == 1:
        return Showing(operands[0], is_whole=True)
    if command.program != "sed" or "-n" not in command.flags or len(operands) != 2:
        return None
    lines = _LINES.fullmatch(operands[0])
    most = int(lines["last"]) if lines and lines["last"].isdigit() else 0
    return Showing(operands[1], lines["first"] == "1", most_lines=most) if lines else None


def _text_written(
    name: str, path: str, kind: ActionKind, arguments: Mapping[str, Any], redactor: Redactor
) -> Showing | None:
    """The text that a call puts into the file."""
    for value in _strings(arguments):
        for verb, patched, lines in _PATCHED.findall(value):
            if patched.strip() == path:
                kept = "\n".join(line[1:] for line in lines.splitlines() if line[:1] in ("+", " "))
                return Showing(name, verb == "Add", safe_body(kept, redactor))
    is_whole = kind is ActionKind.WRITE
    texts = list(_values(arguments, _CONTENTS if is_whole else _REPLACEMENTS))
    text = safe_body("\n\n".join(texts), redactor)
    return Showing(name, is_whole, beginning(text, LIMIT)) if text else None


def _values(arguments: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[str]:
    yield from (value for key in keys if isinstance(value := arguments.get(key), str) and value)
    edits = arguments.get("edits")
    for edit in edits if isinstance(edits, list) else ():
        if isinstance(edit, Mapping):
            yield from _values(edit, keys)


def _strings(arguments: Mapping[str, Any]) -> Iterator[str]:
    yield from (value for value in arguments.values() if isinstance(value, str) and "*** " in value)
    yield tools.command_of(arguments)


def _without_numbers(text: str) -> str:
    """The output of a read without the numbers that some tools put before each line."""
    lines = text.count("\n") + 1
    numbers = [int(number[1]) for number in _NUMBERED.finditer(text)]
    is_numbered = len(numbers) > 1 and len(numbers) >= 0.8 * lines and numbers[-1] - numbers[0] >= len(numbers) - 1
    return _NUMBERED.sub("", text) if is_numbered else text


def _files_in_notice(text: str) -> Iterator[tuple[str, str]]:
    """The files that a client shows the model in a notice. Codex joins all that hold and names a folder."""
    for section in _IN_CODEX.finditer(text):
        yield posixpath.join(section["folder"] or "", "AGENTS.md"), section["text"] or section["older"] or ""
    for section in _IN_SECTIONS.finditer(text):
        yield section["contents"] or section["context"] or section["source"], section["text"]
