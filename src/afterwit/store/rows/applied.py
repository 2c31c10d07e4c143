"""How far each machine's journal has been applied to the database.

The same is kept in a small file beside the journal, so that the loss of the journal's last entries is noticed even
where the database is lost with them. What the file says is a lower bound: it may lag behind, it never runs ahead.
"""

from collections.abc import Mapping, Sequence

import apsw
import msgspec

from afterwit.model.errors import DamagedError
from afterwit.store.atomic import make_way, replace_file
from afterwit.store.journal import ChainHead, Journal
from afterwit.store.layout import Layout
from afterwit.store.regular_files import read_regular


def applied(db: apsw.Connection) -> dict[str, ChainHead]:
    return {
        machine: ChainHead(*head) for machine, *head in db.execute("SELECT machine, number, hash, at_ms FROM applied")
    }


def note_applied(db: apsw.Connection, machine: str, head: ChainHead) -> None:
    db.execute("INSERT OR REPLACE INTO applied (machine, number, hash, at_ms) VALUES (?, ?, ?, ?)", (machine, *head))


def seen_heads(layout: Layout, applied_heads: Mapping[str, ChainHead]) -> dict[str, ChainHead]:
    """The last entry of each machine that was ever seen: what the database knows and what the file beside the journal
    says, whichever is further."""
    heads = _heads_beside(layout) or {}
    for machine, head in applied_heads.items():
        if machine not in heads or heads[machine].number <= head.number:
            heads[machine] = head
    return heads


def journal_faults(layout: Layout, db: apsw.Connection, journal: Journal) -> list[str]:
    """What is wrong with the journal, in itself and by what was seen of it."""
    return journal.verify(seen_heads(layout, applied(db)))


def heads_fault(layout: Layout) -> str:
    """What is wrong with the file beside the journal; "" if it can be read, or was never written."""
    if _heads_beside(layout) is not None:
        return ""
    return f"{layout.journal_heads.name} cannot be read; the next `afterwit learn` writes it again"


def mend_heads(layout: Layout, db: apsw.Connection) -> None:
    """Writes the file beside the journal again from what the database knows, where it cannot be read."""
    if _heads_beside(layout) is None:
        keep_heads(layout, applied(db))


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
    refuse_faults(layout, journal.lost(seen_heads(layout, applied(db))))


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
