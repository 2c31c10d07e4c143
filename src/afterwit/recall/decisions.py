"""What was decided about a task: the user's own words in the past conversations that share most with it.

Whole talks are ranked by the rare words that they share with the prompt, and count up to twice where the user said
much. Which sentences decide something is not guessed: what was said on a matter is quoted, as much as there is room
for, and whoever shows it puts the newest first, so that a later word stands before what it changes. Nothing is said to
a prompt that is a document or names hardly anything, nor where the best talk is hardly better than any other: then all
of them are about the same. Reads nothing but `Talks`. The constants were set on invented conversations and on real
prompts; they rank, and do not claim to be chances.
"""

import heapq
from collections import defaultdict
from collections.abc import Mapping

from afterwit.recall.places import Question
from afterwit.recall.talks import LONGEST_QUOTE, ROUTINE, ROUTINE_SHARE, Quote, Talks, rarity, terms_of

_MOST_WORDS = 100  # of a prompt; a longer one is a document, which says itself what is wanted
_FEWEST_RARE = 2  # words of a prompt that names something
_FEW_TALKS = 3  # that hold a rare word
_FEW = 0.1  # the same, of many talks
_CANDIDATES = 30
_LEAD = 4.0  # of the best talk over the mean of those that are not among the best
_OF_ONE_MATTER = 3  # talks: the best
_MOST_TALKS = 5  # that are quoted
_MANY_TALKS = 60  # among fewer, too many words look rare
_SHARE = 0.5  # of the words of a prompt that a talk must hold then
_NEARLY = 0.3  # of what the best talk has


def decided(talks: Talks, question: Question) -> list[Quote]:
    """What was said about it, the best match first; often nothing."""
    if len(question.prompt.split()) > _MOST_WORDS:
        return []
    terms = frozenset(terms_of(question.prompt))
    holders = talks.holders(sorted(terms))
    most = max(_FEW_TALKS, _FEW * talks.size())
    rare = [term for term, held in holders.items() if term not in ROUTINE and len(held) <= most]
    scores = _scores(holders, talks.size())
    if talks.size() < _MANY_TALKS:
        scores = {talk: score for talk, score in scores.items() if _share(talk, holders, terms) >= _SHARE}
    if len(rare) < _FEWEST_RARE or not scores or not _stands_out(scores, talks.size()):
        return []
    best = heapq.nsmallest(_CANDIDATES, scores, key=lambda talk: (-scores[talk], talks.place(talk)))
    quotes = talks.quotes(best)
    marks = {talk: round(scores[talk] * (1 + len(quotes[talk].text) / LONGEST_QUOTE), 6) for talk in best}
    enough = _NEARLY * max(marks.values())
    nearly = (talk for talk in best if marks[talk] >= enough)
    ranked = sorted(nearly, key=lambda talk: (-marks[talk], talks.place(talk)))
    told = (quotes[talk] for talk in ranked if _adds(quotes[talk], terms))
    return list({quote.text: quote for quote in told}.values())[:_MOST_TALKS]


def _scores(holders: Mapping[str, Mapping[int, float]], size: int) -> dict[int, float]:
    """By talk: what it shares with the prompt, as BM25 has it."""
    scores: defaultdict[int, float] = defaultdict(float)
    for term, held in sorted(holders.items()):
        tells = rarity(size, len(held)) * (ROUTINE_SHARE if term in ROUTINE else 1.0)
        for talk, weight in held.items():
            scores[talk] += tells * weight
    return {talk: round(score, 6) for talk, score in scores.items()}


def _share(talk: int, holders: Mapping[str, Mapping[int, float]], terms: frozenset[str]) -> float:
    """Of the words of a prompt that not any task has, those that a talk holds."""
    telling = terms - ROUTINE
    return sum(talk in holders.get(term, ()) for term in telling) / max(1, len(telling))


def _stands_out(scores: Mapping[int, float], size: int) -> bool:
    ranked = sorted(scores.values(), reverse=True)
    others = ranked[_OF_ONE_MATTER:]
    return not others or ranked[0] * (size - _OF_ONE_MATTER) >= _LEAD * sum(others)


def _adds(quote: Quote, terms: frozenset[str]) -> bool:
    """Whether it says more than the prompt does: a prompt that was given before is no decision about itself."""
    return not terms.issuperset(terms_of(quote.text))
