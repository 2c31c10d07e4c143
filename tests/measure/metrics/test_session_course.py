import datetime as dt

from tests.every import for_every
from tests.harvest.talks import talk
from tests.harvest.work import Act, edited, failed, piped, ran, session

from afterwit.config.calendar import week_of
from afterwit.measure.outcomes import first_check_passed
from afterwit.measure.standing_figures import JudgedSession, course, judged_session
from afterwit.model.digest import Verdict
from afterwit.model.kinds import ActionKind, Outcome, Status, Step, TaskType

EDIT = edited("src/press.py")
PASSES, FAILS = ran("pytest -q"), failed("pytest -q", says="1 failed")
POLL = Act(Step(ActionKind.SHELL, "Bash", "", Status.SUCCEEDED, started_by=1))


@for_every(
    "acts, passed",
    [
        ((EDIT, PASSES), True),
        ((EDIT, FAILS, EDIT, PASSES), False),
        ((FAILS, EDIT, PASSES), True),
        ((PASSES, EDIT), None),
        ((EDIT, ran("ls")), None),
        ((PASSES,), None),
        ((EDIT, piped("pytest | tail"), FAILS), True),
        ((EDIT, piped("pytest | tail", fine=False), PASSES), False),
        ((EDIT, ran("pytest", is_over=False), POLL), True),
        ((), None),
    ],
)
def test_the_first_check_after_the_first_change_decides(acts: tuple[Act, ...], passed: bool | None) -> None:
    assert first_check_passed(session(*acts).steps) is passed


def test_subagents_and_histories_of_prompts_are_left_out() -> None:
    assert judged_session(talk(relation="subagent")) is None
    assert judged_session(talk(is_partial=True)) is None
    assert judged_session(talk(started_ms=None)) is None
    assert judged_session(talk(relation="fork")) is not None


def rows() -> list[JudgedSession]:
    made = [
        (1, Outcome.SUCCESS, TaskType.CODE, (EDIT, PASSES)),
        (2, Outcome.FAILURE, TaskType.FILE, (EDIT, FAILS)),
        (3, Outcome.UNKNOWN, TaskType.FILE, ()),
        (4, Outcome.SUCCESS, TaskType.MIXED, (EDIT, FAILS, PASSES)),
        (12, Outcome.PARTIAL, TaskType.CODE, ()),
    ]
    digests = (
        session(*acts, day=day, verdict=Verdict(outcome=outcome, confidence=0.6), task_type=kind)
        for day, outcome, kind, acts in made
    )
    return [row for digest in digests if (row := judged_session(digest)) is not None]


def weekly(at_ms: int) -> str:
    return week_of(dt.datetime.fromtimestamp(at_ms / 1000, dt.UTC).date())


def test_sessions_are_counted_as_a_whole_and_by_week() -> None:
    figure = course(rows(), weekly)
    whole = figure.whole
    assert (whole.sessions, whole.completed, whole.judged, whole.completed_share) == (5, 2, 4, 0.5)
    assert (whole.first_try, whole.checked) == (1, 3)
    assert [(week.group, week.sessions, week.completed, week.judged) for week in figure.weeks] == [
        ("2026-W18", 2, 1, 2),
        ("2026-W19", 2, 1, 1),
        ("2026-W20", 1, 0, 1),
    ]


def test_a_share_has_the_interval_of_its_counts() -> None:
    assert [round(bound, 3) for bound in course(rows(), weekly).whole.completed_interval] == [0.15, 0.85]


def test_no_session_is_no_share() -> None:
    whole = course([], weekly).whole
    assert (whole.sessions, whole.completed_share, whole.first_try_share) == (0, None, None)
