"""What a call that changes files says of the change: which span of lines gave way to which, file by file.

Tools write a file whole, replace a text by another, insert one, or take a patch: the envelope that agents use, the
unified form of git, or blocks of search and replacement. Arguments are as the log has them, of any shape: nothing here
raises, and what has none of these forms says nothing. Pure.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from afterwit.actions.tools import COMMAND_KEYS, PATCH_KEYS, PATH_KEYS
from afterwit.model.text import regex

_OLD = ("old_string", "old_str", "oldText", "old_text", "oldString", "old", "search")
_NEW = ("new_string", "new_str", "newText", "new_text", "newString", "new", "replace", "insert_text", "new_source")
_WHOLE = ("content", "file_text", "contents", "new_content", "fileContent", "text")
_IN_PATCH = (*PATCH_KEYS, *COMMAND_KEYS)
_ENVELOPE = "*** Begin Patch"
_FILE = regex(r"(?:\*\*\* (?:Add File|Update File|Delete File|Move to): |\+\+\+ (?:[bw]/)?)(?P<path>[^\t\n]+)")
_PATCH_LINE = regex(r"(?m)^(?:\*\*\* (?:Begin Patch|Update File|Add File)|@@ -\d|--- )")
_SEARCH, _MIDDLE, _REPLACE = (
    regex(r"(?:<{5,}|-{5,}) ?SEARCH"),
    regex(r"={5,}[^\S\n]*\n"),
    regex(r"(?:>{5,}|\+{5,}) ?REPLACE"),
)


class SpanChange(NamedTuple):
    """Lines of a file that gave way to others."""

    path: str  # as the log names it; "" where the call names none
    before: tuple[str, ...]
    after: tuple[str, ...]
    is_whole: bool = False  # `after` is all of the file; what was there before is not said
    is_everywhere: bool = False  # wherever the file had `before`


def changes_of(arguments: Mapping[str, Any] | None) -> list[SpanChange]:
    """The changes that a call asks for, in order."""
    if not arguments:
        return []
    path = _text_at(arguments, PATH_KEYS) or ""
    replaced = [change for entry in (arguments, *_entries(arguments)) for change in _replaced(entry, path)]
    patched = [] if replaced else list(_patched(arguments, path))
    if replaced or patched:
        return replaced or patched
    whole = _text_at(arguments, _WHOLE)
    return [] if whole is None else [SpanChange(path, (), _lines(whole), is_whole=True)]


def _entries(arguments: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Several replacements that one call makes, and one that lies a level below."""
    for value in arguments.values():
        if isinstance(value, Mapping):
            yield value
        elif isinstance(value, list):
            yield from (entry for entry in value if isinstance(entry, Mapping))


def _replaced(entry: Mapping[str, Any], path: str) -> Iterator[SpanChange]:
    old, new = _text_at(entry, _OLD), _text_at(entry, _NEW)
    if new is not None and (old is not None or "insert_line" in entry or "new_source" in entry):
        is_everywhere = any(entry.get(key) is True for key in ("replace_all", "replaceAll", "allow_multiple"))
        place = _text_at(entry, PATH_KEYS) or path
        yield SpanChange(place, _lines(old or ""), _lines(new), is_everywhere=is_everywhere)


def _patched(arguments: Mapping[str, Any], path: str) -> Iterator[SpanChange]:
    for key in _IN_PATCH:
        value = arguments.get(key)
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and _PATCH_LINE.search(text):
                yield from _spans(text.splitlines(), path)
                return
            if isinstance(text, str) and (blocks := list(_blocks_in(text))):
                yield from (SpanChange(path, _lines(old), _lines(new)) for old, new in blocks)
                return


def _blocks_in(text: str) -> Iterator[tuple[str, str]]:
    """Blocks of search and replacement."""
    old: list[str] | None = None
    new: list[str] | None = None
    for line in text.splitlines(keepends=True):
        if old is None:
            old = [] if _SEARCH.match(line) else None
        elif new is None:
            if _MIDDLE.fullmatch(line):
                new = []
            else:
                old.append(line)
        elif _REPLACE.match(line):
            yield "".join(old), "".join(new)
            old = new = None
        else:
            new.append(line)


def _spans(lines: Sequence[str], path: str) -> Iterator[SpanChange]:
    """The hunks of a patch. A hunk ends where another begins, and with its file."""
    before: list[str] = []
    after: list[str] = []
    is_added = False
    ends = ("@@", "*** ") if _ENVELOPE in lines else ("@@", "--- ", "diff --git ")
    for line in (*lines, ends[0]):
        file = _FILE.match(line)
        if file or line.startswith(ends):
            if before or after:
                yield SpanChange(path, tuple(before), tuple(after), is_added)
            before, after = [], []
            if file:
                path, is_added = file["path"].strip(), line.startswith("*** Add")
        elif line.startswith("-"):
            before.append(line[1:])
        elif line.startswith("+"):
            after.append(line[1:])
        elif line.startswith(" ") or not line:
            before.append(line[1:])
            after.append(line[1:])


def _text_at(arguments: Mapping[str, Any], names: Sequence[str]) -> str | None:
    return next((value for name in names if isinstance(value := arguments.get(name), str)), None)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.splitlines())
