"""Sets one setting in the configuration file, or gives it its default back, and leaves every other line as it is.

What a person typed becomes a value by the type of the setting, and the whole file is checked with it before it is
written: what `config show` would refuse is refused here, with the same words.
"""

import shlex
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec

from afterwit.config.file import check_config, dotted, refuse_entry, text_of
from afterwit.edits.edits import UnreadableError
from afterwit.edits.toml_file import data, value_at, with_value, without_value, written
from afterwit.model.errors import ConfigError, UsageError, did_you_mean
from afterwit.model.settings import Settings
from afterwit.store.atomic import replace_file

_YES, _NO = ("true", "yes", "on"), ("false", "no", "off")


class ConfigTarget(NamedTuple):
    """The file that is changed, and what it is checked with."""

    file: Path
    user_home: Path
    agents: Collection[str]


class SettingChange(NamedTuple):
    """What a change did, so that it can be taken back. None: the file does not say."""

    key: str
    before: Any
    after: Any
    file: Path

    @property
    def way_back(self) -> str:
        """The command that takes it back."""
        if self.before is None:
            return f"afterwit config unset {self.key}"
        return f"afterwit config set {self.key} {shlex.quote(as_typed(self.before))}"


def set_value(target: ConfigTarget, key: str, typed: str) -> SettingChange:
    """Gives a setting the value that was typed."""
    keys, hint = _known(key)
    if keys == ("learn", "exclude"):
        raise UsageError("`afterwit config exclude` changes this list, and lets hooks know at once.")
    value = _value(hint, typed.strip(), key)
    return _changed(target, keys, lambda text: with_value(text, keys, value))


def unset_value(target: ConfigTarget, key: str) -> SettingChange:
    """Gives a setting its default back."""
    keys, _ = _known(key)
    if value_at(_table(target.file), keys) is None:
        raise UsageError(f"{target.file} does not set {key}: there is nothing to take out.")
    return _changed(target, keys, lambda text: without_value(text, keys))


def as_typed(value: Any) -> str:
    """A value as a person would type it."""
    if isinstance(value, list | tuple):
        return written([str(entry) for entry in value])
    return str(value) if isinstance(value, str | Path) else written(value)


def edit_config(file: Path, change: Callable[[str], str]) -> None:
    """Writes the file as the change makes it. Where that cannot be done safely, it stays as it is."""
    try:
        changed = change(text_of(file))
    except UnreadableError as error:
        raise ConfigError(f"{file}: {error}") from error
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_file(file, changed.encode())


def _changed(target: ConfigTarget, keys: Sequence[str], change: Callable[[str], str]) -> SettingChange:
    before = value_at(_table(target.file), keys)
    after: list[Any] = []

    def checked(text: str) -> str:
        changed = change(text)
        table = data(changed)
        check_config(target.file, table, target.user_home, target.agents)
        after.append(value_at(table, keys))
        return changed

    edit_config(target.file, checked)
    return SettingChange(_dotted(keys), before, after[0], target.file)


def _table(file: Path) -> dict[str, Any]:
    try:
        return data(text_of(file))
    except UnreadableError as error:
        raise ConfigError(f"{file}: {error}. Correct it there.") from error


def _keys(key: str) -> tuple[str, ...]:
    """The parts of a key, as TOML has it."""
    try:
        below: Any = data(f"{key} = 0") if "\n" not in key else {}
    except UnreadableError:
        below = {}
    keys: list[str] = []
    while isinstance(below, dict) and len(below) == 1:
        ((name, below),) = below.items()
        keys.append(name)
    if not keys:
        raise UsageError(f"{key!r} is no setting. `afterwit config show` lists them all.")
    return tuple(keys)


def _known(key: str) -> tuple[tuple[str, ...], Any]:
    """The parts of a key, and the type of its value."""
    keys, hint, above = _keys(key), Settings, ""
    for name in keys:
        kind = _plain(hint)
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            hints = get_type_hints(kind, include_extras=True)
            if name not in hints:
                hint_words = did_you_mean(name, sorted(hints), lambda near: dotted(above, near))  # noqa: B023
                raise UsageError(f"There is no setting {key}. {hint_words or '`afterwit config show` lists them all.'}")
            hint = hints[name]
        elif get_origin(kind) is dict:
            hint = get_args(kind)[1]
        else:
            raise UsageError(f"There is no setting {key}: {above} has no parts.")
        above = dotted(above, name)
    kind = _plain(hint)
    if get_origin(kind) is dict or (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        raise UsageError(f"{key} is a table of several settings. `afterwit config show` lists them.")
    return keys, hint


def _plain(hint: Any) -> Any:
    """A type without what is said about it, and without that it may be missing."""
    while True:
        if get_origin(hint) is Annotated:
            hint = get_args(hint)[0]
        elif get_origin(hint) in (Union, UnionType):
            hint = next(part for part in get_args(hint) if part is not type(None))
        else:
            return hint


def _value(hint: Any, typed: str, key: str) -> Any:
    """What was typed, as the file would have it. Whether it is allowed is checked with the whole file."""
    kind = _plain(hint)
    if kind is bool:
        if typed.lower() not in (*_YES, *_NO):
            raise UsageError(f"{key} is true or false, not {typed!r}.")
        return typed.lower() in _YES
    if kind in (int, float):
        try:
            return kind(typed.replace(",", "").replace("_", ""))
        except ValueError as error:
            raise UsageError(f"{key} is a number, not {typed!r}.") from error
    return _list(typed, key) if get_origin(kind) is tuple else typed


def _list(typed: str, key: str) -> list[str]:
    """As TOML has a list, or one entry to a line."""
    if not typed.startswith("["):
        return [line.strip() for line in typed.splitlines() if line.strip()]
    try:
        entries = data(f"v = {typed}")["v"]
    except UnreadableError as error:
        raise UsageError(f'{key} is a list such as ["one", "two"]; {error}.') from error
    return list(map(str, entries))


def _dotted(keys: Sequence[str]) -> str:
    key = ""
    for name in keys:
        key = dotted(key, name)
    return key


_EXCLUDE = ("learn", "exclude")


def exclude(file: Path, entries: Sequence[str], agents: Collection[str], *, is_removed: bool = False) -> list[str]:
    """Adds entries, or takes them out. Returns all that there are then."""
    before = list(value_at(_table(file), _EXCLUDE) or ())
    for entry in entries:
        if is_removed and entry not in before:
            listed = ", ".join(before) or "nothing"
            raise UsageError(f"{entry!r} is not in learn.exclude of {file}. It has: {listed}.")
        if not is_removed:
            refuse_entry(entry, agents, "exclude")
    added = [entry for entry in dict.fromkeys(entries) if entry not in before]
    after = [entry for entry in before if entry not in entries] if is_removed else [*before, *added]
    if after != before:
        edit_config(file, lambda text: with_value(text, _EXCLUDE, after))
    return after
