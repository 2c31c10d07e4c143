"""How a session ended: success, partial, failure, abandoned, or unknown; with reasons and a confidence.

A session that stopped in the middle (interrupted, cut, given up, left with a question) is told from one that came to an
end. Of one that did, a few signals are weighed and added up: what the log records of its end, what the person and the
agent said last, the last check and what was published after the last change, and how the next session in the same place
begins. Every weight stands in `_signals`, and each signal that counts is a reason in words. *Unknown* is said only
where there is too little to judge by. docs/explanation/outcomes.md has the table, and what it earns over guessing.
"""

from collections.abc import Sequence
from typing import NamedTuple

from afterwit.actions.activities import activities_of, has_check
from afterwit.actions.quick_look import FORGES, may_be
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.tree import Command
from afterwit.actions.steps import command_of
from afterwit.actions.tools import fold
from afterwit.digest.last_words import (
    TaskReport,
    is_coming_back,
    is_giving_up,
    is_leaving,
    is_putting_off,
    is_question,
    is_refusal,
    is_thanks,
    is_undoing,
)
from afterwit.model.digest import Failure, Said, Verdict
from afterwit.model.kinds import (
    CHANGES,
    ActionKind,
    Activity,
    EventKind,
    FailureClass,
    Outcome,
    RecordedEnd,
    ResolutionKind,
    Status,
    Step,
)
from afterwit.model.text import regex

_LATE = 8  # actions at the end in which an open failure counts
_REMARK = 200  # characters of a prompt that gives nothing to do: what was said before it is the report then
_MOST_CONFIDENT = 0.95
_SUCCESS = 1  # the least score of a success
_FAILURE = -4  # the highest score of a failure
_HANDS_IN = frozenset(fold(name) for name in ("submit", "finish", "attempt_completion", "task_complete"))
_PUBLISHER = regex(rf"(?i)\b(?:commit|push|{'|'.join(sorted(FORGES))})\b")
_PUBLISHES = frozenset((Activity.COMMIT, Activity.PUSH, Activity.REVIEW))
_ENDS = {
    RecordedEnd.DONE: (3, "its log records that the result was handed in"),
    RecordedEnd.FORCED: (-1, "its log records a limit, at which what there was was handed in"),
    RecordedEnd.LIMIT: (-5, "its log records that it ran out of money, steps, context or time"),
    RecordedEnd.ERROR: (-4, "its log records that it died of an error"),
    RecordedEnd.UNSOLVED: (-5, "its log records that nothing was solved"),
}
_REWRITES = ("sed", "perl")
_WRITERS = (*_REWRITES, ">", "patch", "apply")  # one of which a line that writes must name
_ELSEWHERE = ("/dev/", "/tmp/", "&")  # noqa: S108 - what is written there is not the work
_CUT = "it ends in the middle of a turn"


class LastReplies(NamedTuple):
    """What the agent said to the last prompt, and before it."""

    after: TaskReport | None = None
    before: TaskReport | None = None


class SessionCourse(NamedTuple):
    steps: Sequence[Step]
    failures: Sequence[Failure]
    published: Sequence[int]  # positions of commits and pull requests
    prompts: Sequence[Said]
    last_kind: str  # of the last event
    is_partial: bool = False
    is_subagent: bool = False
    end: str = ""  # a `RecordedEnd`
    reply: TaskReport | None = None  # the last one to the last prompt
    earlier: TaskReport | None = None  # the last one before it
    turns: Sequence[int] = ()  # for each prompt, the position of the first action after it
    next_prompt: str = ""  # the first of the next session in the same place


class _Signal(NamedTuple):
    holds: bool
    weight: int
    words: str


class _Facts(NamedTuple):
    """What the signals are made of."""

    last_change: int  # position; -1 where nothing was changed
    turn: int  # where the work on the last task begins
    is_published: bool  # after the last change
    check: bool | None  # the last check after the last change: passed, failed, none
    is_handed_in: bool
    words: str  # the last ones of the person, if they are not the task itself
    report: TaskReport  # what the agent says of the last task

    @property
    def has_changed(self) -> bool:
        return self.last_change >= 0


def judge(course: SessionCourse) -> Verdict:
    if course.is_partial or not (course.steps or course.prompts):
        return _unknown("too little is known")
    facts = _facts(course)
    return _judge_stopped(course, facts) or _weigh(course, facts)


def _unknown(*reasons: str) -> Verdict:
    return Verdict(outcome=Outcome.UNKNOWN, confidence=0.0, reasons=reasons)


def _facts(course: SessionCourse) -> _Facts:
    last = _last_change(course.steps)
    published = [*course.published, *(at for at in range(len(course.steps)) if _publishes(course.steps, at))]
    said = [said.text for said in course.prompts if not is_leaving(said.text)]
    words = said[-1] if len(said) > 1 else ""
    turns = [0, *course.turns]
    is_remark = turns[-1] >= len(course.steps) and 0 < len(words) <= _REMARK and not words.rstrip().endswith("?")
    turn = turns[-2] if is_remark and len(turns) > 2 else turns[-1]
    return _Facts(
        last_change=last,
        turn=turn,
        is_published=max(published, default=-2) >= last,
        check=_last_check(course.steps, last, turn),
        is_handed_in=bool(course.steps) and fold(course.steps[-1].tool) in _HANDS_IN,
        words=words,
        report=_join_reports(course.reply, course.earlier if is_remark or course.reply is None else None),
    )


def _join_reports(*reports: TaskReport | None) -> TaskReport:
    told = [report for report in reports if report is not None]
    return TaskReport(*(any(flags) for flags in zip(*told, strict=True))) if told else TaskReport()


def _judge_stopped(course: SessionCourse, facts: _Facts) -> Verdict | None:
    """The verdict on a session that did not come to an end; None where it did, or was as good as done."""
    reason = _reason_to_stop(course, facts)
    if not reason:
        return None
    if course.is_subagent and reason == _CUT:
        return _unknown("what a subagent answers is its parent's")
    if facts.is_published and course.last_kind != EventKind.PROMPT and not is_giving_up(facts.words):
        return None
    if is_giving_up(facts.words) and (facts.report.cannot or (facts.check is False and facts.has_changed)):
        return Verdict(outcome=Outcome.FAILURE, confidence=0.6, reasons=(reason, "it had not worked by then"))
    has_achieved = facts.check is True or facts.is_published or _last_change(course.steps[: facts.turn]) >= 0
    outcome = Outcome.PARTIAL if has_achieved else Outcome.ABANDONED
    achieved = ("something was achieved before",) if has_achieved else ()
    return Verdict(outcome=outcome, confidence=0.6, reasons=(reason, *achieved))


def _reason_to_stop(course: SessionCourse, facts: _Facts) -> str:
    kind, words, report = course.last_kind, facts.words, facts.report
    if course.end or kind == EventKind.MODEL_ERROR or facts.is_handed_in:
        return ""
    if is_giving_up(words):
        return "the person gave it up"
    if _has_ended(course):
        return ""
    if kind == EventKind.INTERRUPT:
        return "interrupted at the end"
    if kind == EventKind.PROMPT and not (is_thanks(words) or is_refusal(words)):
        return "the last prompt was not answered"
    if kind in (EventKind.CALL, EventKind.RESULT, EventKind.THOUGHT):
        return _CUT
    if kind == EventKind.REPLY and report.is_intent and not report.is_done:
        return "the last reply announces work that did not follow"
    if kind == EventKind.REPLY and report.needs_answer and not report.is_done and facts.last_change < facts.turn:
        return "the agent asked something and got no answer"
    return ""


def _has_ended(course: SessionCourse) -> bool:
    """Whether the work was over when the person left or interrupted."""
    if course.last_kind not in (EventKind.PROMPT, EventKind.INTERRUPT) or not course.prompts:
        return False
    if is_leaving(course.prompts[-1].text):
        return course.earlier is not None
    is_stopped = bool(course.steps) and course.steps[-1].status in (Status.DENIED, Status.CANCELLED, Status.UNKNOWN)
    is_reported = course.reply is not None and course.reply.is_done and not course.reply.is_intent
    return course.last_kind == EventKind.INTERRUPT and is_reported and not is_stopped


def _weigh(course: SessionCourse, facts: _Facts) -> Verdict:
    signals = [signal for signal in _signals(course, facts) if signal.holds]
    score = sum(signal.weight for signal in signals)
    reasons = tuple(signal.words for signal in sorted(signals, key=lambda signal: -abs(signal.weight)))
    if not reasons:
        return _unknown("no signal for or against")
    outcome = Outcome.SUCCESS if score >= _SUCCESS else Outcome.FAILURE if score <= _FAILURE else Outcome.PARTIAL
    distance = {Outcome.SUCCESS: score - _SUCCESS, Outcome.FAILURE: _FAILURE - score}.get(outcome, 0)
    confidence = min(_MOST_CONFIDENT, 0.6 + 0.1 * distance)
    return Verdict(outcome=outcome, confidence=round(confidence, 2), reasons=reasons)


def _signals(course: SessionCourse, facts: _Facts) -> list[_Signal]:
    words = facts.words
    is_told = course.last_kind in (EventKind.REPLY, EventKind.PROMPT) or _has_ended(course)
    report = _own(facts, course) if is_told else TaskReport()
    is_refused = is_refusal(words)
    is_mended = is_refused and not is_undoing(words) and _has_acted(course, facts)
    is_denied = (is_refused and not is_mended) or is_coming_back(course.next_prompt)
    is_open = any(_is_open(failure, len(course.steps), facts.turn) for failure in course.failures)
    is_left_open = report.left_open if facts.has_changed else report.admits
    is_unsaid = facts.has_changed or (report.is_done and not report.left_open)  # a red check may be what was asked for
    weight, record = _ENDS[RecordedEnd(course.end)] if course.end else (0, "")
    answer = "the agent reported at the end" if facts.has_changed else "a question was answered"
    return [
        _Signal(bool(course.end), weight, record),
        _Signal(facts.is_handed_in and not course.end, 3, "the agent handed in its result"),
        _Signal(course.last_kind == EventKind.MODEL_ERROR, -4, "it ends with an error of the model"),
        _Signal(is_thanks(words), 3, "the person was content"),
        _Signal(is_refused and not is_mended, -5, "the last prompt rejects what was done"),
        _Signal(is_mended, -1, "the last prompt is a correction"),
        _Signal(is_coming_back(course.next_prompt), -5, "the next session says that it did not work"),
        _Signal(is_putting_off(words) and facts.last_change < course.turns[-1], -2, "the person puts something off"),
        _Signal(is_told and not report.cannot, 1, answer),
        _Signal(report.cannot, -4, "the agent says that it could not be done or does not work"),
        _Signal(
            is_left_open and not report.cannot, -3, "the agent says that a part is open, fails or was not verified"
        ),
        _Signal(facts.check is True and not is_denied, 2, "a check passed after the last change"),
        _Signal(facts.check is False and is_unsaid, -2, "the last check failed"),
        _Signal(facts.is_published and not is_denied, 1, "a commit or pull request after the last change"),
        _Signal(is_open and is_unsaid and not report.cannot, -1, "a failure near the end stayed open"),
    ]


def _own(facts: _Facts, course: SessionCourse) -> TaskReport:
    """The report, without what it says of others: where a question was asked, nothing was changed and nothing failed,
    what does not work is the answer."""
    is_tried = facts.has_changed or any(step.has_failed for step in course.steps[facts.turn :])
    is_asked = bool(course.prompts) and is_question(course.prompts[-1].text)
    return (
        facts.report._replace(cannot=False) if is_asked and not is_tried and not facts.report.admits else facts.report
    )


def _has_acted(course: SessionCourse, facts: _Facts) -> bool:
    """Whether the agent did something about the last prompt."""
    start = course.turns[-1] if course.turns else 0
    is_tried = facts.report.is_done and any(step.has_worked for step in course.steps[start:])
    return facts.last_change >= start or (course.last_kind == EventKind.REPLY and is_tried)


def _is_open(failure: Failure, count: int, turn: int) -> bool:
    matters = failure.failure in (FailureClass.WORK, FailureClass.ENVIRONMENT, FailureClass.TRANSIENT)
    return matters and failure.resolution is ResolutionKind.UNRESOLVED and failure.at >= max(count - _LATE, turn)


def _last_change(steps: Sequence[Step]) -> int:
    return next((at for at in range(len(steps) - 1, -1, -1) if _changes(steps, at)), -1)


def _changes(steps: Sequence[Step], at: int) -> bool:
    """Whether this step changed a file. A command line may have done so and failed later."""
    step = steps[at]
    if step.kind in CHANGES:
        return step.has_worked
    line = command_of(steps, at) if step.status not in (Status.DENIED, Status.CANCELLED) else ""
    return any(name in line for name in _WRITERS) and any(map(_writes, parsed(line).commands))


def _writes(command: Command) -> bool:
    if command.program in _REWRITES:
        return any(flag.startswith("-i") or flag == "--in-place" for flag in command.flags)
    written = (to for to in command.redirections if to.operator in (">", ">>") and to.fd in ("", "1"))
    is_patch = command.program == "patch" or (command.program, command.subcommand) == ("git", "apply")
    return is_patch or any(not to.target.startswith(_ELSEWHERE) for to in written)


def _last_check(steps: Sequence[Step], last_change: int, turn: int) -> bool | None:
    """How the last check of the code since the last change ended; a command line may do both. One that failed before
    the last task was given is known to the person, who went on."""
    for at in range(len(steps) - 1, max(last_change, 0) - 1, -1):
        if not has_check(command_of(steps, at)):
            continue
        if steps[at].has_worked or steps[at].has_failed:
            return steps[at].has_worked if steps[at].has_worked or at >= turn else None
    return None


def _publishes(steps: Sequence[Step], at: int) -> bool:
    """Whether this step publishes; the last one also where the log ends before its result."""
    is_last = at == len(steps) - 1 and steps[at].status is Status.UNKNOWN and not steps[at].has_failed
    if not steps[at].has_worked and not is_last:
        return False
    line = command_of(steps, at)
    if not _PUBLISHER.search(line) or _PUBLISHES.isdisjoint(may_be(line)):
        return False
    return not _PUBLISHES.isdisjoint(activities_of(ActionKind.SHELL, line))
