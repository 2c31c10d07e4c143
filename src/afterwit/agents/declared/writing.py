"""Writes a description as TOML, in the order in which people read it.

Takes the table as `parsing` would get it from `tomllib`, and gives a text that decodes to the same table. Knows no
more TOML than descriptions need: texts, numbers, booleans, lists of them, inline tables, and lists of tables.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_TABLES = ("facts", "event", "spend")


def toml_of(table: Mapping[str, Any]) -> str:
    plain = [f"{_key(name)} = {_value(value)}" for name, value in table.items() if name not in _TABLES]
    parts = ["\n".join(plain)]
    for name in _TABLES:
        parts += ["\n".join(_rule(name, rule)) for rule in table.get(name, ())]
    return "\n\n".join(parts) + "\n"


def _rule(name: str, rule: Mapping[str, Any]) -> Iterator[str]:
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
