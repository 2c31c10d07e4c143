"""Identifiers and times of the demo: made from names and moments, so that they are the same each time."""

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def digest(name: str, size: int = 32) -> str:
    """`size` hexadecimal digits."""
    return hashlib.blake2b(name.encode(), digest_size=32).hexdigest()[:size]


def uuid(name: str) -> str:
    """Looks like a random UUID."""
    hexa = digest(name)
    return f"{hexa[:8]}-{hexa[8:12]}-4{hexa[13:16]}-8{hexa[17:20]}-{hexa[20:32]}"


def uuid_at(name: str, at_ms: int) -> str:
    """A UUID of version 7, which sorts by time."""
    stamp, hexa = f"{at_ms:012x}", digest(name)
    return f"{stamp[:8]}-{stamp[8:]}-7{hexa[1:4]}-8{hexa[5:8]}-{hexa[8:20]}"


def letters(name: str, size: int) -> str:
    """Letters and digits as random keys have them."""
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in hashlib.shake_256(name.encode()).digest(size))


def iso(at_ms: int) -> str:
    moment = dt.datetime.fromtimestamp(at_ms / 1000, tz=dt.UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at_ms % 1000:03d}Z"


def file_stamp(at_ms: int, form: str) -> str:
    """A time as file names have it."""
    return dt.datetime.fromtimestamp(at_ms / 1000, tz=dt.UTC).strftime(form)


def json_lines(records: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(
        json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for record in records
    )
