"""Sizes as people type them: `20MB`, `1.5 GB`, or a number of bytes."""

import re
from typing import Any

import click

_FORM = re.compile(r"(?P<number>\d{1,15}(?:\.\d{1,6})?)\s?(?P<unit>[KMGT]?)B?", re.IGNORECASE)
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


class ByteSize(click.ParamType[int]):
    """A size in bytes, with or without a unit."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = _FORM.fullmatch(str(value).strip())
        if found is None:
            self.fail(f"{value!r} is no size. Write a number of bytes, or one with a unit: 500MB, 2.5GB.", param, ctx)
        return int(float(found["number"]) * _UNITS[found["unit"].upper()])
