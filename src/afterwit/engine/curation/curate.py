"""People decide about items (approve, reject, pin, retire, edit, add), and agents say what they learned.

A decision is journalled, survives a rebuild and can be undone. All that one command decides is journalled as a whole
and has one moment, so that `undo` takes it back as a whole. The items are settled again at once; killed before that,
the same command does it. Where the store fails after a decision was journalled, that is said: it will be applied. Names
that fit no item are refused before anything is decided.

A lesson, or that an item helped, is an agent's word and no more: it stays a candidate, or one piece of evidence. It is
journalled beside a running `learn`, without waiting for it; the next one settles what follows.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec

from afterwit.config.world import World, redactor_of
from afterwit.harvest.door import conclude_touched
from afterwit.harvest.harvester import id_of
from afterwit.knowledge.door.list import all_items, find_item, search_items
from afterwit.knowledge.door.settle import ASSISTANT, keep_approved, settle
from afterwit.knowledge.gate import rejection
from afterwit.knowledge.likeness import say_the_same
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import (
    EVERYWHERE,
    EXCERPT_LIMIT,
    PERSON,
    SENTENCE_LIMIT,
    Category,
    Channel,
    Draft,
    Evidence,
    Item,
    ItemStatus,
    Scope,
    ScopeKind,
    SessionRef,
    Trigger,
)
from afterwit.model.text import regex
from afterwit.recall.deck.compile import compile_deck
from afterwit.redaction.hygiene import clean
from afterwit.store.database import transaction
from afterwit.store.decide import catch_up, decide_all, journal_entry, report_if_recorded
from afterwit.store.decisions import DecisionKind, ItemChanges, KnowledgeEntry, gather_decisions, will_of
from afterwit.store.rows import sightings
from afterwit.store.rows.items import recorded
from afterwit.store.store import Store, hold_lease, open_store, readonly_database, require

_WAIT_SECONDS = 60
_PINS = {DecisionKind.PIN: True, DecisionKind.UNPIN: False}


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one item. `status` is "" where it is no longer there."""

    id: str
    fact: str
    before: str
    status: str
    reason: str
    has_changed: bool


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """An item in a person's own words."""

    sentence: str
    category: Category
    scope: Scope
    advice: str = ""
    files: tuple[str, ...] = ()
    triggers: tuple[Trigger, ...] = ()

    @property
    def repo(self) -> str:
        return self.scope.name if self.scope.kind is ScopeKind.REPO else ""


class DecisionDesk:
    """Where one command decides: writes its entries, all of one moment, and settles the items after them."""

    def __init__(self, store: Store, world: World) -> None:
        self.store = store
        self._world = world
        self.at_ms = max(world.now_ms, max((entry.at_ms for entry in recorded(store.db)), default=-1) + 1)

    def note(self, *entries: tuple[KnowledgeEntry, Mapping[str, Any]]) -> None:
        """Journals all of these, or none."""
        decide_all(self.store, entries, self.at_ms)

    def settle(self, *, is_concluded_again: bool = False) -> None:
        """Makes the items anew. What was forgotten, or no longer is, changes what is concluded, too."""
        if is_concluded_again:
            keep_approved(self.store, self.at_ms)
            with transaction(self.store.db):
                sightings.touch_all(self.store.db)
            conclude_touched(self.store, gather_decisions(recorded(self.store.db)).forgotten)
        settle(self.store, self._world, is_forced=is_concluded_again)
        compile_deck(self.store, self._world)


@contextmanager
def decision_desk(world: World, *, is_new: bool = False) -> Iterator[DecisionDesk]:
    """The store, held and open, with all that the journal holds applied. `is_new`: it may be made for this."""
    if is_new:
        world.layout.create()
    else:
        require(world.layout)
    with hold_lease(world.layout.lease, _WAIT_SECONDS), open_store(world.layout) as store:
        catch_up(store)
        with report_if_recorded(store):
            yield DecisionDesk(store, world)


def judge(world: World, decision: DecisionKind, names: Sequence[str]) -> list[Judged]:
    """Decides the same about several items."""
    with decision_desk(world) as desk:
        items = {item.id: item for item in (find_item(desk.store.db, name) for name in names)}
        changed = {item.id for item in items.values() if not _is_decided(desk.store, item, decision)}
        desk.note(*((KnowledgeEntry.DECIDED, {"item": item, "decision": decision}) for item in sorted(changed)))
        desk.settle()
        return [
            _judge(item.id, item, item, _present(desk.store, item.id), has_changed=item.id in changed)
            for item in items.values()
        ]


def edit(world: World, name: str, wanted: ItemChanges) -> Judged:
    """Gives an item other words, or another place, category, advice or triggers. That approves it, too."""
    with decision_desk(world) as desk:
        item = find_item(desk.store.db, name)
        cleaned = _clean(world, wanted).named
        changed = {field: value for field, value in cleaned.items() if getattr(item, field) != value}
        if changed:
            changes = msgspec.convert(changed, ItemChanges)
            _refuse_unfit(changes.apply(_draft_of(item)))
            if changes.sentence is not None or changes.scope is not None:
                _refuse_double(desk.store, item, changes)
            entry = {"item": item.id, "decision": DecisionKind.EDIT}
            desk.note((KnowledgeEntry.DECIDED, entry | msgspec.to_builtins(changes)))
        desk.settle()
        return _judge(item.id, item, item, _present(desk.store, item.id), has_changed=bool(changed))


def add(world: World, words: Words) -> Judged:
    """An item that a person wrote. It needs no other evidence, and is approved with it."""
    with decision_desk(world, is_new=True) as desk:
        draft = _write(world, words, desk)
        _refuse_unfit(draft)
        own = id_of(draft)
        before = _present(desk.store, own)
        if before is not None and before.id == own:
            _refuse_edited(before, draft)
        if before is not None and before.status is ItemStatus.ACTIVE:
            _refuse_other(before, draft)
            return _judge(before.id, draft, before, before, has_changed=False)
        desk.note(
            (KnowledgeEntry.ADDED, {"item": own, "draft": msgspec.to_builtins(draft)}),
            (KnowledgeEntry.DECIDED, {"item": own, "decision": DecisionKind.APPROVE}),
        )
        desk.settle()
        after = _present(desk.store, own)
        return _judge(after.id if after else own, draft, before, after, has_changed=True)


def _refuse_edited(item: Item, draft: Draft) -> None:
    """The words lead to an item that was given others, or another place: adding them would not bring them back."""
    if (item.sentence, item.scope) != (draft.sentence, draft.scope):
        raise UsageError(
            f"These words are those of {item.id}, which was edited since. It says ({item.scope}): {item.sentence}"
            f" `afterwit knowledge edit {item.id}` changes it."
        )


def _refuse_double(store: Store, item: Item, changes: ItemChanges) -> None:
    sentence, scope = changes.sentence or item.sentence, changes.scope or item.scope
    for other in all_items(store.db):
        is_other = other.id != item.id and other.status is ItemStatus.ACTIVE
        if is_other and (other.sentence, other.scope) == (sentence, scope):
            raise UsageError(
                f"{other.id} says this already. `afterwit knowledge retire {item.id}` leaves it at that one."
            )


def _refuse_other(item: Item, draft: Draft) -> None:
    """What is in use already is not said twice; where it is to be another, it is to be edited."""
    if any(getattr(item, name) != getattr(draft, name) for name in ("category", "advice", "files", "triggers")):
        raise UsageError(
            f"{item.id} says this already, and differs in the rest. `afterwit knowledge edit {item.id}` changes it."
        )


def put_into_words(world: World, text: str) -> str:
    """A sentence as people typed it, in one clean line, redacted. Raises where it is none."""
    line = line_of(world, text)
    if not line:
        raise UsageError("There are no words. Say in one sentence when and what to do.")
    if len(line) > SENTENCE_LIMIT:
        raise UsageError(f"The sentence has {len(line)} characters; {SENTENCE_LIMIT} are the most. Make it shorter.")
    return line


def line_of(world: World, text: str) -> str:
    """Any text as someone typed it, in one clean line, redacted."""
    return redactor_of(world).text(_in_one_line(text))


def paths_of(world: World, typed: Iterable[str]) -> tuple[str, ...]:
    """The same for paths. An empty one is none."""
    redact = redactor_of(world).path
    return tuple(redact(path) for path in map(_in_one_line, typed) if path)


def _in_one_line(text: str) -> str:
    return " ".join(clean(text).split())


def _clean(world: World, wanted: ItemChanges) -> ItemChanges:
    """Changes as people typed them, clean and redacted."""
    return msgspec.structs.replace(
        wanted,
        sentence=None if wanted.sentence is None else put_into_words(world, wanted.sentence),
        triggers=None if wanted.triggers is None else _triggers(world, wanted.triggers),
        advice=None if wanted.advice is None else line_of(world, wanted.advice),
        files=None if wanted.files is None else paths_of(world, wanted.files),
    )


def _triggers(world: World, triggers: Iterable[Trigger]) -> tuple[Trigger, ...]:
    plain = msgspec.json.decode(msgspec.json.encode(tuple(triggers)))
    return msgspec.convert(redactor_of(world).value(plain), tuple[Trigger, ...])


def _write(world: World, words: Words, desk: DecisionDesk) -> Draft:
    machine = desk.store.journal.machine
    story = f"{machine}:{desk.at_ms}"
    session = SessionRef(agent=PERSON, native_id=story, story=story, repo=words.repo, machine=machine, at_ms=desk.at_ms)
    words = msgspec.structs.replace(
        words, sentence=put_into_words(world, words.sentence), triggers=_triggers(world, words.triggers)
    )
    return make_draft(world, words, PERSON, Channel.USER, session, desk.at_ms)


def make_draft(world: World, words: Words, harvester: str, channel: Channel, session: SessionRef, at_ms: int) -> Draft:
    """A draft of what somebody says, in clean words: the words themselves are the evidence."""
    said = Evidence(session=session, channel=channel, at_ms=at_ms, excerpt=words.sentence[:EXCERPT_LIMIT])
    return Draft(
        harvester=harvester,
        key=(words.sentence,),
        scope=words.scope,
        category=words.category,
        sentence=words.sentence,
        channel=channel,
        triggers=words.triggers,
        advice=line_of(world, words.advice),
        files=paths_of(world, words.files),
        evidence=(said,),
    )


def _draft_of(item: Item) -> Draft:
    """An item as a person would have written it, for the gate."""
    return Draft(
        harvester=PERSON,
        key=(item.id,),
        scope=item.scope,
        category=item.category,
        sentence=item.sentence,
        channel=Channel.USER,
        advice=item.advice,
    )


def _refuse_unfit(draft: Draft) -> None:
    why = rejection(draft)
    if why is not None:
        raise UsageError(f"This cannot be kept as knowledge. {why.words} Put it in other words.")


def _is_decided(store: Store, item: Item, decision: DecisionKind) -> bool:
    """Whether the decision would change nothing."""
    if decision in _PINS:
        return item.is_pinned is _PINS[decision]
    decisions = gather_decisions(recorded(store.db)).decisions
    will = will_of(made for name in (item.id, *item.merged) for made in decisions.get(name, ()))
    return will.verdict is not None and will.verdict.kind is decision


def _judge(own: str, words: Item | Draft, before: Item | None, after: Item | None, *, has_changed: bool) -> Judged:
    return Judged(
        id=own,
        fact=after.sentence if after else words.sentence,
        before=before.status if before else "",
        status=after.status if after else "",
        reason=after.reason if after else "",
        has_changed=has_changed,
    )


def _present(store: Store, own: str) -> Item | None:
    """The item with this id, or the one that it went into."""
    return next((item for item in all_items(store.db) if own == item.id or own in item.merged), None)


_UNKNOWN = "mcp"  # an agent that is none we know
_WAIT_MS = 5_000
_SIMILAR = 20
_WORD = regex(r"\w+")


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
    words = msgspec.structs.replace(words, sentence=put_into_words(world, words.sentence))
    same = _item_in_use(world, words)
    if same is not None:
        return Lesson(same.id, words.sentence, is_known=True)
    with open_store(world.layout) as store:
        session = _session(teller, words.repo, store.journal.machine)
        draft = make_draft(world, words, ASSISTANT, Channel.ASSISTANT, session, world.now_ms)
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
        earlier = recorded(store.db)
        at_ms = max(world.now_ms, earlier[-1].at_ms + 1 if earlier else 0)
        journal_entry(store, kind, body, at_ms)
        catch_up(store)
