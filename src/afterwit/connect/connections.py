"""What we have changed in other programs' files: kept in the journal, with the files as they were before.

An entry names the agent, what it may do, and each file that was changed: a copy of the file without ours (`base`, in
the store's backups, by its hash; none if the file was not there), the hash of what was written, and the folders that
were made. A file that still has that hash can be put back exactly. Paths below the home folder begin with `~`. Copies
are removed when no connection needs them any more: they may hold other people's secrets.
"""

import hashlib
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from afterwit.decisions.journal import AGENT_CONNECTED, AGENT_DISCONNECTED
from afterwit.model.errors import StoreError
from afterwit.store.atomic import create_file
from afterwit.store.journal import Journal, JournalEntry
from afterwit.store.layout import Layout
from afterwit.store.regular_files import read_regular

_FOLDER = "connect"


class FileRecord(msgspec.Struct, frozen=True):
    """One file of another program, as we left it."""

    path: str
    base: str | None  # the hash of the file without ours; None: there was no such file
    after: str
    made: tuple[str, ...] = ()


class Connection(msgspec.Struct, frozen=True):
    """One agent, or one file, that was connected."""

    agent: str
    project: str = ""  # for agents and files that belong to a project
    may_refuse: bool = False
    may_rewrite: bool = False
    files: tuple[FileRecord, ...] = ()


class Connections(NamedTuple):
    """All that is connected on this machine."""

    known: Mapping[tuple[str, str], Connection] = {}
    files: Mapping[str, FileRecord] = {}

    def of(self, agent: str) -> list[Connection]:
        return [each for each in self.known.values() if each.agent == agent]


def read(layout: Layout) -> Connections:
    """What the journal says. A store that does not exist says nothing, and is not made."""
    if not layout.journal.exists():
        return Connections()
    with closing(Journal(layout.journal, layout.backups)) as journal:
        return folded(entry for entry in journal.entries() if entry.machine == journal.machine)


def since(layout: Layout) -> dict[str, int]:
    """When each agent was connected last, of those that still are."""
    if not layout.journal.exists():
        return {}
    with closing(Journal(layout.journal, layout.backups)) as journal:
        entries = [entry for entry in journal.entries() if entry.machine == journal.machine]
    known = {agent for agent, _ in folded(entries).known}
    made = [entry for entry in entries if entry.kind == AGENT_CONNECTED and entry.body["agent"] in known]
    return {str(entry.body["agent"]): entry.at_ms for entry in made}


def folded(entries: Iterable[JournalEntry]) -> Connections:
    """What is left of a history of connecting and disconnecting."""
    known: dict[tuple[str, str], Connection] = {}
    files: dict[str, FileRecord] = {}
    for entry in entries:
        if entry.kind == AGENT_CONNECTED:
            made = msgspec.convert(entry.body, Connection)
            known[made.agent, made.project] = _joined(known.get((made.agent, made.project)), made)
            files |= {record.path: record for record in made.files}
        elif entry.kind == AGENT_DISCONNECTED:
            gone = msgspec.convert(entry.body, Connection)
            known.pop((gone.agent, gone.project), None)
            for record in gone.files:
                files.pop(record.path, None)
    return Connections(known, files)


def _joined(earlier: Connection | None, made: Connection) -> Connection:
    """A connection that was made anew names only the files that changed then."""
    records = {record.path: record for record in (*(earlier.files if earlier else ()), *made.files)}
    return msgspec.structs.replace(made, files=tuple(records.values()))


def body(connection: Connection) -> dict[str, Any]:
    """The connection as an entry of the journal."""
    found: dict[str, Any] = msgspec.to_builtins(connection)
    return found


def fingerprint(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def copies_folder(layout: Layout) -> Path:
    """Where copies of other programs' files are."""
    return layout.backups / _FOLDER


def keep(layout: Layout, content: bytes) -> str:
    """Keeps a copy. Returns its hash, which is its name."""
    name = fingerprint(content)
    folder = copies_folder(layout)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    create_file(folder / name, content)
    return name


def kept(layout: Layout, name: str) -> bytes:
    """A copy. Raises StoreError if it is gone or damaged."""
    place = copies_folder(layout) / name
    try:
        content = read_regular(place)
    except OSError:
        content = b""
    if fingerprint(content) != name:
        raise StoreError(f"The copy {place} is gone or damaged.")
    return content


def drop_unneeded(layout: Layout, connections: Connections) -> None:
    """Removes copies that nothing refers to."""
    needed = {record.base for record in connections.files.values()}
    folder = copies_folder(layout)
    for copy in folder.glob("*") if folder.is_dir() else ():
        if copy.name not in needed:
            copy.unlink(missing_ok=True)


def shortened(path: Path, user_home: Path) -> str:
    """A path for the journal."""
    return f"~/{path.relative_to(user_home).as_posix()}" if path.is_relative_to(user_home) else str(path)


def expanded(path: str, user_home: Path) -> Path:
    return user_home / path[2:] if path.startswith("~/") else Path(path)
