"""What agents tell Afterwit: lessons that they learned, and whether an item helped.

Both are an agent's word and no more: a lesson stays a candidate until a person approves it, and a report is one piece
of evidence. Written to the journal beside a running `learn`, without waiting for it; the next one settles what follows.
Words are cleaned and redacted, and pass the gate before they are kept.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from afterwit.config.world import World
from afterwit.engine.curation.curate import Words, drafted, worded
from afterwit.harvest.harvester import id_of
from afterwit.knowledge.door.list import find_item, search_items
from afterwit.knowledge.door.settle import ASSISTANT
from afterwit.knowledge.gate import rejection
from afterwit.knowledge.likeness import say_the_same
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import (
    EVERYWHERE,
    Channel,
    Item,
    ItemStatus,
    SessionRef,
)
from afterwit.store.database import transaction
from afterwit.store.decide import catch_up, journal_entry, report_if_recorded
from afterwit.store.decisions import KnowledgeEntry
from afterwit.store.rows import items
from afterwit.store.store import Store, open_store, readonly_database, require

_UNKNOWN = "mcp"  # an agent that is none we know
_WAIT_MS = 5_000
_SIMILAR = 20
_WORD = re.compile(r"\w+")


class LessonSource(NamedTuple):
    """Who says it. All that one session says counts as one story."""

    agent: str
    session: str
    at_ms: int = 0  # when it began


class Lesson(NamedTuple):
    """What became of the words of an agent."""

    id: str
    sentence: str
    is_known: bool = False  # the item says the same already; then nothing was kept


def record(world: World, teller: LessonSource, words: Words) -> Lesson:
    """Keeps a lesson, unless an item in use says it already. Raises where it may not be kept."""
    require(world.layout)
    words = msgspec.structs.replace(words, sentence=worded(world, words.sentence))
    same = _item_in_use(world, words)
    if same is not None:
        return Lesson(same.id, words.sentence, is_known=True)
    with open_store(world.layout) as store:
        session = _session(teller, words.repo, store.journal.machine)
        draft = drafted(world, words, ASSISTANT, Channel.ASSISTANT, session, world.now_ms)
        why = rejection(draft)
        if why is not None:
            raise UsageError(f"This cannot be kept as knowledge. {why.words} Put it in other words, or leave it.")
        own = id_of(draft)
        _note(store, world, KnowledgeEntry.LESSON, {"item": own, "draft": msgspec.to_builtins(draft)})
    return Lesson(own, words.sentence)


def report(world: World, teller: LessonSource, name: str, *, is_helpful: bool) -> Item:
    """Notes what an agent says of an item."""
    with readonly_database(world.layout) as db:
        item = find_item(db, name, names_only=True)
    with open_store(world.layout) as store:
        session = msgspec.to_builtins(_session(teller, "", store.journal.machine))
        _note(store, world, KnowledgeEntry.REPORTED, {"item": item.id, "is_helpful": is_helpful, "session": session})
    return item


def _item_in_use(world: World, words: Words) -> Item | None:
    """The item in use that says the same: the agent may have it from us, so its word is no new evidence."""
    with readonly_database(world.layout) as db:
        similar = search_items(db, " ".join(_WORD.findall(words.sentence)), _SIMILAR)
    in_use = (item for item in similar if item.status is ItemStatus.ACTIVE and item.scope in (words.scope, EVERYWHERE))
    return next((item for item in in_use if say_the_same(item.sentence, words.sentence)), None)


def _session(teller: LessonSource, repo: str, machine: str) -> SessionRef:
    agent = teller.agent or _UNKNOWN
    return SessionRef(
        agent=agent, native_id=teller.session, story=teller.session, repo=repo, machine=machine, at_ms=teller.at_ms
    )


def _note(store: Store, world: World, kind: KnowledgeEntry, body: Mapping[str, Any]) -> None:
    """Journals and applies an entry under one lock, at a moment after all earlier ones."""
    store.db.set_busy_timeout(_WAIT_MS)
    with report_if_recorded(store), transaction(store.db):
        catch_up(store)
        earlier = items.decisions(store.db)
        at_ms = max(world.now_ms, earlier[-1].at_ms + 1 if earlier else 0)
        journal_entry(store, kind, body, at_ms)
        catch_up(store)
