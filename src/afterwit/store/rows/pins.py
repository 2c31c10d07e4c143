"""Rows of pins: the sessions whose originals are never given up."""

import apsw


def put_pin(db: apsw.Connection, agent: str, native_id: str) -> None:
    db.execute("INSERT OR IGNORE INTO pins (agent, native_id) VALUES (?, ?)", (agent, native_id))


def delete_pin(db: apsw.Connection, agent: str, native_id: str) -> None:
    db.execute("DELETE FROM pins WHERE agent = ? AND native_id = ?", (agent, native_id))


def is_pinned(db: apsw.Connection, agent: str, native_id: str) -> bool:
    query = "SELECT EXISTS (SELECT 1 FROM pins WHERE agent = ? AND native_id = ?)"
    return bool(db.execute(query, (agent, native_id)).get)


def pins(db: apsw.Connection) -> set[tuple[str, str]]:
    """All of them, as (agent, native id)."""
    return {(agent, native_id) for agent, native_id in db.execute("SELECT agent, native_id FROM pins")}
