"""Pairs count from three sessions on, and are compared with what each skill does alone."""

import msgspec
from tests.extras.lab.skills.histories import World, history, sightings

from afterwit.extras.lab.skills.effect import weighed
from afterwit.extras.lab.skills.figures import SkillHistory, SkillPair, pairs
from afterwit.model.digest import Digest
from afterwit.model.kinds import ActionKind, Status, Step


def found(digests: list[Digest]) -> list[SkillPair]:
    seen = sightings(digests)
    return pairs(SkillHistory(seen, weighed(seen)))


def with_taste(digest: Digest) -> Digest:
    """The session, in which another skill is called right after the first one."""
    steps = list(digest.steps)
    at = next(at for at, step in enumerate(steps) if step.kind is ActionKind.SKILL)
    steps[at + 1] = Step(ActionKind.SKILL, "Skill", "taste", Status.SUCCEEDED, at_s=steps[at + 1].at_s)
    failures = tuple(failure for failure in digest.failures if failure.at != at + 1)
    return msgspec.structs.replace(digest, steps=tuple(steps), failures=failures, native_id=f"{digest.native_id} t")


def only(skill: str, seed: int) -> list[Digest]:
    """Sessions with this skill alone, which does nothing, and sessions without any."""
    digests = history(World(sessions=120, skill=skill), seed)
    return [msgspec.structs.replace(digest, native_id=f"{skill} {digest.native_id}") for digest in digests]


def test_two_sessions_make_no_pair() -> None:
    assert found([with_taste(digest) for digest in history(World(sessions=2, share=1.0))]) == []


def test_three_sessions_make_a_pair_that_is_only_counted() -> None:
    digests = [with_taste(digest) for digest in history(World(sessions=3, share=1.0))]
    (pair,) = found([*digests, *history(World(sessions=9, share=0.0), seed=5)])
    assert (pair.skills, pair.sessions, pair.difference) == (("press", "taste"), 3, None)
    assert pair.expected_sessions == 3 * 3 / 12


def test_what_two_skills_do_only_together_is_found() -> None:
    together = [with_taste(digest) for digest in history(World(sessions=60, share=1.0, effect=0.3), seed=7)]
    (pair,) = found([*together, *only("press", 8), *only("taste", 9)])
    assert pair.low is not None
    assert pair.low > 0
    assert pair.effect is not None
    assert pair.expected_effect is not None
    assert pair.effect > 0.2 > pair.expected_effect


def test_two_skills_that_do_nothing_do_nothing_together() -> None:
    together = [with_taste(digest) for digest in history(World(sessions=60, share=1.0), seed=7)]
    (pair,) = found([*together, *only("press", 8), *only("taste", 9)])
    assert pair.low is not None
    assert pair.high is not None
    assert pair.low < 0 < pair.high
