"""How a session ended: success, partial, failure, abandoned, or unknown; with reasons and a confidence.

Looks at what happened, never at words such as "error" in a text: checks and publications after the last change, how the
log ends, how the person reacted, what stayed open. Signals for and against are weighed; where they say nothing,
contradict each other evenly, or come down to a last reply that nothing bears out, the answer is *unknown*.
docs/explanation/outcomes.md says what this earns over guessing.
"""

from collections.abc import Sequence
from typing import NamedTuple

from afterwit.actions.checks import is_checking
from afterwit.actions.shell.parse import parsed
from afterwit.actions.steps import Step, command_of
from afterwit.digest.reactions import is_correction, is_thanks
from afterwit.model.digest import Failure, Said, Verdict
from afterwit.model.kinds import CHANGES, EventKind, FailureClass, Outcome, ResolutionKind

_LATE = 8  # actions at the end in which an open failure counts
_MOST_CONFIDENT = 0.95
_LEAST_CONFIDENT = 0.5


class Story(NamedTuple):
    """What the verdict is based on."""

    steps: Sequence[Step]
    failures: Sequence[Failure]
    published: Sequence[int]  # positions of commits and pull requests
    prompts: Sequence[Said]
    last_kind: str  # of the last event
    model_errors: int
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


def judge(story: Story) -> Verdict:
    """The verdict on a session."""
    if story.is_partial or not (story.steps or story.prompts):
        return _unknown("too little is known")
    found = _weighed(_signals(story), story)
    return found if found.confidence >= _LEAST_CONFIDENT else _unknown(*found.reasons)


def _unknown(*reasons: str) -> Verdict:
    return Verdict(outcome=Outcome.UNKNOWN, confidence=0.0, reasons=reasons)


def _weighed(seen: _Signals, story: Story) -> Verdict:
    if story.last_kind == EventKind.MODEL_ERROR:
        outcome = Outcome.PARTIAL if seen.is_published or seen.check else Outcome.FAILURE
        return Verdict(outcome=outcome, confidence=0.6, reasons=("it ends with an error of the model",))
    if not story.steps and not seen.is_answered:
        return Verdict(
            outcome=Outcome.ABANDONED, confidence=0.6, reasons=("nothing was done and nothing was answered",)
        )
    if seen.is_interrupted:
        return _interrupted(seen)
    reasons = _good(seen)
    against = _bad(seen)
    if seen.is_cut and story.is_subagent:
        return _unknown("what a subagent answers is its parent's")
    if seen.is_cut and not seen.is_published:
        outcome = Outcome.PARTIAL if seen.has_changed or seen.check is not None else Outcome.ABANDONED
        return Verdict(outcome=outcome, confidence=0.5, reasons=("it ends in the middle of a turn", *against))
    if against and seen.check is not True and not seen.is_published:
        outcome = Outcome.FAILURE if seen.is_corrected and not seen.has_changed else Outcome.PARTIAL
        return Verdict(outcome=outcome, confidence=0.5 + 0.1 * (len(against) - 1), reasons=against)
    if not reasons:
        return _unknown("no signal for or against")
    if not (seen.is_published or seen.check or seen.is_thanked):
        return _unknown(*reasons, "nothing bears it out")
    confidence = min(_MOST_CONFIDENT, 0.65 + 0.1 * len(reasons)) - 0.1 * len(against)
    return Verdict(outcome=Outcome.SUCCESS, confidence=round(confidence, 2), reasons=(*reasons, *against))


def _interrupted(seen: _Signals) -> Verdict:
    if seen.is_published or seen.check:
        return _unknown("interrupted at the end", *_good(seen))
    outcome = Outcome.PARTIAL if seen.has_changed else Outcome.ABANDONED
    return Verdict(outcome=outcome, confidence=0.5, reasons=("interrupted at the end",))


def _good(seen: _Signals) -> tuple[str, ...]:
    found = (
        (seen.is_published, "a commit or pull request after the last change"),
        (seen.check is True, "a check passed after the last change"),
        (seen.is_thanked, "the person was content"),
        (seen.is_answered and not seen.has_changed, "a question was answered"),
        (seen.is_answered and seen.has_changed, "the agent reported at the end"),
    )
    return tuple(reason for holds, reason in found if holds)


def _bad(seen: _Signals) -> tuple[str, ...]:
    found = (
        (seen.check is False, "the last check failed"),
        (seen.is_corrected, "the last prompt is a correction"),
        (seen.has_open_failure, "a failure near the end stayed open"),
    )
    return tuple(reason for holds, reason in found if holds)


def _signals(story: Story) -> _Signals:
    steps, last = story.steps, _last_change(story.steps)
    prompts = [said.text for said in story.prompts]
    return _Signals(
        has_changed=last >= 0,
        is_published=bool(story.published) and max(story.published) > last,
        check=_last_check(steps, last),
        is_answered=story.last_kind == EventKind.REPLY,
        is_interrupted=story.last_kind == EventKind.INTERRUPT,
        is_cut=story.last_kind in (EventKind.CALL, EventKind.RESULT, EventKind.PROMPT, EventKind.THOUGHT),
        is_thanked=any(is_thanks(text) for text in prompts[-2:]),
        is_corrected=len(prompts) > 1 and is_correction(prompts[-1]),
        has_open_failure=any(_is_open(failure, len(steps)) for failure in story.failures),
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
