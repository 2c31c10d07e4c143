"""What was decided about a task: the user's own words in the past conversations that share most with it.

Whole talks are ranked by the rare words that they share with the prompt, and count up to twice where the user said
much. Which sentences decide something is not guessed: what was said on a matter is quoted, as much as there is room
for, and whoever shows it puts the newest first, so that a later word stands before what it changes. Reads nothing but
`Talks`. The few constants were set on invented conversations; they rank, and do not claim to be chances.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping

from afterwit.recall.places import Question
from afterwit.recall.talks import LONGEST_QUOTE, ROUTINE, ROUTINE_SHARE, Quote, Talks, rarity, terms_of

_MOST_WORDS = 100  # of a prompt; a longer one is a document, which says itself what is wanted
_FEW_TALKS = 3  # that hold a rare word
_FEW = 0.1  # the same, of many talks
_TOGETHER = 2  # rare words of the prompt in one talk: enough to speak
_APART = 3  # the same, in different talks
_CANDIDATES = 30
_NEARLY = 0.3  # of what the best talk has


def decided(talks: Talks, question: Question) -> list[Quote]:
    """What was said about it, the best match first; nothing where the prompt says too little or too much."""
    if len(question.prompt.split()) > _MOST_WORDS:
        return []
    terms = frozenset(terms_of(question.prompt))
    holders = talks.holders(sorted(terms))
    if not _says_enough(holders, talks.size()):
        return []
    scores = _scores(holders, talks.size())
    best = heapq.nsmallest(_CANDIDATES, scores, key=lambda talk: (-scores[talk], talk))
    quotes = talks.quotes(best)
    marks = {talk: scores[talk] * (1 + len(quotes[talk].text) / LONGEST_QUOTE) for talk in best}
    enough = _NEARLY * max(marks.values())
    ranked = sorted((talk for talk in best if marks[talk] >= enough), key=lambda talk: (-round(marks[talk], 6), talk))
    told = {quotes[talk].text: quotes[talk] for talk in reversed(ranked) if _adds(quotes[talk], terms)}
    return list(reversed(told.values()))


def _says_enough(holders: Mapping[str, Mapping[int, float]], size: int) -> bool:
    """Whether rare words of the prompt come together in a past talk, or there are several of them."""
    most = max(_FEW_TALKS, _FEW * size)
    rare = [held for term, held in holders.items() if term not in ROUTINE and len(held) <= most]
    together = Counter(talk for held in rare for talk in held)
    return len(rare) >= _APART or max(together.values(), default=0) >= _TOGETHER


def _scores(holders: Mapping[str, Mapping[int, float]], size: int) -> dict[int, float]:
    scores: defaultdict[int, float] = defaultdict(float)
    for term, held in holders.items():
        tells = rarity(size, len(held)) * (ROUTINE_SHARE if term in ROUTINE else 1.0)
        for talk, weight in held.items():
            scores[talk] += tells * weight
    return {talk: round(score, 6) for talk, score in scores.items()}


def _adds(quote: Quote, terms: frozenset[str]) -> bool:
    """Whether it says more than the prompt does: a prompt that was given before is no decision about itself."""
    return not terms.issuperset(terms_of(quote.text))
