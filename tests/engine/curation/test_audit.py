"""Audits: the same sample for the same seed, verdicts in the journal, a rate with its interval."""

from pathlib import Path

import pytest
from tests.homes import world_of

from afterwit.config.world import World
from afterwit.engine.curation.curate import Words, add
from afterwit.engine.curation.review import record, sample, verdicts_in
from afterwit.engine.curation.undo import past, undo
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import EVERYWHERE, Category

TREES = ("apple", "pear", "plum", "cherry", "quince")


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = world_of(tmp_path / "home", tmp_path / "store")
    for tree in TREES:
        add(world, Words(sentence=f"Run `make {tree}` for the {tree} row.", category=Category.FACT, scope=EVERYWHERE))
    return world


def ids(world: World, size: int, seed: int) -> list[str]:
    return [item.id for item in sample(world, size, seed)]


def test_a_seed_draws_the_same_sample_again(world: World) -> None:
    assert ids(world, 3, 7) == ids(world, 3, 7)
    assert len(ids(world, 3, 7)) == 3
    assert set(ids(world, 0, 1)) == set(ids(world, 0, 2))
    assert len({tuple(ids(world, 0, seed)) for seed in range(6)}) > 1


def test_the_junk_rate_comes_with_its_interval(world: World) -> None:
    one, two, three, four, five = ids(world, 0, 1)
    given = {one: "durable", two: "durable", three: "wrong", four: "duplicate", five: "skip"}
    done = record(world, given, seed=1)
    assert (done.judged, done.junk, done.junk_rate, done.active) == (4, 2, 0.5, 5)
    assert done.interval == pytest.approx((0.15, 0.85), abs=1e-3)
    assert done.counts == {"durable": 2, "duplicate": 1, "restated": 0, "momentary": 0, "wrong": 1}
    assert five not in done.verdicts


def test_verdicts_are_journalled_and_undone_together(world: World) -> None:
    record(world, dict.fromkeys(ids(world, 2, 1), "durable"), seed=1)
    assert [one.what.split()[0] for one in past(world, 2)] == ["audit", "audit"]
    assert len(undo(world)) == 2


def test_a_wrong_verdict_or_item_is_refused_before_anything_is_noted(world: World) -> None:
    (item,) = ids(world, 1, 1)
    before = past(world, 0)
    with pytest.raises(UsageError, match=r"'fine', of .*, is no verdict\. Verdicts are: durable, "):
        record(world, {item: "fine"}, seed=1)
    with pytest.raises(UsageError, match="No note 'zz'"):
        record(world, {item: "durable", "zz": "wrong"}, seed=1)
    assert past(world, 0) == before


def test_nothing_judged_is_no_rate(world: World) -> None:
    done = record(world, {}, seed=1)
    assert (done.junk_rate, done.interval) == (None, (0.0, 1.0))


def test_verdicts_are_lines_or_a_json_object() -> None:
    assert verdicts_in("# by Ada\n0a0a durable\n\n1b1b  wrong # no such target\n") == {
        "0a0a": "durable",
        "1b1b": "wrong",
    }
    assert verdicts_in('{"0a0a": "durable"}') == {"0a0a": "durable"}


@pytest.mark.parametrize("text", ["0a0a", "0a0a is durable", "{", '{"a": 1}'])
def test_verdicts_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        verdicts_in(text)
