"""Effects that were put into invented histories come out again, and nothing comes out where none was put in."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from tests.extras.lab.skills.histories import World, history, sightings
from tests.harvest.talks import ORCHARD, concluded

from afterwit.extras.lab.skills.effect import SkillEffect, Skills, effect_of, weighed
from afterwit.extras.lab.skills.moments import skill_session
from afterwit.knowledge.gate import rejection, review_reason
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind

SEEDS = range(8)
TRUE = 0.235  # of an added chance of 0.2: an action that edits cannot fail


def effect(world: World, seed: int = 1) -> SkillEffect:
    return effect_of(weighed(sightings(history(world, seed))).get("press", []))


def effects(world: World) -> list[SkillEffect]:
    return [effect(world, seed) for seed in SEEDS]


def mean(found: list[SkillEffect]) -> float:
    return sum(one.effect or 0.0 for one in found) / len(found)


def verdicts(found: list[SkillEffect]) -> int:
    return sum(one.finding in ("helps", "harms") for one in found)


def covered(found: list[SkillEffect], true: float) -> int:
    return sum(one.low is not None and one.high is not None and one.low <= true <= one.high for one in found)


def test_a_known_effect_is_recovered() -> None:
    found = effects(World(effect=0.2))
    assert {one.finding for one in found} == {"helps"}
    assert abs(mean(found) - TRUE) < 0.03
    assert covered(found, TRUE) >= len(SEEDS) - 1


def test_harm_is_recovered() -> None:
    found = effects(World(effect=-0.12))
    assert mean(found) < -0.09
    assert {one.finding for one in found} <= {"harms", "unclear"}
    assert verdicts(found) >= len(SEEDS) - 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "world",
    [
        World(),
        World(is_for_easy=True),
        World(is_for_easy=True, is_at_start=True),
        World(is_at_start=True),
        World(is_after_failures=True),
        World(sessions=40, share=0.3),
    ],
    ids=["anywhere", "in easy sessions", "at the start of easy ones", "at the start", "after failures", "seldom"],
)
def test_a_skill_that_does_nothing_shows_nothing(world: World) -> None:
    found = effects(world)
    assert abs(mean(found)) < 0.03
    assert verdicts(found) <= 1


def test_easy_sessions_really_go_better_after_the_skill() -> None:
    """Without the comparison the confounder would look like a large effect: the test above tests something."""
    seen = sightings(history(World(is_for_easy=True)))
    after = [use.value for _, session in seen for use in session.uses]
    others = [moments.value / 10_000 for _, session in seen if not session.uses for moments in session.phases]
    assert sum(after) / len(after) - sum(others) / len(others) > 0.2


def test_where_all_easy_sessions_use_it_nothing_is_comparable() -> None:
    assert effect(World(effect=0.2, is_for_easy=True, share=1.0)).finding in ("too-few", "unclear")


def test_nothing_is_said_below_five_uses_in_three_sessions() -> None:
    few = effect(World(sessions=60, share=0.04))
    assert few.uses < 5
    assert (few.finding, few.confidence) == ("too-few", 0.0)


def test_confidence_grows_with_what_is_seen() -> None:
    seldom, often = effect(World(sessions=60, share=0.3, effect=0.2)), effect(World(effect=0.2))
    assert 0.5 < seldom.confidence < often.confidence
    assert effect(World()).confidence < 0.5


def test_the_order_of_sessions_does_not_matter() -> None:
    seen = sightings(history(World(effect=0.2)))
    assert effect_of(weighed(seen)["press"]) == effect_of(weighed(seen[::-1])["press"])


@pytest.mark.slow
def test_ten_times_the_events_cost_at_most_twelve_times_the_work() -> None:
    def mined(sessions: int) -> int:
        digests = history(World(sessions=sessions, actions=50, share=1.0))
        return _calls(lambda: weighed([*sightings(digests)]))

    assert mined(2_000) <= 12 * mined(200)


@pytest.mark.slow
def test_a_session_ten_times_as_long_costs_at_most_twelve_times_the_work() -> None:
    def looked_at(actions: int) -> int:
        (digest,) = history(World(sessions=1, actions=actions, share=1.0, is_after_failures=True))
        return _calls(lambda: skill_session(digest))

    assert looked_at(100_000) <= 12 * looked_at(10_000)


def _calls(work: Callable[[], Any]) -> int:
    """How many functions are called, those of the interpreter too."""
    count = 0

    def note(_frame: FrameType, event: str, _value: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def drafts(world: World) -> list[Draft]:
    return concluded(Skills(), history(world))


def test_a_skill_that_helps_is_told_as_approximate() -> None:
    (draft,) = drafts(World(effect=0.2))
    assert draft.sentence.startswith(
        "After the skill `press`, codex got on better in `orchard` than at comparable moments"
    )
    assert "approximate" in draft.sentence
    assert draft.scope == Scope(ScopeKind.REPO, ORCHARD)
    assert (draft.category, draft.channel, draft.agents) == (Category.PATTERN, Channel.OUTCOME, ("codex",))
    assert {piece.is_against for piece in draft.evidence} == {True, False}
    assert rejection(draft) is None
    assert not review_reason(draft)


def test_a_skill_that_harms_is_told_too() -> None:
    (draft,) = drafts(World(effect=-0.15))
    assert "got on worse" in draft.sentence


def test_a_skill_that_does_nothing_is_not_told() -> None:
    assert drafts(World()) == []
    assert drafts(World(is_for_easy=True)) == []


def test_a_few_uses_are_not_told() -> None:
    assert drafts(World(sessions=40, share=0.1, effect=0.2)) == []


def test_a_skill_that_was_better_and_wears_off_is_no_note_any_more() -> None:
    assert len(drafts(World(effect=0.3, share=0.6))) == 1
    assert drafts(World(effect=0.3, later=0.0, share=0.6)) == []
