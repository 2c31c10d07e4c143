"""Rows of what was decided about versions of skills. They follow from entries of the journal."""

from typing import NamedTuple

import apsw

from afterwit.store.database import columns_of, insert_into


class SkillDecisionRow(NamedTuple):
    machine: str
    number: int
    at_ms: int
    kind: str
    trial: str
    body: str


def put_skill_decision(db: apsw.Connection, row: SkillDecisionRow) -> None:
    db.execute(insert_into("skill_decisions", columns_of(SkillDecisionRow), "INSERT OR REPLACE"), row)


def skill_decisions(db: apsw.Connection) -> list[SkillDecisionRow]:
    """All of them, in the order in which they count."""
    columns = columns_of(SkillDecisionRow)
    query = f"SELECT {columns} FROM skill_decisions ORDER BY at_ms, machine, number"  # noqa: S608
    return [SkillDecisionRow(*row) for row in db.execute(query)]


def has_skill_decisions(db: apsw.Connection) -> bool:
    return db.execute("SELECT 1 FROM skill_decisions LIMIT 1").fetchone() is not None
