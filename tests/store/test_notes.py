"""Rows of notes: written for the parts that are kept, replaced in place, gone with their part."""

import apsw
from tests.store.rows import plant

from afterwit.model.captured import NoteRow
from afterwit.model.kinds import NoteKind
from afterwit.store.notes import clear_notes, notes_of_part, put_notes

PROMPT = NoteRow(0, NoteKind.PROMPT, 3, 1_000, "Prune the plums")
RULES = NoteRow(0, NoteKind.RULES, 1, None, '{"F401":"unused"}')


def test_notes_come_back_in_a_fixed_order_as_rows_of_the_asked_position(db: apsw.Connection) -> None:
    part = plant(db).part_id
    put_notes(db, [RULES, PROMPT], {0: part})
    assert notes_of_part(db, part) == [PROMPT, RULES]
    assert {row.part for row in notes_of_part(db, part, position=2)} == {2}


def test_notes_of_a_part_that_is_not_kept_are_left_out(db: apsw.Connection) -> None:
    part = plant(db).part_id
    put_notes(db, [PROMPT, NoteRow(1, NoteKind.PROMPT, 4, 1_000, "copied")], {0: part})
    assert notes_of_part(db, part) == [PROMPT]


def test_the_last_reply_replaces_the_one_before(db: apsw.Connection) -> None:
    part = plant(db).part_id
    put_notes(db, [NoteRow(0, NoteKind.ENDING, 0, 1, "first"), NoteRow(0, NoteKind.ENDING, 0, 2, "last")], {0: part})
    assert [row.text for row in notes_of_part(db, part)] == ["last"]


def test_notes_are_cleared_for_one_part_only(db: apsw.Connection) -> None:
    one, other = plant(db, "one", "a.jsonl").part_id, plant(db, "two", "b.jsonl").part_id
    put_notes(db, [PROMPT], {0: one})
    put_notes(db, [PROMPT], {0: other})
    clear_notes(db, one)
    assert (notes_of_part(db, one), notes_of_part(db, other)) == ([], [PROMPT])
