import threading
from collections.abc import Iterator
from contextlib import closing

import apsw
import pytest

from afterwit.model.errors import DamagedError
from afterwit.store.decisions import JournalEntry
from afterwit.store.journal import ChainHead, Journal
from afterwit.store.layout import Layout


@pytest.fixture
def journal(layout: Layout) -> Iterator[Journal]:
    with closing(Journal(layout.journal, layout.backups)) as opened:
        yield opened


@pytest.fixture
def three(journal: Journal) -> Journal:
    for number in range(1, 4):
        journal.append("approve", {"item": number}, at_ms=number * 1_000)
    return journal


def tamper(layout: Layout, query: str, *values: int) -> None:
    """Changes the file behind the journal's back."""
    with closing(apsw.Connection(str(layout.journal))) as other:
        other.execute(query, values)


def test_entries_come_back_numbered_and_in_order(three: Journal) -> None:
    machine = three.machine
    assert list(three.entries()) == [JournalEntry(machine, n, n * 1_000, "approve", {"item": n}) for n in (1, 2, 3)]
    assert three.count() == 3
    assert three.verify() == []


def test_an_empty_journal_is_in_order(journal: Journal) -> None:
    assert journal.verify() == []
    assert list(journal.entries()) == []


def test_decisions_count_in_the_order_in_which_they_were_made_whatever_the_clock_says(three: Journal) -> None:
    assert three.append("reject", {"item": 9}, at_ms=1_500).at_ms == 3_000
    assert [(entry.number, entry.at_ms) for entry in three.entries()] == [
        (1, 1_000),
        (2, 2_000),
        (3, 3_000),
        (4, 3_000),
    ]
    assert three.verify() == []


def test_moments_that_went_back_in_an_old_chain_are_those_of_the_latest_entry(three: Journal, layout: Layout) -> None:
    tamper(layout, "UPDATE entries SET at_ms = 500 WHERE number = 3")
    assert [(entry.number, entry.at_ms) for entry in three.entries()] == [(1, 1_000), (2, 2_000), (3, 2_000)]


def test_an_entry_comes_after_those_of_other_machines_that_were_here_before(three: Journal, layout: Layout) -> None:
    tamper(layout, "INSERT INTO entries VALUES ('ffff', 1, 9000, 'approve', '{}', '')")
    three.append("reject", {"item": 9}, at_ms=4_000)
    last = list(three.entries())[-1]
    assert (last.machine, last.kind, last.at_ms) == (three.machine, "reject", 9_001)
    assert {machine: head.number for machine, head in three.heads().items()} == {three.machine: 4, "ffff": 1}


def test_the_same_body_is_the_same_text_whatever_its_order(journal: Journal, layout: Layout) -> None:
    journal.append("note", {"b": 1, "a": {"d": "ü", "c": None}}, 1)
    journal.append("note", {"a": {"c": None, "d": "ü"}, "b": 1}, 2)
    with closing(apsw.Connection(str(layout.journal))) as other:
        bodies = [row[0] for row in other.execute("SELECT body FROM entries ORDER BY number")]
    assert bodies == ['{"a":{"c":null,"d":"ü"},"b":1}'] * 2


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET body = '{\"item\":5}' WHERE number = 2",
        "UPDATE entries SET at_ms = at_ms + 1 WHERE number = 2",
        "UPDATE entries SET kind = 'reject' WHERE number = 2",
        "UPDATE entries SET hash = upper(hash) WHERE number = 2",
    ],
)
def test_a_changed_entry_is_named(three: Journal, layout: Layout, change: str) -> None:
    tamper(layout, change)
    assert three.verify()[0] == f"entry 2 of machine {three.machine} was changed after it was written"


@pytest.mark.parametrize("number", [1, 2])
def test_a_deleted_entry_is_named(three: Journal, layout: Layout, number: int) -> None:
    tamper(layout, "DELETE FROM entries WHERE number = ?", number)
    assert three.verify() == [f"entry {number} of machine {three.machine} cannot be found"]


def test_deleted_entries_at_the_end_are_named_by_what_was_applied(three: Journal, layout: Layout) -> None:
    tamper(layout, "DELETE FROM entries WHERE number > 1")
    assert three.verify() == []
    machine = three.machine
    what = f"entries 2 to 3 of machine {machine} cannot be found, made since 1970-01-01 00:00"
    assert three.verify({machine: ChainHead(3, "", 0)}) == [what]
    assert three.verify({machine: ChainHead(1, "", 0)}) == []


def test_another_journal_with_as_many_entries_is_noticed_by_its_hash(three: Journal) -> None:
    (head,) = three.heads().values()
    assert three.lost({three.machine: head}) == []
    (what,) = three.lost({three.machine: head._replace(hash="0" * 64)})
    assert "is not the one that was seen before" in what


def test_a_chain_that_is_gone_altogether_is_noticed(journal: Journal) -> None:
    assert journal.verify({"0123": ChainHead(1, "", 0)}) == ["entry 1 of machine 0123 cannot be found"]


def test_an_inserted_entry_is_named(three: Journal, layout: Layout) -> None:
    tamper(layout, "UPDATE entries SET number = number + 10 WHERE number >= 2")
    tamper(layout, "UPDATE entries SET number = number - 9 WHERE number > 10")
    tamper(layout, "INSERT INTO entries SELECT machine, 2, 1500, 'approve', '{}', hash FROM entries WHERE number = 1")
    found = three.verify()
    assert f"entry 2 of machine {three.machine} was changed after it was written" in found


def test_reordered_entries_are_named(three: Journal, layout: Layout) -> None:
    for before, after in ((2, 9), (3, 2), (9, 3)):
        tamper(layout, "UPDATE entries SET number = ? WHERE number = ?", after, before)
    assert [line.split(" of ")[0] for line in three.verify()] == ["entry 2", "entry 3"]


def test_the_journal_survives_reopening(layout: Layout) -> None:
    with closing(Journal(layout.journal, layout.backups)) as first:
        machine = first.machine
        assert first.append("note", {}, 1).number == 1
    with closing(Journal(layout.journal, layout.backups)) as second:
        assert second.machine == machine
        assert second.append("note", {}, 2).number == 2
        assert second.verify() == []


def test_an_entry_is_durable_when_it_is_appended(journal: Journal) -> None:
    assert journal._db.pragma("synchronous") == 2


def test_writers_at_once_neither_lose_an_entry_nor_fork_the_chain(layout: Layout) -> None:
    def write(name: str) -> None:
        with closing(Journal(layout.journal, layout.backups)) as own:
            for number in range(12):
                own.append("note", {"by": name, "number": number}, number)

    writers = [threading.Thread(target=write, args=(name,)) for name in ("a", "b", "c")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    with closing(Journal(layout.journal, layout.backups)) as journal:
        assert journal.verify() == []
        entries = list(journal.entries())
        assert len({entry.machine for entry in entries}) == 1
        assert sorted(entry.number for entry in entries) == list(range(1, 37))
        assert len({(entry.body["by"], entry.body["number"]) for entry in entries}) == 36


def test_an_entry_that_is_no_object_is_damage(three: Journal, layout: Layout) -> None:
    tamper(layout, "UPDATE entries SET body = '[1' WHERE number = 2")
    with pytest.raises(DamagedError, match="entry 2 of machine"):
        list(three.entries())


def test_a_damaged_journal_is_not_said_to_be_derivable(layout: Layout) -> None:
    layout.journal.write_bytes(b"no database at all" * 100)
    with pytest.raises(DamagedError, match="Restore it from a backup") as caught:
        Journal(layout.journal, layout.backups)
    assert "rebuild" not in str(caught.value)


def test_compacting_keeps_all_entries(three: Journal) -> None:
    three.compact()
    assert three.count() == 3
    assert three.verify() == []
