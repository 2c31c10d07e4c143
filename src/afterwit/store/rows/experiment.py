"""The shares of the hold-out: which part of the sessions gets nothing, and which part of the items a session does not
get. Chosen by people, so that an effect can be told from chance; applied from the journal."""

from typing import NamedTuple

import apsw


class Shares(NamedTuple):
    session_share: float = 0.1
    item_share: float = 0.1
    since_ms: int = 0  # 0: nobody has chosen


def shares(db: apsw.Connection) -> Shares:
    row = db.execute("SELECT session_share, item_share, since_ms FROM experiment").fetchone()
    return Shares(*row) if row else Shares()


def put_shares(db: apsw.Connection, chosen: Shares) -> None:
    db.execute("INSERT OR REPLACE INTO experiment VALUES (1, ?, ?, ?)", chosen)
