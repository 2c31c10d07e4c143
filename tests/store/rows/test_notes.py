"""Rows of notes: written for the parts that are kept, replaced in place, gone with their part."""

import apsw
import msgspec
from tests.store.planted_rows import plant

from afterwit.model.captured import Extract
from afterwit.model.kinds import NoteKind
from afterwit.store.rows.parts import clear_notes, instructions_shown, part_notes, put_notes

PROMPT = Extract(0, NoteKind.PROMPT, 3, 1_000, "Prune the plums")
FILE = Extract(0, NoteKind.INSTRUCTIONS, 77, 1_000, "whole AGENTS.md\nPick plums.\n\nPress them.")
RULES = Extract(0, NoteKind.RULES, 1, None, '{"F401":"unused"}')


def test_notes_come_back_in_a_fixed_order_as_rows_of_the_asked_position(db: apsw.Connection) -> None:
    part = plant(db).part_id
    put_notes(db, [RULES, PROMPT], {0: part})
    assert list(part_notes(db, part)) == [PROMPT, RULES]
    assert {row.part for row in part_notes(db, part, position=2)} == {2}


def test_notes_of_a_part_that_is_not_kept_are_left_out(db: apsw.Connection) -> None:
    part = plant(db).part_id
    put_notes(db, [PROMPT, Extract(1, NoteKind.PROMPT, 4, 1_000, "copied")], {0: part})
    assert list(part_notes(db, part)) == [PROMPT]


def test_the_last_reply_replaces_the_one_before(db: apsw.Connection) -> None:
    part = plant(db).part_id
    put_notes(db, [Extract(0, NoteKind.ENDING, 0, 1, "first"), Extract(0, NoteKind.ENDING, 0, 2, "last")], {0: part})
    assert [row.text for row in part_notes(db, part)] == ["last"]


def test_notes_are_cleared_for_one_part_only(db: apsw.Connection) -> None:
    one, other = plant(db, "one", "a.jsonl").part_id, plant(db, "two", "b.jsonl").part_id
    put_notes(db, [PROMPT], {0: one})
    put_notes(db, [PROMPT], {0: other})
    clear_notes(db, one)
    assert (list(part_notes(db, one)), list(part_notes(db, other))) == ([], [PROMPT])


def test_an_instruction_file_comes_back_as_it_was_written(db: apsw.Connection) -> None:
    part = plant(db).part_id
    put_notes(db, [FILE, PROMPT], {0: part})
    assert list(part_notes(db, part)) == [FILE, PROMPT]
    assert [(row.at_ms, row.file.path, row.file.is_whole) for row in instructions_shown(db)] == [
        (1_000, "AGENTS.md", True)
    ]


def test_many_sessions_share_one_text_until_none_names_it(db: apsw.Connection) -> None:
    one, other = plant(db, "one", "a.jsonl").part_id, plant(db, "two", "b.jsonl").part_id
    put_notes(db, [FILE], {0: one})
    put_notes(db, [msgspec.structs.replace(FILE, at_ms=2_000)], {0: other})
    assert [row.at_ms for row in instructions_shown(db)] == [2_000]
    assert shared(db) == 1
    clear_notes(db, one)
    assert shared(db) == 1
    clear_notes(db, other)
    assert shared(db) == 0


def test_a_text_that_was_replaced_is_not_kept(db: apsw.Connection) -> None:
    part = plant(db).part_id
    put_notes(db, [FILE], {0: part})
    put_notes(db, [msgspec.structs.replace(FILE, text="whole AGENTS.md\nPick pears.")], {0: part})
    assert [row.file.text for row in instructions_shown(db)] == ["Pick pears."]
    assert shared(db) == 1


def shared(db: apsw.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM shared_texts").get)
