"""What we have changed in other programs' files: kept in the journal, with the files as they were before.

An entry names the agent, what it may do, and each file that was changed: a copy of the file without ours (`base`, in
the store's backups, by its hash; none if the file was not there), the hash of what was written, and the folders that
were made. A file that still has that hash can be put back exactly. Paths below the home folder begin with `~`. Copies
are removed when no connection needs them any more: they may hold other people's secrets.

A file of another program is replaced whole or not at all (written beside, synced, renamed); it keeps its permissions
and its owner; a link stays a link, and what it points to is replaced; a file that has changed since it was read is left
alone.
"""

import hashlib
import os
import secrets
import stat
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from afterwit.decisions.journal import AGENT_CONNECTED, AGENT_DISCONNECTED
from afterwit.hook.entry import CALLED
from afterwit.model.errors import AfterwitError, StoreError
from afterwit.store.atomic import create_file, step
from afterwit.store.journal import Journal, JournalEntry
from afterwit.store.layout import Layout
from afterwit.store.regular_files import read_regular

_EXECUTABLE, _PLAIN = 0o777, 0o666  # before the user's umask


class ForeignFile(NamedTuple):
    """A file as it was seen."""

    path: Path  # as the other program names it
    target: Path  # the file itself, links followed
    content: bytes | None  # None: there is no such file


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

    by_place: Mapping[tuple[str, str], Connection] = {}  # by agent and project
    files: Mapping[str, FileRecord] = {}

    def of(self, agent: str) -> list[Connection]:
        return [connection for connection in self.by_place.values() if connection.agent == agent]


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
    connected = {agent for agent, _ in folded(entries).by_place}
    made = [entry for entry in entries if entry.kind == AGENT_CONNECTED and entry.body["agent"] in connected]
    return {str(entry.body["agent"]): entry.at_ms for entry in made}


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


def body(connection: Connection) -> dict[str, Any]:
    """The connection as an entry of the journal."""
    entry: dict[str, Any] = msgspec.to_builtins(connection)
    return entry


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


def look(path: Path) -> ForeignFile:
    """The file as it is now. Raises AfterwitError if something else has its name."""
    target = Path(os.path.realpath(path))
    try:
        if not stat.S_ISREG(target.stat().st_mode):
            raise AfterwitError(f"{path} is no regular file, and is left alone.")
        return ForeignFile(path, target, read_regular(target))
    except (FileNotFoundError, NotADirectoryError):
        return ForeignFile(path, target, None)


def replace(file: ForeignFile, content: bytes | None, *, is_executable: bool = False) -> tuple[Path, ...]:
    """Gives the file new content, or removes it. Returns the folders that had to be made, outermost first."""
    if look(file.path) != file:
        raise AfterwitError(f"{file.path} has changed in the meantime. Run the command again.")
    if content is None:
        file.target.unlink(missing_ok=True)
        return ()
    made = _make_folders(file.target.parent)
    beside = file.target.with_name(f".{file.target.name}.{secrets.token_hex(4)}")
    try:
        _write(beside, content, file.target, _EXECUTABLE if is_executable else _PLAIN)
        step("a file of another program is written beside, not renamed")
        if look(file.path) != file:
            raise AfterwitError(f"{file.path} has changed in the meantime. Run the command again.")
        beside.replace(file.target)
    except BaseException:
        beside.unlink(missing_ok=True)
        remove_folders(made)
        raise
    _sync(file.target.parent)
    return made


def remove_folders(made: tuple[Path, ...]) -> None:
    """Removes folders, innermost first, as far as they are empty."""
    for folder in reversed(made):
        with suppress(OSError):
            folder.rmdir()


def _make_folders(folder: Path) -> tuple[Path, ...]:
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(reversed(missing))


def _write(beside: Path, content: bytes, target: Path, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(beside, flags, mode), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    with suppress(FileNotFoundError):
        status = target.stat()
        beside.chmod(stat.S_IMODE(status.st_mode))
        if hasattr(os, "chown") and (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
            with suppress(PermissionError):
                os.chown(beside, status.st_uid, status.st_gid)


def _sync(folder: Path) -> None:
    """Makes the new name durable, where folders can be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
