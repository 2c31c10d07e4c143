"""Which past conversations are about a prompt, and how surely: whole sessions, ranked by what they share with it.

A prompt is looked at as a whole and by its sentences, because what follows the first ones is often the same for every
task. A talk matches if the turns around one of its decisions hold enough of what the prompt tells, in share and in rare
terms, and if it stands out from the other talks. A prompt that was given several times is one place among them, and
what its sessions say beside it decides which of them match. The constants were set by hand on invented conversations;
they rank, and do not claim to be chances.
"""

import heapq
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from afterwit.recall.talks import USER, Talks, TalkTurn, rarity, terms_of

PLAIN = 0.3  # force of a plain statement
_CANDIDATES = 6
_MOST_ALIKE = 40  # talks that are looked at where the same prompt was given again and again
_REPEATED = 2  # talks that hold nearly all of the prompt, from which on openings are compared
_ALIKE = 0.8  # of the terms of two openings, to be the same prompt; as harvesting has it for tasks
_NEARLY_ALL = 0.9  # of what the prompt tells: so much is in a talk that began with it
_FEWEST = 60  # talks; among fewer, too many words look rare
_MOST_SENTENCES = 8
_OPENING = 3  # sentences in which a prompt says what it is about
_TOLD = 12  # terms of a prompt that are enough to say what it is about
_UNKNOWN = 0.5  # what a term counts that no talk holds: every new task brings some
ROUTINE_SHARE = 0.3  # what a term counts that any task may have
_RARE = 0.55  # of what a term tells that no other talk holds: less says nothing about a common matter
_BEFORE = 3  # turns before a decision that say what it is about
_BESIDE = 0.8  # what a term counts that stands there, and not in the deciding turn itself
_PASSAGE = 60  # terms of a decision and of what stands before it; in more, some are always found
_MOST_FORCE = 2.0  # more decides no more plainly
_EVEN = 0.6  # of what a passage counts however plainly it decides

_SHARE = 0.28  # of what the prompt tells
_ALONE = 0.45  # the same, where a single term is shared
_WORTH = 0.75  # in terms that no other talk holds
_LEAD = 1.3  # over the talk that is fourth
_FEW_TERMS = 5
_LEAD_PER_TERM = 0.12  # more for each term that is shared above these
_MOST_LEAD = 2.6
_CLEAR_LEAD = 4.0  # more says no more
_STRONG = 1.5  # the three multiplied: a short prompt says little, of a long one little is needed
_LATER_STRONG = 2.4  # for sentences that do not begin the prompt
_AGENTS_FORCE = 1.0

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
ROUTINE = frozenset(
    terms_of(
        """able add again approach ask asking backwards basic behaviour bug build case change changes check class clean
        code commit compatible complete component config configuration convention correct create current dependency
        description design detail developer different docs documentation error example existing expected extend feature
        file finish finished first folder follow function functionality handle helpful high implement improve include
        interface introduce issue keep last logic main mention method module name open parameter part pass path point
        possible problem project propose provide pull quality question read readme refactor remain remove repository
        require requirement run server set settings short show simple small start step style suite summarise system task
        test tests thing things ticket time type unit update user users value version work write"""
    )
)


class PromptPart(NamedTuple):
    """Sentences of a prompt, or all of it."""

    tells: Mapping[str, float]  # what each term tells
    total: float
    is_first: bool  # among the sentences that begin it
    is_whole: bool


class Match(NamedTuple):
    """A talk, and how well it fits a part of a prompt."""

    session: str
    score: float  # as BM25 ranks it
    share: float  # of what the prompt tells that stands around its best decision
    worth: float  # the same, in terms that no other talk holds
    terms: int  # of the prompt that it holds anywhere
    best: int  # the turn of that decision
    turns: Sequence[TalkTurn]
    place: str = ""  # the talk that it counts as one with, where both began with the same prompt
    given: int = -1  # the turn with that prompt, which decides nothing

    @property
    def at_ms(self) -> int:
        return self.turns[self.best].at_ms if self.turns else 0

    @property
    def is_change(self) -> bool:
        return bool(self.turns) and self.turns[self.best].is_change

    def passage(self) -> frozenset[str]:
        """The terms of what was decided, and of what stands around it."""
        return frozenset().union(*(turn.terms for turn in self.turns[max(0, self.best - _BEFORE) : self.best + 2]))


class _Passage(NamedTuple):
    """A turn that may decide something."""

    own: frozenset[str]
    beside: frozenset[str]
    weight: float  # less for a long one, more for one that decides plainly


class AskedPrompt:
    """A prompt, and what its terms tell among these talks."""

    def __init__(self, talks: Talks, prompt: str) -> None:
        self._talks = talks
        self._size = talks.size()
        self._passages: dict[str, dict[int, _Passage]] = {}
        self._holders: dict[str, Mapping[str, float]] = {}
        self.unit = rarity(max(self._size, _FEWEST), 1)
        sentences = (frozenset(terms_of(sentence)) for sentence in _SENTENCE.split(prompt))
        self._sentences = [terms for terms in sentences if terms - ROUTINE][:_MOST_SENTENCES]
        self._look_up(frozenset().union(*self._sentences))

    def parts(self) -> Iterator[PromptPart]:
        """How the prompt begins, all of it, then its sentences one by one and in pairs."""
        count = len(self._sentences)
        spans = [(0, 1), (0, count)]
        spans += [span for at in range(count) for span in ((at, at + 2), (at + 1, at + 2))]
        for first, last in dict.fromkeys((first, min(last, count)) for first, last in spans if first < count):
            yield self._part(self._sentences[first:last], is_first=first < _OPENING)

    def matches(self, part: PromptPart) -> list[Match]:
        """The talks that fit best, the best first; none where no talk stands out."""
        score: defaultdict[str, float] = defaultdict(float)
        cover: defaultdict[str, float] = defaultdict(float)
        for term, tells in part.tells.items():
            for session, weight in self._holders.get(term, {}).items():
                score[session] += tells * weight
                cover[session] += tells
        ranked = heapq.nsmallest(_MOST_ALIKE, score, key=lambda session: (-round(score[session], 6), session))
        if max(cover.values(), default=0.0) < _WORTH * self.unit:
            return []
        places = self._places(ranked, cover, part)
        best = list(dict.fromkeys(places.get(session, session) for session in ranked))[:_CANDIDATES]
        if _lead(score[best[0]], [score[place] for place in best]) < _LEAD:
            return []
        chosen = [session for session in ranked if places.get(session, session) in best]
        matches = [self._match(session, score[session], part, places.get(session, "")) for session in chosen]
        return [match for match in matches if match.worth or match.session == (match.place or match.session)]

    def mark(self, match: Match, at: int, part: PromptPart) -> float:
        """What a turn and those before it have of the prompt; 0 where it decides nothing."""
        passage = self._passages_of(match.session, match.turns).get(at)
        if passage is None:
            return 0.0
        own = sum(tells for term, tells in part.tells.items() if term in passage.own)
        beside = sum(tells for term, tells in part.tells.items() if term in passage.beside)
        return (own + beside * _BESIDE) * passage.weight

    def about(self, match: Match) -> list[Match]:
        """The talks that share most with what was decided in this one."""
        terms = match.passage()
        self._look_up(terms)
        return self.matches(self._part([terms], is_first=False))

    def kinship(self, match: Match, other: Match) -> float:
        """How much two decisions have in common, in terms that no other talk holds."""
        first, second = match.passage(), other.passage()
        shared = first & second
        self._look_up(shared)
        tells = (rarity(self._size, len(self._holders.get(term, ()))) for term in sorted(shared - ROUTINE))
        return sum(mark for mark in tells if mark >= _RARE * self.unit) / self.unit

    def _look_up(self, terms: frozenset[str]) -> None:
        self._holders.update(self._talks.holders(terms - self._holders.keys()))

    def _part(self, sentences: Sequence[frozenset[str]], *, is_first: bool) -> PromptPart:
        tells = {term: self._tells(term) for term in sorted(frozenset().union(*sentences))}
        counted = (mark if term in self._holders else mark * _UNKNOWN for term, mark in tells.items())
        total = sum(heapq.nlargest(_TOLD, counted)) or 1.0
        return PromptPart(tells, total, is_first, len(sentences) == len(self._sentences))

    def _tells(self, term: str) -> float:
        return rarity(self._size, len(self._holders.get(term, ()))) * (ROUTINE_SHARE if term in ROUTINE else 1.0)

    def _places(self, ranked: Sequence[str], cover: Mapping[str, float], part: PromptPart) -> dict[str, str]:
        """Of talks that began with the same prompt, the one that each counts as one with; no others."""
        most = sum(tells for term, tells in part.tells.items() if term in self._holders)
        whole = [session for session in ranked if cover[session] >= _NEARLY_ALL * most]
        if len(whole) < _REPEATED:
            return {}
        groups: list[tuple[frozenset[str], list[str]]] = []
        for session in whole:
            opening = _opening(self._talks.turns(session))
            same = next((members for terms, members in groups if _is_same(terms, opening)), None)
            if same is None:
                groups.append((opening, [session]))
            else:
                same.append(session)
        return {session: members[0] for _, members in groups if len(members) > 1 for session in members}

    def _match(self, session: str, score: float, part: PromptPart, place: str) -> Match:
        turns = self._talks.turns(session)
        held = sum(session in self._holders.get(term, ()) for term in part.tells)
        given = _opening_at(turns) if place else -1
        empty = Match(session, score, 0.0, 0.0, held, 0, turns, place, given)
        marks = {at: self.mark(empty, at, part) for at in self._passages_of(session, turns) if at != given}
        best = max(marks, key=lambda at: (marks[at], at), default=0)
        mark = marks.get(best, 0.0)
        return empty._replace(share=mark / part.total, worth=mark / self.unit, best=best)

    def _passages_of(self, session: str, turns: Sequence[TalkTurn]) -> dict[int, _Passage]:
        if session not in self._passages:
            deciding = (at for at, turn in enumerate(turns) if _decides(turn))
            self._passages[session] = {at: _passage(turns, at) for at in deciding}
        return self._passages[session]


def is_strong(match: Match, matches: Sequence[Match], part: PromptPart) -> bool:
    """Whether a talk, among those found, is about the task and decides something there."""
    places = {rival.place or rival.session: rival.score for rival in reversed(matches)}
    lead = _lead(match.score, list(places.values()))
    if match.terms == 1 and not (part.is_whole and match.share >= _ALONE and lead >= _MOST_LEAD):
        return False
    if match.share < _SHARE or match.worth < _WORTH or lead < _needed_lead(match.terms):
        return False
    return match.share * match.worth * min(lead, _CLEAR_LEAD) >= (_STRONG if part.is_first else _LATER_STRONG)


def _lead(score: float, scores: Sequence[float]) -> float:
    """How far a talk is ahead of the fourth: up to three may be about one matter."""
    if len(scores) <= 3:
        return _CLEAR_LEAD
    return score / max(sorted(scores, reverse=True)[3], 0.01)


def _opening_at(turns: Sequence[TalkTurn]) -> int:
    return next((at for at, turn in enumerate(turns) if turn.speaker == USER), -1)


def _opening(turns: Sequence[TalkTurn]) -> frozenset[str]:
    """The terms of the prompt that a talk began with."""
    at = _opening_at(turns)
    return turns[at].terms if at >= 0 else frozenset()


def _is_same(terms: frozenset[str], other: frozenset[str]) -> bool:
    return bool(terms) and len(terms & other) >= _ALIKE * len(terms | other)


def _needed_lead(terms: int) -> float:
    """The more a prompt says, the more of it stands in any talk."""
    return min(_LEAD + _LEAD_PER_TERM * max(0, terms - _FEW_TERMS), _MOST_LEAD)


def _decides(turn: TalkTurn) -> bool:
    return turn.force >= (PLAIN if turn.speaker == USER else _AGENTS_FORCE)


def _passage(turns: Sequence[TalkTurn], at: int) -> _Passage:
    own = turns[at].terms
    beside = frozenset().union(*(turn.terms for turn in turns[max(0, at - _BEFORE) : at])) - own
    damping = min(1.0, math.sqrt(_PASSAGE / (1 + len(own) + len(beside))))
    return _Passage(own, beside, damping * (_EVEN + (1 - _EVEN) * min(turns[at].force, _MOST_FORCE)))
