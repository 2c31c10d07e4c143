"""Writes what was derived: archive first, then the rows, cursor and claims in one transaction.

Killed anywhere, the store stands where the last commit left it, and the next run does the rest. Copied history is
settled before the commit: files that lost a record to another part are derived again from the archive, within the same
transaction, so that no reader ever sees a record counted twice.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import apsw
from msgspec.structs import replace

from afterwit.agents.prompt_history import HISTORY, UNNAMED
from afterwit.capture.remains import LeftCompanion, Remains, packed_keys, searchable, unpacked_keys
from afterwit.guard.hygiene import clean
from afterwit.model.captured import Captured, PartFacts
from afterwit.sources.discovery import Found
from afterwit.store import claims, files, parts, raw, sessions
from afterwit.store.archive import Archive, ArchiveName, archive_name
from afterwit.store.database import transaction
from afterwit.store.files import FileRow, file_key
from afterwit.store.raw import Drop
from afterwit.store.shade import PARTIAL, shaded
from afterwit.store.steps import step
from afterwit.store.store import Store
from afterwit.usecases.companions import kept_at
from afterwit.usecases.derive import Copy, Derived, Mode, Rules, derive_archived, keys_held, parts_held, redactor_for

TRANSCRIPT, COMPANION, SOURCE = "transcript", "companion", "source"
SESSIONS = "session"  # under this name the row of a source says how many it holds
_LATE = 10**15  # a part without any time comes after all that have one


class Origin(NamedTuple):
    """Which file it is: of which agent, and where below the agent's home."""

    agent: str
    label: str  # "" for the agent's first home
    path: PurePosixPath

    @property
    def key(self) -> bytes:
        return file_key(self.agent, self.label + str(self.path))

    def header(self, role: str, generation: int) -> dict[str, str | int]:
        """What an archived file says of itself."""
        path = str(self.path)
        return {"agent": self.agent, "label": self.label, "path": path, "role": role, "generation": generation}


def origin_in(header: Mapping[str, Any]) -> Origin:
    """The origin that an archived file's header names."""
    return Origin(str(header["agent"]), str(header["label"]), PurePosixPath(str(header["path"])))


def companion_bytes(db: apsw.Connection, archive: Archive, transcript: Origin, path: PurePosixPath) -> bytes | None:
    """The archived bytes of a transcript's companion, if there is one."""
    for place in (kept_at(transcript.path, path), path):
        row = files.live_file(db, transcript._replace(path=place).key)
        if row is not None and row.held_bytes:
            return b"".join(archive.read(archive_name(row.key, row.generation), row.held_bytes))
    return None


class _Indexed(NamedTuple):
    """Texts to be indexed when all other rows are written: between other statements the index would write itself out
    again and again."""

    captured: Captured
    part_ids: dict[int, int]


class Committer:
    """Puts derived files into an open transaction; `settle` makes them consistent before it is committed."""

    def __init__(self, store: Store, rules: Rules) -> None:
        self._store = store
        self._db = store.db
        self._rules = rules
        self._redactor = redactor_for(rules.key, rules.people, rules.allow)
        self._dirty: set[int] = set()
        self._touched: set[int] = set()
        self._texts: dict[int, _Indexed] = {}

    def put(self, origin: Origin, derived: Derived, companions_mark: str = "", *, is_again: bool = False) -> bool:
        """Writes one transcript. False if there was no session in it and it was not kept. One that was given up and is
        as it was then is written only if it `is_again` wanted."""
        row = files.live_file(self._db, origin.key)
        is_same = row is not None and derived.sha256 == row.sha256 and not is_again
        if row and row.is_dropped and (derived.mode is Mode.FAILED or is_same):
            self._note_unchanged(row, derived, companions_mark)
            return True
        rewritten = row if row and _is_superseded(row, derived) else None
        if rewritten:
            files.retire_file(self._db, rewritten.id)
            row = None
        file_id = row.id if row else self._add(origin, TRANSCRIPT, rewritten.generation + 1 if rewritten else 0)
        if derived.mode is Mode.FAILED:
            files.note_state(self._db, file_id, "failed", derived.error)
            return True
        stat = (derived.size_bytes, derived.mtime_ns, derived.inode, companions_mark)
        files.note_stat(self._db, file_id, *stat)
        if derived.mode is Mode.UNCHANGED:
            return True
        if not (row and row.held_bytes) and not _is_worth_keeping(derived):
            files.note_state(self._db, file_id, "empty")
            return False
        self._archive(file_id, origin, derived)
        for copy in derived.copies:
            self._put_copy(origin._replace(path=PurePosixPath(os.fsdecode(copy.path))), copy)
        start = row.cursor if row and derived.mode is Mode.APPEND else 0
        self._put_reading(file_id, origin, derived, start)
        for earlier in files.earlier_generations(self._db, origin.key):
            self._drop_if_contained(earlier, keys_held(derived.resume))
        return True

    def _note_unchanged(self, row: FileRow, derived: Derived, companions_mark: str) -> None:
        """A file whose original was given up, as it was then: it stays given up."""
        if derived.mode is not Mode.FAILED:
            derived.mode, derived.captured = Mode.UNCHANGED, None
            files.note_stat(self._db, row.id, derived.size_bytes, derived.mtime_ns, derived.inode, companions_mark)

    def adopt(self, origin: Origin, generation: int, derived: Derived, *, is_live: bool) -> None:
        """Writes the rows of a transcript that the archive holds and the database does not know."""
        file_id = self._add(origin, TRANSCRIPT, generation)
        if not is_live:
            files.retire_file(self._db, file_id)
        self._put_reading(file_id, origin, derived, 0)

    def adopt_companion(self, origin: Origin, name: ArchiveName, generation: int, *, is_live: bool) -> None:
        """The same for a companion."""
        file_id = self._add(origin, COMPANION, generation)
        if not is_live:
            files.retire_file(self._db, file_id)
        held = sum(len(piece) for piece in self._store.archive.read(name))
        files.note_held(self._db, file_id, held, self._store.archive.digest(name, held))
        files.note_state(self._db, file_id, "read")

    def adopt_remains(self, origin: Origin, generation: int, drop: Drop, remains: Remains, *, is_live: bool) -> None:
        """The same for a transcript of which the archive holds the remains. Before all transcripts: what its parts
        own cannot go to others."""
        file_id = self._add(origin, TRANSCRIPT, generation)
        if not is_live:
            files.retire_file(self._db, file_id)
        captured = remains.captured
        part_ids: dict[int, int] = {}
        for position, facts in enumerate(captured.parts):
            session = sessions.session_id(self._db, origin.agent, facts.native_id)
            precedence = self._precedence(file_id, facts)
            part_ids[position] = parts.put_part(self._db, file_id, session, precedence, facts)
            self._touched.add(session)
        for position, keys in enumerate(captured.claims):
            claims.claim(self._db, part_ids[position], keys)
        parts.put_problems(self._db, file_id, 0, captured.problems)
        files.note_reading(self._db, file_id, remains.cursor, b"", remains.known, remains.unknown)
        put_remains(self._db, file_id, drop, remains, part_ids)
        self._texts[file_id] = _Indexed(replace(captured, texts=searchable(captured)), part_ids)
        for companion in {one.path: one for one in sorted(remains.companions, key=_generation)}.values():
            self._adopt_left(origin._replace(path=PurePosixPath(os.fsdecode(companion.path))), companion, drop)

    def _adopt_left(self, origin: Origin, companion: LeftCompanion, drop: Drop) -> None:
        """A companion that went with its transcript, or should have, had the run not been killed."""
        row = files.live_file(self._db, origin.key)
        if row is not None and row.generation != companion.generation:
            return
        if row is not None:
            files.doom(self._db, archive_name(row.key, row.generation))
        file_id = row.id if row else self._add(origin, COMPANION, companion.generation)
        gone = drop._replace(dropped_bytes=companion.dropped_bytes, sha256=companion.sha256)
        raw.note_dropped(self._db, file_id, gone, None)

    def note_source(self, origin: Origin, found: Found, sessions: int, error: str = "") -> None:
        """What was found of a database or folder whose sessions are transcripts of their own."""
        row = files.live_file(self._db, origin.key)
        file_id = row.id if row else self._add(origin, SOURCE, 0)
        files.note_stat(self._db, file_id, found.size_bytes, found.mtime_ns, found.inode, "")
        files.note_state(self._db, file_id, "failed" if error else "read", error)
        files.note_reading(self._db, file_id, 0, b"", {SESSIONS: sessions}, {})

    def derive_again(self, file_ids: Iterable[int]) -> None:
        """Has these files derived again from the archive when everything is settled."""
        self._dirty.update(file_ids)

    def settle(self) -> None:
        """Derives again what lost records to others, and merges the parts of all sessions that changed."""
        self._settle_once()
        while self._put_in_the_shade():
            self._settle_once()
        for indexed in self._texts.values():
            parts.put_texts(self._db, indexed.captured, indexed.part_ids)
        self._texts.clear()

    def _settle_once(self) -> None:
        while self._dirty:
            file_id = min(self._dirty)
            self._dirty.discard(file_id)
            row = files.file_by_id(self._db, file_id)
            if not row.is_dropped:
                self._derive_again(row)
        for session in sorted(self._touched):
            sessions.refresh_session(self._db, session)
        self._touched.clear()

    def _put_in_the_shade(self) -> bool:
        """Gives histories of prompts the parts that no transcript tells better. False if all had them already."""
        has_changed = False
        for row in files.files_named(self._db, HISTORY.name):
            held = parts_held(row.resume) if row.resume else []
            wanted = {part.native_id for part in held} - self._shaded(row.agent, held)
            if wanted != {part.facts.native_id for part in parts.parts_of_file(self._db, row.id)}:
                origin = origin_in(self._store.archive.header(archive_name(row.key, row.generation)))
                self._put_reading(row.id, origin, self.derived_from_archive(row), 0)
                has_changed = True
        return has_changed

    def _shaded(self, agent: str, facts: list[PartFacts]) -> set[str]:
        return shaded(self._db, agent, facts, UNNAMED)

    def _add(self, origin: Origin, role: str, generation: int) -> int:
        path = self._redactor.path(clean(str(origin.path)))
        return files.add_file(self._db, origin.agent, origin.key, generation, path, role)

    def _archive(self, file_id: int, origin: Origin, derived: Derived) -> None:
        row = files.file_by_id(self._db, file_id)
        name = archive_name(row.key, row.generation)
        self._store.archive.append(name, origin.header(row.role, row.generation), row.held_bytes, derived.frames)

    def _put_copy(self, origin: Origin, copy: Copy) -> None:
        row = files.live_file(self._db, origin.key)
        if row and row.is_dropped:
            files.delete_file(self._db, row.id)
            generation, row = row.generation + 1, None
        else:
            generation = row.generation + 1 if row else 0
        if row and row.sha256 != copy.sha256:
            files.retire_file(self._db, row.id)
        if row is None or row.sha256 != copy.sha256:
            file_id = self._add(origin, COMPANION, generation)
            name = archive_name(origin.key, generation)
            self._store.archive.append(name, origin.header(COMPANION, generation), 0, copy.frames)
        else:
            file_id = row.id
        files.note_stat(self._db, file_id, copy.size_bytes, copy.mtime_ns, copy.inode, "")
        files.note_state(self._db, file_id, "read")
        files.note_held(self._db, file_id, copy.held_bytes, copy.sha256)

    def _put_reading(self, file_id: int, origin: Origin, derived: Derived, start: int) -> None:
        """The rows of a reading, and the claims on what it read."""
        captured = _captured(derived)
        is_append = derived.mode is Mode.APPEND
        part_ids = self._put_rows(file_id, origin.agent, captured, is_append=is_append)
        parts.put_problems(self._db, file_id, start, captured.problems)
        self._note(file_id, derived)
        for position, part_id in part_ids.items():
            precedence = self._precedence(file_id, captured.parts[position])
            self._claim(file_id, part_id, precedence, captured.claims[position])

    def _put_rows(self, file_id: int, agent: str, captured: Captured, *, is_append: bool) -> dict[int, int]:
        """Parts, events, actions and spends. Returns the parts' ids by position."""
        known = {part.facts.native_id: part for part in parts.parts_of_file(self._db, file_id)}
        self._touched.update(part.session_id for part in known.values())
        if not is_append:
            for part in known.values():
                parts.clear_rows(self._db, part.id)
        part_ids: dict[int, int] = {}
        in_the_shade = self._shaded(agent, captured.parts)
        for position, facts in enumerate(captured.parts):
            if facts.is_empty or facts.native_id in in_the_shade:
                continue
            session = sessions.session_id(self._db, agent, facts.native_id)
            precedence = self._precedence(file_id, facts)
            part_ids[position] = parts.put_part(self._db, file_id, session, precedence, facts)
            self._touched.add(session)
            before = known.pop(facts.native_id, None)
            if before and before.precedence != precedence:
                self._dirty.update((file_id, *claims.copiers_of(self._db, file_id)))
            if is_append and not before:
                self._dirty.add(file_id)  # it may have had events before it was worth a part
        for gone in known.values() if not is_append else ():
            self._dirty.update(claims.copiers_of(self._db, file_id))
            parts.delete_part(self._db, gone.id)
        parts.put_rows(self._db, captured, part_ids)
        self._texts[file_id] = _Indexed(captured, part_ids)
        return part_ids

    def _note(self, file_id: int, derived: Derived) -> None:
        files.note_state(self._db, file_id, "read")
        files.note_held(self._db, file_id, derived.held_bytes, derived.sha256)
        files.note_reading(self._db, file_id, derived.cursor, derived.resume, derived.known, derived.unknown)
        step("rows and cursor are written, not committed")

    def _precedence(self, file_id: int, facts: PartFacts) -> str:
        """Sorts the parts that hold the same record: the session that others came out of owns it."""
        row = files.file_by_id(self._db, file_id)
        first = _LATE if facts.first_ms is None else facts.first_ms
        rank = PARTIAL if facts.is_partial else int(bool(facts.parent))
        return f"{rank} {first:016d} {facts.native_id} {row.key.hex()} {row.generation:06d}"

    def _claim(self, file_id: int, part_id: int, precedence: str, keys: list[int]) -> None:
        for rival in claims.claim(self._db, part_id, keys):
            if rival.precedence < precedence:
                self._dirty.add(file_id)
            else:
                claims.take_over(self._db, part_id, rival.keys)
                self._dirty.add(rival.file_id)

    def _derive_again(self, row: FileRow) -> None:
        """Derives a file from the archive, without the records that belong to other parts."""
        held = keys_of(row)
        lost: set[int] = set()
        owners: set[int] = set()
        for part in parts.parts_of_file(self._db, row.id):
            keys = held.get(part.facts.native_id, [])
            self._claim(row.id, part.id, part.precedence, keys)
            for rival in claims.rivals(self._db, part.id, keys):
                lost.update(rival.keys)
                owners.add(rival.file_id)
        self._dirty.discard(row.id)
        derived = self.derived_from_archive(row, frozenset(lost))
        self._put_rows(row.id, row.agent, _captured(derived), is_append=False)
        parts.put_problems(self._db, row.id, 0, _captured(derived).problems)
        self._note(row.id, derived)
        claims.note_copies(self._db, row.id, owners - {row.id})

    def derived_from_archive(self, row: FileRow, copied: frozenset[int] = frozenset()) -> Derived:
        archive = self._store.archive
        name = archive_name(row.key, row.generation)
        origin = origin_in(archive.header(name))
        pieces = archive.read(name, row.held_bytes)

        def companion(path: PurePosixPath) -> bytes | None:
            return companion_bytes(self._db, archive, origin, path)

        return derive_archived(origin.agent, origin.path, pieces, companion, self._rules, copied)

    def drop_contained_generations(self) -> None:
        """After a rebuild: forgets earlier generations of which `learn` would have kept nothing."""
        rows = files.all_files(self._db)
        live = {row.key: row for row in rows if row.is_live and row.role == TRANSCRIPT}
        for row in rows:
            now = live.get(row.key)
            if not row.is_live and row.role == TRANSCRIPT and now is not None and now.resume:
                self._drop_if_contained(row, keys_of(now))
                self._dirty.add(now.id)

    def _drop_if_contained(self, old: FileRow, present: Mapping[str, list[int]]) -> None:
        """Forgets an earlier generation of a rewritten file if the present one holds all its records."""
        now = {key for keys in present.values() for key in keys}
        before = keys_of(old)
        if not all(key in now for keys in before.values() for key in keys):
            return
        self._dirty.update(claims.copiers_of(self._db, old.id))
        for part in parts.parts_of_file(self._db, old.id):
            claims.release(self._db, part.id, before.get(part.facts.native_id, []))
            self._touched.add(part.session_id)
            parts.delete_part(self._db, part.id)
        self._dirty.discard(old.id)
        self._texts.pop(old.id, None)
        files.delete_file(self._db, old.id)
        files.doom(self._db, archive_name(old.key, old.generation))


def _generation(companion: LeftCompanion) -> int:
    return companion.generation


def _is_superseded(row: FileRow, derived: Derived) -> bool:
    """Whether what was read is a new generation of the file."""
    return row.is_dropped or bool(row.held_bytes and derived.mode is Mode.REWRITTEN)


def keys_of(row: FileRow) -> dict[str, list[int]]:
    """The keys of all records that a file was found to hold, by session."""
    if not row.resume:
        return {}
    return unpacked_keys(row.resume) if row.is_dropped else keys_held(row.resume)


def put_remains(db: apsw.Connection, file_id: int, drop: Drop, remains: Remains, part_ids: Mapping[int, int]) -> None:
    """The rows of a transcript as its remains have them. Its claims, and what can be searched, stay as they are."""
    parts.put_rows(db, remains.captured, dict(part_ids))
    claims.note_copies(db, file_id, set())
    raw.note_dropped(db, file_id, drop, packed_keys(remains.keys))


def remove_doomed(store: Store) -> None:
    """Removes archive objects whose rows a committed transaction has dropped."""
    for name in files.doomed(store.db):
        store.archive.remove(ArchiveName(name))
        step("a doomed archive object is removed")
        with transaction(store.db):
            files.undoom(store.db, name)


def _captured(derived: Derived) -> Captured:
    assert derived.captured is not None
    return derived.captured


def _is_worth_keeping(derived: Derived) -> bool:
    """A session, or records that a better reader may understand one day. Known noise alone is neither."""
    captured = _captured(derived)
    has_session = any(not facts.is_empty for facts in captured.parts)
    has_damage = any(not problem.is_passing for problem in captured.problems)
    return has_session or has_damage or bool(derived.unknown)
