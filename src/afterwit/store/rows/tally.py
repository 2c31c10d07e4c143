"""How many rows there are of what."""

import apsw
import msgspec

from afterwit.store.database import one


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    files: int
    sessions: int
    events: int
    actions: int
    failures: int
    problems: int


def tally(db: apsw.Connection) -> Tally:
    query = """SELECT (SELECT count(*) FROM files WHERE held_bytes > 0 OR dropped_ms IS NOT NULL),
               (SELECT count(*) FROM sessions),
               (SELECT count(*) FROM events), (SELECT count(*) FROM actions),
               (SELECT count(*) FROM actions WHERE status = 'failed'), (SELECT count(*) FROM problems)"""
    files, sessions, events, actions, failures, problems = one(db, query)
    return Tally(files=files, sessions=sessions, events=events, actions=actions, failures=failures, problems=problems)
