"""Numbers as people read them in a narrow table: tokens, dollars, spans of time, moments."""

from afterwit.model.times import iso_from_ms

_SECOND_MS, _MINUTE_MS, _HOUR_MS, _DAY_MS = 1_000, 60_000, 3_600_000, 86_400_000


def human_tokens(count: int) -> str:
    """1234567 → 1.2M."""
    for size, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{count / size:.0f}{unit}" if count >= 100 * size else f"{count / size:.1f}{unit}"
    return str(count)


def human_dollars(cost_usd: float | None, *, is_partial: bool = False) -> str:
    """1.5 → $1.50; a `+` where some of it has no known price, `?` where nothing has."""
    if cost_usd is None:
        return "?"
    mark = "+" if is_partial else ""
    if 0 < cost_usd < 0.005:
        return f"<$0.01{mark}"
    return f"${cost_usd:,.2f}{mark}"


def human_span(span_ms: int | None) -> str:
    """61000 → 1 min; nothing where it is not known."""
    if span_ms is None:
        return ""
    if span_ms < _SECOND_MS:
        return f"{span_ms} ms"
    if span_ms < _MINUTE_MS:
        return f"{span_ms / _SECOND_MS:.0f} s"
    if span_ms < _HOUR_MS:
        return f"{span_ms / _MINUTE_MS:.0f} min"
    return f"{span_ms / _HOUR_MS:.1f} h" if span_ms < 2 * _DAY_MS else f"{span_ms / _DAY_MS:.0f} d"


def minute(at_ms: int | None) -> str:
    """2026-05-01 10:00, in UTC; nothing where it is not known."""
    return iso_from_ms(at_ms)[:16].replace("T", " ") if at_ms is not None else ""
