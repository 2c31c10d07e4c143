"""Writes the rows of readings into an open transaction, and settles who owns records that several parts hold.

Parts claim the keys of their records. Files that lost a record to another part are derived again from the archive when
`settle` is called, within the same transaction, so that no reader ever sees a record counted twice. Of the archive only
what the rows say is held is read, so that bytes of a run that was killed are never taken for content; objects are
removed after their rows. When the transaction is committed is left to the callers: `capture.commit` for live files,
`engine.archive.rebuild` for what the archive holds.
"""

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

import apsw

from afterwit.agents.prompt_history import HISTORY, UNNAMED
from afterwit.capture.derive import derive_archived
from afterwit.capture.derived import (
    Derived,
    Origin,
    ReadingMode,
    captured_in,
    keys_held,
    keys_of,
    origin_in,
    parts_held,
)
from afterwit.capture.logs import kept_at
from afterwit.config.run_rules import RunRules, redactor_for
from afterwit.model.captured import Captured, PartFacts
from afterwit.model.errors import DamagedError
from afterwit.redaction.hygiene import clean
from afterwit.store.archive import Archive, ArchiveName
from afterwit.store.atomic import step
from afterwit.store.checksums import seal
from afterwit.store.database import transaction
from afterwit.store.rows import files, parts, sessions
from afterwit.store.rows.files import FileRow
from afterwit.store.rows.parts import PARTIAL, superseded_ids
from afterwit.store.store import Store

_LATE = 10**15  # a part without any time comes after all that have one


def companion_bytes(db: apsw.Connection, archive: Archive, transcript: Origin, path: PurePosixPath) -> bytes | None:
    """The archived bytes of a transcript's companion, if there is one."""
    for place in (kept_at(transcript.path, path), path):
        row = files.live_file(db, transcript._replace(path=place).key)
        if row is not None and row.held_bytes:
            try:
                return b"".join(archive.read(row.archived_as, row.held_bytes))
            except DamagedError:  # as good as gone; `verify` says what is wrong with it
                return None
    return None


def derived_from_archive(store: Store, rules: RunRules, row: FileRow, copied: frozenset[int] = frozenset()) -> Derived:
    """A transcript's rows, made anew from its archived bytes, without the records that are `copied`."""
    name = row.archived_as
    origin = origin_in(store.archive.header(name))
    pieces = store.archive.read(name, row.held_bytes)

    def companion(path: PurePosixPath) -> bytes | None:
        return companion_bytes(store.db, store.archive, origin, path)

    return derive_archived(origin.agent, origin.path, pieces, companion, rules, copied, is_tracked=origin.is_tracked)


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
        captured = captured_in(derived)
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
        self._settle_once()
        while self._supersede_partial():
            self._settle_once()
        for indexed in self._texts.values():
            parts.put_texts(self._db, indexed.captured, indexed.part_ids)
        seal(self._db, self._texts)
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
        files.note_removable(self._db, old.archived_as)

    def note_damaged(self, file_id: int, error: DamagedError) -> None:
        """The archive does not hold a file as it should. Its rows stay as they are, and say so; a `learn` that finds
        the file where the agent left it reads it again, into the next generation."""
        files.note_state(self._db, file_id, files.DAMAGED, f"{error} {files.REMEDY}")

    def _derived(self, row: FileRow, copied: frozenset[int] = frozenset()) -> Derived | None:
        """The rows of a file as its archived bytes give them; None where these are damaged."""
        try:
            return derived_from_archive(self._store, self._rules, row, copied)
        except DamagedError as error:
            self.note_damaged(row.id, error)
            return None

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

    def _supersede_partial(self) -> bool:
        """Gives histories of prompts the parts that no transcript tells better. False if all had them already."""
        has_changed = False
        for row in files.files_named(self._db, HISTORY.name):
            parts_read = parts_held(row.resume) if row.resume else []
            wanted = {part.native_id for part in parts_read} - self._superseded(row.agent, parts_read)
            if wanted != {part.facts.native_id for part in parts.parts_of_file(self._db, row.id)}:
                derived = self._derived(row)
                if derived is not None:
                    self.put_reading(row.id, row.agent, derived, 0)
                    has_changed = True
        return has_changed

    def _superseded(self, agent: str, facts: list[PartFacts]) -> set[str]:
        return superseded_ids(self._db, agent, facts, UNNAMED)

    def _put_rows(self, file_id: int, agent: str, captured: Captured, *, is_append: bool) -> dict[int, int]:
        """Parts, events, actions and spends. Returns the parts' ids by position."""
        before_by_id = {part.facts.native_id: part for part in parts.parts_of_file(self._db, file_id)}
        self._touched.update(part.session_id for part in before_by_id.values())
        if not is_append:
            for part in before_by_id.values():
                parts.clear_rows(self._db, part.id)
        part_ids: dict[int, int] = {}
        superseded = self._superseded(agent, captured.parts)
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
        derived = self._derived(row, frozenset(lost))
        if derived is None:
            return
        self._put_rows(row.id, row.agent, captured_in(derived), is_append=False)
        parts.put_problems(self._db, row.id, 0, captured_in(derived).problems)
        self._note(row.id, derived)
        parts.note_copies(self._db, row.id, owners - {row.id})
        self._claim_anew(row.id, keys_by_session, keys_held(derived.resume))

    def _claim_anew(self, file_id: int, before: Mapping[str, list[int]], now: Mapping[str, list[int]]) -> None:
        """A later reader may know records by other keys than the one that read the file first."""
        for part in parts.parts_of_file(self._db, file_id):
            earlier, later = (set(keys.get(part.facts.native_id, [])) for keys in (before, now))
            parts.release(self._db, part.id, sorted(earlier - later))
            self._claim(file_id, part.id, part.precedence, sorted(later - earlier))
