"""What we have changed in other programs' files: kept in the journal, with the files as they were before.

An entry names the agent, what it may do, and each file that was changed: a copy of the file without ours (`base`, in
the store's backups, by its hash; none if the file was not there), the hash of what was written, and the folders that
were made. A file that still has that hash can be put back exactly. Paths below the home folder begin with `~`. Copies
are removed when no connection needs them any more: they may hold other people's secrets.

How files are written is left to `connect.foreign_files`.
"""

from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import NamedTuple

import msgspec

from afterwit.connect.foreign_files import FileRecord, drop_copies
from afterwit.recall.hook.entry import CALLED
from afterwit.store.decide import AGENT_CONNECTED, AGENT_DISCONNECTED
from afterwit.store.decisions import JournalEntry
from afterwit.store.journal import Journal
from afterwit.store.layout import Layout


class Connection(msgspec.Struct, frozen=True):
    """One agent, or one file, that was connected."""

    agent: str
    project: str = ""  # for agents and files that belong to a project
    may_refuse: bool = False
    may_rewrite: bool = False
    files: tuple[FileRecord, ...] = ()


class Connections(NamedTuple):
    """All that is connected on this machine."""

    by_place: Mapping[tuple[str, str], Connection] = {}  # by agent and project
    files: Mapping[str, FileRecord] = {}

    def of(self, agent: str) -> list[Connection]:
        return [connection for connection in self.by_place.values() if connection.agent == agent]


def read(layout: Layout) -> Connections:
    """What the journal says. A store that does not exist says nothing, and is not made."""
    return folded(_own_entries(layout))


def since(layout: Layout) -> dict[str, int]:
    """When each agent was connected last, of those that still are."""
    entries = _own_entries(layout)
    connected = {agent for agent, _ in folded(entries).by_place}
    made = [entry for entry in entries if entry.kind == AGENT_CONNECTED and entry.body["agent"] in connected]
    return {str(entry.body["agent"]): entry.at_ms for entry in made}


def _own_entries(layout: Layout) -> list[JournalEntry]:
    if not layout.journal.exists():
        return []
    with closing(Journal(layout.journal, layout.backups)) as journal:
        return [entry for entry in journal.entries() if entry.machine == journal.machine]


def is_anything_connected(layout: Layout) -> bool:
    """Whether anything is connected: by us, or by a plugin whose hooks have called."""
    return any(layout.spool.glob(f"*{CALLED}")) or bool(read(layout).by_place)


def folded(entries: Iterable[JournalEntry]) -> Connections:
    """What is left of a history of connecting and disconnecting."""
    connected: dict[tuple[str, str], Connection] = {}
    files: dict[str, FileRecord] = {}
    for entry in entries:
        if entry.kind == AGENT_CONNECTED:
            made = msgspec.convert(entry.body, Connection)
            connected[made.agent, made.project] = _joined(connected.get((made.agent, made.project)), made)
            files |= {record.path: record for record in made.files}
        elif entry.kind == AGENT_DISCONNECTED:
            gone = msgspec.convert(entry.body, Connection)
            connected.pop((gone.agent, gone.project), None)
            for record in gone.files:
                files.pop(record.path, None)
    return Connections(connected, files)


def _joined(earlier: Connection | None, made: Connection) -> Connection:
    """A connection that was made anew names only the files that changed then."""
    records = {record.path: record for record in (*(earlier.files if earlier else ()), *made.files)}
    return msgspec.structs.replace(made, files=tuple(records.values()))


def drop_unneeded(layout: Layout, connections: Connections) -> None:
    """Removes copies that nothing refers to."""
    drop_copies(layout.connect_copies, {record.base for record in connections.files.values()})
