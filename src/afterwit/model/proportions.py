"""A share counted in a sample, and the interval that the true share lies in."""

from math import sqrt
from typing import NamedTuple

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
