"""Takes every byte of erased sessions out of a store. What is to go is decided, and in the journal, before.

Each part can be done a second time, and a mark in the database stands until all of it is done: killed anywhere, the
next `learn` or `sessions delete` goes on. In this order: rows, with the archive beside them in the usual way (new
objects first, then the rows in one transaction, then old objects); what hooks left, and templates; what was learned;
the deck; copies of the database that lie about; and last the unused pages of the databases.

A file that holds other sessions, too, is archived anew without the lines of those that go. Where that cannot be done it
goes whole; `engine.archive.delete` asks before.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from afterwit.capture.commit import PartRows, file_in_archive, remove_dropped_objects, resolve_repos
from afterwit.capture.derived import COMPANION, TRANSCRIPT, Derived, Origin, keys_of, origin_in, parts_held
from afterwit.capture.left_out import mark_of, take_apart
from afterwit.capture.logs import owner_of_archived
from afterwit.config.run_rules import RunRules
from afterwit.config.world import World, rules_for
from afterwit.digest.door import digest_pending
from afterwit.edits.ours import MARK
from afterwit.engine.archive.remove import drop_in
from afterwit.knowledge.door.settle import harvest
from afterwit.model.captured import Captured, Remains, pack_keys, pack_remains, unpack_remains
from afterwit.model.errors import DamagedError
from afterwit.model.prices import price_list
from afterwit.recall.deck.compile import compile_deck
from afterwit.redaction.markers import marked
from afterwit.store import archive_mark, spool
from afterwit.store.archive import archive_name, generation_of
from afterwit.store.atomic import replace_file, step
from afterwit.store.database import UNREADABLE, transaction, translate_error
from afterwit.store.layout import Layout
from afterwit.store.marks import DECK, forget_last_run, put_mark
from afterwit.store.rows import erased, files, parts
from afterwit.store.rows.erased import ERASED, LEFT_OUT, session_key
from afterwit.store.rows.files import FileRow
from afterwit.store.store import Store
from afterwit.store.template_files import templates_of

_WAIT_MS = 5_000
_BUSY_MS = 60_000
_LEFTOVERS = (
    *("*.damaged", "rebuilding.db*", ".deck.db.*", "backups/*-schema-*.db", "backups/.*-schema-*"),
    *("backups/restoring/**/*", "backups/backing-up/**/*"),
)
_SET_ASIDE = "before-restore-*"
_EMPTY = "The notes here were emptied. `afterwit connect {agent}` writes them anew."
_BESIDE = ("*/*.leaving", "*/*.compacting")


def finish_erasing(store: Store, world: World) -> bool:
    """Erases what was decided to be erased and may still be there. False, where somebody reads the store, so that its
    last bytes stay until the next run."""
    if not erased.is_unfinished(store.db):
        return True
    rules = rules_for(world, store)
    try:
        with transaction(store.db):
            erased.forget_left_out(store.db, mark_of(world, store))
        _erase_files(store, rules)
        step("the files of what is erased are gone")
        keys = erased.keys_of_erased(store.db)
        spool.scrub(store.layout.spool, lambda agent, session: session_key(agent, session) in keys)
        for path in templates_of(store.layout, keys):
            path.unlink(missing_ok=True)
        resolve_repos(store, world.settings)
        digest_pending(store, price_list(world.settings.prices))
        harvest(store, world)
        put_mark(store.db, DECK, "")  # so that nothing of the present deck is used again
        compile_deck(store, world)
        step("what was learned from it is gone")
        for path in leftovers(store.layout):
            path.unlink(missing_ok=True)
        for path in notes_files(store.layout):
            replace_file(path, f"<!-- {MARK} -->\n{marked(_EMPTY.format(agent=path.stem))}\n".encode())
        return _shred(store)
    except OSError as error:
        raise translate_error(error, store.layout.root) from error


def leftovers(layout: Layout) -> list[Path]:
    """Copies of databases, and parts of them, that lie about: made before an upgrade, set aside, or left by a run that
    was killed."""
    paths = [path for pattern in _LEFTOVERS for path in layout.root.glob(pattern)]
    paths += [path for pattern in _BESIDE for path in layout.archive.glob(pattern)]
    return sorted(path for path in paths if path.is_file() and not path.is_symlink())


def set_aside(layout: Layout) -> list[Path]:
    """Whole stores, of before a restore. They may hold what no other has: so nothing is taken out of them unasked."""
    return sorted(path for path in layout.backups.glob(_SET_ASIDE) if path.is_dir())


def notes_files(layout: Layout) -> list[Path]:
    """What agents without hooks read: notes as they were when the agent was connected."""
    return sorted(path for path in layout.root.glob("notes/*.md") if path.is_file() and not path.is_symlink())


def _erase_files(store: Store, rules: RunRules) -> None:
    remove_dropped_objects(store)
    archive_mark.begin(store)
    with transaction(store.db):
        eraser = Eraser(store, rules)
        for file in eraser.find_affected():
            eraser.erase(file)
        eraser.settle()
        named = erased.hook_sessions(store.db)
        erased.forget_hook_rows(store.db, [pair for pair in named if session_key(*pair) in eraser.keys])
        forget_last_run(store.db)
        store.archive.flush()
        archive_mark.announce(store)
        step("the rows of what is erased are gone, not committed")
    archive_mark.confirm(store)
    remove_dropped_objects(store)


def _shred(store: Store) -> bool:
    store.db.set_busy_timeout(_WAIT_MS)
    try:
        is_done = all([erased.shred(store.db), store.journal.compact()])
    finally:
        store.db.set_busy_timeout(_BUSY_MS)
    if is_done:
        with transaction(store.db):
            erased.note_finished(store.db)
    return is_done


class AffectedFile(NamedTuple):
    """A transcript that holds sessions which are erased."""

    row: FileRow
    gone: frozenset[str]  # native ids
    others: frozenset[str]
    companions: tuple[FileRow, ...] = ()


class Eraser(PartRows):
    """Takes sessions out of the rows and the archive, in an open transaction; `settle` makes the rest consistent."""

    def __init__(self, store: Store, rules: RunRules, keys: frozenset[bytes] | None = None) -> None:
        super().__init__(store, rules)
        self.keys = erased.keys_of_erased(store.db) if keys is None else keys

    def find_affected(self) -> list[AffectedFile]:
        """All transcripts that hold any of the sessions, also where another one tells of it better."""
        rows = files.all_files(self._db)
        affected = [file for row in rows if row.role == TRANSCRIPT for file in self._look_at(row)]
        beside = self._companions(rows, {file.row.agent for file in affected}) if affected else {}
        return [file._replace(companions=tuple(beside.get(file.row.key, ()))) for file in affected]

    def can_take_apart(self, file: AffectedFile) -> bool:
        """Whether the other sessions in it can stay."""
        return not file.others or file.row.is_dropped or self._rest(file) is not None

    def erase(self, file: AffectedFile) -> None:
        row = file.row
        if file.others and row.is_dropped and self._erase_from_remains(file):
            return
        rest = self._rest(file) if file.others and not row.is_dropped else None
        origin = self._origin(row) if rest is not None else None
        self._remove(row)
        if rest is None or origin is None:
            for companion in file.companions:
                self._remove(companion)
            if row.is_live:
                self._pass_over(file)
        else:
            self._put_rest(file, origin, rest)

    def _look_at(self, row: FileRow) -> Iterator[AffectedFile]:
        if row.state == LEFT_OUT or not (row.has_object or row.state == files.DAMAGED):
            return
        names = {part.facts.native_id for part in parts.parts_of_file(self._db, row.id)}
        try:
            names |= keys_of(row).keys()
            if row.resume and not row.is_dropped:
                names |= {part.native_id for part in parts_held(row.resume) if not part.is_empty}
        except UNREADABLE:
            pass
        gone = frozenset(name for name in names if session_key(row.agent, name) in self.keys)
        if gone:
            yield AffectedFile(row, gone, frozenset(self._say_more(row, names - gone)))

    def _say_more(self, row: FileRow, names: Iterable[str]) -> Iterator[str]:
        """Those that are more than a name in it."""
        facts = [part.facts for part in parts.parts_of_file(self._db, row.id)]
        held = parts_held(row.resume) if row.resume and not row.is_dropped else []
        speaking = {part.native_id for part in (*facts, *held) if not part.is_empty}
        return (name for name in names if name in speaking)

    def _companions(self, rows: Iterable[FileRow], agents: set[str]) -> dict[bytes, list[FileRow]]:
        """The companions of these agents' transcripts, by the key of the transcript."""
        by_owner: dict[bytes, list[FileRow]] = {}
        for row in rows:
            origin = self._origin(row) if row.role == COMPANION and row.agent in agents and row.held_bytes else None
            owner = owner_of_archived(origin, self._rules.declared) if origin else None
            if owner is not None:
                by_owner.setdefault(owner[0], []).append(row)
        return by_owner

    def _origin(self, row: FileRow) -> Origin | None:
        try:
            return origin_in(self._store.archive.header(row.object_name))
        except (DamagedError, *UNREADABLE):
            return None

    def _rest(self, file: AffectedFile) -> Derived | None:
        """The file without what goes; None, where it cannot be taken apart."""
        origin = self._origin(file.row)
        if origin is None:
            return None
        try:
            content = b"".join(self._store.archive.read(file.row.object_name, file.row.held_bytes))
        except DamagedError:
            return None
        return take_apart(file_in_archive(self._store, self._rules, origin), content, file.gone)

    def _remove(self, row: FileRow) -> None:
        """All that a file left."""
        self._dirty.update(parts.copiers_of(self._db, row.id))
        for part in parts.parts_of_file(self._db, row.id):
            self._touched.add(part.session_id)
            parts.delete_part(self._db, part.id)
        self._dirty.discard(row.id)
        self._texts.pop(row.id, None)
        files.delete_file(self._db, row.id)
        files.note_removable(self._db, row.object_name)

    def _pass_over(self, file: AffectedFile) -> None:
        """The log is still there, maybe: as long as it does not change, a glance at it is enough."""
        row = file.row
        file_id = files.add_file(self._db, row.agent, row.key, row.generation, "", TRANSCRIPT)
        files.note_stat(self._db, file_id, row.size_bytes, row.mtime_ns, row.inode, row.companions)
        keys = [session_key(row.agent, name) for name in file.gone]
        erased.put_left_out(self._db, file_id, {ERASED: len(file.gone)}, keys)

    def _put_rest(self, file: AffectedFile, origin: Origin, rest: Derived) -> None:
        row, generation = file.row, file.row.generation + 1
        while files.file_generation(self._db, row.key, generation):
            generation += 1
        name = archive_name(row.key, generation)
        written = self._store.archive.append(name, origin.header(TRANSCRIPT, generation), 0, rest.frames)
        file_id = self.add_file(origin, TRANSCRIPT, generation_of(written))
        if not row.is_live:
            files.retire_file(self._db, file_id)
        files.note_stat(self._db, file_id, row.size_bytes, row.mtime_ns, row.inode, row.companions)
        self.put_reading(file_id, row.agent, rest, 0)
        if row.is_live:
            erased.note_sifted(self._db, row.key)

    def _erase_from_remains(self, file: AffectedFile) -> bool:
        """False, where the remains cannot be read."""
        row, archive = file.row, self._store.archive
        try:
            header, remains = archive.header(row.object_name), unpack_remains(archive.remains(row.object_name))
        except (DamagedError, *UNREADABLE):
            return False
        rest = _remains_without(remains, file.gone)
        archive.replace(row.object_name, header, pack_remains(rest))
        for part in parts.parts_of_file(self._db, row.id):
            if part.facts.native_id in file.gone:
                self._touched.add(part.session_id)
                parts.delete_part(self._db, part.id)
        parts.put_problems(self._db, row.id, 0, [])
        files.note_dropped(self._db, row.id, drop_in(header), pack_keys(rest.keys))
        return True


def _remains_without(remains: Remains, gone: frozenset[str]) -> Remains:
    captured = remains.captured
    kept = [number for number, part in enumerate(captured.parts) if part.native_id not in gone]
    position = {number: place for place, number in enumerate(kept)}
    rest = Captured(
        parts=[captured.parts[number] for number in kept],
        events=[replace(row, part=position[row.part]) for row in captured.events if row.part in position],
        actions=[replace(row, part=position[row.part]) for row in captured.actions if row.part in position],
        spends=[replace(row, part=position[row.part]) for row in captured.spends if row.part in position],
        notes=[replace(row, part=position[row.part]) for row in captured.notes if row.part in position],
        texts=[],
        problems=[],
        claims=[captured.claims[number] for number in kept],
        resume=b"",
    )
    keys = {name: own for name, own in remains.keys.items() if name not in gone}
    return replace(remains, captured=rest, keys=keys)


def log_of(origin: Origin, home: Path) -> Path | None:
    """Where the agent has the file that was archived; None, where that is no plain file inside of its home."""
    path = home.joinpath(*origin.path.parts)
    is_inside = ".." not in origin.path.parts and Path(os.path.realpath(path)).is_relative_to(os.path.realpath(home))
    return path if is_inside and path.is_file() and not path.is_symlink() else None
