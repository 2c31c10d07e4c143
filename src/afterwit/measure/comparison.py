"""Two players on the same sessions: how much more one finds than the other, with an interval drawn by session.

Paired: both are scored on the same draw, so that what makes sessions easy or hard for everybody cancels out.
"""

import random
from collections.abc import Mapping, Sequence

import msgspec

_ROUNDS = 2000


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The product against one other player."""

    other: str
    sessions: int  # in which there was something to find
    recall_difference: float
    interval: tuple[float, float]  # 95 %

    @property
    def is_clear(self) -> bool:
        """Whether the whole interval is above zero."""
        return self.interval[0] > 0


def compared(
    other: str, ours: Mapping[str, float], theirs: Mapping[str, float], rng: random.Random
) -> Comparison | None:
    """The difference of two players' recall by session; None where no session can be compared."""
    differences = [ours[session] - theirs[session] for session in sorted(ours) if session in theirs]
    if not differences:
        return None
    draws = sorted(_mean(rng.choices(differences, k=len(differences))) for _ in range(_ROUNDS))
    low, high = draws[int(_ROUNDS * 0.025)], draws[int(_ROUNDS * 0.975)]
    return Comparison(
        other=other,
        sessions=len(differences),
        recall_difference=round(_mean(differences), 3),
        interval=(round(low, 3), round(high, 3)),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
