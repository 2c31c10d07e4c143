"""What `config source add` takes on the command line, as the table of a description.

A map is `session=sid` for a key of the description itself, or a rule in words: its kind first, then conditions with
`==` and paths with `=`, such as `prompt type==user text=message.content`. Rules are event kinds, `spend` and `facts`;
`ignore` has conditions only. `path` alone is a condition that the field is there, several values are parted by `|`, and
a condition that begins with `.` is one of the elements that `each` walks: `call each=calls[] .type==tool tool=name`.
`arguments.command=cmd` gives a path for one argument, `failed=status==error` a condition for how a call ended.

Writes a description as TOML, in the order in which people read it. Takes the table as `parsing` would get it from
`tomllib`, and gives a text that decodes to the same table. Knows no more TOML than descriptions need: texts, numbers,
booleans, lists of them, inline tables, and lists of tables.
"""

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from afterwit.model.errors import UsageError
from afterwit.model.kinds import EventKind

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_TABLES = ("facts", "event", "spend")
_KEYS = ("session", "session_from", "time", "time_unit", "type", "key", "model")
_WORDS = {"true": True, "false": False}
_FLAGS = ("input_includes_cache",)
_CONDITIONS = ("failed", "succeeded", "denied", "cancelled", "running")


def table_of(
    name: str, globs: Iterable[str], homes: Iterable[str], sniffs: Iterable[str], maps: Iterable[str]
) -> dict[str, Any]:
    """The table; whether its keys and paths are right is for `parsing` to say."""
    table: dict[str, Any] = {"name": name}
    if homes := list(homes):
        table["homes"] = homes
    table["transcripts"] = list(globs)
    table["sniff"] = _condition(list(sniffs))
    for text in maps:
        _add(table, text, _words(text))
    return table


def _add(table: dict[str, Any], text: str, words: list[str]) -> None:
    first, *rest = words
    key, is_given, value = first.partition("=")
    if first == "ignore":
        table.setdefault("ignore", []).append(_condition(rest))
    elif first in ("spend", "facts"):
        table.setdefault(first, []).append(_rule(rest))
    elif first in tuple(EventKind):
        table.setdefault("event", []).append(_rule(rest, kind=first))
    elif is_given and not rest and key in _KEYS:
        table[key] = value
    else:
        kinds = ", ".join((*EventKind, "spend", "facts", "ignore"))
        raise UsageError(f"--map {text!r}: begin with one of {kinds}, or give one of {', '.join(_KEYS)} with `=`.")


def _words(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--map {text!r}: {error}.") from error
    if not words:
        raise UsageError("--map must not be empty.")
    return words


def _rule(words: list[str], kind: str = "") -> dict[str, Any]:
    """Conditions first, as people read them."""
    of_record: list[str] = []
    of_element: list[str] = []
    fields: dict[str, Any] = {}
    for word in words:
        key, is_given, value = word.partition("=")
        if not is_given or value.startswith("="):
            (of_element if word.startswith(".") else of_record).append(word.removeprefix("."))
        elif key.startswith("arguments."):
            fields.setdefault("arguments", {})[key.removeprefix("arguments.")] = value
        elif key in _CONDITIONS:
            fields[key] = _condition([value])
        else:
            fields[key] = _WORDS[value] if key in _FLAGS and value in _WORDS else value
    rule: dict[str, Any] = {"when": _condition(of_record)} if of_record else {}
    if "each" in fields:
        rule["each"] = fields.pop("each")
    if of_element:
        rule["where"] = _condition(of_element)
    if kind:
        rule["kind"] = kind
    return rule | fields


def _condition(words: list[str]) -> dict[str, Any]:
    condition: dict[str, Any] = {}
    for word in words:
        path, is_given, wanted = word.partition("==")
        if not is_given:
            path, is_given, wanted = word.partition("=")
        values = [_scalar(value) for value in wanted.split("|")]
        condition[path] = (values[0] if len(values) == 1 else values) if is_given else {"exists": True}
    return condition


def _scalar(text: str) -> str | int | bool:
    if text in _WORDS:
        return _WORDS[text]
    return int(text) if text.isascii() and text.removeprefix("-").isdecimal() and len(text) < 16 else text


def toml_of(table: Mapping[str, Any]) -> str:
    plain = [f"{_key(name)} = {_value(value)}" for name, value in table.items() if name not in _TABLES]
    parts = ["\n".join(plain)]
    for name in _TABLES:
        parts += ["\n".join(_rule_lines(name, rule)) for rule in table.get(name, ())]
    return "\n\n".join(parts) + "\n"


def _rule_lines(name: str, rule: Mapping[str, Any]) -> Iterator[str]:
    yield f"[[{name}]]"
    for key, value in rule.items():
        yield f"{_key(key)} = {_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(name)} = {_value(inner)}" for name, inner in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(inner) for inner in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)
