"""How a session ended: success, partial, failure, abandoned, or unknown; with reasons and a confidence.

A session that stopped in the middle (interrupted, cut, left with a question or with nothing done) is told from one that
came to an end. Of one that came to an end, a few signals are weighed and added up: what the log records of its end, what
the person and the agent said last, the last check and whether something was published after the last change, and how
the next session in the same place begins. Each weight stands in one table, and each signal that counts is a reason in
words. *Unknown* is said only where there is too little to judge by. docs/explanation/outcomes.md has the table, and what
it earns over guessing.
"""

from collections.abc import Sequence
from typing import NamedTuple

from afterwit.actions.checks import is_checking
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.tree import Command
from afterwit.actions.steps import Step, command_of
from afterwit.actions.tools import fold
from afterwit.digest.last_words import (
    Report,
    is_correction,
    is_giving_up,
    is_leaving,
    is_rejection,
    is_thanks,
    reported,
)
from afterwit.model.digest import Failure, Said, Verdict
from afterwit.model.kinds import CHANGES, EventKind, FailureClass, Outcome, RecordedEnd, ResolutionKind, Status

_LATE = 8  # actions at the end in which an open failure counts
_MOST_CONFIDENT = 0.95
_SUCCESS = 1  # the least score of a success
_FAILURE = -3  # the highest score of a failure
_HANDS_IN = frozenset(fold(name) for name in ("submit", "finish", "attempt_completion", "task_complete"))
_PUBLISHES = frozenset([("git", "push"), ("git", "commit"), ("gh", "pr merge"), ("gh", "pr create"), ("glab", "mr create")])
_ENDS = {
    RecordedEnd.DONE: (3, "its log records that the result was handed in"),
    RecordedEnd.FORCED: (-1, "its log records a limit, at which what there was was handed in"),
    RecordedEnd.LIMIT: (-5, "its log records that it ran out of money, steps, context or time"),
    RecordedEnd.ERROR: (-5, "its log records that it died of an error"),
    RecordedEnd.UNSOLVED: (-5, "its log records that nothing was solved"),
}


class SessionCourse(NamedTuple):
    steps: Sequence[Step]
    failures: Sequence[Failure]
    published: Sequence[int]  # positions of commits and pull requests
    prompts: Sequence[Said]
    last_kind: str  # of the last event
    is_partial: bool = False
    is_subagent: bool = False
    end: str = ""  # a `RecordedEnd`
    reply: Report | None = None  # the last one's
    turn: int = 0  # position of the first action after the last prompt
    next_prompt: str = ""  # the first of the next session in the same place


class _Signal(NamedTuple):
    holds: bool
    weight: int
    words: str


class _Facts(NamedTuple):
    """What the signals are made of."""

    has_changed: bool
    has_acted: bool  # since the last prompt
    is_published: bool  # after the last change
    check: bool | None  # the last check after the last change: passed, failed, none
    is_handed_in: bool
    last_words: str  # of the person, if the session goes on after the first prompt
    report: Report


def judge(course: SessionCourse) -> Verdict:
    if course.is_partial or not (course.steps or course.prompts):
        return _unknown("too little is known")
    facts = _facts(course)
    return _stopped(course, facts) or _weighed(course, facts)


def _unknown(*reasons: str) -> Verdict:
    return Verdict(outcome=Outcome.UNKNOWN, confidence=0.0, reasons=reasons)


def _facts(course: SessionCourse) -> _Facts:
    last = _last_change(course.steps)
    published = [*course.published, *(at for at in range(len(course.steps)) if _publishes(course.steps, at))]
    words = [said.text for said in course.prompts if not is_leaving(said.text)]
    return _Facts(
        has_changed=last >= 0,
        has_acted=len(course.steps) > course.turn,
        is_published=max(published, default=-1) > last,
        check=_last_check(course.steps, last),
        is_handed_in=bool(course.steps) and fold(course.steps[-1].tool) in _HANDS_IN,
        last_words=words[-1] if len(words) > 1 else "",
        report=course.reply or Report(),
    )


def _stopped(course: SessionCourse, facts: _Facts) -> Verdict | None:
    """The verdict on a session that did not come to an end; None where it did."""
    reason = _stopped_by(course, facts)
    if not reason:
        return None
    if course.is_subagent and reason == _CUT:
        return _unknown("what a subagent answers is its parent's")
    if facts.is_published and not is_giving_up(facts.last_words) and course.last_kind != EventKind.PROMPT:
        return None
    has_achieved = facts.check is True or facts.is_published or _changed_before(course)
    outcome = Outcome.PARTIAL if has_achieved else Outcome.ABANDONED
    achieved = ("something was achieved before",) if has_achieved else ()
    return Verdict(outcome=outcome, confidence=0.6, reasons=(reason, *achieved))


_CUT = "it ends in the middle of a turn"


def _stopped_by(course: SessionCourse, facts: _Facts) -> str:
    kind, words = course.last_kind, facts.last_words
    if course.end or kind == EventKind.MODEL_ERROR or facts.is_handed_in:
        return ""
    if is_giving_up(words):
        return "the person gave it up"
    if kind == EventKind.INTERRUPT:
        return "interrupted at the end"
    if kind == EventKind.PROMPT and not (is_thanks(words) or is_rejection(words) or is_correction(words)):
        is_left = bool(course.prompts) and is_leaving(course.prompts[-1].text)
        return "" if is_left and facts.report != Report() else "the last prompt was not answered"
    if kind in (EventKind.CALL, EventKind.RESULT, EventKind.THOUGHT):
        return _CUT
    if kind == EventKind.REPLY and facts.report.is_intent and not facts.report.is_done:
        return "the last reply announces work that did not follow"
    if kind == EventKind.REPLY and facts.report.needs_answer and not _changed_since(course, course.turn):
        return "the agent asked something and got no answer"
    return ""


def _weighed(course: SessionCourse, facts: _Facts) -> Verdict:
    signals = [signal for signal in _signals(course, facts) if signal.holds]
    score = sum(signal.weight for signal in signals)
    reasons = tuple(signal.words for signal in sorted(signals, key=lambda signal: -abs(signal.weight)))
    if not reasons:
        return _unknown("no signal for or against")
    outcome = Outcome.SUCCESS if score >= _SUCCESS else Outcome.FAILURE if score <= _FAILURE else Outcome.PARTIAL
    distance = score - _SUCCESS if score >= _SUCCESS else _FAILURE - score if score <= _FAILURE else 0
    confidence = min(_MOST_CONFIDENT, 0.6 + 0.1 * distance)
    return Verdict(outcome=outcome, confidence=round(confidence, 2), reasons=reasons)


def _signals(course: SessionCourse, facts: _Facts) -> list[_Signal]:
    report, words = facts.report, facts.last_words
    is_answered = course.last_kind in (EventKind.REPLY, EventKind.PROMPT) and report != Report(is_intent=report.is_intent)
    is_refused = is_rejection(words) or is_correction(words)
    is_mended = is_refused and course.last_kind == EventKind.REPLY and _changed_since(course, course.turn)
    weight, record = _ENDS[RecordedEnd(course.end)] if course.end else (0, "")
    return [
        _Signal(bool(course.end), weight, record),
        _Signal(facts.is_handed_in and not course.end, 3, "the agent handed in its result"),
        _Signal(course.last_kind == EventKind.MODEL_ERROR, -5, "it ends with an error of the model"),
        _Signal(is_thanks(words), 3, "the person was content"),
        _Signal(is_refused and not is_mended, -4, "the last prompt rejects what was done"),
        _Signal(is_mended, -1, "the last prompt is a correction"),
        _Signal(is_rejection(course.next_prompt), -4, "the next session says that it does not work or is to be undone"),
        _Signal(facts.check is True, 2, "a check passed after the last change"),
        _Signal(facts.check is False and facts.has_changed, -2, "the last check failed"),
        _Signal(facts.is_published, 1, "a commit or pull request after the last change"),
        _Signal(report.cannot, -4, "the last reply says that it could not be done or still fails"),
        _Signal(report.left_open and not report.cannot, -1, "the last reply leaves a part open"),
        _Signal(course.last_kind in (EventKind.REPLY, EventKind.PROMPT) and not report.cannot, 1, _answer(facts)),
        _Signal(any(_is_open(failure, course) for failure in course.failures), -1, "a failure near the end stayed open"),
    ]


def _answer(facts: _Facts) -> str:
    return "the agent reported at the end" if facts.has_changed else "a question was answered"


def _is_open(failure: Failure, course: SessionCourse) -> bool:
    matters = failure.failure in (FailureClass.WORK, FailureClass.ENVIRONMENT, FailureClass.TRANSIENT)
    is_late = failure.at >= max(len(course.steps) - _LATE, course.turn)
    return matters and failure.resolution is ResolutionKind.UNRESOLVED and is_late


def _last_change(steps: Sequence[Step]) -> int:
    changes = (at for at in range(len(steps) - 1, -1, -1) if steps[at].kind in CHANGES and steps[at].has_worked)
    return next(changes, -1)


def _changed_since(course: SessionCourse, start: int) -> bool:
    return _last_change(course.steps) >= start


def _changed_before(course: SessionCourse) -> bool:
    """Whether an earlier turn changed something."""
    return _last_change(course.steps[: course.turn]) >= 0


def _last_check(steps: Sequence[Step], after: int) -> bool | None:
    """How the last check of the code behind this position ended."""
    for at in range(len(steps) - 1, max(after, -1), -1):
        if not any(is_checking(command) for command in _commands(steps, at)):
            continue
        if steps[at].has_worked or steps[at].has_failed:
            return steps[at].has_worked
    return None


def _publishes(steps: Sequence[Step], at: int) -> bool:
    """Whether this step publishes; the last one also where the log ends before its result."""
    is_last = at == len(steps) - 1 and steps[at].status is Status.UNKNOWN and not steps[at].has_failed
    if not steps[at].has_worked and not is_last:
        return False
    return any((command.program, command.subcommand) in _PUBLISHES for command in _commands(steps, at))


def _commands(steps: Sequence[Step], at: int) -> Sequence[Command]:
    line = command_of(steps, at)
    return parsed(line).commands if line else ()
