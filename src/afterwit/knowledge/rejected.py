"""What the gate kept out: how much for which reason, with samples."""

from itertools import groupby

import msgspec

from afterwit.config.world import World
from afterwit.knowledge.gate import Rejection
from afterwit.store.rows import items as rows
from afterwit.store.rows.items import RejectionRow
from afterwit.store.store import readonly_database


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate kept out for one reason."""

    reason: str
    why: str
    count: int
    samples: list[dict[str, str]]


def rejected(world: World, reason: str = "", samples: int = 3) -> list[Refused]:
    """What the gate kept out, by reason, the most frequent first. 0 samples: all."""
    with readonly_database(world.layout) as db:
        found = [row for row in rows.rejections(db) if not reason or row.reason == reason]
    refused = [_refused(name, list(same), samples) for name, same in groupby(found, key=lambda row: row.reason)]
    return sorted(refused, key=lambda one: (-one.count, one.reason))


def _refused(reason: str, same: list[RejectionRow], samples: int) -> Refused:
    """The first rows are as good a sample as any: they are in order of their ids, which say nothing."""
    shown = same[:samples] if samples else same
    return Refused(
        reason=reason,
        why=Rejection(reason).words if reason in frozenset(Rejection) else "",
        count=len(same),
        samples=[{"fact": row.sentence, "harvester": row.harvester, "scope": row.scope} for row in shown],
    )
