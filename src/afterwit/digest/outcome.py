"""How a session ended: success, partial, failure, abandoned, or unknown; with reasons and a confidence.

Looks at what happened, never at words such as "error" in a text: checks and publications after the last change, how the
log ends, how the person reacted, what stayed open. Signals for and against are weighed; where they say nothing,
contradict each other evenly, or come down to a last reply that nothing bears out, the answer is *unknown*.
docs/explanation/outcomes.md says what this earns over guessing.

How a person reacts is told by form alone, and narrowly: a prompt counts as a correction or as thanks only if it begins
like one or is short and consists of one. Most prompts are neither.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from afterwit.actions.checks import is_checking
from afterwit.actions.shell.parse import parsed
from afterwit.actions.steps import Step, command_of
from afterwit.model.digest import Failure, Said, Verdict
from afterwit.model.kinds import CHANGES, EventKind, FailureClass, Outcome, ResolutionKind

_SHORT = 200
_CORRECTS = re.compile(
    r"^\W*(?:no[,.! ]+(?!problem|worries)|nope\b|wrong\b|stop\b|wait\b|that'?s (?:not|wrong)|this is (?:not|wrong)"
    r"|not what\b|i (?:said|meant|asked|told you|didn'?t (?:ask|want))|why (?:did|do|are|have) you\b|you (?:forgot"
    r"|missed|broke|should (?:have|not)|didn'?t|did not|are (?:wrong|not))|don'?t\b|do not\b|undo\b|revert\b"
    r"|please (?:revert|undo|don'?t)|still (?:not|fail|broken|the same|doesn)|it (?:still|doesn'?t|does not|didn'?t"
    r"|is still)|that (?:didn'?t|doesn'?t|broke)|actually,? (?:no|don|i|we|let)|(?:but )?(?:it|this) (?:should"
    r"|must) (?:not|be)|instead\b)",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"^\W*(?:thank|thx|great\b|perfect\b|awesome\b|excellent\b|nice\b|lgtm\b|looks good|works\b|it works"
    r"|well done|cool\b|good job|yes,? (?:that|it) work|love it|amazing\b)",
    re.IGNORECASE,
)
_LATE = 8  # actions at the end in which an open failure counts
_MOST_CONFIDENT = 0.95
_LEAST_CONFIDENT = 0.5


class SessionCourse(NamedTuple):
    steps: Sequence[Step]
    failures: Sequence[Failure]
    published: Sequence[int]  # positions of commits and pull requests
    prompts: Sequence[Said]
    last_kind: str  # of the last event
    is_partial: bool
    is_subagent: bool = False


class _Signals(NamedTuple):
    has_changed: bool
    is_published: bool  # after the last change
    check: bool | None  # the last check after the last change: passed, failed, none
    is_answered: bool  # the log ends with a reply
    is_interrupted: bool
    is_cut: bool  # the log ends within a turn
    is_thanked: bool
    is_corrected: bool  # the last prompt is a correction
    has_open_failure: bool  # near the end


def judge(course: SessionCourse) -> Verdict:
    if course.is_partial or not (course.steps or course.prompts):
        return _unknown("too little is known")
    verdict = _weighed(_signals(course), course)
    return verdict if verdict.confidence >= _LEAST_CONFIDENT else _unknown(*verdict.reasons)


def _unknown(*reasons: str) -> Verdict:
    return Verdict(outcome=Outcome.UNKNOWN, confidence=0.0, reasons=reasons)


def _weighed(signals: _Signals, course: SessionCourse) -> Verdict:
    if course.last_kind == EventKind.MODEL_ERROR:
        outcome = Outcome.PARTIAL if signals.is_published or signals.check else Outcome.FAILURE
        return Verdict(outcome=outcome, confidence=0.6, reasons=("it ends with an error of the model",))
    if not course.steps and not signals.is_answered:
        return Verdict(
            outcome=Outcome.ABANDONED, confidence=0.6, reasons=("nothing was done and nothing was answered",)
        )
    if signals.is_interrupted:
        return _interrupted(signals)
    reasons = _good(signals)
    against = _bad(signals)
    if signals.is_cut and course.is_subagent:
        return _unknown("what a subagent answers is its parent's")
    if signals.is_cut and not signals.is_published:
        outcome = Outcome.PARTIAL if signals.has_changed or signals.check is not None else Outcome.ABANDONED
        return Verdict(outcome=outcome, confidence=0.5, reasons=("it ends in the middle of a turn", *against))
    if against and signals.check is not True and not signals.is_published:
        outcome = Outcome.FAILURE if signals.is_corrected and not signals.has_changed else Outcome.PARTIAL
        return Verdict(outcome=outcome, confidence=0.5 + 0.1 * (len(against) - 1), reasons=against)
    if not reasons:
        return _unknown("no signal for or against")
    if not (signals.is_published or signals.check or signals.is_thanked):
        return _unknown(*reasons, "nothing bears it out")
    confidence = min(_MOST_CONFIDENT, 0.65 + 0.1 * len(reasons)) - 0.1 * len(against)
    return Verdict(outcome=Outcome.SUCCESS, confidence=round(confidence, 2), reasons=(*reasons, *against))


def _interrupted(signals: _Signals) -> Verdict:
    if signals.is_published or signals.check:
        return _unknown("interrupted at the end", *_good(signals))
    outcome = Outcome.PARTIAL if signals.has_changed else Outcome.ABANDONED
    return Verdict(outcome=outcome, confidence=0.5, reasons=("interrupted at the end",))


def _good(signals: _Signals) -> tuple[str, ...]:
    reasons = (
        (signals.is_published, "a commit or pull request after the last change"),
        (signals.check is True, "a check passed after the last change"),
        (signals.is_thanked, "the person was content"),
        (signals.is_answered and not signals.has_changed, "a question was answered"),
        (signals.is_answered and signals.has_changed, "the agent reported at the end"),
    )
    return tuple(reason for holds, reason in reasons if holds)


def _bad(signals: _Signals) -> tuple[str, ...]:
    reasons = (
        (signals.check is False, "the last check failed"),
        (signals.is_corrected, "the last prompt is a correction"),
        (signals.has_open_failure, "a failure near the end stayed open"),
    )
    return tuple(reason for holds, reason in reasons if holds)


def _signals(course: SessionCourse) -> _Signals:
    steps, last = course.steps, _last_change(course.steps)
    prompts = [said.text for said in course.prompts]
    return _Signals(
        has_changed=last >= 0,
        is_published=bool(course.published) and max(course.published) > last,
        check=_last_check(steps, last),
        is_answered=course.last_kind == EventKind.REPLY,
        is_interrupted=course.last_kind == EventKind.INTERRUPT,
        is_cut=course.last_kind in (EventKind.CALL, EventKind.RESULT, EventKind.PROMPT, EventKind.THOUGHT),
        is_thanked=any(is_thanks(text) for text in prompts[-2:]),
        is_corrected=len(prompts) > 1 and is_correction(prompts[-1]),
        has_open_failure=any(_is_open(failure, len(steps)) for failure in course.failures),
    )


def _is_open(failure: Failure, count: int) -> bool:
    matters = failure.failure in (FailureClass.WORK, FailureClass.ENVIRONMENT, FailureClass.TRANSIENT)
    return matters and failure.resolution is ResolutionKind.UNRESOLVED and failure.at >= count - _LATE


def _last_change(steps: Sequence[Step]) -> int:
    changes = (at for at in range(len(steps) - 1, -1, -1) if steps[at].kind in CHANGES and steps[at].has_worked)
    return next(changes, -1)


def _last_check(steps: Sequence[Step], after: int) -> bool | None:
    """How the last check of the code behind this position ended."""
    for at in range(len(steps) - 1, max(after, -1), -1):
        line = command_of(steps, at)
        if not line or not any(is_checking(command) for command in parsed(line).commands):
            continue
        if steps[at].has_worked or steps[at].has_failed:
            return steps[at].has_worked
    return None


def is_correction(prompt: str) -> bool:
    return bool(_CORRECTS.match(prompt.strip()[:_SHORT]))


def is_thanks(prompt: str) -> bool:
    text = prompt.strip()
    return len(text) <= _SHORT and bool(_THANKS.match(text))
