"""The row of the last whole run: a mark of all that it was made from, and what it reported."""

from typing import NamedTuple

import apsw


class StandingRow(NamedTuple):
    mark: str
    body: bytes


def standing(db: apsw.Connection) -> StandingRow | None:
    row = db.execute("SELECT mark, body FROM standing").fetchone()
    return StandingRow(*row) if row else None


def put_standing(db: apsw.Connection, row: StandingRow) -> None:
    db.execute("INSERT OR REPLACE INTO standing VALUES (1, ?, ?)", row)


def forget_standing(db: apsw.Connection) -> None:
    """For whoever changes the store by another way than a run."""
    db.execute("DELETE FROM standing")
