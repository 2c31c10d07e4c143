"""Rows of actions that may have changed a file, asked by its name; nothing is kept for that alone.

A name is looked for in what calls are about, and in the lists of files of those that name several. More is found than
is meant: which paths are the file is left to the caller.
"""

from collections.abc import Iterable
from typing import NamedTuple

import apsw

from afterwit.model.captured import ORDINAL_BITS
from afterwit.store.database import json_list


class ChangeRow(NamedTuple):
    """A call, with where its record lies."""

    session_id: int
    part_id: int
    file_id: int
    ordinal: int  # of the action
    kind: str
    target: str
    call_id: str
    at_ms: int | None
    offset: int
    files: str  # JSON list of all that it names, where these are several; else ""


_ORDINAL = f"actions.id & {(1 << ORDINAL_BITS) - 1}"
_CHANGES = f"""SELECT session_id, parts.id, file_id, {_ORDINAL}, actions.kind, target, call_id, actions.at_ms, offset,
    ifnull(notes.text, '') FROM parts CROSS JOIN actions
        ON actions.id >= parts.id << {ORDINAL_BITS} AND actions.id < (parts.id + 1) << {ORDINAL_BITS}
    LEFT JOIN notes ON notes.part_id = parts.id AND notes.kind = 'files'
        AND actions.kind IN ('edit', 'write') AND notes.place = {_ORDINAL}
    WHERE actions.kind IN ('edit', 'write', 'shell') AND actions.status NOT IN ('failed', 'denied', 'cancelled')"""  # noqa: S608
_NAMED = "EXISTS (SELECT 1 FROM json_each(:names) WHERE instr(target, value) OR instr(ifnull(notes.text, ''), value))"


def changes_naming(db: apsw.Connection, names: Iterable[str]) -> list[ChangeRow]:
    """The calls that may have changed a file of one of these names, without those that failed."""
    return [ChangeRow(*row) for row in db.execute(f"{_CHANGES} AND {_NAMED}", {"names": json_list(names)})]


def changes_in_session(db: apsw.Connection, session_id: int) -> list[ChangeRow]:
    """The calls with which a session changed files by name."""
    query = f"{_CHANGES} AND session_id = ? AND actions.kind <> 'shell'"
    return [ChangeRow(*row) for row in db.execute(query, (session_id,))]
