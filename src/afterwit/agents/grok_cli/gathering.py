"""Where the community's Grok CLI keeps its sessions: one database for all of them.

Messages, what they used and compactions lie in tables of their own and are put into one order by their times, so that a
growing session grows at its end.
"""

from afterwit.sources.databases import Database, DatabaseGatherer, DatabaseTable
from afterwit.sources.gathering import Gatherer

_CHANGING = frozenset(
    ("updated_at", "cwd_last", "status", "recap_text", "recap_model", "recap_updated_at", "last_seen_at")
)
_DATABASE = Database(
    names=r"grok\.db",
    sessions=DatabaseTable("sessions", session="id", order=("id",), without=_CHANGING),
    tables=(
        DatabaseTable("messages", session="session_id", order=("seq",)),
        DatabaseTable("usage_events", session="session_id", order=("id",)),
        DatabaseTable("compactions", session="session_id", order=("id",)),
    ),
    updated="updated_at",
    merged="created_at",
)


def gatherers() -> tuple[Gatherer, ...]:
    return (DatabaseGatherer(_DATABASE),)
