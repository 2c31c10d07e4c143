"""Rows of notes: what was kept of a transcript for its digest, and of the instruction files that it shows.

Instruction files are the same in many sessions: their texts lie in `shared_texts`, each once, as long as a note names
them. A note reads as it was written, wherever its text lies.
"""

from collections.abc import Iterable
from typing import NamedTuple

import apsw

from afterwit.model.captured import NoteRow, key_of
from afterwit.model.instruction_files import Instruction, instruction
from afterwit.model.kinds import NoteKind

WHOLE_TEXT = "notes.text || ifnull(char(10) || shared_texts.text, '')"
WITH_SHARED = "notes LEFT JOIN shared_texts ON shared_texts.key = notes.shared"


class ShownRow(NamedTuple):
    """What sessions in a repository saw of an instruction file."""

    repo: str
    at_ms: int  # when they saw it last
    file: Instruction


def put_notes(db: apsw.Connection, notes: Iterable[NoteRow], part_ids: dict[int, int]) -> None:
    """Writes the notes of the parts that are kept; `part_ids` maps position to id."""
    kept = [row for row in notes if row.part in part_ids]
    files = [row for row in kept if row.kind is NoteKind.INSTRUCTIONS]
    db.executemany(
        "INSERT OR REPLACE INTO notes (part_id, kind, place, at_ms, text) VALUES (?, ?, ?, ?, ?)",
        (
            (part_ids[row.part], row.kind, row.place, row.at_ms, row.text)
            for row in kept
            if row.kind is not NoteKind.INSTRUCTIONS
        ),
    )
    for row in files:
        head, _, text = row.text.partition("\n")
        db.execute("INSERT OR IGNORE INTO shared_texts (key, text) VALUES (?, ?)", (key_of(text), text))
        db.execute(
            "INSERT OR REPLACE INTO notes (part_id, kind, place, at_ms, text, shared) VALUES (?, ?, ?, ?, ?, ?)",
            (part_ids[row.part], row.kind, row.place, row.at_ms, head, key_of(text)),
        )
    if files:
        _forget_unnamed(db)


def notes_of_part(db: apsw.Connection, part_id: int, position: int = 0) -> list[NoteRow]:
    """The notes of a part in a fixed order, as rows of the part at this position."""
    query = f"SELECT kind, place, at_ms, {WHOLE_TEXT} FROM {WITH_SHARED} WHERE part_id = ? ORDER BY kind, place"  # noqa: S608
    return [NoteRow(position, NoteKind(kind), *rest) for kind, *rest in db.execute(query, (part_id,))]


def clear_notes(db: apsw.Connection, part_id: int) -> None:
    db.execute("DELETE FROM notes WHERE part_id = ?", (part_id,))
    _forget_unnamed(db)


def shown_files(db: apsw.Connection) -> list[ShownRow]:
    """The instruction files that sessions saw: each text of each once, with the last time, the oldest first."""
    query = """SELECT sessions.repo, max(ifnull(notes.at_ms, 0)) AS at_ms, notes.text, shared_texts.text
               FROM notes JOIN shared_texts ON shared_texts.key = notes.shared
               JOIN parts ON parts.id = notes.part_id JOIN sessions ON sessions.id = parts.session_id
               GROUP BY sessions.repo, notes.text, notes.shared ORDER BY at_ms, shared_texts.text, notes.text"""
    return [ShownRow(repo, at_ms, instruction(head, text)) for repo, at_ms, head, text in db.execute(query)]


def _forget_unnamed(db: apsw.Connection) -> None:
    db.execute(
        """DELETE FROM shared_texts
           WHERE NOT EXISTS (SELECT 1 FROM notes WHERE notes.shared = shared_texts.key)"""
    )
