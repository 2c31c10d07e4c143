"""How far each machine's journal has been applied to the database."""

import apsw


def applied(db: apsw.Connection) -> dict[str, int]:
    return dict(db.execute("SELECT machine, number FROM applied"))


def note_applied(db: apsw.Connection, machine: str, number: int) -> None:
    db.execute("INSERT OR REPLACE INTO applied VALUES (?, ?)", (machine, number))
