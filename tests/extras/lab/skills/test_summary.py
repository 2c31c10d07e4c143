"""One skill in figures."""

import msgspec
from tests.extras.lab.skills.histories import World, history, sightings

from afterwit.extras.lab.skills.effect import weighed
from afterwit.extras.lab.skills.figures import effects_by, summaries
from afterwit.model.digest import Digest, Verdict
from afterwit.model.kinds import Outcome, TaskType


def test_skills_come_by_how_often_they_are_used() -> None:
    often = sightings(history(World(sessions=30, share=1.0, skill="press")))
    seldom = sightings(history(World(sessions=30, share=0.2, skill="prune"), seed=2))
    first, second = summaries(weighed([*often, *seldom]))
    assert (first.name, first.uses, first.sessions) == ("press", 30, 30)
    assert (second.name, second.uses) == ("prune", second.sessions)
    assert first.agents == ("codex",)
    assert first.ended_well == (30, 30)


def test_a_session_whose_outcome_nobody_can_tell_counts_neither_as_good_nor_as_bad() -> None:
    outcomes = [Outcome.SUCCESS, Outcome.FAILURE, Outcome.UNKNOWN, Outcome.UNKNOWN]
    digests = history(World(sessions=len(outcomes), share=1.0))
    ended = [
        msgspec.structs.replace(digest, verdict=Verdict(outcome=outcome, confidence=0.9))
        for digest, outcome in zip(digests, outcomes, strict=True)
    ]
    (skill,) = summaries(weighed(sightings(ended)))
    assert (skill.sessions, skill.ended_well) == (4, (1, 2))


def test_what_followed_is_told_per_use() -> None:
    (skill,) = summaries(weighed(sightings(history(World(effect=0.3)))))
    (other,) = summaries(weighed(sightings(history(World()))))
    assert skill.edits_per_use > other.edits_per_use + 2
    assert skill.failures_per_use < other.failures_per_use
    assert skill.again_share == 0


def test_the_best_task_type_is_the_one_with_the_highest_sure_effect() -> None:
    good, bad = World(effect=0.25), World(effect=-0.1)
    mixed = history(bad)
    coded = [_of_type(digest, TaskType.CODE) for digest in history(good, seed=2)]
    uses = weighed(sightings([*mixed, *coded]))
    assert summaries(uses)[0].best_task_type == TaskType.CODE
    effects = effects_by(uses["press"], lambda use: use.task_type)
    assert (effects["code"].finding, effects["mixed"].finding) == ("helps", "harms")


def _of_type(digest: Digest, task_type: TaskType) -> Digest:
    return msgspec.structs.replace(digest, task_type=task_type, native_id=f"{digest.native_id} {task_type}")
