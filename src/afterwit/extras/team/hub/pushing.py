"""What leaves for a hub: own lines, made of what changed here, kept until they are sent, and sent in batches.

What would leave is looked at for secrets before anything is kept. Lines wait in the store with the times they have, so
a run that was killed sends the same lines again, and the hub takes them once. Only what changed since the last sync is
looked at, unless the settings did.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import apsw
import msgspec

from afterwit.config.world import World
from afterwit.extras.team.hub import rows
from afterwit.extras.team.hub.connection import Hub
from afterwit.extras.team.hub.pulling import lines_of, shared_notes
from afterwit.extras.team.hub.rows import HubSpeaker
from afterwit.extras.team.local_notes import ChangedNotes, changed_notes, local_notes
from afterwit.extras.team.outgoing import Sharer, own_lines
from afterwit.extras.team.push import SharedChange, changes_of, refuse_secrets
from afterwit.extras.team.records import AHEAD_MS, SharedLine, encoded
from afterwit.store.atomic import step
from afterwit.store.database import transaction
from afterwit.store.rows import extras as kept
from afterwit.store.rows.extras import HubLinesRow

BATCH = 1_000


class PlannedPush(NamedTuple):
    """What a machine has to say anew."""

    changes: list[SharedChange]
    rows: list[HubLinesRow]


def plan(
    world: World,
    db: apsw.Connection,
    hub: Hub,
    repo: str,
    machine: str,
    touched: Collection[str] | None,
    items: Collection[str],
    rules: Sequence[str],
) -> PlannedPush:
    """What is to be said about these items and notes of the hub; `touched` None: about all."""
    sharer = Sharer(hub.name, machine, world.settings.share.policy, frozenset(rules))
    if touched is None:
        notes = local_notes(db, repo)
        local, asked = ChangedNotes(notes, frozenset(notes)), None
    else:
        local = changed_notes(db, repo, {*items, *rules}, touched)
        asked = local.ids
    lines = lines_of(db, hub, repo, asked)
    own = {
        note: tuple(line for line in said[hub.role, machine] if line.by == hub.name)
        for note, said in lines.items()
        if said.get((hub.role, machine))
    }
    shared = shared_notes(lines, world.now_ms)
    clock_ms = max(world.now_ms, kept.latest_clock(db, hub.key, repo, world.now_ms + AHEAD_MS) + 1)
    wanted = own_lines(local.notes, shared, own, sharer, "", clock_ms)
    changed: dict[str, tuple[SharedLine, ...]] = {}
    changes: list[SharedChange] = []
    for note, said in sorted(wanted.items()):
        before = {line.content: line for line in own.get(note, ())}
        after = tuple(before.get(line.content, line) for line in said)
        if set(after) != set(own.get(note, ())):
            changed[note] = after
            changes += changes_of(note, own.get(note, ()), after, shared)
    refuse_secrets(world, changed)
    return PlannedPush(changes, [_row(hub, repo, machine, note, said) for note, said in changed.items()])


def _row(hub: Hub, repo: str, machine: str, note: str, lines: Sequence[SharedLine]) -> HubLinesRow:
    clock_ms = max((line.clock_ms for line in lines), default=0)
    return HubLinesRow(hub.key, repo, note, hub.role, machine, clock_ms, encoded(lines), is_sent=0, is_taken=1)


def send(db: apsw.Connection, hub: Hub, repo: str, machine: str) -> int:
    """Sends all own lines that wait; how many notes they are about."""
    speaker = HubSpeaker(hub.team, hub.role, machine, hub.name)
    count = 0
    while batch := kept.unsent_lines(db, hub.key, repo, BATCH):
        texts = [_document(row.body) for row in batch]
        ticks = rows.put_lines(hub.db, speaker, repo, [row.note for row in batch], texts)
        step("a batch is on the hub, not marked")
        cursor = kept.hub_cursor(db, hub.key, repo)
        is_next = bool(ticks) and min(ticks) == cursor.tick + 1 and max(ticks) - min(ticks) + 1 == len(ticks)
        with transaction(db):
            kept.put_hub_lines(db, (row._replace(is_sent=1) for row in batch))
            if is_next:  # nobody else wrote meanwhile, so there is nothing to fetch before them
                kept.put_hub_cursor(db, cursor._replace(tick=max(ticks)))
        count += len(batch)
    return count


def _document(body: bytes) -> str:
    return msgspec.json.encode([msgspec.Raw(line) for line in body.splitlines()]).decode()
