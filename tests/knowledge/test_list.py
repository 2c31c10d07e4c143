"""What the gate kept out is counted by reason, with samples."""

from pathlib import Path

from tests.homes import learned, world_of
from tests.knowledge_home import learnable_home

from afterwit.knowledge.list import rejected
from afterwit.store.rows import items
from afterwit.store.rows.items import RejectionRow
from afterwit.store.store import opened


def test_the_most_frequent_reason_comes_first_with_samples(tmp_path: Path) -> None:
    learned(learnable_home(tmp_path / "home"), tmp_path / "store")
    world = world_of(tmp_path / "home", tmp_path / "store")
    rows = [RejectionRow(f"{number}", "momentary", "choices", "global", f"Row {number}.") for number in range(5)]
    rows.append(RejectionRow("9", "secret", "choices", "repo:orchard", "The key is ‹aws-key:3f9c2a›."))
    with opened(world.layout) as store:
        items.put_rejections(store.db, rows)
    first, second = rejected(world, samples=2)
    assert (first.reason, first.count, [one["fact"] for one in first.samples]) == (
        "momentary",
        5,
        ["Row 0.", "Row 1."],
    )
    assert first.why == "It is about one moment, one machine or one conversation."
    assert (second.reason, second.count) == ("secret", 1)
    assert len(rejected(world, "momentary", samples=0)[0].samples) == 5
