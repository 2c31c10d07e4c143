"""Invented histories in which the effect of a skill is known, because it is put in."""

import random
from collections.abc import Iterator
from typing import NamedTuple

from tests.harvest.talks import talk

from afterwit.extras.lab.skills.effect import SkillSighting
from afterwit.extras.lab.skills.moments import ACTIONS, skill_session
from afterwit.model.digest import Digest, Failure
from afterwit.model.kinds import ActionKind, FailureClass, Status, Step
from afterwit.model.knowledge import SessionRef, Sighting


class World(NamedTuple):
    """How sessions go, and when they use the skill."""

    sessions: int = 240
    actions: int = 60
    effect: float = 0.0  # added to the chance of an edit in the ten actions after a use
    share: float = 0.5  # of the sessions use it
    later: float | None = None  # the effect in the second half of the history, where it is another
    is_for_easy: bool = False  # easy sessions alone use it
    is_at_start: bool = False  # its uses come first of all, where edits are rare
    is_after_failures: bool = False  # its uses come after failures, most of them in hard sessions
    skill: str = "press"


def history(world: World, seed: int = 1) -> list[Digest]:
    rng = random.Random(seed)
    return [_session(world, number, rng) for number in range(world.sessions)]


def sightings(digests: list[Digest]) -> list[SkillSighting]:
    return list(_sightings(digests))


def _sightings(digests: list[Digest]) -> Iterator[SkillSighting]:
    for digest in digests:
        seen = skill_session(digest)
        assert seen is not None
        ref = SessionRef(
            agent=digest.agent,
            native_id=digest.native_id,
            story=digest.native_id,
            repo=digest.repo,
            at_ms=digest.started_ms or 0,
            version=digest.versions[-1] if digest.versions else "",
        )
        yield Sighting(ref, seen)


def _session(world: World, number: int, rng: random.Random) -> Digest:
    is_easy = rng.random() < 0.5
    edits, failures = (0.5, 0.05) if is_easy else (0.15, 0.3)
    is_using = (is_easy or not world.is_for_easy) and rng.random() < world.share
    effect = world.effect if world.later is None or number < world.sessions // 2 else world.later
    first = 0 if world.is_at_start else rng.randrange(5, world.actions - 15)
    steps: list[Step] = []
    used = -ACTIONS - 1
    for at in range(world.actions):
        after_failure = bool(steps) and steps[-1].status is Status.FAILED
        is_due = after_failure and rng.random() < 0.1 if world.is_after_failures else at == first
        if is_using and is_due:
            used = at
            steps.append(Step(ActionKind.SKILL, "Skill", world.skill, Status.SUCCEEDED, at_s=at * 10))
            continue
        more = effect if at - used <= ACTIONS else 0.0
        begun = 0.2 if at < 10 else 1.0  # sessions look around before they edit
        steps.append(_step(rng, at, edits * begun + more, failures))
    failed = (at for at, step in enumerate(steps) if step.status is Status.FAILED)
    return talk(
        day=number,
        steps=tuple(steps),
        failures=tuple(Failure(at=at, failure=FailureClass.WORK, signature="press") for at in failed),
    )


def _step(rng: random.Random, at: int, edits: float, failures: float) -> Step:
    drawn = rng.random()
    if drawn < edits:
        return Step(ActionKind.EDIT, "Edit", "src/press.py", Status.SUCCEEDED, at_s=at * 10, files=("src/press.py",))
    if drawn < edits + (1 - edits) * failures:
        return Step(ActionKind.SHELL, "Bash", "make test", Status.FAILED, at_s=at * 10)
    return Step(ActionKind.SHELL, "Bash", "ls src", Status.SUCCEEDED, at_s=at * 10)
