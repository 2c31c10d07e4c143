"""Simulated trials: a version that is better is kept, one that is worse goes, and one that is equal proves nothing."""

import random
from collections.abc import Iterator

import pytest

from afterwit.extras.lab.skills.evolve.trial import BLOCK_MS, Arm, TrialBlock, TrialCase, TrialEffect, compare

HISTORIES = range(300)
BLOCKS = 160
PAST = 30


def _cases(rng: random.Random, effect: float, blocks: list[TrialBlock]) -> Iterator[TrialCase]:
    """One to five sessions a block, with good days and bad ones, in two repositories whose levels differ."""
    for number in range(PAST):
        yield TrialCase(number, "pears", rng.gauss(0.2, 0.25))
    for block in blocks:
        day = rng.gauss(0, 0.08)
        for number in range(rng.randint(1, 5)):
            stratum = rng.choice(("pears", "plums"))
            level = 0.2 if stratum == "pears" else -0.1
            value = rng.gauss(level + day + effect * block.is_new, 0.25)
            yield TrialCase((block.from_ms or 0) + number, stratum, value)


def _blocks(rng: random.Random) -> list[TrialBlock]:
    starts = range(BLOCK_MS, (BLOCKS + 1) * BLOCK_MS, BLOCK_MS)
    return [_block(start, start + BLOCK_MS, is_new=rng.random() < 0.5) for start in starts]


def _block(from_ms: int, until_ms: int, *, is_new: bool = True) -> TrialBlock:
    return TrialBlock(from_ms // BLOCK_MS, Arm.NEW if is_new else Arm.OLD, 0.5, from_ms, until_ms)


def verdict(seed: int, effect: float, looks: tuple[int, ...] = (20, 40, 60, 80, 120, 160)) -> tuple[str, int]:
    """The first finding at any look, and after how many blocks."""
    rng = random.Random(seed)
    blocks = _blocks(rng)
    cases = list(_cases(rng, effect, blocks))
    for look in looks:
        found = compare(cases, blocks[:look], BLOCK_MS)
        if found.finding != "no-evidence":
            return found.finding, look
    return "no-evidence", looks[-1]


def shown(effect: float, blocks: int, seed: int = 1) -> TrialEffect:
    rng = random.Random(seed)
    drawn = _blocks(rng)
    return compare(list(_cases(rng, effect, drawn)), drawn[:blocks], BLOCK_MS)


def test_a_version_that_is_better_is_found_to_be_and_never_the_other_way() -> None:
    found = [verdict(seed, 0.2)[0] for seed in range(60)]
    assert found.count("helps") >= 57
    assert "harms" not in found


def test_a_version_that_is_worse_is_found_to_be_and_never_the_other_way() -> None:
    found = [verdict(seed, -0.2)[0] for seed in range(60)]
    assert found.count("harms") >= 57
    assert "helps" not in found


@pytest.mark.slow
def test_an_equal_version_gets_a_verdict_in_fewer_than_one_of_twenty_histories_at_all_looks_together() -> None:
    found = [verdict(seed, 0.0)[0] for seed in HISTORIES]
    assert sum(one != "no-evidence" for one in found) <= 0.05 * len(HISTORIES)


def test_good_days_alone_are_no_effect() -> None:
    """All sessions of a block share its draw and its day: taken one by one they would prove too much."""
    found = [verdict(seed, 0.0, looks=(BLOCKS,))[0] for seed in range(100)]
    assert found.count("no-evidence") >= 95


def test_without_evidence_it_is_said_how_many_more_sessions_it_takes() -> None:
    early, later = shown(0.0, 20), shown(0.0, 100)
    assert (early.finding, later.finding) == ("no-evidence", "no-evidence")
    assert early.more_sessions is not None
    assert later.more_sessions is not None
    assert early.more_sessions > later.more_sessions > 0


def test_nothing_is_said_without_sessions() -> None:
    none = compare([], _blocks(random.Random(1)), BLOCK_MS)
    assert (none.sessions, none.effect, none.finding, none.more_sessions) == (0, None, "no-evidence", None)


def test_sessions_outside_of_blocks_count_for_neither_side() -> None:
    block = _block(100, 200)
    cases = [TrialCase(1, "a", 0.0), TrialCase(99, "a", 9.0), TrialCase(150, "a", 1.0), TrialCase(200, "a", 9.0)]
    assert compare(cases, [block], 50).sessions == 1


def test_the_usual_is_settled_before_a_block_begins() -> None:
    """Else the first session of a block would hide the effect in those that follow it."""
    past = [TrialCase(at, "a", 0.0) for at in range(50)]
    within = [TrialCase(100 + at, "a", 1.0) for at in range(20)]
    found = compare([*past, *within], [_block(100, 200)], 60)
    assert found.effect is not None
    assert abs(found.effect - 2.0) < 0.01  # 1.0, weighted by the chance of one half
