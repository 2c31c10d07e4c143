"""What follows a use is counted within ten actions and five minutes; ordinary moments reach into none of that."""

from tests.harvest.talks import talk
from tests.harvest.work import Act, edited, failed, ran, session

from afterwit.extras.lab.skills.moments import SCALE, SkillSession, skill_session
from afterwit.model.digest import Digest
from afterwit.model.kinds import ActionKind, FailureClass, Lean, Status, Step

PRESS = Act(Step(ActionKind.SKILL, "Skill", "press", Status.SUCCEEDED))


def seen(*acts: Act) -> SkillSession:
    found = skill_session(session(*acts))
    assert found is not None
    return found


def timed(*seconds: int) -> Digest:
    """A skill, and then edits at these seconds after it."""
    edits = (
        Step(ActionKind.EDIT, "Edit", "press.py", Status.SUCCEEDED, at_s=at, files=("press.py",)) for at in seconds
    )
    return talk(steps=(Step(ActionKind.SKILL, "Skill", "press", Status.SUCCEEDED, at_s=0), *edits))


def test_edits_and_failures_among_the_next_ten_actions_count() -> None:
    (use,) = seen(PRESS, edited("a.py"), failed("make test"), *[ran("ls")] * 8, edited("b.py")).uses
    assert (use.actions, use.edits, use.failures) == (10, 1, 1)


def test_what_comes_after_five_minutes_does_not_count() -> None:
    found = skill_session(timed(10, 300, 301, 302))
    assert found is not None
    assert (found.uses[0].actions, found.uses[0].edits) == (2, 2)


def test_a_search_that_finds_nothing_is_no_failure() -> None:
    (use,) = seen(PRESS, failed("grep plum", FailureClass.ANSWER)).uses
    assert use.failures == 0


def test_the_same_skill_within_ten_actions_is_again() -> None:
    first, second = seen(PRESS, *[ran("ls")] * 3, PRESS, *[ran("ls")] * 12).uses
    assert (first.is_again, second.is_again) == (True, False)


def test_a_retry_within_five_minutes_is_again_however_many_actions_lie_between() -> None:
    def step(at_s: int, kind: ActionKind = ActionKind.SHELL, target: str = "ls") -> Step:
        return Step(kind, "Skill" if kind is ActionKind.SKILL else "Bash", target, Status.SUCCEEDED, at_s=at_s)

    between = [step(at) for at in range(1, 13)]
    for later, is_again in ((300, True), (301, False)):
        steps = (step(0, ActionKind.SKILL, "press"), *between, step(later, ActionKind.SKILL, "press"))
        found = skill_session(talk(steps=steps))
        assert found is not None
        assert found.uses[0].is_again is is_again


def test_failures_count_where_a_log_holds_outputs_alone() -> None:
    missing = Act(
        Step(ActionKind.SHELL, "Bash", "pytest", Status.UNKNOWN, Lean.FAILED, error="pytest: command not found")
    )
    (use,) = seen(PRESS, missing, ran("ls")).uses
    assert (use.actions, use.failures) == (2, 1)


def test_the_level_is_that_of_the_rest_of_the_session() -> None:
    (use,) = seen(*[edited("a.py"), ran("ls")] * 5, PRESS, *[edited("b.py")] * 10).uses
    assert use.value == 1.0
    assert use.level is not None
    assert abs(use.level - SCALE * 5 / 11) <= 1  # the call itself is an action of the rest


def test_too_little_besides_a_use_is_nothing_to_compare_with() -> None:
    (use,) = seen(ran("ls"), PRESS, *[edited("b.py")] * 10).uses
    assert use.level is None


def test_no_ordinary_moment_holds_what_follows_a_skill() -> None:
    without = seen(*[ran("ls")] * 30)
    with_skill = seen(*[ran("ls")] * 30, PRESS, *[edited("a.py")] * 10)
    assert {moments.value for moments in without.phases} == {0}
    assert {moments.value for moments in with_skill.phases} == {0}


def test_a_session_without_actions_shows_nothing() -> None:
    assert skill_session(talk("Press the plums")) is None
