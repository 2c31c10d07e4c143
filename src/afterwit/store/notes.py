"""Rows of notes: what was kept of a transcript for its digest."""

from collections.abc import Iterable

import apsw

from afterwit.model.captured import NoteRow
from afterwit.model.kinds import NoteKind


def put_notes(db: apsw.Connection, notes: Iterable[NoteRow], part_ids: dict[int, int]) -> None:
    """Writes the notes of the parts that are kept; `part_ids` maps position to id."""
    db.executemany(
        "INSERT OR REPLACE INTO notes (part_id, kind, place, at_ms, text) VALUES (?, ?, ?, ?, ?)",
        ((part_ids[row.part], row.kind, row.place, row.at_ms, row.text) for row in notes if row.part in part_ids),
    )


def notes_of_part(db: apsw.Connection, part_id: int, position: int = 0) -> list[NoteRow]:
    """The notes of a part in a fixed order, as rows of the part at this position."""
    query = "SELECT kind, place, at_ms, text FROM notes WHERE part_id = ? ORDER BY kind, place"
    return [NoteRow(position, NoteKind(kind), *rest) for kind, *rest in db.execute(query, (part_id,))]


def clear_notes(db: apsw.Connection, part_id: int) -> None:
    db.execute("DELETE FROM notes WHERE part_id = ?", (part_id,))
