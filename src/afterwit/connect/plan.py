"""Plans how to connect agents and to disconnect them, carries the plans out, and says which agents are connected.

A plan is data that can be shown. It starts from each file without ours: exactly as it was before, if nobody has changed
it since, else with ours taken out of it. Connecting again therefore changes what is outdated and nothing else, and
disconnecting leaves untouched files byte for byte as they were. What ours looks like is left to `agents` and `edits`.

Before anything is written the files are compared with the plan again, copies are kept and the journal knows what comes;
if a file cannot be written, those before it are put back and the journal says so. What is ours can be taken out
whatever the journal is like; that it was not told is said.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import apsw
import msgspec

from afterwit.agents.descriptor import ConnectScope
from afterwit.agents.registry import INSTALLERS, installer_for, integration_for
from afterwit.connect import connections
from afterwit.connect.connections import Connection, Connections
from afterwit.connect.foreign_files import (
    FileRecord,
    ForeignFile,
    differences,
    expanded,
    fingerprint,
    keep_copy,
    kept_copy,
    look,
    missing_folders,
    remove_folders,
    replace,
    shortened,
)
from afterwit.edits.edits import Edit, Integration, Part, Presence, Surroundings, UnreadableError
from afterwit.edits.ours import hook_programs, server_programs
from afterwit.edits.own_text import MarkedBlock
from afterwit.model.errors import AfterwitError, DamagedError, PartlyDoneError, StoreError
from afterwit.recall.deck.location import location_of
from afterwit.recall.deck.reader import Deck
from afterwit.recall.hook.call import DECK
from afterwit.redaction.markers import CLOSING, OPENING, marked
from afterwit.redaction.shown import NOTHING, Shown, between_markers, joined
from afterwit.store.atomic import step
from afterwit.store.decide import AGENT_CONNECTED, AGENT_DISCONNECTED, decide, report_if_recorded
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

FILE = "file"  # stands for an agent where a single file is connected
NOTHING_YET = "Nothing has been learned for this repository yet."

Notes = Callable[[str, Path | None], str]  # agent, project (None: what is true everywhere) → text for its file, or ""


class FileChange(NamedTuple):
    """One file: as it is, as it is without ours, and as it shall be."""

    file: ForeignFile
    base: bytes | None
    wanted: bytes | None
    is_executable: bool = False
    parts: tuple[Part, ...] = ()  # what of ours it puts in

    @property
    def is_needed(self) -> bool:
        return self.wanted != self.file.content


class ConnectPlan(NamedTuple):
    """A change that can be shown and then applied."""

    connection: Connection  # afterwards; its files are filled in when it is applied
    is_removal: bool
    changes: tuple[FileChange, ...]
    moments: tuple[str, ...] = ()
    to_do: tuple[str, ...] = ()
    left: tuple[str, ...] = ()  # what cannot be undone, in words
    is_empty: bool = False  # there is nothing to write, so what is there is taken out

    @property
    def needed(self) -> tuple[FileChange, ...]:
        return tuple(change for change in self.changes if change.is_needed)

    @property
    def parts(self) -> dict[Part, int]:
        """What would be put in, counted."""
        counted = Counter(part for change in self.needed for part in change.parts)
        return {part: counted[part] for part in Part if counted[part]}

    def differences(self) -> Iterator[str]:
        """The change of each file, line by line, for people."""
        for change in self.needed:
            yield from differences(change.file.path, change.file.content, change.wanted)

    @property
    def is_update(self) -> bool:
        """Whether something of ours is there already that is to change."""
        return not self.is_removal and any(change.file.content != change.base for change in self.needed)


class ConnectionState(NamedTuple):
    """How one agent, or one file, is connected."""

    agent: str
    project: str
    presence: Presence
    paths: tuple[Path, ...]  # the files that ours is in, or should be
    may_refuse: bool = False
    may_rewrite: bool = False
    fault: str = ""
    missing: tuple[str, ...] = ()  # programs that its files name, and that cannot be started

    @property
    def is_file(self) -> bool:
        return self.agent == FILE


class Machine(NamedTuple):
    """Where it is done."""

    layout: Layout
    at: Surroundings
    notes: Notes
    now_ms: int

    @property
    def home(self) -> Path:
        return Path(self.at.user_home)


def plan_connection(machine: Machine, name: str) -> ConnectPlan:
    """How to connect an agent, in the way that `machine.at` allows."""
    installer = installer_for(name)
    project = str(machine.at.project) if installer.scope is ConnectScope.PROJECT else ""
    at = _with_notes(machine, installer.agent, installer.scope)
    made = Connection(installer.agent, project, at.may_refuse, at.may_rewrite)
    return _plan_added(machine, made, integration_for(installer.agent, at))


def plan_file(machine: Machine, path: Path) -> ConnectPlan:
    """How to write our block into one file, or to bring it up to date. No block where there is nothing to say."""
    text = machine.notes(FILE, path.parent)
    if not text:
        return plan_removal(machine, FILE, str(path))._replace(is_empty=True)
    moments = ("every session that reads this file",)
    return _plan_added(machine, Connection(FILE, str(path)), Integration((MarkedBlock(path, text),), moments))


def plan_removal(machine: Machine, agent: str, project: str = "") -> ConnectPlan:
    """How to take out all that connecting has put in, whether the journal knows of it or not."""
    connected = connections.read(machine.layout)
    undo = _Undo(machine, connected)
    edits = _edits(machine, agent, project)
    changes = [undo.change(edit) for edit in edits if undo.is_alone(agent, project, edit)]
    seen = {Path(edit.path) for edit in edits}
    recorded = connected.by_place.get((agent, project), Connection(agent, project))
    more = [expanded(record.path, machine.home) for record in recorded.files]
    changes += [change for path in more if path not in seen for change in undo.exactly(path)]
    left = [
        f"{path} was changed since; what Afterwit wrote into it is left there"
        for path in more
        if undo.is_stuck(path, seen)
    ]
    return ConnectPlan(recorded, True, tuple(changes), left=tuple(left))


def present(machine: Machine, has_program: Callable[[str], bool]) -> list[str]:
    """The agents that are on this machine and can be connected for the user as a whole."""
    return [
        installer.agent
        for installer in INSTALLERS
        if installer.scope is ConnectScope.USER
        and (has_program(installer.program) or any((machine.home / folder).exists() for folder in installer.folders))
    ]


def connected(machine: Machine) -> list[tuple[str, str]]:
    """All that has to be disconnected: what the journal knows, and what is found in agents' files without it."""
    recorded = list(connections.read(machine.layout).by_place)
    agents = [(installer.agent, "") for installer in INSTALLERS if installer.scope is ConnectScope.USER]
    unrecorded = (key for key in agents if key not in recorded)
    return recorded + [key for key in unrecorded if _state(machine, Connection(key[0])).presence is not Presence.ABSENT]


def states(machine: Machine) -> list[ConnectionState]:
    """All that is connected, and whether its files are as they should be."""
    recorded = connections.read(machine.layout).by_place
    return [_state(machine, recorded.get(key, Connection(*key))) for key in connected(machine)]


def _state(machine: Machine, made: Connection) -> ConnectionState:
    at = machine.at._replace(may_refuse=made.may_refuse, may_rewrite=made.may_rewrite)
    edits = _edits(machine._replace(at=at), made.agent, made.project, is_whole=False)
    presence, fault = Presence.ABSENT, ""
    try:
        presences = [_presence(edit) for edit in edits]
        presence = presences[0] if len(set(presences)) == 1 else Presence.OUTDATED
    except (AfterwitError, OSError) as error:
        fault = str(error)
    paths = tuple(Path(edit.path) for edit in edits)
    missing = () if made.agent == FILE else _missing(paths)
    return ConnectionState(made.agent, made.project, presence, paths, made.may_refuse, made.may_rewrite, fault, missing)


def _missing(paths: Sequence[Path]) -> tuple[str, ...]:
    """What is looked for in the agent's own files, because it calls what stands there, whatever was meant. A file that
    cannot be read starts nothing."""
    named: set[str] = set()
    for path in paths:
        with suppress(AfterwitError, OSError):
            text = (look(path).content or b"").decode(errors="replace")
            named |= hook_programs(text) | server_programs(text)
    return tuple(sorted(program for program in named if not os.access(program, os.X_OK)))


def _presence(edit: Edit) -> Presence:
    with _named(edit):
        return edit.presence(_text(look(Path(edit.path))))


def _plan_added(machine: Machine, made: Connection, wanted: Integration) -> ConnectPlan:
    undo = _Undo(machine, connections.read(machine.layout))
    changes = tuple(_added(undo, edit) for edit in wanted.edits)
    return ConnectPlan(made, False, changes, wanted.moments, wanted.to_do)


def _added(undo: "_Undo", edit: Edit) -> FileChange:
    """From the file without ours to the file with ours; nothing, if ours is current already."""
    removal = undo.change(edit)
    with _named(edit):
        if edit.presence(_text(removal.file)) is Presence.CURRENT:
            return removal._replace(base=removal.wanted, wanted=removal.file.content)
        text = edit.added(_decoded(removal.wanted))
    return removal._replace(
        base=removal.wanted, wanted=text.encode(), is_executable=edit.is_executable, parts=edit.parts
    )


class _Undo(NamedTuple):
    """Takes ours out of files."""

    machine: Machine
    connections: Connections

    def change(self, edit: Edit) -> FileChange:
        file = look(Path(edit.path))
        record = self._record(file.path)
        base = self._base(record)
        if file.content is None or self._is_untouched(file, record):
            wanted = base if file.content is not None else None
            return FileChange(file, base, wanted, edit.is_executable)
        with _named(edit):
            text = _text(file)
            rest = edit.removed(text, _decoded(base) if record and base is not None else None)
        if rest == text:
            return FileChange(file, file.content, file.content, edit.is_executable)
        is_gone = not rest and (record is None or record.base is None)
        return FileChange(file, base, None if is_gone else rest.encode(), edit.is_executable)

    def exactly(self, path: Path) -> list[FileChange]:
        """A file that no edit knows any more: only if nobody has changed it."""
        file, record = look(path), self._record(path)
        if file.content is None or not self._is_untouched(file, record):
            return []
        return [FileChange(file, self._base(record), self._base(record))]

    def is_stuck(self, path: Path, seen: set[Path]) -> bool:
        return path not in seen and look(path).content is not None and not self.exactly(path)

    def is_alone(self, agent: str, project: str, edit: Edit) -> bool:
        """Whether no other project still needs this file of the user's."""
        others = [connection for connection in self.connections.of(agent) if connection.project != project]
        return not project or agent == FILE or not others or Path(edit.path).is_relative_to(project)

    def _record(self, path: Path) -> FileRecord | None:
        return self.connections.files.get(shortened(path, self.machine.home))

    def _is_untouched(self, file: ForeignFile, record: FileRecord | None) -> bool:
        if record is None or file.content is None or fingerprint(file.content) != record.after:
            return False
        return record.base is None or self._base(record) is not None

    def _base(self, record: FileRecord | None) -> bytes | None:
        if record is None or record.base is None:
            return None
        try:
            return kept_copy(self.machine.layout.connect_copies, record.base)
        except StoreError:
            return None


def _edits(machine: Machine, agent: str, project: str, *, is_whole: bool = True) -> Sequence[Edit]:
    """All edits of an agent, those for everything that can be allowed included."""
    if agent == FILE:
        return (MarkedBlock(Path(project), machine.notes(FILE, Path(project).parent)),)
    scope = installer_for(agent).scope
    at = machine.at._replace(project=Path(project)) if project else machine.at
    at = at._replace(may_refuse=True, may_rewrite=True) if is_whole else at
    return integration_for(agent, _with_notes(machine._replace(at=at), agent, scope)).edits


def _with_notes(machine: Machine, agent: str, scope: ConnectScope) -> Surroundings:
    project = Path(machine.at.project) if scope is ConnectScope.PROJECT else None
    text = machine.notes(agent, project) or marked(NOTHING_YET)
    return machine.at._replace(notes=text, notes_file=machine.layout.root / "notes" / f"{agent}.md")


@contextmanager
def _named(edit: Edit) -> Iterator[None]:
    """Names the file in what is said of it."""
    try:
        yield
    except UnreadableError as error:
        raise AfterwitError(f"{edit.path}: {error}. Nothing was changed.") from error


def _text(file: ForeignFile) -> str:
    try:
        return _decoded(file.content)
    except UnicodeDecodeError as error:
        raise UnreadableError(f"it is no UTF-8 text (byte {error.start})") from error


def _decoded(content: bytes | None) -> str:
    return (content or b"").decode()


def notes_of(layout: Layout, user_home: Path) -> Callable[[str, Path | None], Shown]:
    """What gives the text for an agent in a project, or for what is true everywhere; "" where nothing is known."""

    def notes(agent: str, project: Path | None) -> Shown:
        deck = _deck(layout, user_home)
        repo = location_of(deck, str(project)).repo if deck and project else ""
        sections = deck.block(repo, agent) if deck else []
        rows = [row for heading, lines in sections if lines for row in (heading, *(text for _, text in lines))]
        return between_markers(joined(rows, "\n"), OPENING, CLOSING) if rows else NOTHING

    return notes


def _deck(layout: Layout, user_home: Path) -> Deck | None:
    """The deck; none where there is none that can be read."""
    try:
        deck = Deck(str(layout.root / DECK))
        deck.listen(str(user_home))
        return deck
    except (apsw.Error, ValueError):
        return None


def apply(machine: Machine, plan: ConnectPlan) -> None:
    """Does what was planned, all of it or nothing."""
    for change in plan.changes:
        if look(change.file.path) != change.file:
            raise AfterwitError(f"{change.file.path} has changed in the meantime. Run the command again.")
    machine.layout.create()
    before = connections.read(machine.layout)
    if plan.is_removal:
        _carry_out(plan.needed)
        unrecorded = _try_to_note(machine, AGENT_DISCONNECTED, _gone(machine, plan))
        _remove_made(machine, before, plan)
        if unrecorded is not None:
            raise PartlyDoneError(
                f"All that Afterwit wrote was taken out, but this could not be noted in the journal: {unrecorded}"
            ) from unrecorded
    else:
        _note(machine, AGENT_CONNECTED, _made(machine, plan))
        step("a connection is in the journal, its files are not written")
        try:
            _carry_out(plan.needed)
        except (AfterwitError, OSError):
            _note_earlier(machine, before, plan)
            raise
    connections.drop_unneeded(machine.layout, connections.read(machine.layout))


def _carry_out(changes: Sequence[FileChange]) -> None:
    done: list[tuple[FileChange, tuple[Path, ...]]] = []
    try:
        for change in changes:
            done.append((change, replace(change.file, change.wanted, is_executable=change.is_executable)))
            step("a file of another program is changed, others may not be")
    except (AfterwitError, OSError):
        for change, made in reversed(done):
            replace(change.file._replace(content=change.wanted), change.file.content)
            remove_folders(made)
        raise


def _made(machine: Machine, plan: ConnectPlan) -> Connection:
    """The connection with its files. Copies are kept on the way."""
    earlier = connections.read(machine.layout).files
    records = []
    for change in plan.needed:
        path = shortened(change.file.path, machine.home)
        base = None if change.base is None else keep_copy(machine.layout.connect_copies, change.base)
        missing = (shortened(folder, machine.home) for folder in missing_folders(change.file.target))
        made = earlier[path].made if path in earlier else tuple(missing)
        records.append(FileRecord(path, base, fingerprint(change.wanted or b""), made))
    return msgspec.structs.replace(plan.connection, files=tuple(records))


def _gone(machine: Machine, plan: ConnectPlan) -> Connection:
    paths = [shortened(change.file.path, machine.home) for change in plan.changes]
    return msgspec.structs.replace(plan.connection, files=tuple(FileRecord(path, None, "") for path in paths))


def _remove_made(machine: Machine, before: Connections, plan: ConnectPlan) -> None:
    for change in plan.changes:
        record = before.files.get(shortened(change.file.path, machine.home))
        if record is not None and change.wanted is None:
            remove_folders(tuple(expanded(folder, machine.home) for folder in record.made))


def _note_earlier(machine: Machine, before: Connections, plan: ConnectPlan) -> None:
    """Nothing was changed after all: what was known before is true again."""
    _note(machine, AGENT_DISCONNECTED, _gone(machine, plan))
    earlier = before.by_place.get((plan.connection.agent, plan.connection.project))
    if earlier is not None:
        _note(machine, AGENT_CONNECTED, earlier)


def _try_to_note(machine: Machine, kind: str, connection: Connection) -> DamagedError | None:
    """Taking out has to work with a damaged store, too. Returns what kept the entry from the journal."""
    try:
        _note(machine, kind, connection)
    except DamagedError as error:
        return error
    return None


def _note(machine: Machine, kind: str, connection: Connection) -> None:
    """What is in the journal counts: nothing in the database follows from it that could not wait."""
    with suppress(PartlyDoneError), open_store(machine.layout) as store, report_if_recorded(store):
        decide(store, kind, msgspec.to_builtins(connection), machine.now_ms)
