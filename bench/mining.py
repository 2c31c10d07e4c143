"""How the mining of skills and the detection of patterns grow, beside a miner that compares each event with all others.

    python -m bench.mining [--keep]

Skills: invented sessions of 50 actions, half of which use one of 20 skills, are looked at and weighed: the uses with
what followed, the effects, the pairs, the trends. The floor is what one writes first: for every event, all events are
gone through for those of the same session that follow within ten actions and five minutes. Both in one run on the same
10,000 events, as CPU; growth is our CPU at 100,000 events over that at 10,000. Patterns: `patterns detect` on a store
with 10,000 and with 100,000 signals, ten a session. Ours are medians of several rounds, in which the sizes take turns.
"""

import gc
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from afterwit.config.world import World
from afterwit.extras.lab.patterns.detect import detect
from afterwit.extras.lab.patterns.signals import PatternSignals, Signal, SignalKind, Subject
from afterwit.extras.lab.skills.effect import effect_of, weighed
from afterwit.extras.lab.skills.figures import SkillHistory, pairs, trends
from afterwit.extras.lab.skills.moments import ACTIONS, SECONDS, skill_session
from afterwit.harvest.door import version_of
from afterwit.model.digest import Digest, Failure, Measures, Verdict
from afterwit.model.kinds import ActionKind, FailureClass, Outcome, Status, Step
from afterwit.model.knowledge import SessionRef, Sighting
from afterwit.store.database import transaction
from afterwit.store.rows.sightings import HarvestedRow, SightingRow, put_seen
from afterwit.store.store import open_store
from bench.results import command_line, report
from bench.worlds import world_of

SMALL, LARGE = 10_000, 100_000
ROUNDS = 5
_ACTIONS = 50  # of a session
_SIGNALS = 10
_SKILLS = tuple(f"skill-{number}" for number in range(20))
_REPOS = tuple(f"example.org/fruit/orchard-{number}" for number in range(10))
_DAY_MS = 86_400_000
_MEASURES = Measures(
    duration_ms=None,
    first_success_ms=None,
    errors=0,
    early_error_rate=None,
    tool_diversity=0,
    tokens=0,
    cost_usd=None,
)


class MiningTable(msgspec.Struct):
    """CPU seconds, and how they compare."""

    mining_10k_s: float
    mining_100k_s: float
    quadratic_10k_s: float
    mining_of_quadratic: float
    mining_growth: float
    detect_10k_s: float
    detect_100k_s: float
    detect_growth: float


def main() -> None:
    asked = command_line(__doc__).parse_args()
    report("mining", table(), keep=asked.keep)


def table(small: int = SMALL, large: int = LARGE, rounds: int = ROUNDS) -> MiningTable:
    mining, quadratic = skill_mining(small, large, rounds)
    detecting = detection(small, large, rounds)
    return MiningTable(
        mining_10k_s=mining[0],
        mining_100k_s=mining[1],
        quadratic_10k_s=quadratic,
        mining_of_quadratic=mining[0] / quadratic,
        mining_growth=mining[1] / mining[0],
        detect_10k_s=detecting[0],
        detect_100k_s=detecting[1],
        detect_growth=detecting[1] / detecting[0],
    )


def skill_mining(small: int, large: int, rounds: int) -> tuple[list[float], float]:
    """CPU seconds of both sizes, and of the miner that compares everything on the small one."""
    few, many = sessions_of(small), sessions_of(large)
    mining = in_turns([lambda: mined(few), lambda: mined(many)], rounds)
    return mining, in_turns([lambda: mined_naively(few)], 1)[0]


def detection(small: int, large: int, rounds: int) -> list[float]:
    """CPU seconds of both sizes. Nothing of the sessions above is kept meanwhile: looking for cycles would go through
    all of it."""
    with tempfile.TemporaryDirectory() as folder:
        worlds = [signals_in(Path(folder) / str(size), size) for size in (small, large)]
        return in_turns([partial(detect, world) for world in worlds], rounds)


def sessions_of(events: int) -> list[Digest]:
    rng = random.Random(5)
    return [_session(rng, number) for number in range(events // _ACTIONS)]


def mined(digests: Sequence[Digest]) -> int:
    """All that the commands about skills count, from digests on."""
    sightings = [Sighting(_ref(digest), seen) for digest in digests if (seen := skill_session(digest)) is not None]
    history = SkillHistory(sightings, weighed(sightings))
    effects = [effect_of(uses) for uses in history.uses.values()]
    return len(effects) + len(pairs(history)) + len(trends(history.uses))


def mined_naively(digests: Sequence[Digest]) -> dict[str, float]:
    """The mean value of what follows each skill, and ordinary events, found by going through all events for each."""
    events = [
        (number, at, step.at_s or 0, step.has_changed, step.has_failed, step.target)
        for number, digest in enumerate(digests)
        for at, step in enumerate(digest.steps)
    ]
    values: dict[str, list[float]] = {}
    for session, at, at_s, _, _, target in events:
        following = [
            (has_changed, has_failed)
            for other, later, later_s, has_changed, has_failed, _ in events
            if other == session and at < later <= at + ACTIONS and later_s <= at_s + SECONDS
        ]
        value = sum(changed - failed for changed, failed in following) / max(1, len(following))
        values.setdefault(target if target in _SKILLS else "", []).append(value)
    return {name: statistics.fmean(own) for name, own in values.items()}


def signals_in(folder: Path, count: int) -> World:
    """A store with so many signals."""
    world = world_of(folder, folder / "store")
    with open_store(world.layout) as store, transaction(store.db):
        for session, rows in _signals(count):
            put_seen(store.db, session, rows, is_other=False)
    return world


def _signals(count: int) -> Iterator[tuple[HarvestedRow, list[SightingRow]]]:
    """Signals of sessions, ten each: the more sessions, the more subjects, as in a store that grows."""
    rng = random.Random(7)
    for number in range(count // _SIGNALS):
        ref = _session_ref(number, rng.choice(_REPOS))
        subjects = {
            Subject(SignalKind.WORD_UNKNOWN, ("press", "option", f"--row-{rng.randrange(max(1, count // 20))}"))
            for _ in range(_SIGNALS)
        }
        body = msgspec.msgpack.encode(Signal(at=1, excerpt="press --row", failures=1, actions=2, tokens=100))
        rows = [
            SightingRow(PatternSignals.name, str(subject), 1, ref.at_ms, number + 1, ordinal, body)
            for ordinal, subject in enumerate(sorted(subjects))
        ]
        yield HarvestedRow(number + 1, version_of(), ref.repo, b"x", msgspec.msgpack.encode(ref)), rows


def in_turns(works: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """The medians of the CPU seconds that each of these takes. They take turns: a busy moment hits all."""
    taken: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, own in zip(works, taken, strict=True):
            gc.collect()
            begun = time.process_time()
            work()
            own.append(time.process_time() - begun)
    return [statistics.median(own) for own in taken]


def _session(rng: random.Random, number: int) -> Digest:
    used = rng.randrange(5, _ACTIONS - 15) if rng.random() < 0.5 else -1
    steps = tuple(_step(rng, at, is_skill=at == used) for at in range(_ACTIONS))
    failures = tuple(
        Failure(at=at, failure=FailureClass.WORK, signature="press") for at, step in enumerate(steps) if step.has_failed
    )
    return Digest(
        agent="codex",
        native_id=f"session-{number}",
        repo=rng.choice(_REPOS),
        started_ms=number * _DAY_MS // 10,
        verdict=Verdict(outcome=Outcome.SUCCESS, confidence=0.9),
        kinds={},
        steps=steps,
        failures=failures,
        measures=_MEASURES,
    )


def _step(rng: random.Random, at: int, *, is_skill: bool) -> Step:
    if is_skill:
        return Step(ActionKind.SKILL, "Skill", rng.choice(_SKILLS), Status.SUCCEEDED, at_s=at * 10)
    drawn = rng.random()
    if drawn < 0.3:
        return Step(ActionKind.EDIT, "Edit", "src/a.py", Status.SUCCEEDED, at_s=at * 10, files=("src/a.py",))
    status = Status.FAILED if drawn < 0.5 else Status.SUCCEEDED
    return Step(ActionKind.SHELL, "Bash", "make test", status, at_s=at * 10)


def _ref(digest: Digest) -> SessionRef:
    return SessionRef(
        agent=digest.agent,
        native_id=digest.native_id,
        story=digest.native_id,
        repo=digest.repo,
        at_ms=digest.started_ms or 0,
    )


def _session_ref(number: int, repo: str) -> SessionRef:
    agent = "codex" if number % 2 else "claude-code"
    name = f"session-{number}"
    return SessionRef(agent=agent, native_id=name, story=name, repo=repo, at_ms=1 + number * _DAY_MS // 10)


if __name__ == "__main__":
    main()
