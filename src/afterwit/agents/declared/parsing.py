"""From the TOML text of a description to its values.

Whatever is wrong is said with the file, the key and what is allowed. Three things may be written shorter than they are:
a single text for a list of one, a single table for a list of one, and `message.role = "user"` for
`"message.role" = "user"` inside of a condition. Pure: the caller reads the file.
"""

import tomllib
from collections.abc import Callable, Collection, Mapping
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
from afterwit.model.errors import ConfigError
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.text import regex

_NAME = regex(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
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
