"""Rows of what people decided about patterns. They follow from entries of the journal."""

from typing import NamedTuple

import apsw

from afterwit.store.database import columns_of, insert_into


class PatternDecisionRow(NamedTuple):
    machine: str
    number: int
    at_ms: int
    kind: str
    body: str


def put_pattern_decision(db: apsw.Connection, row: PatternDecisionRow) -> None:
    db.execute(insert_into("pattern_decisions", columns_of(PatternDecisionRow), "INSERT OR REPLACE"), row)


def pattern_decisions(db: apsw.Connection) -> list[PatternDecisionRow]:
    """All of them, in the order in which they count."""
    columns = columns_of(PatternDecisionRow)
    query = f"SELECT {columns} FROM pattern_decisions ORDER BY at_ms, machine, number"  # noqa: S608
    return [PatternDecisionRow(*row) for row in db.execute(query)]
