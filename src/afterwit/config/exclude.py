"""Changes `exclude` in `[learn]` of the configuration file, and leaves every other line as it is.

The list is written one entry to a line. What comes out is read again before it is kept: where that is not what was
wanted, because the file is written in a way that is not understood here, nothing is changed.
"""

import tomllib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from afterwit.config.file import refuse_entry, text_of
from afterwit.config.set import edit_config
from afterwit.edits.toml_values import with_value
from afterwit.model.errors import ConfigError, UsageError

_KEYS = ("learn", "exclude")


def exclude(file: Path, entries: Sequence[str], agents: Collection[str], *, is_removed: bool = False) -> list[str]:
    """Adds entries, or takes them out. Returns all that there are then."""
    before = list(_table(text_of(file), file).get("learn", {}).get("exclude", ()))
    for entry in entries:
        if is_removed and entry not in before:
            listed = ", ".join(before) or "nothing"
            raise UsageError(f"{entry!r} is not in learn.exclude of {file}. It has: {listed}.")
        if not is_removed:
            refuse_entry(entry, agents, "exclude")
    added = [entry for entry in dict.fromkeys(entries) if entry not in before]
    after = [entry for entry in before if entry not in entries] if is_removed else [*before, *added]
    if after != before:
        edit_config(file, lambda text: with_value(text, _KEYS, after))
    return after


def _table(text: str, file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}. Correct it there.") from error
