"""Writes what was derived: archive first, then the rows, cursor and claims in one transaction.

Killed anywhere, the store stands where the last commit left it, and the next run does the rest. Copied history is
settled before the commit: files that lost a record to another part are derived again from the archive, within the same
transaction, so that no reader ever sees a record counted twice.
"""

import os
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import apsw

from afterwit.agents.prompt_history import HISTORY, UNNAMED
from afterwit.guard.hygiene import clean
from afterwit.model.captured import Captured, PartFacts
from afterwit.store import claims, files, parts, sessions
from afterwit.store.archive import Archive, ArchiveName, archive_name
from afterwit.store.files import FileRow, file_key
from afterwit.store.shade import PARTIAL, shaded
from afterwit.store.steps import step
from afterwit.store.store import Store
from afterwit.usecases.derive import Copy, Derived, Mode, Rules, derive_archived, keys_held, parts_held, redactor_for

TRANSCRIPT, COMPANION = "transcript", "companion"
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


def companion_bytes(db: apsw.Connection, archive: Archive, origin: Origin) -> bytes | None:
    """The archived bytes of a companion, if there is one."""
    row = files.live_file(db, origin.key)
    if row is None or not row.held_bytes:
        return None
    return b"".join(archive.read(archive_name(row.key, row.generation), row.held_bytes))


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

    def put(self, origin: Origin, derived: Derived, companions_mark: str = "") -> bool:
        """Writes one transcript. False if there was no session in it and it was not kept."""
        row = files.live_file(self._db, origin.key)
        rewritten = row if row and row.held_bytes and derived.mode is Mode.REWRITTEN else None
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
        if rewritten:
            self._drop_if_contained(rewritten, derived.resume)
        return True

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
            self._derive_again(files.file_by_id(self._db, file_id))
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
        if row and row.sha256 != copy.sha256:
            files.retire_file(self._db, row.id)
        if row is None or row.sha256 != copy.sha256:
            generation = row.generation + 1 if row else 0
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
        held = keys_held(row.resume) if row.resume else {}
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
            return companion_bytes(self._db, archive, origin._replace(path=path))

        return derive_archived(origin.agent, origin.path, pieces, companion, self._rules, copied)

    def drop_contained_generations(self) -> None:
        """After a rebuild: forgets earlier generations of which `learn` would have kept nothing."""
        rows = files.all_files(self._db)
        live = {row.key: row for row in rows if row.is_live and row.role == TRANSCRIPT}
        for row in rows:
            now = live.get(row.key)
            if not row.is_live and row.role == TRANSCRIPT and now is not None and now.resume:
                self._drop_if_contained(row, now.resume)
                self._dirty.add(now.id)

    def _drop_if_contained(self, old: FileRow, resume: bytes) -> None:
        """Forgets an earlier generation of a rewritten file if the present one holds all its records."""
        now = {key for keys in keys_held(resume).values() for key in keys}
        before = keys_held(old.resume) if old.resume else {}
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


def _captured(derived: Derived) -> Captured:
    assert derived.captured is not None
    return derived.captured


def _is_worth_keeping(derived: Derived) -> bool:
    """A session, or records that a better reader may understand one day. Known noise alone is neither."""
    captured = _captured(derived)
    has_session = any(not facts.is_empty for facts in captured.parts)
    has_damage = any(not problem.is_passing for problem in captured.problems)
    return has_session or has_damage or bool(derived.unknown)
