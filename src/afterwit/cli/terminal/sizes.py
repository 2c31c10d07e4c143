"""Sizes as people type them: `20MB`, `1.5 GB`, `2GiB`, or a number of bytes."""

import re
from typing import Any

import click

_FORM = re.compile(r"(?P<number>\d{1,15}(?:\.\d{1,6})?)\s?(?P<unit>(?:[KMGT]i?)?)B?", re.IGNORECASE)
_DECIMAL = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"KI": 1 << 10, "MI": 1 << 20, "GI": 1 << 30, "TI": 1 << 40}
_UNITS = _DECIMAL | _BINARY


class ByteSize(click.ParamType):  # type: ignore[type-arg]  # generic in later versions of click alone
    """A size in bytes, with or without a unit."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = _FORM.fullmatch(str(value).strip())
        if found is None:
            self.fail(
                f"{value!r} is no size. Write a number of bytes, or one with a unit: 500MB, 2.5GB, 2GiB.", param, ctx
            )
        return int(float(found["number"]) * _UNITS[found["unit"].upper()])
