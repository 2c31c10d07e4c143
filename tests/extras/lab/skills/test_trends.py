"""What got worse in invented histories is found, and what stayed the same is not called worse."""

import msgspec
import pytest
from tests.extras.lab.skills.histories import World, history, sightings

from afterwit.extras.lab.skills.effect import weighed
from afterwit.extras.lab.skills.figures import SkillTrend, trends
from afterwit.model.digest import Digest
from afterwit.model.kinds import ActionKind, Step

FADING = World(effect=0.3, later=0.0, share=0.6)
PLUGIN = "/home/ann/.agents/plugins/cache/fruit/cider/{}/skills/press/SKILL.md"


def found(digests: list[Digest]) -> dict[str, SkillTrend]:
    return {trend.since: trend for trend in trends(weighed(sightings(digests)))}


def test_a_skill_that_wears_off_is_worse_in_the_later_half() -> None:
    trend = found(history(FADING))["later half"]
    assert trend.finding == "worse"
    assert (trend.before.finding, trend.after.finding) == ("helps", "unclear")


@pytest.mark.slow
def test_a_skill_that_stays_as_it_is_is_not_called_worse() -> None:
    findings = [found(history(World(effect=0.2), seed))["later half"].finding for seed in range(6)]
    assert findings.count("unclear") >= 5


def test_another_version_of_the_agent_is_a_cut() -> None:
    half = FADING.sessions // 2
    digests = [
        msgspec.structs.replace(digest, versions=("0.130.0" if at < half else "0.131.0",))
        for at, digest in enumerate(history(FADING))
    ]
    assert found(digests)["codex 0.131.0"].finding == "worse"


def test_another_version_of_the_skill_is_a_cut() -> None:
    half = FADING.sessions // 2
    digests = [_reading(digest, "1.0" if at < half else "2.0") for at, digest in enumerate(history(FADING))]
    assert found(digests)["version 2.0"].finding == "worse"


def test_a_version_with_too_few_uses_is_counted_with_the_one_before() -> None:
    versions = ["1.0", "2.0", "3.0"]
    digests = [
        _reading(digest, versions[(at >= 120) + (at >= FADING.sessions - 3)])
        for at, digest in enumerate(history(FADING))
    ]
    assert set(found(digests)) == {"later half", "version 2.0"}


def test_of_few_uses_nothing_is_said() -> None:
    assert found(history(World(sessions=40, share=0.15, effect=0.2))) == {}


def _reading(digest: Digest, version: str) -> Digest:
    """The session, reading the skill's file of this version instead of calling it."""
    steps = (
        Step(ActionKind.READ, "Read", PLUGIN.format(version), step.status, at_s=step.at_s)
        if step.kind is ActionKind.SKILL
        else step
        for step in digest.steps
    )
    return msgspec.structs.replace(digest, steps=tuple(steps))
