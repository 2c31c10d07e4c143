"""The journal: what cannot be derived again, as an append-only, hash-chained log, one chain per machine.

A database of its own, committed with `synchronous=FULL`, so that losing the derived database costs no decision. Each
entry's hash covers the one before it, so that `verify` says where one was changed, removed or inserted; only who
remembers the last entry of a chain can tell that its end is missing (`lost`). How far each chain was applied stands in
the database and in a small file beside the journal, which may lag behind and never runs ahead.

Entries count in the order of their moments, which never go back within a chain, whatever the clock does. Entries are
redacted by whoever writes them. What a person has erased leaves the bodies of earlier entries, too: the entry that says
so names each of them with a hash of its new body.
"""

import hashlib
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.model.errors import DamagedError
from afterwit.model.times import iso_from_ms
from afterwit.store.atomic import make_way, replace_file, step
from afterwit.store.database import connect, is_damage, migrate, migrations, transaction
from afterwit.store.decisions import JournalEntry
from afterwit.store.layout import Layout
from afterwit.store.regular_files import read_regular

_IN_ORDER = """SELECT machine, number, max(at_ms) OVER (PARTITION BY machine ORDER BY number) AS moment, kind, body
               FROM entries ORDER BY moment, machine, number"""
# Steps from chain to chain instead of reading them all: this is asked before every entry.
_HEADS = """WITH RECURSIVE chains(machine) AS (
                SELECT min(machine) FROM entries
                UNION ALL SELECT (SELECT min(machine) FROM entries WHERE machine > chains.machine) FROM chains
                    WHERE chains.machine IS NOT NULL)
            SELECT entries.machine, number, hash, at_ms FROM chains JOIN entries ON entries.machine = chains.machine
            WHERE number = (SELECT max(number) FROM entries WHERE machine = chains.machine) ORDER BY 1"""
_FAR_MS = 1 << 47  # beyond this no calendar goes
ERASING = "sessions-erased"  # the kind of entry that may name others whose bodies were changed
_CHANGED = "changed"  # in its body: [[machine, number, hash of the body], …]


class ChainHead(NamedTuple):
    """The last entry of a chain."""

    number: int
    hash: str  # "": not known
    at_ms: int  # 0: not known


class _Erasure(msgspec.Struct):
    """What matters here of an entry that something was erased."""

    changed: list[tuple[str, int, str]] = []


class Journal:
    """An open journal. Closing it is the caller's job."""

    def __init__(self, path: Path, backups: Path) -> None:
        try:
            self._db = connect(path, durable=True)
            migrate(self._db, migrations("journal_migrations"), backups)
            self.machine = self._machine()
        except (DamagedError, UnicodeDecodeError) as error:
            raise DamagedError(
                f"{path} is damaged ({error.__cause__ or error}), and nothing else holds what is in it. Restore it "
                "from a backup, or move it away to go on without the decisions that it holds."
            ) from error

    def append(self, kind: str, body: Mapping[str, Any], at_ms: int) -> JournalEntry:
        """Adds one entry to this machine's chain, durably. Its moment is never before that of the one before it, and
        after those of other machines that were here already."""
        with transaction(self._db):
            others = self.heads()
            before = others.pop(self.machine, ChainHead(0, "", 0))
            moment = max(at_ms, before.at_ms, *(head.at_ms + 1 for head in others.values()))
            entry = JournalEntry(self.machine, before.number + 1, moment, kind, dict(body))
            values = (*entry.row, _chain_hash(before.hash, *entry.row))
            self._db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", values)
            step("a journal entry is written, not committed")
        return entry

    def erase(self, body: Mapping[str, Any], changed: Mapping[tuple[str, int], Mapping[str, Any]], at_ms: int) -> None:
        """Adds an entry that something was erased, and gives entries, by machine and number, another body: all of it or
        nothing."""
        texts = {place: msgspec.json.encode(other, order="deterministic").decode() for place, other in changed.items()}
        listed = [[*place, _hash_of(text)] for place, text in sorted(texts.items())]
        with transaction(self._db):
            self.append(ERASING, {**body, _CHANGED: listed}, at_ms)
            for place, text in texts.items():
                self._db.execute("UPDATE entries SET body = ? WHERE machine = ? AND number = ?", (text, *place))
            step("an erasure is in the journal, not committed")

    def entries(self) -> Iterator[JournalEntry]:
        """All entries in the order in which decisions count: by moment, then machine and number. The moments of a
        chain that was written before clocks were minded are those of the latest entry so far."""
        try:
            for row in self._db.execute(_IN_ORDER):
                try:
                    yield JournalEntry.from_row(*row)
                except msgspec.DecodeError as error:
                    what = f"journal: entry {row[1]} of machine {row[0]} cannot be read: {error}"
                    raise DamagedError(what) from error
        except UnicodeDecodeError as error:
            raise DamagedError(f"journal: an entry cannot be read: {error}") from error

    def heads(self) -> dict[str, ChainHead]:
        """The last entry of each machine."""
        return {machine: ChainHead(*head) for machine, *head in self._db.execute(_HEADS)}

    def head_at(self, machine: str, number: int) -> ChainHead | None:
        """The entry with this number, as a head."""
        query = "SELECT number, hash, at_ms FROM entries WHERE machine = ? AND number = ?"
        row = self._db.execute(query, (machine, number)).fetchone()
        return ChainHead(*row) if row else None

    def lost(self, seen_heads: Mapping[str, ChainHead]) -> list[str]:
        """What this journal lacks of entries that were seen before; nothing, if all is well. Costs a look at the last
        entry of each chain."""
        heads, texts = self.heads(), list[str]()
        for machine, head in sorted(seen_heads.items()):
            present = self.head_at(machine, head.number)
            if present is None:
                texts.append(_describe_missing(machine, heads.get(machine, ChainHead(0, "", 0)), head))
            elif head.hash and present.hash != head.hash:
                texts.append(
                    f"entry {head.number} of machine {machine}{_until(head)} is not the one that was seen"
                    " before: this is another journal, or an older one that was written on"
                )
        return texts

    def count(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM entries").get)

    def verify(self, seen_heads: Mapping[str, ChainHead] = MappingProxyType({})) -> list[str]:
        """What is wrong with the chains; nothing, if all is well. `last_heads` says up to which entry each machine's
        chain was seen before: only so can the loss of its last entries be noticed."""
        texts: list[str] = []
        before, last = "", ("", 0)
        changed = self._changed()
        query = "SELECT machine, number, at_ms, kind, body, hash FROM entries ORDER BY machine, number"
        try:
            integrity = self._db.pragma("integrity_check")
            if integrity != "ok":
                texts.append(str(integrity))
            for machine, number, at_ms, kind, body, digest in self._db.execute(query):
                if machine != last[0]:
                    before, last = "", (machine, 0)
                if number != last[1] + 1:
                    texts.append(_gap(machine, last[1] + 1, number - 1))
                elif digest != _chain_hash(before, machine, number, at_ms, kind, body) and changed.get(
                    (machine, number)
                ) != _hash_of(body):
                    texts.append(f"entry {number} of machine {machine} was changed after it was written")
                before, last = digest, (machine, number)
            return texts + self.lost(seen_heads)
        except (apsw.Error, UnicodeDecodeError, TypeError) as error:
            if isinstance(error, apsw.Error) and not is_damage(error):
                raise
            return [*texts, str(error)]

    def compact(self) -> bool:
        """Gives unused pages back, and leaves nothing of what was deleted. False, where somebody reads the journal, so
        that its log could not be emptied."""
        self._db.execute("VACUUM")
        row = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return row is not None and row[0] == 0

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is appended inside is there as a whole, or not at all."""
        with transaction(self._db):
            yield

    def close(self) -> None:
        self._db.close()

    def _changed(self) -> dict[tuple[str, int], str]:
        """Which entries were given another body, each with a hash of its latest."""
        latest: dict[tuple[str, int], str] = {}
        for (body,) in self._db.execute("SELECT body FROM entries WHERE kind = ? ORDER BY at_ms, number", (ERASING,)):
            try:
                listed = msgspec.json.decode(body, type=_Erasure).changed
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue  # its own hash tells that it is damaged
            latest.update({(machine, number): digest for machine, number, digest in listed})
        return latest

    def _machine(self) -> str:
        with transaction(self._db):
            row = self._db.execute("SELECT id FROM machine").fetchone()
            if row is None:
                row = (secrets.token_hex(8),)
                self._db.execute("INSERT INTO machine VALUES (?)", row)
        if not isinstance(row[0], str):
            raise DamagedError("journal.db: the machine's id is damaged")
        return row[0]


def _gap(machine: str, first: int, last: int) -> str:
    which = f"entry {first}" if first == last else f"entries {first} to {last}"
    return f"{which} of machine {machine} cannot be found"


def _describe_missing(machine: str, present: ChainHead, last_seen: ChainHead) -> str:
    since = f", made since {_minute(present.at_ms)}" if present.at_ms else ""
    return f"{_gap(machine, present.number + 1, last_seen.number)}{since}{_until(last_seen)}"


def _until(head: ChainHead) -> str:
    return f", the last of {_minute(head.at_ms)}" if head.at_ms else ""


def _minute(at_ms: int) -> str:
    return iso_from_ms(at_ms)[:16].replace("T", " ") if 0 <= at_ms < _FAR_MS else f"{at_ms} ms"


def _hash_of(body: str) -> str:
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


def _chain_hash(before: str, machine: str, number: int, at_ms: int, kind: str, body: str) -> str:
    content = msgspec.json.encode([before, machine, number, at_ms, kind, body])
    return hashlib.sha256(content).hexdigest()


def heads_applied(db: apsw.Connection) -> dict[str, ChainHead]:
    return {
        machine: ChainHead(*head) for machine, *head in db.execute("SELECT machine, number, hash, at_ms FROM applied")
    }


def note_applied(db: apsw.Connection, machine: str, head: ChainHead) -> None:
    db.execute("INSERT OR REPLACE INTO applied (machine, number, hash, at_ms) VALUES (?, ?, ?, ?)", (machine, *head))


def last_heads(layout: Layout, applied_heads: Mapping[str, ChainHead]) -> dict[str, ChainHead]:
    """The last entry of each machine that was ever seen: what the database knows and what the file beside the journal
    says, whichever is further."""
    heads = _heads_beside(layout) or {}
    for machine, head in applied_heads.items():
        if machine not in heads or heads[machine].number <= head.number:
            heads[machine] = head
    return heads


def journal_faults(layout: Layout, db: apsw.Connection, journal: Journal) -> list[str]:
    """What is wrong with the journal, in itself and by what was seen of it."""
    return journal.verify(last_heads(layout, heads_applied(db)))


def heads_fault(layout: Layout) -> str:
    """What is wrong with the file beside the journal; "" if it can be read, or was never written."""
    if _heads_beside(layout) is not None:
        return ""
    return f"{layout.journal_heads.name} cannot be read; the next `afterwit learn` writes it again"


def mend_heads(layout: Layout, db: apsw.Connection) -> None:
    """Writes the file beside the journal again from what the database knows, where it cannot be read."""
    if _heads_beside(layout) is None:
        keep_heads(layout, heads_applied(db))


def _heads_beside(layout: Layout) -> dict[str, ChainHead] | None:
    """None, if it cannot be read."""
    try:
        return msgspec.json.decode(read_regular(layout.journal_heads), type=dict[str, ChainHead])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def keep_heads(layout: Layout, heads: dict[str, ChainHead]) -> None:
    """Durably, beside the journal."""
    make_way(layout.journal_heads)
    replace_file(layout.journal_heads, msgspec.json.encode(heads, order="deterministic"))


def refuse_lost(layout: Layout, db: apsw.Connection, journal: Journal) -> None:
    """Stops whoever would go on with a journal that lacks what was applied from it."""
    refuse_faults(layout, journal.lost(last_heads(layout, heads_applied(db))))


def refuse_missing(layout: Layout, heads: Mapping[str, ChainHead]) -> None:
    """The same for a journal that is not there at all, before an empty one takes its place."""
    if not layout.journal.exists():
        count = sum(head.number for head in heads.values())
        entries = "1 entry" if count == 1 else f"{count:,} entries"
        refuse_faults(layout, [f"the file is gone, and {entries} with it"] if count else [])


def refuse_faults(layout: Layout, faults: Sequence[str]) -> None:
    if faults:
        raise DamagedError(
            f"{layout.journal} lacks decisions that were made: {'; '.join(faults)}. Nothing was changed. Restore the"
            " file from a backup. To go on without what is lost, run `afterwit store rebuild --accept-journal`."
        )
