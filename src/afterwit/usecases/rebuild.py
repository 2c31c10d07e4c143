"""Rebuild: derives the whole database again from the archive and the journal. Where an original was given up, its
remains in the archive have the rows.

The new database is built beside the old one by the same code that `learn` uses, then copied over it through SQLite's
backup interface, in one transaction: killed anywhere, the old one stands. A database too damaged to open is set aside.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import apsw
import msgspec

from afterwit.agents.declared.description import Description
from afterwit.agents.registry import reader_for
from afterwit.capture.prices import price_list
from afterwit.capture.remains import unpacked
from afterwit.model.errors import AfterwitError, DamagedError
from afterwit.store import files
from afterwit.store.archive import Archive, ArchiveName, Stored, archive_name
from afterwit.store.content import content_hash
from afterwit.store.database import connect, transaction
from afterwit.store.frames import REMAINS
from afterwit.store.journal import Journal
from afterwit.store.layout import Layout
from afterwit.store.lease import held
from afterwit.store.migrate import migrate, migrations
from afterwit.store.steps import step
from afterwit.store.store import Store, require
from afterwit.usecases.adopting import Adopter
from afterwit.usecases.companions import belonging
from afterwit.usecases.decisions import catch_up
from afterwit.usecases.derive import derive_archived
from afterwit.usecases.derived import Derived
from afterwit.usecases.digesting import digest_pending
from afterwit.usecases.leaving import drop_in
from afterwit.usecases.origin import COMPANION, origin_in
from afterwit.usecases.parallel import spread
from afterwit.usecases.resolving import resolve_repos
from afterwit.usecases.run_rules import Rules
from afterwit.usecases.settling import harvest
from afterwit.usecases.tasks import jobs_for
from afterwit.usecases.watching import Progress
from afterwit.usecases.world import World, rules_for

_BATCH = 64


class Rebuilt(msgspec.Struct, kw_only=True):
    """What a rebuild did. `before` is empty where the old database could not be read."""

    files: int
    before: str
    after: str
    faults: list[str]


def rebuild(world: World, progress: Progress) -> Rebuilt:
    layout = world.layout
    require(layout)
    beside = layout.root / "rebuilding.db"
    with held(layout.lease, wait_seconds=60):
        _remove(beside)
        before, expected = _present(layout)
        with closing(connect(beside)) as db, closing(Journal(layout.journal, layout.backups)) as journal:
            migrate(db, migrations(), layout.backups)
            store = Store(layout, db, Archive(layout.archive), journal)
            faults, count = _Rebuilding(world, store, progress).run()
            missing = sorted(expected - set(store.archive.names()))
            faults += [f"{name}: the archived file is missing" for name in missing]
            after = content_hash(db)
            step("the new database is complete, beside the old one")
            with closing(connect(layout.database)) as old, old.backup("main", db, "main") as copy:
                copy.step()
        _remove(beside)
    return Rebuilt(files=count, before=before, after=after, faults=faults)


class _Rebuilding:
    def __init__(self, world: World, store: Store, progress: Progress) -> None:
        self._world = world
        self._store = store
        self._progress = progress

    def run(self) -> tuple[list[str], int]:
        """Returns (what could not be read, how many files were derived)."""
        catch_up(self._store)
        faults: list[str] = []
        stored = list(_readable(self._store.archive, faults))
        latest = _latest(stored)
        adopter = Adopter(self._store, rules_for(self._world, self._store))
        with transaction(self._store.db):
            for one in stored:
                if one.header["role"] == COMPANION:
                    is_live = latest[_key(one)] == one.name
                    generation = int(one.header["generation"])
                    adopter.adopt_companion(origin_in(one.header), one.name, generation, is_live=is_live)
        count = self._adopt_remains(adopter, stored, latest, faults)
        count += self._derive(adopter, stored, latest, faults)
        with transaction(self._store.db):
            adopter.drop_contained_generations()
            adopter.settle()
        resolve_repos(self._store, self._world.settings)
        digest_pending(self._store, price_list(self._world.settings.prices))
        harvest(self._store, self._world)
        return faults, count

    def _adopt_remains(
        self, adopter: Adopter, stored: list[Stored], latest: dict[bytes, ArchiveName], faults: list[str]
    ) -> int:
        """Before anything is derived: their parts keep what they own. Returns how many there were."""
        count = 0
        with transaction(self._store.db):
            for one in stored:
                if one.header["role"] == REMAINS:
                    try:
                        drop, remains = drop_in(one.header), unpacked(self._store.archive.remains(one.name))
                    except (DamagedError, LookupError, ValueError) as error:
                        faults.append(f"{one.name}: {error}")
                        continue
                    is_live, generation = latest[_key(one)] == one.name, int(one.header["generation"])
                    adopter.adopt_remains(origin_in(one.header), generation, drop, remains, is_live=is_live)
                    count += 1
            adopter.settle()
        return count

    def _derive(
        self, adopter: Adopter, stored: list[Stored], latest: dict[bytes, ArchiveName], faults: list[str]
    ) -> int:
        transcripts = [one for one in stored if one.header["role"] not in (COMPANION, REMAINS)]
        sizes = {one.name: self._store.archive.packed_bytes(one.name) for one in transcripts}
        self._progress.begin(len(transcripts), sum(sizes.values()))
        rules = rules_for(self._world, self._store)
        beside = _companions(stored, latest, rules.declared)
        tasks = (_Task(self._store.layout.archive, one, beside.get(_key(one), {}), rules) for one in transcripts)
        jobs = jobs_for(self._world.settings, 0, len(transcripts), sum(sizes.values()))
        batch: list[tuple[Stored, Derived]] = []
        count = 0
        for task, answer in spread(tasks, _work, jobs):
            self._progress.advance(1, sizes[task.stored.name])
            if isinstance(answer, str):
                faults.append(answer)
                continue
            batch.append((task.stored, msgspec.msgpack.decode(answer, type=Derived)))
            count += 1
            if len(batch) >= _BATCH:
                self._commit(adopter, batch, latest)
                batch = []
        self._commit(adopter, batch, latest)
        return count

    def _commit(
        self, adopter: Adopter, batch: Iterable[tuple[Stored, Derived]], latest: dict[bytes, ArchiveName]
    ) -> None:
        with transaction(self._store.db):
            for stored, derived in batch:
                is_live = latest[_key(stored)] == stored.name
                adopter.adopt(origin_in(stored.header), int(stored.header["generation"]), derived, is_live=is_live)
            adopter.settle()


class _Task(NamedTuple):
    archive: Path
    stored: Stored
    companions: dict[str, ArchiveName]
    rules: Rules


def _work(task: _Task) -> bytes | str:
    """Runs in a worker: the rows of one archived file, or what is wrong with it."""
    archive = Archive(task.archive)
    origin = origin_in(task.stored.header)

    def companion(path: PurePosixPath) -> bytes | None:
        name = task.companions.get(str(path))
        return b"".join(archive.read(name)) if name else None

    try:
        pieces = archive.read(task.stored.name)
        derived = derive_archived(origin.agent, origin.path, pieces, companion, task.rules)
    except (DamagedError, LookupError) as error:
        return f"{task.stored.name}: {error}"
    return msgspec.msgpack.encode(derived)


def _readable(archive: Archive, faults: list[str]) -> Iterator[Stored]:
    for name in archive.names():
        try:
            stored = Stored(name, archive.header(name))
            is_sound = archive_name(_key(stored), int(stored.header["generation"])) == name and "role" in stored.header
        except (DamagedError, LookupError, ValueError, TypeError) as error:
            faults.append(f"{name}: {error}")
            continue
        if is_sound:
            yield stored
        else:
            faults.append(f"{name}: the header names another file")


def _key(stored: Stored) -> bytes:
    return origin_in(stored.header).key


def _latest(stored: list[Stored]) -> dict[bytes, ArchiveName]:
    """The live generation of each file."""
    generations: dict[bytes, int] = {}
    for one in stored:
        generations[_key(one)] = max(generations.get(_key(one), 0), int(one.header["generation"]))
    return {key: archive_name(key, generation) for key, generation in generations.items()}


def _companions(
    stored: list[Stored], latest: dict[bytes, ArchiveName], declared: tuple[Description, ...]
) -> dict[bytes, dict[str, ArchiveName]]:
    """The live companions of each transcript, by path."""
    found: dict[bytes, dict[str, ArchiveName]] = {}
    for one in stored:
        origin = origin_in(one.header)
        reader = reader_for(origin.agent, declared)
        owner = belonging(reader, origin.path) if reader and one.header["role"] == COMPANION else None
        if owner is not None and latest[origin.key] == one.name:
            found.setdefault(origin._replace(path=owner.transcript).key, {})[str(owner.path)] = one.name
    return found


def _present(layout: Layout) -> tuple[str, set[ArchiveName]]:
    """The content hash of the present database, and what it expects in the archive. Nothing if it is not there; one
    that cannot be read is set aside."""
    if not layout.database.exists():
        return "", set()
    try:
        with closing(connect(layout.database)) as db:
            migrate(db, migrations(), layout.backups)
            expected = [row for row in files.all_files(db) if row.has_object]
            return content_hash(db), {archive_name(row.key, row.generation) for row in expected}
    except (AfterwitError, apsw.Error):
        for path in (layout.database, *_beside(layout.database)):
            if path.exists():
                path.replace(path.with_name(f"{path.name}.damaged"))
        return "", set()


def _remove(path: Path) -> None:
    for file in (path, *_beside(path)):
        file.unlink(missing_ok=True)


def _beside(path: Path) -> tuple[Path, Path]:
    return path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")
