"""`store backup schedule`: the `[backup]` table of `config.toml` that lets the first `learn` of a day make a backup.

No job of its own: whoever lets `learn` run regularly has one already. The text of the file is edited, not written anew,
and the result must say what it said before but for this table; where that cannot be done, nothing is. Pure.
"""

import json
import re
import tomllib
from typing import Any

from afterwit.model.errors import ConfigError
from afterwit.model.settings import BackupSettings

TABLE = "backup"
_HEADER = re.compile(r"^[ \t]*\[[ \t]*backup[ \t]*\][ \t]*(?:#.*)?$", re.MULTILINE)
_NEXT = re.compile(r"^[ \t]*\[", re.MULTILINE)


def with_backups(text: str, wanted: BackupSettings | None) -> str:
    """The text with this table in the place of the one that it has; without any for None."""
    before = _parsed(text)
    others = {name: value for name, value in before.items() if name != TABLE}
    begin, end = _extent(text)
    table = backup_table(wanted) if wanted is not None else ""
    head, rest = text[:begin].rstrip("\n"), text[end:].lstrip("\n")
    changed = "\n\n".join(part for part in (head, table.rstrip("\n"), rest.rstrip("\n")) if part)
    changed += "\n" if changed else ""
    expected = {**others, **({TABLE: _values(wanted)} if wanted is not None else {})}
    try:
        is_right = tomllib.loads(changed) == expected
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        raise ConfigError(f"The table [{TABLE}] cannot be changed without touching others. Write it by hand:\n{table}")
    return changed


def _values(wanted: BackupSettings) -> dict[str, Any]:
    """What differs from the defaults, in the order of the settings."""
    default = BackupSettings()
    values = {name: getattr(wanted, name) for name in wanted.__struct_fields__}
    return {
        name: str(value) if name == "key_file" else value
        for name, value in values.items()
        if value != getattr(default, name)
    }


def backup_table(wanted: BackupSettings) -> str:
    """As it stands in the file."""
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in _values(wanted).items()]
    return "\n".join([f"[{TABLE}]", *lines, ""])


def _extent(text: str) -> tuple[int, int]:
    """Where the table stands; the end of the text where there is none."""
    header = _HEADER.search(text)
    if header is None:
        return len(text), len(text)
    following = _NEXT.search(text, header.end())
    return header.start(), following.start() if following else len(text)


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"The configuration is not valid TOML: {error}. Correct it first.") from error
