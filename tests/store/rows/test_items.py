"""Rows of items and of what was decided and shown."""

import apsw

from afterwit.store.decisions import JournalEntry
from afterwit.store.rows import items
from afterwit.store.rows.items import ExposureRow, ItemRow, RejectionRow


def row(name: str, confidence: float = 0.7, body: bytes = b"{}") -> ItemRow:
    return ItemRow(name, "repo:orchard", "fact", "rules", "active", confidence, 5, body)


def test_items_come_with_the_most_believed_first(db: apsw.Connection) -> None:
    items.put_item(db, row("aa01", 0.6), "prune in winter")
    items.put_item(db, row("aa02", 0.9), "pick in autumn")
    assert [one.id for one in items.all_items(db)] == ["aa02", "aa01"]


def test_an_item_is_found_by_the_beginning_of_its_id(db: apsw.Connection) -> None:
    for name in ("aa01", "aa02", "ab01", "f"):
        items.put_item(db, row(name), "")
    assert [one.id for one in items.items_named(db, "aa", 9)] == ["aa01", "aa02"]
    assert [one.id for one in items.items_named(db, "f", 9)] == ["f"]


def test_every_digit_may_follow_the_beginning_of_an_id(db: apsw.Connection) -> None:
    names = [f"a{digit}01" for digit in "0123456789abcdef"]
    for name in names:
        items.put_item(db, row(name), "")
    assert [one.id for one in items.items_named(db, "a", 99)] == names


def test_words_follow_their_item(db: apsw.Connection) -> None:
    items.put_item(db, row("aa01"), "pruning in winter")
    assert [one.id for one in items.items_with_words(db, '"prune"', 9)] == ["aa01"]
    items.put_item(db, row("aa01"), "pick in autumn")
    assert items.items_with_words(db, '"prune"', 9) == []
    items.delete_item(db, "aa01")
    assert items.items_with_words(db, '"pick"', 9) == []


def test_rejections_and_doubles_are_replaced(db: apsw.Connection) -> None:
    items.put_rejections(db, [RejectionRow("aa01", "momentary", "rules", "global", "Today.")])
    items.put_rejections(db, [RejectionRow("aa02", "unsafe", "rules", "global", "Run it.")])
    assert [one.id for one in items.rejections(db)] == ["aa02"]
    items.put_doubles(db, [("aa01", "aa02")])
    items.put_doubles(db, [("aa03", "aa04")])
    assert items.doubles(db) == [("aa03", "aa04")]


def test_decisions_come_in_the_order_of_time(db: apsw.Connection) -> None:
    later = JournalEntry("m1", 2, 20, "item-decided", {"item": "aa01"})
    earlier = JournalEntry("m2", 1, 10, "item-decided", {"item": "aa01"})
    items.put_decision(db, later)
    items.put_decision(db, earlier)
    assert items.recorded(db) == [earlier, later]


def test_an_exposure_counts_once(db: apsw.Connection) -> None:
    shown = ExposureRow("codex", "t1", "aa01", "start", 10, 1)
    items.put_exposure(db, shown)
    items.put_exposure(db, shown._replace(at_ms=30))
    assert list(items.exposures(db)) == [shown]
    assert items.count_exposures(db) == 1


def test_the_mark_of_the_last_settling_is_kept(db: apsw.Connection) -> None:
    assert items.items_mark(db) == ""
    items.put_items_mark(db, "one")
    items.put_items_mark(db, "two")
    assert items.items_mark(db) == "two"
