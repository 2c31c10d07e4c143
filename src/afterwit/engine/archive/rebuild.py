"""Rebuild: derives the whole database again from the archive and the journal. Where an original was given up, its
remains in the archive have the rows.

The new database is built beside the old one by the same code that `learn` uses, then renamed into its place: killed
anywhere, or on a full disk, the old one stands, or the new one. A journal that lacks decisions which were applied
before, or an archive that holds less than the present database knows, stops it until somebody accepts the loss. What
cannot be read in the archive gets a row that says so until the file is read again, or its object restored or removed.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import apsw
import msgspec
from msgspec.structs import replace

from afterwit.agents.declared.description import Description
from afterwit.capture.commit import PartRows, resolve_repos
from afterwit.capture.derive import FileToRead, derive_archived
from afterwit.capture.derived import COMPANION, TRANSCRIPT, Derived, Origin, keys_of, origin_in
from afterwit.capture.logs import owner_of_archived
from afterwit.capture.tasks import is_much, workers_for
from afterwit.capture.workers import Workers
from afterwit.config.run_rules import RunRules
from afterwit.config.world import World, rules_for
from afterwit.digest.door import digest_pending
from afterwit.engine.archive.remove import drop_in, put_remains
from afterwit.knowledge.door.settle import harvest, keep_approved
from afterwit.model.captured import LeftCompanion, Remains, searchable, unpack_remains
from afterwit.model.errors import DamagedError, StoreError
from afterwit.model.learn_run import Progress
from afterwit.model.prices import price_list
from afterwit.store import archive_mark
from afterwit.store.archive import Archive, ArchiveName, archive_name, generation_of
from afterwit.store.atomic import step
from afterwit.store.checks import content_hash
from afterwit.store.database import (
    UNREADABLE,
    connect,
    is_damage,
    migrate,
    migrations,
    put_in_place,
    remove_database,
    schema_version,
    transaction,
    translate_error,
)
from afterwit.store.decide import catch_up
from afterwit.store.frames import REMAINS
from afterwit.store.journal import (
    ChainHead,
    Journal,
    heads_applied,
    keep_heads,
    last_heads,
    refuse_faults,
    refuse_missing,
)
from afterwit.store.layout import Layout
from afterwit.store.rows import files, parts
from afterwit.store.rows.files import Drop, FileRow
from afterwit.store.store import Store, hold_lease, require

_UNKNOWN_AGENT = "unknown"


class Damage(NamedTuple):
    where: str  # the object, and its path if that is known
    what: str
    held_bytes: int  # that could be read
    is_used: bool  # these have rows

    @property
    def line(self) -> str:
        return f"{self.where}: {self.what}"

    def is_less_than(self, row: FileRow) -> bool:
        """Whether the row knew more of the file than the object has now. One that is known to be damaged, and has as
        much as before, is no new loss."""
        return self.held_bytes < row.held_bytes or row.is_dropped or row.state != files.DAMAGED


class ArchiveObject(NamedTuple):
    """An object of the archive, as its own header describes it."""

    name: ArchiveName
    header: dict[str, Any]
    origin: Origin
    generation: int
    is_live: bool = True  # there is no later generation of the file

    @property
    def role(self) -> str:
        return str(self.header["role"])


class Adopter(PartRows):
    """Puts archived files into an open transaction; `settle` makes them consistent before it is committed."""

    def adopt(self, stored: ArchiveObject, derived: Derived) -> None:
        """Writes the rows of a transcript that the archive holds and the database does not know."""
        self.put_reading(self._add(stored), stored.origin.agent, derived, 0)

    def adopt_companion(self, stored: ArchiveObject, held_bytes: int, sha256: str) -> None:
        """The same for a companion."""
        file_id = self._add(stored)
        files.note_held(self._db, file_id, held_bytes, sha256)
        files.note_state(self._db, file_id, "read")

    def adopt_remains(self, stored: ArchiveObject, drop: Drop, remains: Remains) -> None:
        """The same for a transcript of which the archive holds the remains. Before all transcripts: what its parts
        own cannot go to others."""
        file_id, captured = self._add(stored), remains.captured
        part_ids = self.put_owners(file_id, stored.origin.agent, captured)
        parts.put_problems(self._db, file_id, 0, captured.problems)
        files.note_reading(self._db, file_id, remains.cursor, b"", remains.known, remains.unknown)
        put_remains(self._db, file_id, drop, remains, part_ids)
        self.index_later(file_id, replace(captured, texts=searchable(captured)), part_ids)
        by_generation = sorted(remains.companions, key=lambda companion: companion.generation)
        for companion in {companion.path: companion for companion in by_generation}.values():
            self._adopt_left(stored.origin._replace(path=PurePosixPath(os.fsdecode(companion.path))), companion, drop)

    def drop_contained_generations(self) -> None:
        """Forgets earlier generations of which `learn` would have kept nothing."""
        rows = files.all_files(self._db)
        live = {row.key: row for row in rows if row.is_live and row.role == TRANSCRIPT}
        for row in rows:
            now = live.get(row.key)
            if not row.is_live and row.role == TRANSCRIPT and now is not None and now.resume:
                self.drop_if_contained(row, keys_of(now))
                self.derive_again([now.id])

    def _add(self, stored: ArchiveObject) -> int:
        role = COMPANION if stored.role == COMPANION else TRANSCRIPT
        file_id = self.add_file(stored.origin, role, stored.generation)
        if not stored.is_live:
            files.retire_file(self._db, file_id)
        return file_id

    def _adopt_left(self, origin: Origin, companion: LeftCompanion, drop: Drop) -> None:
        """A companion that went with its transcript, or should have, had the run not been killed."""
        row = files.live_file(self._db, origin.key)
        if row is not None and row.generation != companion.generation:
            return
        if row is not None:
            files.note_removable(self._db, row.object_name)
        file_id = row.id if row else self.add_file(origin, COMPANION, companion.generation)
        dropped = drop._replace(dropped_bytes=companion.dropped_bytes, sha256=companion.sha256)
        files.note_dropped(self._db, file_id, dropped, None)


def keep_damage(
    db: apsw.Connection, damage: Mapping[ArchiveName, Damage], before: Mapping[ArchiveName, FileRow]
) -> None:
    """Notes it in the rows that there are by now, and makes those that are not. `before` has the rows of the database
    that is replaced, as far as it could be read."""
    rows = {row.object_name: row for row in files.all_files(db)}
    for name, object_damage in damage.items():
        earlier = before.get(name)
        row = rows.get(name)
        if row is not None and object_damage.is_used:
            # With another checksum than that of the bytes, so that the next rebuild sees that something was lost.
            files.note_held(db, row.id, object_damage.held_bytes, earlier.sha256 if earlier else "")
        file_id = row.id if row is not None else _added(db, name, earlier)
        if file_id is not None:
            remedy = f"{files.REMEDY} To go on without it, delete {name}.zst in the archive."
            files.note_state(db, file_id, files.DAMAGED, f"{object_damage.what}. {remedy}")


def _added(db: apsw.Connection, name: ArchiveName, earlier: FileRow | None) -> int | None:
    """A row for an object of which nothing was read; None, if its name is none of ours."""
    try:
        key, generation = bytes.fromhex(name.rpartition("-")[0]), generation_of(name)
    except ValueError:
        return None
    live = files.live_file(db, key)
    if live is not None and live.generation < generation:
        files.retire_file(db, live.id)
    path, role = (earlier.path, earlier.role) if earlier else (str(name), TRANSCRIPT)
    file_id = files.add_file(db, earlier.agent if earlier else _UNKNOWN_AGENT, key, generation, path, role)
    if live is not None and live.generation > generation:
        files.retire_file(db, file_id)
    return file_id


_BATCH = 64
_SHOWN = 5


class Rebuilt(msgspec.Struct, kw_only=True):
    """What a rebuild did. `before` is empty where the old database could not be read."""

    files: int
    before: str
    after: str
    faults: list[str]


def rebuild(
    world: World, progress: Progress, *, accepts_journal: bool = False, accepts_archive: bool = False
) -> Rebuilt:
    layout = world.layout
    require(layout)
    beside = layout.root / "rebuilding.db"
    with hold_lease(layout.lease, wait_seconds=60):
        remove_database(beside)
        present = _present(layout)
        archive = Archive(layout.archive)
        try:
            with closing(_journal(layout, present, accepts_journal=accepts_journal)) as journal:
                if present.content_hash:  # it says what people approved; the harvesters may be others by now
                    with suppress(StoreError, apsw.Error, *UNREADABLE), closing(connect(layout.database)) as old:
                        keep_approved(Store(layout, old, archive, journal), world.now_ms)
                with closing(connect(beside)) as db:
                    migrate(db, migrations(), layout.backups)
                    store = Store(layout, db, archive, journal)
                    rebuilding = _Rebuilding(world, store, progress, present.rows)
                    count = rebuilding.run()
                    lost = _find_lost(store, present, rebuilding.damage)
                    if lost and not accepts_archive:
                        raise DamagedError(_refusal(layout, lost))
                    faults = [*rebuilding.faults, *(fault for fault in lost if fault not in rebuilding.faults)]
                    after = content_hash(db)
                    with transaction(db):
                        archive_mark.adopt(store)
                step("the new database is complete, beside the old one")
                put_in_place(beside, layout.database, is_damaged=present.is_damaged)
                with closing(connect(layout.database)) as db:
                    archive_mark.confirm(Store(layout, db, archive, journal))
        except apsw.Error as error:
            raise translate_error(error, beside) from error
        finally:
            remove_database(beside)
    return Rebuilt(files=count, before=present.content_hash, after=after, faults=faults)


class _Present(NamedTuple):
    """What is known of the database that is there."""

    content_hash: str = ""
    rows: dict[ArchiveName, FileRow] = {}  # noqa: RUF012 - never changed
    heads: dict[str, ChainHead] = {}  # noqa: RUF012
    is_damaged: bool = False


def _journal(layout: Layout, present: _Present, *, accepts_journal: bool) -> Journal:
    """The journal, open. Raises where it lacks what was applied to the present database, or is damaged itself."""
    heads = last_heads(layout, present.heads)
    if not accepts_journal:
        refuse_missing(layout, heads)
    journal = Journal(layout.journal, layout.backups)
    try:
        if accepts_journal:
            keep_heads(layout, journal.heads())
        else:
            refuse_faults(layout, journal.verify(heads))
    except BaseException:
        journal.close()
        raise
    return journal


def _find_lost(store: Store, present: _Present, damage: dict[ArchiveName, Damage]) -> list[str]:
    """What the new database would know less than the present one, or than the archive's mark says: by name, where the
    present database knows the names."""
    names, lost = set(store.archive.names()), list[str]()
    for name, row in sorted(present.rows.items()):
        if row.has_object and name not in names:
            lost.append(f"{name} ({row.path}): the archived file is missing")
        elif row.has_object and name in damage and damage[name].is_less_than(row):
            lost.append(damage[name].line)
    less = "" if lost else archive_mark.describe_lack(store.db, archive_mark.mark_of(store.archive), len(damage))
    return lost or ([less] if less else [])


def _refusal(layout: Layout, lost: list[str]) -> str:
    more = f"; and {len(lost) - _SHOWN:,} more" if len(lost) > _SHOWN else ""
    return (
        f"{layout.archive} lacks what the present database was made from, or it cannot be read:"
        f" {'; '.join(lost[:_SHOWN])}{more}. The database was left as it is. Restore what is missing from a backup, and"
        " run `afterwit store rebuild` again. To go on without it, run `afterwit store rebuild --accept-archive`."
    )


class _Rebuilding:
    def __init__(self, world: World, store: Store, progress: Progress, rows: dict[ArchiveName, FileRow]) -> None:
        self._world = world
        self._store = store
        self._progress = progress
        self._rows = rows
        self.damage: dict[ArchiveName, Damage] = {}

    @property
    def faults(self) -> list[str]:
        """What is wrong with the archive, one line for each object."""
        return [damage.line for damage in self.damage.values()]

    def run(self) -> int:
        """Returns how many files were derived."""
        catch_up(self._store)
        stored = _with_generations(self._readable())
        adopter = Adopter(self._store, rules_for(self._world, self._store))
        self._adopt_companions(adopter, stored)
        count = self._adopt_remains(adopter, stored)
        with workers_for(self._world.settings) as workers:
            count += self._derive(adopter, stored, workers)
            with transaction(self._store.db):
                adopter.drop_contained_generations()
                adopter.settle()
                keep_damage(self._store.db, self.damage, self._rows)
            resolve_repos(self._store, self._world.settings)
            digest_pending(self._store, price_list(self._world.settings.prices), workers=workers)
            harvest(self._store, self._world, workers=workers)
        return count

    def _note(self, name: ArchiveName, what: str, held_bytes: int = 0, *, is_used: bool = False) -> None:
        """That an object is not as it should be, and how much of it was used."""
        row = self._rows.get(name)
        where = f"{name} ({row.path})" if row else str(name)
        self.damage[name] = Damage(where, what.rstrip("."), held_bytes, is_used)

    def _adopt_companions(self, adopter: Adopter, stored: list[ArchiveObject]) -> None:
        with transaction(self._store.db):
            for companion in (archived for archived in stored if archived.role == COMPANION):
                try:
                    held_bytes, sha256 = self._store.archive.held_bytes(companion.name)
                except DamagedError as error:
                    self._note(companion.name, str(error))
                else:
                    self._note_shortened(companion.name, held_bytes, sha256)
                    adopter.adopt_companion(companion, held_bytes, sha256)

    def _note_shortened(self, name: ArchiveName, held_bytes: int, sha256: str) -> None:
        """What an object that can be read lacks nevertheless. What is left of it counts."""
        row = self._rows.get(name)
        rest = self._store.archive.rest_bytes(name)
        what = ""
        if row is not None and row.held_bytes > held_bytes:
            what = f"its last {row.held_bytes - held_bytes:,} bytes are gone; the rest was used"
        elif row is not None and row.held_bytes == held_bytes and row.sha256 != sha256:
            what = "the bytes are not all those that were archived"
        elif row is None and rest and not archive_mark.is_unfinished(self._store.archive):
            what = f"{rest:,} bytes at its end are no whole frame; what comes before them was used"
        if what:
            self._note(name, what, held_bytes, is_used=True)

    def _adopt_remains(self, adopter: Adopter, stored: list[ArchiveObject]) -> int:
        """Before anything is derived: their parts keep what they own. Returns how many there were."""
        count = 0
        with transaction(self._store.db):
            for left in (archived for archived in stored if archived.role == REMAINS):
                try:
                    drop, remains = drop_in(left.header), unpack_remains(self._store.archive.remains(left.name))
                except (DamagedError, *UNREADABLE) as error:
                    self._note(left.name, str(error))
                else:
                    adopter.adopt_remains(left, drop, remains)
                    count += 1
            adopter.settle()
        return count

    def _derive(self, adopter: Adopter, stored: list[ArchiveObject], workers: Workers) -> int:
        transcripts = [archived for archived in stored if archived.role not in (COMPANION, REMAINS)]
        sizes = {transcript.name: self._store.archive.packed_bytes(transcript.name) for transcript in transcripts}
        self._progress.begin(len(transcripts), sum(sizes.values()))
        rules = rules_for(self._world, self._store)
        beside = _companions(stored, rules.declared)
        tasks = (
            _Task(self._store.layout.archive, transcript, beside.get(transcript.origin.key, {}), rules)
            for transcript in transcripts
        )
        batch: list[tuple[ArchiveObject, Derived]] = []
        count = 0
        has_much = is_much(sum(sizes.values()))
        spread = workers.spread(tasks, _work, is_much=has_much, size_of=lambda task: sizes[task.stored.name])
        for task, answer in spread:
            self._progress.advance(1, sizes[task.stored.name])
            if isinstance(answer, str):
                self._note(task.stored.name, answer)
                continue
            derived = msgspec.msgpack.decode(answer, type=Derived)
            self._note_shortened(task.stored.name, derived.held_bytes, derived.sha256)
            batch.append((task.stored, derived))
            count += 1
            if len(batch) >= _BATCH:
                self._commit(adopter, batch)
                batch = []
        self._commit(adopter, batch)
        return count

    def _readable(self) -> Iterator[ArchiveObject]:
        for name in self._store.archive.names():
            try:
                header = self._store.archive.header(name)
                stored = ArchiveObject(name, header, origin_in(header), int(header["generation"]))
                is_sound = archive_name(stored.origin.key, stored.generation) == name and "role" in header
            except (DamagedError, *UNREADABLE) as error:
                self._note(name, str(error))
                continue
            if is_sound:
                yield stored
            else:
                self._note(name, "the header names another file")

    def _commit(self, adopter: Adopter, batch: Iterable[tuple[ArchiveObject, Derived]]) -> None:
        with transaction(self._store.db):
            for stored, derived in batch:
                adopter.adopt(stored, derived)
            adopter.settle()


class _Task(NamedTuple):
    archive: Path
    stored: ArchiveObject
    companions: dict[str, ArchiveName]
    rules: RunRules


def _work(task: _Task) -> bytes | str:
    """Runs in a worker: the rows of one archived file, or what is wrong with it."""
    archive, origin = Archive(task.archive), task.stored.origin

    def companion(path: PurePosixPath) -> bytes | None:
        """One that is damaged is as good as gone; what is wrong with it is told where it is adopted."""
        name = task.companions.get(str(path))
        try:
            return b"".join(archive.read(name)) if name else None
        except DamagedError:
            return None

    try:
        file = FileToRead(origin.agent, origin.path, task.rules, companion, origin.is_tracked)
        derived = derive_archived(file, archive.read(task.stored.name))
    except (DamagedError, LookupError) as error:
        return str(error)
    return msgspec.msgpack.encode(derived)


def _with_generations(stored: Iterable[ArchiveObject]) -> list[ArchiveObject]:
    """The same, with the latest generation of each file as the live one."""
    everything = list(stored)
    latest: dict[bytes, int] = {}
    for archived in everything:
        latest[archived.origin.key] = max(latest.get(archived.origin.key, 0), archived.generation)
    return [archived._replace(is_live=archived.generation == latest[archived.origin.key]) for archived in everything]


def _companions(
    stored: Iterable[ArchiveObject], declared: tuple[Description, ...]
) -> dict[bytes, dict[str, ArchiveName]]:
    """The live companions of each transcript, by path."""
    by_transcript: dict[bytes, dict[str, ArchiveName]] = {}
    for archived in stored:
        is_wanted = archived.role == COMPANION and archived.is_live
        owner = owner_of_archived(archived.origin, declared) if is_wanted else None
        if owner is not None:
            by_transcript.setdefault(owner[0], {})[str(owner[1])] = archived.name
    return by_transcript


def _present(layout: Layout) -> _Present:
    """What the present database knows. Nothing, if it is not there, is empty, or is itself damaged; what else keeps it
    from being read is raised."""
    if not layout.database.exists():
        return _Present()
    try:
        with closing(connect(layout.database)) as db:
            if not schema_version(db):
                return _Present()
            migrate(db, migrations(), layout.backups)
            rows = {row.object_name: row for row in files.all_files(db)}
            return _Present(content_hash(db), rows, heads_applied(db))
    except UNREADABLE:
        return _Present(is_damaged=True)
    except (StoreError, apsw.Error) as error:
        if is_damage(error) or is_damage(error.__cause__):
            return _Present(is_damaged=True)
        raise
