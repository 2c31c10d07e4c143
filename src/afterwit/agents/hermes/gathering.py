"""Where Hermes keeps its sessions: `state.db` in its home and in the folder of each profile.

The row of a session's parent is told too: only it says whether the session goes on where a compaction split it off.
"""

from afterwit.sources.databases import Database, DatabaseGatherer, DatabaseTable
from afterwit.sources.gathering import Gatherer

_COUNTED = frozenset(("message_count", "tool_call_count", "compression_fallback_streak", "expiry_finalized"))
_DATABASE = Database(
    names=r"state\.db",
    sessions=DatabaseTable("sessions", session="id", order=("id",), without=_COUNTED),
    tables=(DatabaseTable("messages", session="session_id", order=("id",)),),
    before=(
        DatabaseTable(
            "session_model_usage",
            session="session_id",
            order=("model", "task", "billing_provider"),
            changed="last_seen",
        ),
    ),
    parent="parent_session_id",
    parent_columns=("id", "source", "end_reason"),
)


def gatherers() -> tuple[Gatherer, ...]:
    return (DatabaseGatherer(_DATABASE),)
