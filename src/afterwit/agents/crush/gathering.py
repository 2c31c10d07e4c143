"""Where Crush keeps its sessions: a database in the folder `.crush` of each project."""

from afterwit.sources.databases import Database, DatabaseGatherer, DatabaseTable
from afterwit.sources.gathering import Gatherer

_DATABASE = Database(
    names=r"crush\.db",
    sessions=DatabaseTable("sessions", session="id", order=("id",), without=frozenset(("message_count", "updated_at"))),
    tables=(
        DatabaseTable(
            "messages",
            session="session_id",
            order=("created_at", "rowid"),
            changed="updated_at",
            without=frozenset(("updated_at",)),
        ),
    ),
    updated="updated_at",
    has_place=True,
)


def gatherers() -> tuple[Gatherer, ...]:
    return (DatabaseGatherer(_DATABASE),)
