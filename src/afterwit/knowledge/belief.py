"""How strongly an item is believed, how that ages, and how far its words are trusted.

Belief is a Beta distribution that starts from a prior (who made the item, where its words came from) and moves with
evidence. Every piece counts by its independence (of one origin, or of one story: 1, 1/2, 1/4 …) and by its age: it
halves with each half-life, so that certainty fades towards the prior when nothing new is seen. Stories that were shown
the item count nothing, except where they put it to the test: a command that failed once more and whose known fix worked
counts half. The mean is shown to people; `lower` is for ranking, so that little evidence ranks low.
What is gone is up to `gone`; nothing here looks at a disk.

Trust follows where words came from, never what they say. Guidance are the words of a user, verified outcomes that
repeat, and what a person decided; all else is an observation: quoted data. Evidence from elsewhere neither raises nor
lowers an item, so that nothing is laundered by being merged. A quorum counts independent origins: a page read in five
sessions is one, and so are five pages read in one session.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from math import exp, lgamma, log, log1p

from afterwit.model.knowledge import GUARDED_FIXES, READ, STANDING, Authority, Belief, Category, Channel, Evidence

HALF_LIFE_DAYS: Mapping[Category, float] = {
    Category.FACT: 120,  # commands and places move with the code
    Category.PITFALL: 180,  # command-line interfaces change slowly
    Category.PATTERN: 180,  # habits and standing rules outlive the code they were stated for
    Category.TOOL_QUIRK: 180,  # the same; quirks of an agent's own tools go at once with its version
    Category.QUESTION: 30,  # a failure that nobody met again is no longer a question
}
TESTS = 2  # told sessions in which it worked that stand for one origin
REPEATED = 2  # origins that make a verified outcome a repeated one
_RANKS = {
    Channel.USER: 3,
    Channel.OUTCOME: 3,
    Channel.TOOL: 2,
    Channel.HOST: 2,
    Channel.ASSISTANT: 1,
}
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
    STANDING: Belief(2.4, 1.0),  # says that it lasts: two stories give 0.81, and age alone does not end it
    GUARDED_FIXES: Belief(3.0, 1.0),  # a run has shown it: that alone gives 0.8, and age does not end it
}
_READ_STRENGTH = 2.0  # pieces of evidence that the prior of what a model read weighs as much as
_MOST_READ = {  # how far one session can make believe what a model read in it, by who spoke the lines
    Channel.USER: 0.9,
    Channel.OUTCOME: 0.8,
    Channel.ASSISTANT: 0.65,
    Channel.TOOL: 0.65,
    Channel.FILE: 0.65,
}
_LEAST_READ = 0.5
_TOLD = 0.5  # what a fix that worked counts where we had told it: that it works is seen, that it was found is not
_STEPS = 60  # towards a quantile; mostly ten are enough
_PRECISE = 1e-12  # what Newton adds to a step that is as short is lost in a float
_TERMS = 400  # of the continued fraction
_TINY = 1e-300
_EPSILON = 1e-14


def prior_of(harvester: str, channel: Channel, stated: float = 0.0) -> Belief:
    """The belief before any evidence. `stated` is how sure a model was of what it read: with the one session that it
    read, belief comes to that, or to as much as the channel allows."""
    if harvester == READ and stated:
        mean = max(_LEAST_READ, min(stated, _MOST_READ.get(channel, _LEAST_READ)))
        a = mean * (_READ_STRENGTH + 1.0) - 1.0
        return Belief(a, _READ_STRENGTH - a)
    return _PRIORS_BY_HARVESTER.get(harvester, _PRIORS[channel])


def belief_by(
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
        weighed.append((piece, weight * fade(piece.at_ms or piece.session.at_ms, now_ms, half_life_days)))
    return weighed


def is_test(piece: Evidence) -> bool:
    """Whether a piece of evidence on a fix was an event in the session itself, nobody's words and nothing that was
    read: a failure that came again and the fix that worked, or what should have failed and worked."""
    return piece.channel is Channel.OUTCOME and not piece.source and (piece.is_against or piece.at is not None)


def fade(at_ms: int, now_ms: int, half_life_days: float | None) -> float:
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
    """The value that the truth is below with this chance only: a quantile of the distribution, by Newton's method.
    Where that leads too far, the next step goes to the middle of what is left."""
    low, high, at = 0.0, 1.0, 0.5
    for _ in range(_STEPS):
        excess, density = cumulative(belief, at) - share, _density(belief, at)
        low, high = (at, high) if excess < 0 else (low, at)
        step = at - excess / density if density else 0.0
        before, at = at, step if low < step < high else (low + high) / 2
        if abs(at - before) < _PRECISE:
            break
    return at


def _density(belief: Belief, x: float) -> float:
    a, b = belief
    return exp(lgamma(a + b) - lgamma(a) - lgamma(b) + (a - 1.0) * log(x) + (b - 1.0) * log1p(-x))


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


def rank(channel: Channel) -> int:
    """How far words of a channel are trusted: 3 is the most."""
    return _RANKS.get(channel, 0)


def authority_of(
    channel: Channel,
    evidence: Iterable[Evidence],
    *,
    echoes: Collection[str] = (),
    is_decided: bool = False,
    is_tested: bool = False,
) -> Authority:
    """What an item may be worded as. `channel` is that of its words; `is_tested` as in `quorum`."""
    if is_decided:
        return Authority.GUIDANCE
    own = [piece for piece in evidence if piece.channel is channel]
    needed = {Channel.USER: 1, Channel.OUTCOME: REPEATED}.get(channel)
    if needed is not None and quorum(own, echoes=echoes, is_tested=is_tested) >= needed:
        return Authority.GUIDANCE
    return Authority.OBSERVATION


def quorum(evidence: Iterable[Evidence], *, echoes: Collection[str] = (), is_tested: bool = False) -> int:
    """Independent origins that speak for an item. What speaks against it is a matter of belief. `is_tested`: the item
    answers a failure, so that sessions that were told it put it to the test."""
    speaking = [piece for piece in evidence if not piece.is_against]
    own = [piece for piece in speaking if piece.session.story not in echoes]
    origins = min(len({piece.origin for piece in own}), len({piece.session.story for piece in own}))
    tests = {piece.session.story for piece in speaking if piece.session.story in echoes and is_test(piece)}
    return origins + len(tests) // TESTS if origins and is_tested else origins


def backing(channel: Channel, evidence: Iterable[Evidence]) -> list[Evidence]:
    """The evidence that may stand behind words of a channel: its own and what is trusted as far or farther."""
    return [piece for piece in evidence if rank(piece.channel) >= rank(channel)]
