"""From the TOML text of a description to its values.

Whatever is wrong is said with the file, the key and what is allowed. Three things may be written shorter than they are:
a single text for a list of one, a single table for a list of one, and `message.role = "user"` for
`"message.role" = "user"` inside of a condition. Pure: the caller reads the file.

What `config source add` takes on the command line, as the table of a description.

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
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from afterwit.agents.declared.description import (
    Arguments,
    Condition,
    Description,
    EventRule,
    FactsRule,
    Paths,
    Requirement,
    SessionFrom,
    SpendRule,
    TimeUnit,
    parsed,
)
from afterwit.model.errors import ConfigError, UsageError
from afterwit.model.kinds import EventKind, Relation

_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_ASIDE = ("when", "each", "where", "kind")
_OUTCOME = ("is_error", "exit_code", "duration_ms", "duration_seconds")
_OUTCOMES = ("failed", "succeeded", "denied", "cancelled", "running")
_OWN_KEYS: Mapping[EventKind, tuple[str, ...]] = {
    EventKind.CALL: ("id", "tool", "tool_name", "arguments"),
    EventKind.RESULT: ("id", "tool", "tool_name", "text", *_OUTCOME, *_OUTCOMES),
}
_SPOKEN = frozenset([EventKind.PROMPT, EventKind.REPLY, EventKind.THOUGHT, EventKind.NOTICE])


class At(NamedTuple):
    """Where in which file a value stands."""

    file: str
    key: str = ""

    def below(self, name: str) -> "At":
        return At(self.file, f"{self.key}.{name}" if self.key else name)

    def element(self, number: int) -> "At":
        return At(self.file, f"{self.key}[{number}]")

    def wrong(self, what: str) -> ConfigError:
        return ConfigError(f"{self.file}: {f'{self.key}: ' if self.key else ''}{what.rstrip('.')}.")


Check = Callable[[Any, At], Any]
Fields = Mapping[str, Check]


def description_from(text: str, file: str, taken: Collection[str] = ()) -> Description:
    """The description in a text. `taken` are the names of agents that there are already."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}. Correct it there.") from error
    return description_of(table, file, taken)


def description_of(table: Mapping[str, Any], file: str, taken: Collection[str] = ()) -> Description:
    """The description in a decoded table."""
    at = At(file)
    values = _table(table, _DESCRIPTION, at, ("name", "transcripts", "sniff", "event"))
    if values["name"] in taken:
        raise at.below("name").wrong(f"there is an agent named {values['name']!r} already. Choose another name")
    return Description(**values)


def _table(value: Any, fields: Fields, at: At, required: Collection[str] = ()) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise at.wrong("a table is expected here")
    for name in value:
        if name not in fields:
            raise at.below(name).wrong(f"there is no such key. Allowed here: {', '.join(sorted(fields))}")
    for name in required:
        if not value.get(name):
            raise at.below(name).wrong("is missing. It must be given")
    return {name: fields[name](inner, at.below(name)) for name, inner in value.items()}


def _tables(check: Check) -> Check:
    def several(value: Any, at: At) -> tuple[Any, ...]:
        if isinstance(value, dict):
            return (check(value, at),)
        if not isinstance(value, list):
            raise at.wrong(f"a table or a list of tables is expected here: write [[{at.key}]]")
        return tuple(check(inner, at.element(number)) for number, inner in enumerate(value, 1))

    return several


def _text(value: Any, at: At) -> str:
    if not isinstance(value, str) or not value.strip():
        raise at.wrong("a text is expected here, in quotes and not empty")
    return value


def _texts(value: Any, at: At) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(_text(inner, at.element(number)) for number, inner in enumerate(value, 1))
    return (_text(value, at),)


def _name(value: Any, at: At) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value) or len(value) > 64:
        raise at.wrong(f"{value!r} cannot be a name. Allowed are lower-case letters, digits and single hyphens")
    return value


def _globs(value: Any, at: At) -> tuple[str, ...]:
    globs = _texts(value, at)
    for glob in globs:
        if glob.startswith(("/", "~")) or ".." in glob.split("/"):
            raise at.wrong(f"{glob!r} must stay below the home: name the folder in `homes`, the files below it here")
    return globs


def _homes(value: Any, at: At) -> tuple[str, ...]:
    """Relative to the user's home folder, which `~` stands for."""
    homes = _texts(value, at)
    for home in homes:
        if home.startswith("~") and not home.startswith("~/"):
            raise at.wrong(f"{home!r}: only ~/ is understood, not ~ with a name: write the path out")
    return tuple(home.removeprefix("~/") for home in homes)


def _path(value: Any, at: At) -> str:
    try:
        parsed(_text(value, at))
    except ValueError as error:
        raise at.wrong(str(error)) from error
    return str(value)


def _paths(value: Any, at: At) -> Paths:
    return tuple(_path(text, at) for text in _texts(value, at))


def _list_path(value: Any, at: At) -> str:
    path = _path(value, at)
    if not path.endswith("[]"):
        raise at.wrong(f"{path!r} must end in [], to walk a list: write {path + '[]'!r}")
    return path


def _flag(value: Any, at: At) -> bool:
    if not isinstance(value, bool):
        raise at.wrong("true or false is expected here")
    return value


def _one_of(kinds: type[StrEnum]) -> Check:
    def choice(value: Any, at: At) -> StrEnum:
        try:
            return kinds(value)
        except ValueError:
            raise at.wrong(f"{value!r} is not allowed. Allowed are: {', '.join(kinds)}") from None

    return choice


def _condition(value: Any, at: At) -> Condition:
    if not isinstance(value, dict) or not value:
        raise at.wrong('a condition is expected here, such as { type = "user" } or { usage = { exists = true } }')
    return Condition(tuple(_requirements(value, "", at)))


def _requirements(table: dict[str, Any], prefix: str, at: At) -> list[Requirement]:
    requirements: list[Requirement] = []
    for name, value in table.items():
        path = _path(f"{prefix}{name}", at.below(name))
        if isinstance(value, dict) and list(value) == ["exists"]:
            requirements.append(Requirement(path, exists=_flag(value["exists"], at.below(name))))
        elif isinstance(value, dict) and value:
            requirements += _requirements(value, f"{path}.", at.below(name))
        else:
            values = value if isinstance(value, list) else [value]
            if not values or not all(isinstance(scalar, str | int | float | bool) for scalar in values):
                raise at.below(name).wrong("a value, a list of values or { exists = true } is expected here")
            requirements.append(Requirement(path, tuple(values)))
    return requirements


def _event(value: Any, at: At) -> EventRule:
    kind = _kind(value, at)
    keys = _table(value, {name: _EVENT[name] for name in (*_ASIDE, *_OWN_KEYS.get(kind, ("text",)))}, at)
    if kind is EventKind.CALL and not (keys.get("tool") or keys.get("tool_name")):
        raise at.below("tool").wrong("is missing. Give the path to the tool's name, or the name itself as tool_name")
    if kind in _SPOKEN and "text" not in keys:
        raise at.below("text").wrong("is missing. Give the path to the text")
    if "where" in keys and "each" not in keys:
        raise at.below("where").wrong("is a condition of the elements that `each` walks. Add each, or use when")
    return EventRule(**keys)


def _kind(value: Any, at: At) -> EventKind:
    if not isinstance(value, dict):
        raise at.wrong("a table is expected here")
    if "kind" not in value:
        raise at.below("kind").wrong(f"is missing. Allowed are: {', '.join(EventKind)}")
    return EventKind(_one_of(EventKind)(value["kind"], at.below("kind")))


def _arguments(value: Any, at: At) -> Arguments:
    """One path to all arguments, or a table with a path for each."""
    if isinstance(value, dict):
        return Arguments(single=tuple((name, _paths(inner, at.below(name))) for name, inner in value.items()))
    return Arguments(whole=_paths(value, at))


def _spend(value: Any, at: At) -> SpendRule:
    return SpendRule(**_table(value, _SPEND, at))


def _facts(value: Any, at: At) -> FactsRule:
    return FactsRule(**_table(value, _FACTS, at))


_EVENT: Fields = {
    "kind": _one_of(EventKind),
    "when": _condition,
    "each": _list_path,
    "where": _condition,
    "tool_name": _text,
    "arguments": _arguments,
    **dict.fromkeys(("text", "id", "tool", *_OUTCOME), _paths),
    **dict.fromkeys(_OUTCOMES, _condition),
}
_SPEND: Fields = {
    "when": _condition,
    "input_includes_cache": _flag,
    **dict.fromkeys(("id", "model", "input", "cache_read", "cache_write", "output", "reasoning", "cost_usd"), _paths),
}
_FACTS: Fields = {
    "when": _condition,
    "relation": _one_of(Relation),
    **dict.fromkeys(
        ("cwd", "branch", "remote", "version", "title", "origin", "provider", "parent", "parent_call"), _paths
    ),
}
_DESCRIPTION: Fields = {
    "name": _name,
    "homes": _homes,
    "transcripts": _globs,
    "sniff": _tables(_condition),
    "session_from": _one_of(SessionFrom),
    "time_unit": _one_of(TimeUnit),
    "ignore": _tables(_condition),
    "event": _tables(_event),
    "spend": _tables(_spend),
    "facts": _tables(_facts),
    **dict.fromkeys(("session", "time", "type", "key", "model"), _paths),
}


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
    table["sniff"] = _parse_condition(list(sniffs))
    for text in maps:
        _add(table, text, _words(text))
    return table


def _add(table: dict[str, Any], text: str, words: list[str]) -> None:
    first, *rest = words
    key, is_given, value = first.partition("=")
    if first == "ignore":
        table.setdefault("ignore", []).append(_parse_condition(rest))
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
            fields[key] = _parse_condition([value])
        else:
            fields[key] = _WORDS[value] if key in _FLAGS and value in _WORDS else value
    rule: dict[str, Any] = {"when": _parse_condition(of_record)} if of_record else {}
    if "each" in fields:
        rule["each"] = fields.pop("each")
    if of_element:
        rule["where"] = _parse_condition(of_element)
    if kind:
        rule["kind"] = kind
    return rule | fields


def _parse_condition(words: list[str]) -> dict[str, Any]:
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
