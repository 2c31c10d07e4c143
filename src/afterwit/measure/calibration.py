"""Whether confidence means what it says: of the items shown with 0.8, did about 80 in 100 hold the next time?

`forecasts` walks the evidence of each draft in order of time: before each later story it notes what would have been
believed, and then whether the story confirmed or contradicted it. `calibrate` scores such pairs with the Brier score,
takes it apart (Murphy's decomposition over groups of equal size), and compares it with always saying the base rate.
Intervals are drawn by item, because forecasts about one item are not independent. Randomness is passed in.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from afterwit.harvest.ids import id_of
from afterwit.knowledge.belief import HALF_LIFE_DAYS, believed, prior_of
from afterwit.model.knowledge import Draft, Evidence

_BINS = 10
_ROUNDS = 1000
_FEWEST = 2  # forecasts


class Forecast(NamedTuple):
    """What was believed of an item, and what a later story showed."""

    confidence: float
    is_confirmed: bool
    item: str = ""


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """Forecasts of about the same confidence."""

    forecasts: int
    confidence: float  # the mean of them
    confirmed: float  # the share of them that held


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """The Brier score (0 is best) is reliability - resolution + uncertainty, up to what differs within the bins."""

    forecasts: int
    items: int
    base_rate: float
    brier: float
    reliability: float  # how far confidence is from what came true: 0 is best
    resolution: float  # how far it tells the cases apart: more is better
    uncertainty: float  # the Brier score of always saying the base rate
    skill: float  # the share of that which confidence takes away; below 0 it does harm
    skill_interval: tuple[float, float]  # 95 %
    bins: tuple[Bin, ...]


def calibrate(pairs: Iterable[Forecast], rng: random.Random) -> Calibration | None:
    """Scores forecasts; None where there are too few, or where all ended alike and nothing could be told apart."""
    known = sorted(pairs)
    rate = _mean([pair.is_confirmed for pair in known]) if known else 0.0
    if len(known) < _FEWEST or rate in (0.0, 1.0):
        return None
    bins = _bins(known)
    return Calibration(
        forecasts=len(known),
        items=len({pair.item for pair in known}),
        base_rate=round(rate, 4),
        brier=round(_brier(known), 4),
        reliability=round(_weighted(bins, lambda each: (each.confidence - each.confirmed) ** 2), 4),
        resolution=round(_weighted(bins, lambda each: (each.confirmed - rate) ** 2), 4),
        uncertainty=round(rate * (1 - rate), 4),
        skill=round(_skill_of([_Sums.of(known)]), 4),
        skill_interval=_interval(known, rng),
        bins=bins,
    )


def forecasts(drafts: Iterable[Draft], echoes: Mapping[str, frozenset[str]] | None = None) -> Iterator[Forecast]:
    """Forecasts from evidence in order of time. The first story of a draft is what it was made of: none for that.

    A story confirms when more in it speaks for the draft than against it; one that is undecided says nothing.
    """
    for draft in drafts:
        item = id_of(draft)
        known: list[Evidence] = []
        for story in _stories(draft.evidence, (echoes or {}).get(item, frozenset())):
            sides = sum(-1 if piece.is_against else 1 for piece in story)
            if known and sides:
                yield Forecast(_confidence(draft, known, _moment(story[0])), sides > 0, item)
            known += story


def next_forecasts(before: Iterable[Draft], after: Iterable[Draft], story: str, at_ms: int) -> Iterator[Forecast]:
    """Forecasts about one new story, from the drafts as they were before it was known and as they are after.

    Stricter than `forecasts`: hindsight has not chosen what was drafted. What is drafted no more is not counted.
    """
    later = {id_of(draft): draft for draft in after}
    for draft in before:
        item = id_of(draft)
        seen = later[item].evidence if item in later else ()
        sides = sum(-1 if piece.is_against else 1 for piece in seen if piece.session.story == story)
        if sides and all(piece.session.story != story for piece in draft.evidence):
            yield Forecast(_confidence(draft, draft.evidence, at_ms), sides > 0, item)


def _stories(evidence: Iterable[Evidence], shown: frozenset[str]) -> list[list[Evidence]]:
    """The evidence story by story, in order of time, without those that were shown the item."""
    stories: defaultdict[str, list[Evidence]] = defaultdict(list)
    for piece in sorted(evidence, key=lambda piece: (_moment(piece), piece.session.story)):
        if piece.session.story not in shown:
            stories[piece.session.story].append(piece)
    return list(stories.values())


def _confidence(draft: Draft, known: Sequence[Evidence], now_ms: int) -> float:
    prior = prior_of(draft.harvester, draft.channel)
    return believed(prior, known, now_ms=now_ms, half_life_days=HALF_LIFE_DAYS[draft.category]).mean


def _moment(piece: Evidence) -> int:
    return piece.at_ms or piece.session.at_ms


def _bins(known: Sequence[Forecast]) -> tuple[Bin, ...]:
    """Groups of equal size, by confidence; equal confidence stays together."""
    bins: list[list[Forecast]] = [[]]
    for pair in known:
        is_full = len(bins[-1]) >= len(known) / _BINS
        if is_full and pair.confidence > bins[-1][-1].confidence:
            bins.append([])
        bins[-1].append(pair)
    return tuple(
        Bin(
            forecasts=len(each),
            confidence=round(_mean([pair.confidence for pair in each]), 4),
            confirmed=round(_mean([pair.is_confirmed for pair in each]), 4),
        )
        for each in bins
    )


def _weighted(bins: Sequence[Bin], value: Callable[[Bin], float]) -> float:
    return sum(each.forecasts * value(each) for each in bins) / sum(each.forecasts for each in bins)


def _brier(known: Sequence[Forecast]) -> float:
    return _mean([(pair.confidence - pair.is_confirmed) ** 2 for pair in known])


def _interval(known: Sequence[Forecast], rng: random.Random) -> tuple[float, float]:
    """95 % bootstrap interval of the skill, drawn by item."""
    by_item: defaultdict[str, list[Forecast]] = defaultdict(list)
    for pair in known:
        by_item[pair.item].append(pair)
    sums = [_Sums.of(pairs) for _, pairs in sorted(by_item.items())]
    draws = sorted(_skill_of(rng.choices(sums, k=len(sums))) for _ in range(_ROUNDS))
    return round(draws[int(_ROUNDS * 0.025)], 4), round(draws[int(_ROUNDS * 0.975)], 4)


class _Sums(NamedTuple):
    """What a draw needs to know of one item."""

    forecasts: int
    confirmed: int
    error: float

    @classmethod
    def of(cls, pairs: Sequence[Forecast]) -> "_Sums":
        return cls(len(pairs), sum(pair.is_confirmed for pair in pairs), _brier(pairs) * len(pairs))


def _skill_of(sums: Sequence[_Sums]) -> float:
    """Over the base rate of the same forecasts; 0 where all of them ended alike."""
    number = sum(each.forecasts for each in sums)
    rate = sum(each.confirmed for each in sums) / number
    return 1 - sum(each.error for each in sums) / number / (rate * (1 - rate)) if 0 < rate < 1 else 0.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
