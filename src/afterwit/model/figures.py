"""Figures as people read them, in the terminal and on the page: counts, sizes, tokens, dollars, spans of time, and a
share that was counted in a sample, with the interval that the true share lies in."""

from math import sqrt
from typing import NamedTuple

_SIZE_UNITS = ("B", "KB", "MB", "GB", "TB")
_SECOND_MS, _MINUTE_MS, _HOUR_MS, _DAY_MS = 1_000, 60_000, 3_600_000, 86_400_000


def human_bytes(size: float) -> str:
    """1234567 → 1.2 MB."""
    for unit in _SIZE_UNITS:
        if size < 1000 or unit == _SIZE_UNITS[-1]:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    raise AssertionError


def human_count(count: int, noun: str = "", plural: str = "") -> str:
    """1234 → 1,234; with its noun, 1 → 1 session and 2 → 2 sessions."""
    if not noun:
        return f"{count:,}"
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


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


_Z95 = 1.959964


class Proportion(NamedTuple):
    """So many of so many, with Wilson's interval of 95 %, which holds for small samples and shares near 0 too."""

    hits: int
    of: int

    @property
    def share(self) -> float | None:
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """From 0 to 1 where nothing was counted."""
        if not self.of:
            return (0.0, 1.0)
        share, square = self.hits / self.of, _Z95**2
        middle = (share + square / (2 * self.of)) / (1 + square / self.of)
        spread = _Z95 / (1 + square / self.of) * sqrt(share * (1 - share) / self.of + square / (4 * self.of**2))
        return (max(0.0, middle - spread), min(1.0, middle + spread))
