"""Moments as people type them: a day, a day with a time, or a span back from now."""

import datetime as dt

import click

_DAY_MS = 86_400_000


def moment_ms(text: str | None, now_ms: int, option: str) -> int | None:
    """The moment in milliseconds; None where nothing was typed."""
    if text is None:
        return None
    days = text.removesuffix("d")
    if text.endswith("d") and days.isdecimal():
        return max(0, now_ms - int(days) * _DAY_MS)
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is neither a day like 2026-05-01 nor a span like 30d.", param_hint=option
        ) from None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).timestamp() * 1000)
