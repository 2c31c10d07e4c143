"""How strongly an item is believed: a Beta distribution that starts from a prior and moves with evidence.

The prior depends on who made the item and on where its words came from. Every piece of evidence counts by its
independence (of one origin, or of one story: 1, 1/2, 1/4 …) and by its age: it halves with each half-life, so that
certainty fades towards the prior when nothing new is seen. Stories that were shown the item count nothing, except where
they put it to the test: a command that failed once more and whose known fix worked counts half. The mean is shown to
people; `lower` is for ranking, so that little evidence ranks low. Which half-life holds is in `aging`.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from functools import lru_cache
from math import exp, lgamma, log, log1p

from afterwit.model.knowledge import Belief, Channel, Evidence

DAY_MS = 86_400_000
APPROVAL = 10.0  # stories that a person's approval stands for: one story and an approval give 0.9
_MECHANICAL = Belief(1.0, 1.3)  # one story gives 0.61, three 0.75, ten 0.89
_PRIORS = {
    Channel.USER: Belief(1.2, 1.0),  # people rarely state what is wrong: one story gives 0.69
    Channel.OUTCOME: _MECHANICAL,
    Channel.TOOL: Belief(1.0, 1.6),
    Channel.HOST: Belief(1.0, 1.6),
    Channel.ASSISTANT: Belief(1.0, 2.0),  # models state much that is only nearly true: one story gives 0.5
    Channel.IMPORTED: Belief(1.0, 2.0),
    Channel.FILE: Belief(1.0, 3.0),
    Channel.WEB: Belief(1.0, 3.0),
    Channel.MCP: Belief(1.0, 3.0),
}
_PRIORS_BY_HARVESTER = {
    "person": Belief(9.0, 1.0),  # written down by a person for this purpose
    "places": Belief(1.0, 2.0),  # the best of very many pairs: what was picked out looks better than it is
    "companions": Belief(1.0, 2.0),
    "questions": Belief(1.0, 1.0),  # that a failure was open at the end is seen, not concluded
}
_TOLD = 0.5  # what a fix that worked counts where we had told it: that it works is seen, that it was found is not
_STEPS = 60  # of bisection: past the precision of a float
_TERMS = 400  # of the continued fraction
_TINY = 1e-300
_EPSILON = 1e-14


def prior_of(harvester: str, channel: Channel) -> Belief:
    """The belief before any evidence."""
    return _PRIORS_BY_HARVESTER.get(harvester, _PRIORS[channel])


def believed(
    prior: Belief,
    evidence: Iterable[Evidence],
    *,
    now_ms: int,
    half_life_days: float | None,
    echoes: Collection[str] = (),
    is_tested: bool = False,
) -> Belief:
    """The belief at a moment. Without a half-life nothing fades. Echoes are stories that were shown the item;
    `is_tested`: it answers a failure, so that they tested it."""
    a, b = prior
    pieces = weights(evidence, now_ms=now_ms, half_life_days=half_life_days, echoes=echoes, is_tested=is_tested)
    for piece, weight in pieces:
        if piece.is_against:
            b += weight
        else:
            a += weight
    return Belief(a, b)


def weights(
    evidence: Iterable[Evidence],
    *,
    now_ms: int,
    half_life_days: float | None,
    echoes: Collection[str] = (),
    is_tested: bool = False,
) -> list[tuple[Evidence, float]]:
    """What each piece counts, the newest first. The newest piece of an origin counts most."""
    counted: Counter[tuple[bool, str, str]] = Counter()
    weighed: list[tuple[Evidence, float]] = []
    for piece in sorted(evidence, key=newest_first):
        is_told = piece.session.story in echoes
        if is_told and not (is_tested and is_test(piece)):
            continue
        of_origin, of_story = (
            (piece.is_against, "origin", piece.origin),
            (piece.is_against, "story", piece.session.story),
        )
        weight = (_TOLD if is_told else 1.0) * 0.5 ** max(counted[of_origin], counted[of_story])
        counted.update((of_origin, of_story))
        weighed.append((piece, weight * faded(piece.at_ms or piece.session.at_ms, now_ms, half_life_days)))
    return weighed


def is_test(piece: Evidence) -> bool:
    """Whether a piece of evidence on a fix was an event in the session itself, nobody's words and nothing that was
    read: a failure that came again and the fix that worked, or what should have failed and worked."""
    return piece.channel is Channel.OUTCOME and not piece.source and (piece.is_against or piece.at is not None)


def faded(at_ms: int, now_ms: int, half_life_days: float | None) -> float:
    """What is left of a piece of evidence by its age. One without a date counts as one half-life old."""
    if half_life_days is None:
        return 1.0
    if not at_ms:
        return 0.5
    return float(0.5 ** (max(0, now_ms - at_ms) / (half_life_days * DAY_MS)))


def newest_first(piece: Evidence) -> tuple[object, ...]:
    """An order of evidence that does not depend on how it came in."""
    session = piece.session
    at_ms = piece.at_ms or session.at_ms
    place = (session.agent, session.native_id, -1 if piece.at is None else piece.at)
    return (-at_ms, *place, piece.channel, piece.source, piece.excerpt, piece.is_against)


@lru_cache(maxsize=8192)
def lower(belief: Belief, share: float = 0.1) -> float:
    """The value that the truth is below with this chance only: a quantile of the distribution."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if cumulative(belief, middle) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def cumulative(belief: Belief, x: float) -> float:
    """The chance that the truth is below x: the regularised incomplete beta function."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    a, b = belief
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, 1.0 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, _TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for term in (even, odd):
            d = 1.0 / _away_from_zero(1.0 + term * d)
            c = _away_from_zero(1.0 + term / c)
            value *= c * d
        if abs(c * d - 1.0) < _EPSILON:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
