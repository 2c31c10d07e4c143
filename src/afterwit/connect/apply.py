"""Carries out plans of `connect.plan`, and shows them.

Before anything is written the files are compared with the plan again, copies are kept and the journal knows what comes;
if a file cannot be written, those before it are put back and the journal says so. What is ours can be taken out
whatever the journal is like; that it was not told is said.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from afterwit.connect import connections
from afterwit.connect.connections import Connection, Connections
from afterwit.connect.plan import ConnectPlan, FileChange, Machine
from afterwit.connect.publishing.foreign_files import (
    FileRecord,
    expanded,
    fingerprint,
    look,
    missing_folders,
    remove_folders,
    replace,
    shortened,
)
from afterwit.connect.publishing.foreign_files import differences as file_differences
from afterwit.model.errors import AfterwitError, DamagedError, PartlyDoneError
from afterwit.store.atomic import step
from afterwit.store.decide import AGENT_CONNECTED, AGENT_DISCONNECTED, decide, report_if_recorded
from afterwit.store.store import open_store


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


def differences(plan: ConnectPlan) -> Iterator[str]:
    """The change of each file, line by line, for people."""
    for change in plan.needed:
        yield from file_differences(change.file.path, change.file.content, change.wanted)


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
        base = None if change.base is None else connections.keep(machine.layout, change.base)
        made = earlier[path].made if path in earlier else _missing_folders(change.file.target, machine)
        records.append(FileRecord(path, base, fingerprint(change.wanted or b""), made))
    return Connection(*_flags(plan.connection), tuple(records))


def _flags(made: Connection) -> tuple[str, str, bool, bool]:
    return made.agent, made.project, made.may_refuse, made.may_rewrite


def _missing_folders(target: Path, machine: Machine) -> tuple[str, ...]:
    return tuple(shortened(folder, machine.home) for folder in missing_folders(target))


def _gone(machine: Machine, plan: ConnectPlan) -> Connection:
    paths = [shortened(change.file.path, machine.home) for change in plan.changes]
    return Connection(*_flags(plan.connection), tuple(FileRecord(path, None, "") for path in paths))


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
        decide(store, kind, connections.body(connection), machine.now_ms)
