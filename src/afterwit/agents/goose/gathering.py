"""Where Goose keeps its sessions since 1.10: one database for all of them."""

from afterwit.sources.databases import Database, DatabaseGatherer, DatabaseTable
from afterwit.sources.gathering import Gatherer

_DATABASE = Database(
    names=r"sessions\.db",
    sessions=DatabaseTable("sessions", session="id", order=("id",), without=frozenset(("updated_at",))),
    tables=(DatabaseTable("messages", session="session_id", order=("id",)),),
    updated="updated_at",
)


def gatherers() -> tuple[Gatherer, ...]:
    return (DatabaseGatherer(_DATABASE),)
