"""Times that people type into options; what they mean is worked out in `config.calendar`."""

import click

from afterwit.config.calendar import EXAMPLES, Calendar, Period
from afterwit.config.calendar import period as period_in

__all__ = ["EXAMPLES", "Period", "period", "since_ms", "until_ms"]


def since_ms(text: str | None, calendar: Calendar) -> int | None:
    """From when on; None where nothing was typed."""
    return None if text is None else period(text, calendar, "--since").begin_ms


def until_ms(text: str | None, calendar: Calendar) -> int | None:
    """Up to when."""
    return None if text is None else period(text, calendar, "--until").end_ms


def period(text: str, calendar: Calendar, option: str) -> Period:
    """The period that somebody means. What names none is wrong use, and the message shows what does."""
    meant = period_in(text, calendar)
    if meant is None:
        raise click.BadParameter(f"{text!r} is no time that is understood. Examples: {EXAMPLES}.", param_hint=option)
    return meant
