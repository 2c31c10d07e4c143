"""The folder of descriptions beside the configuration file: one TOML file for each log that people have described.

A description that is removed is kept under another ending: what was read by it stays in the store and must be readable
again, for a rebuild or to show a session; but nothing new is found by it. A file that cannot be used stops the command
and says why, like the configuration itself.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from afterwit.agents.declared.description import Description
from afterwit.agents.declared.parsing import description_from, description_of, toml_of
from afterwit.agents.registry import AGENTS
from afterwit.model.errors import ConfigError, UsageError, did_you_mean
from afterwit.store.atomic import replace_file
from afterwit.store.regular_files import read_regular

_ENDING = ".toml"
_REMOVED = ".toml.removed"
_TAKEN = frozenset([*(agent.name for agent in AGENTS), "unrecognised"])


class Kept(NamedTuple):
    """A description and its file."""

    description: Description
    file: Path


def folder_beside(config: Path) -> Path:
    return config.parent / "sources"


def declared_in(folder: Path) -> tuple[Description, ...]:
    """All descriptions, by name. Those that were removed come without anything that finds files."""
    present = {kept.description.name: kept.description for kept in kept_in(folder)}
    for file in _files(folder, _REMOVED):
        gone = read_description(file)
        present.setdefault(gone.name, msgspec.structs.replace(gone, homes=(), transcripts=(), sniff=()))
    return tuple(present[name] for name in sorted(present))


def kept_in(folder: Path) -> list[Kept]:
    """The descriptions in use, by the names of their files."""
    by_name: dict[str, Kept] = {}
    for file in _files(folder, _ENDING):
        description = read_description(file)
        if description.name in by_name:
            raise ConfigError(f"{file}: name: {by_name[description.name].file} has the same. Choose another name.")
        by_name[description.name] = Kept(description, file)
    return list(by_name.values())


def read_description(file: Path) -> Description:
    try:
        text = read_regular(file).decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"Cannot read {file}: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
    return description_from(text, str(file), _TAKEN)


def checked(table: Mapping[str, Any]) -> Description:
    """The description that the command line gives."""
    return description_of(table, "the new source", _TAKEN)


def add(folder: Path, table: Mapping[str, Any], *, is_replacing: bool) -> Path:
    """Writes a description. Raises UsageError if there is one of that name, unless it is to be replaced."""
    description = checked(table)
    there = [kept.file for kept in kept_in(folder) if kept.description.name == description.name]
    file = there[0] if there else folder / f"{description.name}{_ENDING}"
    if file.exists() and not is_replacing:
        raise UsageError(f"{file} is there already. Give --replace to write it anew.")
    for place in (folder.parent, folder):
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace_file(file, toml_of(table).encode())
    return file


def remove(folder: Path, name: str) -> Path:
    """Takes a description out of use, and says where it is kept."""
    for kept in kept_in(folder):
        if kept.description.name == name:
            return kept.file.replace(folder / f"{name}{_REMOVED}")
    names = sorted(kept.description.name for kept in kept_in(folder))
    hint = did_you_mean(name, names) or f"There are: {', '.join(names) or 'none'}."
    raise UsageError(f"There is no source named {name!r}. {hint}")


def _files(folder: Path, ending: str) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(file for file in folder.iterdir() if file.name.endswith(ending) and file.name[0] != ".")
