"""Looks into decoded JSON of any shape: the fields of a log's record, by name and type.

Never raises and never guesses: what is missing or of another type comes back empty. Numbers are bounded, because a
damaged log can hold any. Knows JSON; leaves what a field means to the readers.
"""

import re
import types
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints
from urllib.parse import unquote, urlsplit

import msgspec

from afterwit.model.readings import Usage
from afterwit.model.text import regex

_MOST_TOKENS = 10**12  # no response has more; a damaged number might
_DEAREST_USD = 1e6
_LONGEST_MS = 10**11
_EXIT_CODES = range(-(1 << 31), 1 << 32)
_PLAIN = regex(r"[\w.:/@#+-]{1,200}")
_BLOB = regex(r"data:[\w.+-]{1,60}/[\w.+-]{1,60};base64,[A-Za-z0-9+/=_-]+")
_CUT = r"(?=[\w+/-]{0,40}[0-9])[\w+/-]{6,40}"
_CUT_END, _CUT_START = regex(_CUT + r"\Z", re.ASCII), regex(_CUT, re.ASCII)

_NOTHING: Mapping[str, Any] = {}


def joined(texts: Iterable[str]) -> str:
    """The blocks of a message under one another, but for those between which a word with digits, as a token, is cut."""
    pieces = [""]
    for text in texts:
        is_cut = _CUT_END.search(pieces[-1][-40:]) and _CUT_START.match(text)
        pieces += [text if is_cut or len(pieces) == 1 else f"\n{text}"]
    return "".join(pieces)


def text(record: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that holds text which is not blank."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def plain_id(record: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that holds an id. Only such texts may go into keys and a reader's state."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and _PLAIN.fullmatch(value):
            return value
    return ""


def mapping(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = record.get(name)
    return value if isinstance(value, dict) else _NOTHING


def mappings(record: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects in a list."""
    value = record.get(name)
    return [element for element in value if isinstance(element, dict)] if isinstance(value, list) else []


def number(record: Mapping[str, Any], *names: str) -> int | float | None:
    for name in names:
        value = record.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1 << 53:
            return value
    return None


def tokens(record: Mapping[str, Any], *names: str) -> int:
    """A count of tokens; 0 where there is none."""
    value = number(record, *names)
    return int(value) if value is not None and 0 < value < _MOST_TOKENS else 0


def usage(
    record: Mapping[str, Any],
    given: str,
    output: str,
    cache_read: str = "",
    cache_write: str = "",
    reasoning: str = "",
    *,
    is_cache_given: bool = False,
) -> Usage:
    """What was used, each count by the name that the log has for it. `is_cache_given`: the input includes the cache."""
    total, read, written = (tokens(record, name) for name in (given, cache_read, cache_write))
    return Usage(
        input=max(total - read - written, 0) if is_cache_given else total,
        cache_read=read,
        cache_write=written,
        output=tokens(record, output),
        reasoning=tokens(record, reasoning),
    )


def dollars(record: Mapping[str, Any], name: str) -> float | None:
    value = number(record, name)
    return float(value) if value is not None and 0 <= value < _DEAREST_USD else None


def exit_code(record: Mapping[str, Any], *names: str) -> int | None:
    value = number(record, *names)
    return value if isinstance(value, int) and value in _EXIT_CODES else None


def duration_ms(record: Mapping[str, Any], *names: str) -> int | None:
    value = number(record, *names)
    return round(value) if value is not None and 0 <= value < _LONGEST_MS else None


def flag(record: Mapping[str, Any], *names: str) -> bool | None:
    for name in names:
        value = record.get(name)
        if isinstance(value, bool):
            return value
    return None


def arguments(value: Any) -> dict[str, Any]:
    """The arguments of a call: an object, or the text of one. Other values come under the name `raw`."""
    if isinstance(value, dict):
        return value
    if value is None or value == "":
        return {}
    decoded = decoded_text(value) if isinstance(value, str) else None
    return decoded if isinstance(decoded, dict) else {"raw": value}


def decoded_text(value: str) -> Any:
    """The JSON value that a text holds, or None."""
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def decoded_file(raw: bytes | None) -> Mapping[str, Any]:
    """The JSON object that a small file holds; empty where there is no file or no object in it."""
    try:
        return msgspec.json.decode(raw, type=dict[str, Any]) if raw else _NOTHING
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return _NOTHING


def without_blobs(value: str) -> str:
    """The text with a placeholder for each picture that stands in it as a data URL."""
    return _BLOB.sub("[image]", value) if ";base64," in value else value


def folder_at(uri: str) -> str:
    """The path that an address of a folder names; "" where it is none."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    path = unquote(parts.path) if parts.scheme == "file" else ""
    return path.removeprefix("/") if path[2:3] == ":" else path


def stated_code(match: "re.Match[str] | None") -> int | None:
    """The exit code that the first group of a match holds."""
    return exit_code({"code": int(match[1])}, "code") if match else None


StructT = TypeVar("StructT", bound=msgspec.Struct)
_FLAWS = 20
_UNUSABLE = object()


def loosely(value: Mapping[str, Any], kind: type[StructT], flaws: list[str], at: str = "") -> StructT:
    """The struct with every field that could be filled, for records whose fields are not of the type they should be:
    numbers as strings are converted, what cannot be used is left out, and its path is added to `flaws`."""
    given = ((name, encoded, hint) for name, encoded, hint in _fields(kind) if encoded in value)
    fitted = {name: _fit(value[encoded], hint, flaws, f"{at}{encoded}") for name, encoded, hint in given}
    return kind(**{name: filled for name, filled in fitted.items() if filled is not _UNUSABLE})


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[tuple[str, str, Any], ...]:
    """Each field's name, its name in JSON and its type."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple((field.name, field.encode_name, hints[field.name]) for field in msgspec.structs.fields(kind))


def _fit(value: Any, kind: Any, flaws: list[str], at: str) -> Any:
    """The value as it fits into the type."""
    if kind in (Any, msgspec.Raw):
        return value
    options = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    for option in options:
        if isinstance(value, dict) and _is_struct(option):
            return loosely(value, option, flaws, f"{at}.")
        if isinstance(value, list) and get_origin(option) is list:
            fitted = (_fit(item, get_args(option)[0], flaws, f"{at}[{index}]") for index, item in enumerate(value))
            return [item for item in fitted if item is not _UNUSABLE]
    for option in options:
        if not _is_struct(option) and get_origin(option) is not list:
            with suppress(msgspec.ValidationError, ValueError, OverflowError):
                return msgspec.convert(_liken(value, option), option, strict=False)
    if len(flaws) < _FLAWS:
        flaws.append(at)
    return _UNUSABLE


def _liken(value: Any, option: Any) -> Any:
    """A count that was written as 12.0, an id that was written as a number."""
    if option is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if option is str and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


_INSTANCE = regex(r"([A-Za-z0-9][\w.-]{0,80}?)__([A-Za-z0-9][\w.-]{0,80})-\d{1,8}")


def remote_of(instance: str) -> str:
    """The repository of a benchmark's task such as `octo-org__tool-1234`; "" where the name says none. All such tasks
    run in a folder of the same name, so that only the name of the task tells their repositories apart."""
    match = _INSTANCE.fullmatch(instance)
    return f"github.com/{match[1]}/{match[2]}" if match else ""
