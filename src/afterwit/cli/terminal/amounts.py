"""Amounts as people type them into options; with those that they read, which `model.text` writes."""

import re
from typing import Any

import click

from afterwit.model.figures import human_bytes, human_count, human_dollars, human_span, human_tokens

__all__ = ["COUNT", "ByteSize", "human_bytes", "human_count", "human_dollars", "human_span", "human_tokens"]

COUNT = click.IntRange(min=0, max=1_000_000_000)  # more than a store can hold, and less than SQLite can count
_TYPED_SIZE = re.compile(r"(?P<number>\d{1,15}(?:\.\d{1,6})?)\s?(?P<unit>(?:[KMGT]i?)?)B?", re.IGNORECASE)
_DECIMAL = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"KI": 1 << 10, "MI": 1 << 20, "GI": 1 << 30, "TI": 1 << 40}


class ByteSize(click.ParamType):  # type: ignore[type-arg]  # generic in later versions of click alone
    """A size in bytes, as people type it: `20MB`, `1.5 GB`, `2GiB`, or a number."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = _TYPED_SIZE.fullmatch(str(value).strip())
        if match is None:
            self.fail(
                f"{value!r} is no size. Write a number of bytes, or one with a unit: 500MB, 2.5GB, 2GiB.", param, ctx
            )
        return int(float(match["number"]) * (_DECIMAL | _BINARY)[match["unit"].upper()])
