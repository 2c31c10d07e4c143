"""Writes what was derived from files: archive first, then the rows, cursor and claims in one transaction.

Killed anywhere, the store stands where the last commit left it. Parts claim the keys of their records, and files that
lost one to another part are derived again from the archive when `settle` is called, so that no reader ever sees a
record counted twice. Of the archive only what the rows say is held is read; objects are removed after their rows.
`Committer` decides which generation of a live file it is, and whether it is kept at all.
"""

import os
from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple

from afterwit.agents.prompt_history import HISTORY, UNNAMED
from afterwit.capture.derive import FileToRead, derive_archived
from afterwit.capture.derived import (
    COMPANION,
    SESSIONS,
    SOURCE,
    TRANSCRIPT,
    Copy,
    Derived,
    Origin,
    ReadingMode,
    keys_held,
    keys_of,
    origin_in,
    parts_held,
    rows_in,
)
from afterwit.capture.left_out import LeftOutParts
from afterwit.capture.logs import companion_bytes
from afterwit.capture.plan import may_lie_anywhere
from afterwit.config.run_rules import RunRules, redactor_for
from afterwit.model.captured import Captured, PartFacts
from afterwit.model.errors import DamagedError
from afterwit.model.settings import Settings
from afterwit.redaction.hygiene import clean
from afterwit.repos.identity import resolve
from afterwit.sources.places import LogFile
from afterwit.store.archive import ArchiveName, archive_name, generation_of
from afterwit.store.atomic import step
from afterwit.store.database import UNREADABLE, transaction
from afterwit.store.rows import files, parts, repos, sessions
from afterwit.store.rows.erased import (
    ERASED,
    EXCLUDED,
    LEFT_OUT,
    OWN,
    forget_hook_rows,
    note_sifted,
    put_left_out,
    session_key,
)
from afterwit.store.rows.files import FileRow
from afterwit.store.rows.parts import PARTIAL, find_superseded
from afterwit.store.rows.repos import RepoRow
from afterwit.store.store import Store

_LATE = 10**15  # a part without any time comes after all that have one


def derive_from_archive(store: Store, rules: RunRules, row: FileRow, copied: frozenset[int] = frozenset()) -> Derived:
    """A transcript's rows, made anew from its archived bytes, without the records that are `copied`."""
    origin = origin_in(store.archive.header(row.object_name))
    pieces = store.archive.read(row.object_name, row.held_bytes)
    return derive_archived(file_in_archive(store, rules, origin), pieces, copied)


def file_in_archive(store: Store, rules: RunRules, origin: Origin) -> FileToRead:
    """A transcript with the companions that are archived beside it."""
    companion = partial(companion_bytes, store.db, store.archive, origin)
    return FileToRead(origin.agent, origin.path, rules, companion, origin.is_tracked)


def remove_dropped_objects(store: Store) -> None:
    """Removes archive objects whose rows a committed transaction has dropped."""
    for name in files.removable_objects(store.db):
        store.archive.remove(ArchiveName(name))
        step("an archive object without rows is removed")
        with transaction(store.db):
            files.forget_removable(store.db, name)


class _Indexed(NamedTuple):
    """Texts to be indexed when all other rows are written: between other statements the index would write itself out
    again and again."""

    captured: Captured
    part_ids: dict[int, int]


class PartRows:
    """The rows of files in an open transaction; `settle` makes them consistent before it is committed."""

    def __init__(self, store: Store, rules: RunRules) -> None:
        self._store = store
        self._db = store.db
        self._rules = rules
        self._redactor = redactor_for(rules.key, rules.people, rules.allow)
        self._dirty: set[int] = set()
        self._touched: set[int] = set()
        self._texts: dict[int, _Indexed] = {}

    def add_file(self, origin: Origin, role: str, generation: int) -> int:
        """The row of a file that has none yet. Returns its id."""
        path = self._redactor.path(clean(str(origin.path)))
        return files.add_file(self._db, origin.agent, origin.key, generation, path, role)

    def put_reading(self, file_id: int, agent: str, derived: Derived, start: int) -> None:
        """The rows of a reading, and the claims on what it read."""
        captured = rows_in(derived)
        is_append = derived.mode is ReadingMode.APPEND
        part_ids = self._put_rows(file_id, agent, captured, is_append=is_append)
        parts.put_problems(self._db, file_id, start, captured.problems)
        self._note(file_id, derived)
        for position, part_id in part_ids.items():
            precedence = self._precedence(file_id, captured.parts[position])
            self._claim(file_id, part_id, precedence, captured.claims[position])

    def put_owners(self, file_id: int, agent: str, captured: Captured) -> dict[int, int]:
        """Parts alone, with the keys that are theirs for good. Returns the parts' ids by position."""
        part_ids: dict[int, int] = {}
        for position, facts in enumerate(captured.parts):
            part_ids[position] = self._put_part(file_id, agent, facts, self._precedence(file_id, facts))
        for position, keys in enumerate(captured.claims):
            parts.claim(self._db, part_ids[position], keys)
        return part_ids

    def index_later(self, file_id: int, captured: Captured, part_ids: dict[int, int]) -> None:
        """Has these texts indexed when everything is settled."""
        self._texts[file_id] = _Indexed(captured, part_ids)

    def derive_again(self, file_ids: Iterable[int]) -> None:
        """Has these files derived again from the archive when everything is settled."""
        self._dirty.update(file_ids)

    def settle(self) -> None:
        """Derives again what lost records to others, and merges the parts of all sessions that changed."""
        is_settled = False
        while not is_settled:
            while self._dirty:
                file_id = min(self._dirty)
                self._dirty.discard(file_id)
                row = files.file_by_id(self._db, file_id)
                if not row.is_dropped:
                    self._derive_again(row)
            for session in sorted(self._touched):
                sessions.refresh_session(self._db, session)
            self._touched.clear()
            is_settled = not self._supersede_partial()
        for indexed in self._texts.values():
            parts.put_texts(self._db, indexed.captured, indexed.part_ids)
        self._texts.clear()

    def drop_if_contained(self, old: FileRow, present: Mapping[str, list[int]]) -> None:
        """Forgets an earlier generation of a rewritten file if the present one holds all its records."""
        now = {key for keys in present.values() for key in keys}
        before = keys_of(old)
        if not all(key in now for keys in before.values() for key in keys):
            return
        self._dirty.update(parts.copiers_of(self._db, old.id))
        for part in parts.parts_of_file(self._db, old.id):
            parts.release(self._db, part.id, before.get(part.facts.native_id, []))
            self._touched.add(part.session_id)
            parts.delete_part(self._db, part.id)
        self._dirty.discard(old.id)
        self._texts.pop(old.id, None)
        files.delete_file(self._db, old.id)
        files.note_removable(self._db, old.object_name)

    def note_damaged(self, file_id: int, error: DamagedError) -> None:
        """The archive does not hold a file as it should. Its rows stay as they are, and say so; a `learn` that finds
        the file where the agent left it reads it again, into the next generation."""
        files.note_state(self._db, file_id, files.DAMAGED, f"{error} {files.REMEDY}")

    def _derive_or_note(self, row: FileRow, copied: frozenset[int] = frozenset()) -> Derived | None:
        """The rows of a file as its archived bytes give them; None where these are damaged."""
        try:
            return derive_from_archive(self._store, self._rules, row, copied)
        except DamagedError as error:
            self.note_damaged(row.id, error)
            return None

    def _supersede_partial(self) -> bool:
        """Gives histories of prompts the parts that no transcript tells better. False if all had them already."""
        has_changed = False
        for row in files.files_named(self._db, HISTORY.name):
            parts_read = parts_held(row.resume) if row.resume else []
            wanted = {part.native_id for part in parts_read} - self._ids_superseded(row.agent, parts_read)
            if wanted != {part.facts.native_id for part in parts.parts_of_file(self._db, row.id)}:
                derived = self._derive_or_note(row)
                if derived is not None:
                    self.put_reading(row.id, row.agent, derived, 0)
                    has_changed = True
        return has_changed

    def _ids_superseded(self, agent: str, facts: list[PartFacts]) -> set[str]:
        return find_superseded(self._db, agent, facts, UNNAMED)

    def _put_rows(self, file_id: int, agent: str, captured: Captured, *, is_append: bool) -> dict[int, int]:
        """Parts, events, actions and spends. Returns the parts' ids by position."""
        before_by_id = {part.facts.native_id: part for part in parts.parts_of_file(self._db, file_id)}
        self._touched.update(part.session_id for part in before_by_id.values())
        if not is_append:
            for part in before_by_id.values():
                parts.clear_rows(self._db, part.id)
        part_ids: dict[int, int] = {}
        superseded = self._ids_superseded(agent, captured.parts)
        for position, facts in enumerate(captured.parts):
            if facts.is_empty or facts.native_id in superseded:
                continue
            precedence = self._precedence(file_id, facts)
            part_ids[position] = self._put_part(file_id, agent, facts, precedence)
            before = before_by_id.pop(facts.native_id, None)
            if before and before.precedence != precedence:
                self._dirty.update((file_id, *parts.copiers_of(self._db, file_id)))
            if is_append and not before:
                self._dirty.add(file_id)  # it may have had events before it was worth a part
        for part in before_by_id.values() if not is_append else ():
            self._dirty.update(parts.copiers_of(self._db, file_id))
            parts.delete_part(self._db, part.id)
        parts.put_rows(self._db, captured, part_ids)
        self.index_later(file_id, captured, part_ids)
        return part_ids

    def _put_part(self, file_id: int, agent: str, facts: PartFacts, precedence: str) -> int:
        session = sessions.session_id(self._db, agent, facts.native_id)
        self._touched.add(session)
        return parts.put_part(self._db, file_id, session, precedence, facts)

    def _note(self, file_id: int, derived: Derived) -> None:
        files.note_state(self._db, file_id, "read")
        files.note_held(self._db, file_id, derived.held_bytes, derived.sha256)
        files.note_reading(self._db, file_id, derived.cursor, derived.resume, derived.known, derived.unknown)
        step("rows and cursor are written, not committed")

    def _precedence(self, file_id: int, facts: PartFacts) -> str:
        """Sorts the parts that hold the same record: the session that others came out of owns it."""
        row = files.generation_by_id(self._db, file_id)
        first = _LATE if facts.first_ms is None else facts.first_ms
        rank = PARTIAL if facts.is_partial else int(bool(facts.parent))
        return f"{rank} {first:016d} {facts.native_id} {row.key.hex()} {row.generation:06d}"

    def _claim(self, file_id: int, part_id: int, precedence: str, keys: list[int]) -> None:
        for rival in parts.claim(self._db, part_id, keys):
            if rival.precedence < precedence:
                self._dirty.add(file_id)
            else:
                parts.take_over(self._db, part_id, rival.keys)
                self._dirty.add(rival.file_id)

    def _derive_again(self, row: FileRow) -> None:
        """Derives a file from the archive, without the records that belong to other parts."""
        keys_by_session = keys_of(row)
        lost: set[int] = set()
        owners: set[int] = set()
        for part in parts.parts_of_file(self._db, row.id):
            keys = keys_by_session.get(part.facts.native_id, [])
            self._claim(row.id, part.id, part.precedence, keys)
            for rival in parts.rivals(self._db, part.id, keys):
                lost.update(rival.keys)
                owners.add(rival.file_id)
        self._dirty.discard(row.id)
        derived = self._derive_or_note(row, frozenset(lost))
        if derived is None:
            return
        self._put_rows(row.id, row.agent, rows_in(derived), is_append=False)
        parts.put_problems(self._db, row.id, 0, rows_in(derived).problems)
        self._note(row.id, derived)
        parts.note_copies(self._db, row.id, owners - {row.id})
        self._claim_anew(row.id, keys_by_session, keys_held(derived.resume))

    def _claim_anew(self, file_id: int, before: Mapping[str, list[int]], now: Mapping[str, list[int]]) -> None:
        """A later reader may know records by other keys than the one that read the file first."""
        for part in parts.parts_of_file(self._db, file_id):
            earlier, later = (set(keys.get(part.facts.native_id, [])) for keys in (before, now))
            parts.release(self._db, part.id, sorted(earlier - later))
            self._claim(file_id, part.id, part.precedence, sorted(later - earlier))


class Committer(PartRows):
    """Puts derived files into an open transaction; `settle` makes them consistent before it is committed."""

    def put(self, origin: Origin, derived: Derived, companions_mark: str = "", *, is_again: bool = False) -> bool:
        """Writes one transcript. False if there was no session in it and it was not kept. One that was given up and is
        as it was then is written only if it `is_again` wanted."""
        row = self._row(origin)
        is_same = row is not None and derived.sha256 == row.sha256 and not is_again
        if row and row.is_dropped and (derived.mode is ReadingMode.FAILED or is_same):
            self._note_unchanged(row, derived, companions_mark)
            return True
        generation = 0
        if row and _is_placeholder(row) and derived.mode is ReadingMode.WHOLE:
            files.delete_file(self._db, row.id)
            generation, row = row.generation, None
        rewritten = row if row and _is_superseded(row, derived) else None
        if rewritten:
            files.retire_file(self._db, rewritten.id)
            generation, row = rewritten.generation + 1, None
        file_id = row.id if row else self.add_file(origin, TRANSCRIPT, generation)
        if derived.mode is ReadingMode.FAILED:
            files.note_state(self._db, file_id, "failed", derived.error)
            return True
        stat = (derived.size_bytes, derived.mtime_ns, derived.inode, companions_mark)
        files.note_stat(self._db, file_id, *stat)
        for held in (files.file_by_id(self._db, file_id), *files.earlier_generations(self._db, origin.key)):
            self._note_tracked(held, origin)
        if derived.mode is ReadingMode.UNCHANGED:
            return True
        if not (row and row.held_bytes) and not _is_worth_keeping(derived):
            files.note_state(self._db, file_id, "empty")
            return False
        start = row.cursor if row and derived.mode is ReadingMode.APPEND else 0
        try:
            with transaction(self._db):
                self._put_read(file_id, origin, derived, start)
        except DamagedError as error:
            self.note_damaged(file_id, error)
            derived.mode, derived.captured, derived.error = ReadingMode.FAILED, None, f"{error} {files.REMEDY}"
        return True

    def put_rest(self, origin: Origin, derived: Derived, companions_mark: str = "") -> bool:
        """Writes what is kept of a transcript of which some sessions are left out. As long as these are, it cannot be
        read on from where it was: so each time it is a new generation, unless nothing of the rest is new."""
        row = self._row(origin)
        if row is not None and row.held_bytes and row.sha256 == derived.sha256:
            derived.mode, derived.captured = ReadingMode.UNCHANGED, None
        elif row is not None and row.held_bytes:
            derived.mode = ReadingMode.REWRITTEN
        is_kept = self.put(origin, derived, companions_mark)
        note_sifted(self._db, origin.key)
        return is_kept

    def leave_out(self, origin: Origin, derived: Derived, parts: LeftOutParts, companions_mark: str = "") -> None:
        """Notes that nothing of a transcript is kept, so that it is not read again before it changes. What was kept of
        it before stays."""
        row = self._row(origin)
        file_id = row.id if row else files.add_file(self._db, origin.agent, origin.key, 0, "", TRANSCRIPT)
        stat = (derived.size_bytes, derived.mtime_ns, derived.inode, companions_mark)
        files.note_stat(self._db, file_id, *stat)
        if row is None or not (row.held_bytes or row.is_dropped):
            counts = {EXCLUDED: len(parts.excluded), ERASED: len(parts.erased), OWN: len(parts.own)}
            keys = [session_key(origin.agent, native_id) for native_id in parts.all]
            put_left_out(self._db, file_id, counts, keys)
        forget_hook_rows(self._db, [(origin.agent, native_id) for native_id in parts.all])

    def doubt(self, older: Set[int]) -> None:
        """Of these whose logs git may track, and of all sources, which may hold them, the next look asks git again."""
        for row in files.all_files(self._db) if older else ():
            with suppress(DamagedError, *UNREADABLE):  # which is told where it is derived
                header = self._store.archive.header(row.object_name) if row.id in older else None
                if row.role == SOURCE or (header and may_lie_anywhere(origin_in(header))):
                    files.note_stat(self._db, row.id, 0, 0, 0, row.companions)

    def _row(self, origin: Origin) -> FileRow | None:
        """The present row of a file. That of one that was left out says nothing."""
        row = files.live_file(self._db, origin.key)
        if row is not None and row.state == LEFT_OUT:
            files.delete_file(self._db, row.id)
            return None
        return row

    def note_source(self, origin: Origin, file: LogFile, sessions: int, error: str = "") -> None:
        """What was found of a database or folder whose sessions are transcripts of their own."""
        row = files.live_file(self._db, origin.key)
        file_id = row.id if row else self.add_file(origin, SOURCE, 0)
        files.note_stat(self._db, file_id, file.size_bytes, file.mtime_ns, file.inode, "")
        files.note_state(self._db, file_id, "failed" if error else "read", error)
        files.note_reading(self._db, file_id, 0, b"", {SESSIONS: sessions}, {})

    def _note_unchanged(self, row: FileRow, derived: Derived, companions_mark: str) -> None:
        """A file whose original was given up, as it was then: it stays given up."""
        if derived.mode is not ReadingMode.FAILED:
            derived.mode, derived.captured = ReadingMode.UNCHANGED, None
            files.note_stat(self._db, row.id, derived.size_bytes, derived.mtime_ns, derived.inode, companions_mark)

    def _put_read(self, file_id: int, origin: Origin, derived: Derived, start: int) -> None:
        """What was read of a file that is kept: its bytes, its companions, its rows."""
        row = files.file_by_id(self._db, file_id)
        self._append_to_archive(file_id, origin, row.role, row.held_bytes, derived.frames)
        for copy in derived.copies:
            self._put_copy(origin._replace(path=PurePosixPath(os.fsdecode(copy.path))), copy)
        self.put_reading(file_id, origin.agent, derived, start)
        for earlier in files.earlier_generations(self._db, origin.key):
            self.drop_if_contained(earlier, keys_held(derived.resume))

    def _note_tracked(self, row: FileRow, origin: Origin) -> None:
        """Whether git tracks the log now is what all its rows go by, and what a rebuild finds in the archive."""
        with suppress(DamagedError):  # which is told where it is read
            if row.held_bytes and origin_in(self._store.archive.header(row.object_name)) != origin:
                header = origin.header(row.role, row.generation)
                self._store.archive.compact(row.object_name, row.held_bytes, header)
        if any(part.facts.is_tracked != origin.is_tracked for part in parts.parts_of_file(self._db, row.id)):
            self.derive_again([row.id])

    def _put_copy(self, origin: Origin, copy: Copy) -> None:
        row = files.live_file(self._db, origin.key)
        if row and (row.is_dropped or row.state == files.DAMAGED):
            if row.sha256 == copy.sha256:  # nothing of the damaged one is needed any more
                files.note_removable(self._db, row.object_name)
            files.delete_file(self._db, row.id)
            generation, row = row.generation + 1, None
        else:
            generation = row.generation + 1 if row else 0
        if row and row.sha256 != copy.sha256:
            files.retire_file(self._db, row.id)
        if row is None or row.sha256 != copy.sha256:
            file_id = self.add_file(origin, COMPANION, generation)
            self._append_to_archive(file_id, origin, COMPANION, 0, copy.frames)
        else:
            file_id = row.id
        files.note_stat(self._db, file_id, copy.size_bytes, copy.mtime_ns, copy.inode, "")
        files.note_state(self._db, file_id, "read")
        files.note_held(self._db, file_id, copy.held_bytes, copy.sha256)

    def _append_to_archive(self, file_id: int, origin: Origin, role: str, held_bytes: int, packed: list[bytes]) -> None:
        """Appends to the archive. Where that holds more of the file than the row knows, the row moves on to the
        generation that the bytes went to."""
        generation = files.generation_by_id(self._db, file_id).generation
        name = archive_name(origin.key, generation)
        written = self._store.archive.append(name, origin.header(role, generation), held_bytes, packed)
        if written != name:
            files.note_generation(self._db, file_id, generation_of(written))


def _is_placeholder(row: FileRow) -> bool:
    """Whether it only says that the archive holds an object of this file that cannot be read."""
    return row.state == files.DAMAGED and not row.held_bytes and not row.is_dropped


def _is_superseded(row: FileRow, derived: Derived) -> bool:
    """Whether what was read is a new generation of the file."""
    is_whole = derived.mode is ReadingMode.REWRITTEN or (
        derived.mode is ReadingMode.WHOLE and row.state == files.DAMAGED
    )
    return row.is_dropped or bool(row.held_bytes and is_whole)


def _is_worth_keeping(derived: Derived) -> bool:
    """A session, or records that a better reader may understand one day. Known noise alone is neither."""
    captured = rows_in(derived)
    has_session = any(not facts.is_empty for facts in captured.parts)
    has_damage = any(not problem.is_passing for problem in captured.problems)
    return has_session or has_damage or bool(derived.unknown)


def resolve_repos(store: Store, settings: Settings) -> None:
    """Gives every session its repository, by the set of all that was seen."""
    db = store.db
    resolutions = resolve(
        sessions.sightings(db), settings.aliases.repos, repos.checkouts(db), merges=repos.aliases(db, "repo")
    )
    rows = sorted(
        RepoRow(spot.root, spot.remote, answer.repo, answer.how.value) for spot, answer in resolutions.items()
    )
    if rows != sorted(repos.repo_rows(db)) or repos.places_to_resolve(db):
        with transaction(db):
            repos.put_repos(db, rows)
