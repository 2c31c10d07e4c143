"""How a session went, in figures: what is compared between sessions that were told something and those that were not.

A session counts with its resumes, forks and subagents: their actions are put in the order of time. Every figure is
defined for every session, because leaving some out may itself depend on what they were told: effort up to the first
verified success is effort up to the end where there was none, and what was not checked did not pass. What a log does
not tell at all, such as prices, it does not tell on either side. Amounts that differ by factors are compared as
logarithms.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from enum import StrEnum
from itertools import zip_longest
from math import exp, log1p
from typing import NamedTuple

from afterwit.actions.activities import has_check
from afterwit.knowledge.repetitions import repetition
from afterwit.measure.scores import is_search
from afterwit.model.digest import Digest, Failure
from afterwit.model.kinds import ActionKind, FailureClass, Outcome, Relation, Status, Step


def first_check_passed(steps: Sequence[Step]) -> bool | None:
    """None where nothing was changed, or nothing was checked after that, or nobody can tell. One line may do both."""
    for at in range(first_change(steps), len(steps)):
        if has_check(_command(steps, at)) and (steps[at].has_worked or steps[at].has_failed):
            return steps[at].has_worked
    return None


def first_change(steps: Sequence[Step]) -> int:
    """The position of the first step that changed a file; behind the last where none did."""
    return next((at for at, step in enumerate(steps) if step.has_changed), len(steps))


def _command(steps: Sequence[Step], at: int) -> str:
    """The line that a step runs, "" where it is no shell call; a poll runs the line that it asks about."""
    if steps[at].kind is not ActionKind.SHELL:
        return ""
    started_by = steps[at].started_by
    return steps[at if started_by is None else started_by].target


_EARLY = 30  # actions
_LEAST = 10  # actions that a rate is taken of: one failure in a session of two actions is no rate of one half
_HARMLESS = (FailureClass.ANSWER, FailureClass.DENIED, FailureClass.CANCELLED)
_IN_VAIN = (Status.DENIED, Status.CANCELLED)  # refused, by whomever, or stopped: the call is spent
_COMPLETE = {Outcome.SUCCESS: 1.0, Outcome.PARTIAL: 0.5}


class Figure(StrEnum):
    """What is measured of a session. The first one is the one that decides."""

    LOST = "lost-actions"
    FAILURES = "failures"
    REPEATED = "repeated-failures"
    SEARCHES = "searches"
    CORRECTIONS = "corrections"
    REFUSALS = "refusals"
    TURNS = "turns"
    TOKENS = "tokens"
    FIRST_TRY = "first-try"
    COMPLETION = "completion"
    DURATION = "duration"
    EARLY_ERRORS = "early-errors"
    COST = "cost"
    ASKED_AGAIN = "asked-again"


class AboutFigure(NamedTuple):
    words: str
    is_less_better: bool = True
    is_log: bool = False


ABOUT = {
    Figure.LOST: AboutFigure("lost in 100 of the first 30 actions: in vain, or searches before the first edit"),
    Figure.FAILURES: AboutFigure("failed actions in 100"),
    Figure.REPEATED: AboutFigure("failures met before, in 100 actions"),
    Figure.SEARCHES: AboutFigure("searches before the first edit", is_log=True),
    Figure.CORRECTIONS: AboutFigure("corrections by the user"),
    Figure.REFUSALS: AboutFigure("calls refused by the user"),
    Figure.TURNS: AboutFigure("prompts to the first verified success", is_log=True),
    Figure.TOKENS: AboutFigure("tokens to the first verified success", is_log=True),
    Figure.FIRST_TRY: AboutFigure("first check of the work passed", is_less_better=False),
    Figure.COMPLETION: AboutFigure("task seen to be completed", is_less_better=False),
    Figure.DURATION: AboutFigure("duration in seconds", is_log=True),
    Figure.EARLY_ERRORS: AboutFigure("failures in the first 30 actions"),
    Figure.COST: AboutFigure("cost in cents", is_log=True),
    Figure.ASKED_AGAIN: AboutFigure("turns that ask for what is told here"),
}
MAIN = Figure.LOST


class SpentTokens(NamedTuple):
    """One response of a model."""

    at_ms: int | None
    tokens: int


def compared(figure: Figure, value: float) -> float:
    """The value as it is compared."""
    return log1p(value) if ABOUT[figure].is_log else value


def shown(figure: Figure, value: float) -> float:
    """A mean of compared values, as people read it."""
    return exp(value) - 1 if ABOUT[figure].is_log else value


class Course:
    """A session with all that belongs to it, as one course of actions."""

    def __init__(self, digests: Sequence[Digest]) -> None:
        self._own = [digest for digest in digests if digest.relation != Relation.SUBAGENT] or list(digests[:1])
        self._digests = digests
        placed = sorted((placed for digest in digests for placed in _place(digest)), key=lambda place: place.at_ms)
        self._steps = [place.step for place in placed]
        self._failures = [place.failure for place in placed]

    def signatures(self) -> set[str]:
        """What went wrong in it."""
        return {failure.signature for failure in self._failures if failure is not None}

    def figures(
        self, spent: Iterable[SpentTokens], met: Set[str], refused: int = 0, asked: int = 0
    ) -> dict[Figure, float]:
        """All figures that can be told of it; `met` are failures of earlier sessions in the same repository, `refused`
        counts the calls that our own hooks refused, `asked` the turns that ask for what is told in that repository."""
        searches = [is_search(step) for step in self._steps[: first_change(self._steps)]]
        failures = [failure for failure in self._failures if failure is not None]
        in_vain = [
            failure is not None or (step.status in _IN_VAIN and step.is_unwanted)
            for failure, step in zip(self._failures, self._steps, strict=True)
        ]
        lost = [any(pair) for pair in zip_longest(in_vain, searches, fillvalue=False)]
        success_ms = self._first_success_ms()
        values: dict[Figure, float | None] = {
            Figure.LOST: _per_100(sum(lost[:_EARLY]), min(_EARLY, len(self._steps))),
            Figure.FAILURES: _per_100(len(failures), len(self._steps)),
            Figure.REPEATED: _per_100(sum(_are_repeated(failures, met)), len(self._steps)),
            Figure.SEARCHES: sum(searches),
            Figure.CORRECTIONS: sum(len(digest.corrections) for digest in self._own),
            Figure.REFUSALS: max(0, sum(map(_count_refused, self._digests)) - refused),
            Figure.TURNS: self._turns(success_ms),
            Figure.TOKENS: sum(tokens for at_ms, tokens in spent if _is_until(at_ms, success_ms)),
            Figure.FIRST_TRY: self._first_try(),
            Figure.COMPLETION: _COMPLETE.get(self._own[-1].verdict.outcome, 0.0),
            Figure.DURATION: self._duration_s(),
            Figure.EARLY_ERRORS: sum(failure is not None for failure in self._failures[:_EARLY]),
            Figure.COST: self._cents(),
            Figure.ASKED_AGAIN: asked,
        }
        return {figure: float(value) for figure, value in values.items() if value is not None}

    def asks(self, texts: Mapping[str, str]) -> tuple[frozenset[str], ...]:
        """The turns of the user that ask for what these lines say, each with the names of these."""
        said = (said.text for digest in self._own for said in digest.prompts if said.is_person)
        asked = (frozenset(name for name, text in texts.items() if repetition(text, turn)) for turn in said)
        return tuple(filter(None, asked))

    def _first_try(self) -> float:
        """Whether the first check behind a change passed, as far as can be told; a session without one has not."""
        passed = (first_check_passed(digest.steps) for digest in self._digests)
        return float(next((has_passed for has_passed in passed if has_passed is not None), False))

    def _first_success_ms(self) -> int | None:
        return min(filter(None, map(_success_ms, self._digests)), default=None)

    def _turns(self, success_ms: int | None) -> int:
        return sum(_is_until(said.at_ms, success_ms) for digest in self._own for said in digest.prompts)

    def _duration_s(self) -> float | None:
        spans = [span for digest in self._own if (span := digest.measures.duration_ms) is not None]
        return sum(spans) / 1000 if spans else None

    def _cents(self) -> float | None:
        """None where a part of it has no price: it would look cheap."""
        paid = [digest.measures.cost_usd for digest in self._digests if digest.measures.tokens]
        costs = [cost for cost in paid if cost is not None]
        return 100 * sum(costs) if paid and len(costs) == len(paid) else None


def _count_refused(digest: Digest) -> int:
    """Calls that were turned down."""
    steps = (digest.steps[at] for at in digest.denials)
    return sum(step.is_unwanted for step in steps)


def _per_100(count: int, actions: int) -> float:
    return 100 * count / max(_LEAST, actions)


class _Placed(NamedTuple):
    at_ms: int
    step: Step
    failure: Failure | None  # that somebody has to mend


def _place(digest: Digest) -> Iterator[_Placed]:
    """The actions of one log with their times. One without a time comes right behind the one before."""
    failures = {failure.at: failure for failure in digest.failures if failure.failure not in _HARMLESS}
    at_s = 0
    for at, step in enumerate(digest.steps):
        at_s = max(at_s, step.at_s or 0)
        yield _Placed((digest.started_ms or 0) + 1000 * at_s, step, failures.get(at))


def _are_repeated(failures: Iterable[Failure], met: Set[str]) -> Iterator[bool]:
    """Of each failure, whether an earlier session had met one like it, or this one had."""
    seen = set(met)
    for failure in failures:
        yield failure.signature in seen
        seen.add(failure.signature)


def _success_ms(digest: Digest) -> int | None:
    after = digest.measures.first_success_ms
    return None if after is None or digest.started_ms is None else digest.started_ms + after


def _is_until(at_ms: int | None, success_ms: int | None) -> bool:
    return at_ms is None or success_ms is None or at_ms <= success_ms
