"""How far each machine's journal has been applied to the database.

The same is kept in a small file beside the journal, so that the loss of the journal's last entries is noticed even
where the database is lost with them. What the file says is a lower bound: it may lag behind, it never runs ahead.
"""

from collections.abc import Mapping, Sequence

import apsw
import msgspec

from afterwit.model.errors import DamagedError
from afterwit.store.journal import Head, Journal
from afterwit.store.layout import Layout, replace_private


def applied(db: apsw.Connection) -> dict[str, Head]:
    return {machine: Head(*head) for machine, *head in db.execute("SELECT machine, number, hash, at_ms FROM applied")}


def note_applied(db: apsw.Connection, machine: str, head: Head) -> None:
    db.execute("INSERT OR REPLACE INTO applied (machine, number, hash, at_ms) VALUES (?, ?, ?, ?)", (machine, *head))


def seen_heads(layout: Layout, db: apsw.Connection | None) -> dict[str, Head]:
    """The last entry of each machine that was ever seen, as far as it is known."""
    found = heads_beside(layout)
    for machine, head in (applied(db) if db is not None else {}).items():
        if machine not in found or found[machine].number <= head.number:
            found[machine] = head
    return found


def heads_beside(layout: Layout) -> dict[str, Head]:
    """What the file beside the journal says. One that cannot be read says nothing: it is made again."""
    try:
        return msgspec.json.decode(layout.journal_heads.read_bytes(), type=dict[str, Head])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}


def keep_heads(layout: Layout, heads: dict[str, Head]) -> None:
    """Durably, beside the journal."""
    replace_private(layout.journal_heads, msgspec.json.encode(heads, order="deterministic"))


def refuse_lost(layout: Layout, db: apsw.Connection | None, journal: Journal) -> None:
    """Stops whoever would go on with a journal that lacks what was applied from it."""
    refuse_faults(layout, journal.lost(seen_heads(layout, db)))


def refuse_gone(layout: Layout, seen: Mapping[str, Head]) -> None:
    """The same for a journal that is not there at all, before an empty one takes its place."""
    if not layout.journal.exists():
        count = sum(head.number for head in seen.values())
        refuse_faults(layout, [f"the file is gone, and {count:,} entries with it"] if count else [])


def refuse_faults(layout: Layout, faults: Sequence[str]) -> None:
    if faults:
        raise DamagedError(
            f"{layout.journal} lacks decisions that were made: {'; '.join(faults)}. Nothing was changed. Restore the"
            " file from a backup. To go on without what is lost, run `afterwit store rebuild --accept-journal`."
        )
