"""Reads `config.toml` and checks every key and value of it, and keeps the descriptions of logs beside it.

Whatever is wrong is said with the file, the key and what to do about it, the nearest known key included. Paths become
absolute: `~` is the user's home, a relative path starts at the file's own folder. Which file to read, and what goes
before it, is `show`'s.

A description that is removed is kept under another ending: what was read by it stays in the store and must be readable
again, for a rebuild or to show a session; but nothing new is found by it.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec

from afterwit.agents.declared.description import Description
from afterwit.agents.declared.parsing import description_from
from afterwit.agents.registry import AGENTS
from afterwit.model.errors import ConfigError, did_you_mean
from afterwit.model.settings import BackupSettings, ReadingSettings, RetentionSettings, Settings
from afterwit.store.regular_files import read_regular


class ConfigFile(NamedTuple):
    settings: Settings
    given: frozenset[str]  # the dotted keys that the file sets


def read_config(path: Path, user_home: Path, agents: Collection[str]) -> ConfigFile:
    """The settings in this file, and defaults for the rest. `agents` are the names that `[agents]` may have."""
    return check_config(path, _parsed(path), user_home, agents)


def check_config(path: Path, table: dict[str, Any], user_home: Path, agents: Collection[str]) -> ConfigFile:
    """What the file would mean if it said this. Raises ConfigError where that is wrong."""
    checked = _Checked(path, user_home)
    settings = checked.value(table, Settings, "")
    for name in settings.agents:
        checked.refuse_unknown(name, agents, "agents")
    _refuse_crossed_caps(path, settings.retention)
    _refuse_crossed_spending(path, settings.reading)
    _refuse_password(path, settings.backup)
    for entry in settings.learn.exclude:
        refuse_entry(entry, agents, f"{path}: learn.exclude")
    return ConfigFile(settings, frozenset(checked.given))


def text_of(path: Path) -> str:
    """The text of the file, to be changed; none where it is not there yet."""
    try:
        return read_regular(path).decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"Cannot read {path}: {error}.") from error


def dotted(key: str, name: str) -> str:
    """The key of an entry of a table, as TOML writes it."""
    bare = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"{key}.{bare}" if key else bare


def resolved(text: str, user_home: Path, start: Path) -> Path:
    """An absolute path. Raises ValueError on what cannot be one."""
    if not text.strip() or "\0" in text:
        raise ValueError("a path must not be empty")
    if text == "~" or text.startswith(("~/", "~\\")):
        return user_home / text[2:]
    if text.startswith("~"):
        raise ValueError("only ~ itself is understood, not ~ with a name: write the path out")
    return start / text


def refuse_entry(entry: str, agents: Collection[str], where: str) -> None:
    """Raises where an entry of `exclude` means nothing. Loads what that takes only where there is one."""
    from afterwit.repos.exclusion import AGENT, Exclusion, parse_entry

    try:
        kind, pattern = parse_entry(entry)
    except ValueError as error:
        raise ConfigError(f"{where}: {entry!r}: {error}.") from error
    if kind == AGENT and not any(Exclusion([entry]).has_agent(name) for name in agents):
        near = did_you_mean(pattern, sorted(agents), "agent:{}".format)
        hint = near or f"There are: {', '.join(sorted(agents))}."
        raise ConfigError(f"{where}: {entry!r}: there is no such agent. {hint}")


def _refuse_crossed_caps(path: Path, kept: RetentionSettings) -> None:
    if kept.hard_cap_bytes < kept.raw_soft_cap_bytes:
        raise ConfigError(
            f"{path}: retention.raw_hard_cap_bytes: {kept.hard_cap_bytes:,} is below raw_soft_cap_bytes"
            f" ({kept.raw_soft_cap_bytes:,}), so that more would be dropped than the soft cap asks for. Lower that one."
        )


def _refuse_crossed_spending(path: Path, reading: ReadingSettings) -> None:
    for unit in ("usd", "tokens"):
        day, month = getattr(reading, f"{unit}_per_day"), getattr(reading, f"{unit}_per_month")
        if day > month:
            raise ConfigError(
                f"{path}: reading.{unit}_per_day: {day:,} is above {unit}_per_month ({month:,}), so that it would never"
                " be reached. Lower it, or raise that one."
            )


def _refuse_password(path: Path, backup: BackupSettings) -> None:
    if re.match(r"[\w+.-]+://[^/@]*:[^/]*@", backup.target or ""):
        raise ConfigError(
            f"{path}: backup.target: a password stands in it. Leave it out: git and fsspec find credentials in the"
            " service's own files and variables."
        )


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_regular(path).decode("utf-8-sig"))
    except OSError as error:
        raise ConfigError(
            f"Cannot read {path}: {error.strerror or error}. Check the path and its permissions."
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}. Correct it there.") from error


class _Checked:
    """The walk over one file: types from the settings' structs, keys noted as they are met."""

    def __init__(self, path: Path, user_home: Path) -> None:
        self._path = path
        self._user_home = user_home
        self.given: set[str] = set()

    def value(self, value: Any, hint: Any, key: str) -> Any:
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            return self._struct(self._table(value, key), hint, key)
        if get_origin(hint) is dict:
            of = get_args(hint)[1]
            return {name: self.value(item, of, dotted(key, name)) for name, item in self._table(value, key).items()}
        self.given.add(key)
        try:
            return msgspec.convert(value, hint, dec_hook=self._path_from)
        except msgspec.ValidationError as error:
            what = re.sub(r" - at `.*`$", "", str(error))
            raise self._wrong(key, f"{what}. Correct it, or remove it to get the default") from error

    def refuse_unknown(self, name: str, names: Iterable[str], key: str) -> None:
        names = sorted(names)
        if name in names:
            return
        near = did_you_mean(name, names, lambda near_name: dotted(key, near_name))
        hint = near or f"Known here: {', '.join(names)}"
        raise self._wrong(dotted(key, name), f"there is no such setting. {hint}")

    def _struct(self, table: dict[str, Any], kind: type[msgspec.Struct], key: str) -> msgspec.Struct:
        hints = get_type_hints(kind, include_extras=True)
        for name in table:
            self.refuse_unknown(name, kind.__struct_fields__, key)
        missing = [field.name for field in msgspec.structs.fields(kind) if field.required and field.name not in table]
        if missing:
            raise self._wrong(dotted(key, missing[0]), "is missing. Add it, or remove the table")
        return kind(**{name: self.value(item, hints[name], dotted(key, name)) for name, item in table.items()})

    def _table(self, value: Any, key: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self._wrong(key, f"a table is expected here: write [{key}]")
        return value

    def _path_from(self, kind: type[Any], value: Any) -> Any:
        if kind is not Path or not isinstance(value, str):
            raise TypeError(f"Expected a path in quotes, got `{type(value).__name__}`")
        return resolved(value, self._user_home, self._path.parent)

    def _wrong(self, key: str, what: str) -> ConfigError:
        return ConfigError(f"{self._path}: {key}: {what.rstrip('.?')}{'?' if what.endswith('?') else '.'}")


_ENDING = ".toml"
_REMOVED = ".toml.removed"
_TAKEN = frozenset([*(agent.name for agent in AGENTS), "unrecognised"])


def sources_folder(config: Path) -> Path:
    return config.parent / "sources"


def read_descriptions(folder: Path) -> tuple[Description, ...]:
    """All descriptions, by name. Those that were removed come without anything that finds files."""
    present: dict[str, Description] = {}
    for file in _files(folder, _ENDING):
        description = read_description(file)
        if description.name in present:
            raise ConfigError(f"{file}: name: another description has the same. Choose another name.")
        present[description.name] = description
    for file in _files(folder, _REMOVED):
        gone = read_description(file)
        present.setdefault(gone.name, msgspec.structs.replace(gone, homes=(), transcripts=(), sniff=()))
    return tuple(present[name] for name in sorted(present))


def read_description(file: Path) -> Description:
    try:
        text = read_regular(file).decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"Cannot read {file}: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
    return description_from(text, str(file), _TAKEN)


def _files(folder: Path, ending: str) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(file for file in folder.iterdir() if file.name.endswith(ending) and file.name[0] != ".")
