"""Invented histories with planted truths: matters that hold in every story, in most, in some, or that stop holding.

Each matter is found once and comes up again in stories spread over a year. Whether a story confirms it is drawn with
the strength of its truth. A story may hold several pieces of evidence, which are not independent.
"""

import random

from tests.knowledge.drafting import draft, piece

from afterwit.model.knowledge import Channel, Draft, Evidence

STRENGTHS = (0.98, 0.9, 0.75, 0.5, 0.2)
_YEAR_DAYS = 365


def planted(matters: int, rng: random.Random, strengths: tuple[float, ...] = STRENGTHS) -> list[Draft]:
    """As many drafts, each with a truth of its own."""
    return [_matter(number, rng.choice(strengths), rng) for number in range(matters)]


def _matter(number: int, strength: float, rng: random.Random) -> Draft:
    channel = rng.choice((Channel.OUTCOME, Channel.OUTCOME, Channel.TOOL, Channel.USER))
    days = sorted((rng.uniform(0, _YEAR_DAYS) for _ in range(rng.randint(2, 14))), reverse=True)
    ends = rng.uniform(0, _YEAR_DAYS) if rng.random() < 0.15 else 0.0  # days ago from which it holds no more
    evidence = [piece(f"{number} found", days_ago=_YEAR_DAYS + 1, channel=channel)]
    for at, ago in enumerate(days):
        holds = rng.random() < (0.05 if ago < ends else strength)
        evidence += _story(f"{number} {at}", ago, channel, rng, is_against=not holds)
    return draft(f"Matter {number}.", key=(str(number),), channel=channel, evidence=tuple(evidence))


def _story(name: str, ago: float, channel: Channel, rng: random.Random, *, is_against: bool) -> list[Evidence]:
    steps = rng.choice((1, 1, 1, 2, 5))
    return [piece(name, days_ago=ago, channel=channel, at=step, is_against=is_against) for step in range(steps)]
