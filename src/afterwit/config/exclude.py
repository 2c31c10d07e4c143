"""Changes `exclude` in `[learn]` of the configuration file, and leaves every other line as it is.

The list is written one entry to a line. What comes out is read again before it is kept: where that is not what was
wanted, because the file is written in a way that is not understood here, nothing is changed.
"""

import json
import re
import tomllib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from afterwit.config.file import refuse_entry
from afterwit.model.errors import ConfigError, UsageError
from afterwit.store.atomic import replace_file
from afterwit.store.regular_files import read_regular

_TABLE = re.compile(r"^\[learn\][ \t]*(?:#[^\n]*)?$", re.MULTILINE)
_NEXT_TABLE = re.compile(r"^\[", re.MULTILINE)
_LIST = re.compile(r"^exclude[ \t]*=[ \t]*\[[^\[\]]*\][ \t]*(?:#[^\n]*)?(?:\n|\Z)", re.MULTILINE)


def exclude(file: Path, entries: Sequence[str], agents: Collection[str], *, is_removed: bool = False) -> list[str]:
    """Adds entries, or takes them out. Returns all that there are then."""
    text = _text(file)
    before = list(_table(text, file).get("learn", {}).get("exclude", ()))
    for entry in entries:
        if is_removed and entry not in before:
            listed = ", ".join(before) or "nothing"
            raise UsageError(f"{entry!r} is not in learn.exclude of {file}. It has: {listed}.")
        if not is_removed:
            refuse_entry(entry, agents, "exclude")
    added = [entry for entry in dict.fromkeys(entries) if entry not in before]
    after = [entry for entry in before if entry not in entries] if is_removed else [*before, *added]
    if after != before:
        _write(file, text, after)
    return after


def _write(file: Path, text: str, entries: Sequence[str]) -> None:
    wanted = _table(text, file)
    wanted["learn"] = {**wanted.get("learn", {}), "exclude": list(entries)}
    changed = _changed(text, entries)
    try:
        is_right = tomllib.loads(changed) == wanted
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        raise ConfigError(f"{file} cannot be changed from here. Write this into its table [learn]:\n{_lines(entries)}")
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_file(file, changed.encode())


def _changed(text: str, entries: Sequence[str]) -> str:
    table = _TABLE.search(text)
    if table is None:
        before = f"{text.rstrip()}\n\n" if text.strip() else ""
        return f"{before}[learn]\n{_lines(entries)}"
    following = _NEXT_TABLE.search(text, table.end())
    end = following.start() if following else len(text)
    rest = _LIST.sub("", text[table.end() : end], count=1).removeprefix("\n")
    return f"{text[: table.end()]}\n{_lines(entries)}{rest}{text[end:]}"


def _lines(entries: Sequence[str]) -> str:
    listed = "".join(f"  {json.dumps(entry, ensure_ascii=False)},\n" for entry in entries)
    return f"exclude = [\n{listed}]\n" if entries else "exclude = []\n"


def _text(file: Path) -> str:
    try:
        return read_regular(file).decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"Cannot read {file}: {error}.") from error


def _table(text: str, file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}. Correct it there.") from error
