"""Settles what is known: makes items of drafts, by the gate, merging, belief, trust and what people decided.

The items are a function of the drafts, the decisions, what was shown to whom, the hosts' own files, when there was last
work, and the day. So they are made anew when one of these changed, and rows are written only where an item did: after a
session those of its repository, and of the scopes of which it tells something; with a new day, a decision or a file all
of them. That is also the maintenance pass: a new day alone lets belief fade. What comes of it is the same either way.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
import msgspec

from afterwit.capture.checkouts import Checkout, checkouts, every_checkout
from afterwit.config.world import World
from afterwit.harvest.door import conclude_touched, see_pending, version_of
from afterwit.harvest.harvester import as_found, group_by, id_of, is_general
from afterwit.harvest.registry import harvesters
from afterwit.knowledge.belief import DAY_MS
from afterwit.knowledge.brief import notes_of_lines
from afterwit.knowledge.contradictions import host_line
from afterwit.knowledge.door.checkouts import find_gone, subjects_named, subjects_of
from afterwit.knowledge.door.echoes import echoes
from afterwit.knowledge.door.host_files import instructions
from afterwit.knowledge.door.list import all_items, item_in, item_row
from afterwit.knowledge.door.repeated import note_repetitions
from afterwit.knowledge.gate import Rejection, needless, rejection, review_reason
from afterwit.knowledge.gone import GoneSubjects
from afterwit.knowledge.guarded_fixes import drafts_of_fixes
from afterwit.knowledge.host_text import HostText
from afterwit.knowledge.merging import Union, matter_of, merge_drafts
from afterwit.knowledge.weighing import WeighingContext, each_weighed, relate
from afterwit.model.knowledge import (
    EVERYWHERE,
    GUARDED_FIXES,
    READ,
    REPEATED,
    Channel,
    Draft,
    HostLine,
    Item,
    ItemStatus,
    Scope,
    ScopeKind,
)
from afterwit.model.learn_run import Harvested, Progress
from afterwit.store.atomic import step
from afterwit.store.database import transaction
from afterwit.store.decide import decide_all
from afterwit.store.decisions import Decided, KnowledgeEntry, gather_decisions, will_of
from afterwit.store.rows import items, sightings
from afterwit.store.rows.extras import fix_checks
from afterwit.store.rows.items import RejectionRow
from afterwit.store.rows.repetitions import asked_again
from afterwit.store.rows.session_list import last_work, newest_versions
from afterwit.store.store import Store

if TYPE_CHECKING:
    from afterwit.capture.workers import Workers

ASSISTANT = "assistant"  # the harvester of what agents record
_VERSION = 6  # raised when the same drafts make other items
_DRAFT = msgspec.msgpack.Decoder(Draft)


def harvest(
    store: Store,
    world: World,
    progress: Progress | None = None,
    workers: "Workers | None" = None,
    *,
    is_again: bool = False,
) -> Harvested:
    """Looks at what is new, or at everything again, and settles what is known."""
    if is_again:
        with transaction(store.db):
            sightings.forget_harvest(store.db)
            sightings.touch_all(store.db)
    sessions = see_pending(store, progress, workers)
    conclude_touched(store, gather_decisions(items.recorded(store.db)).forgotten, progress)
    done = settle(store, world, is_forced=is_again)
    done.seen = sessions
    return done


def keep_approved(store: Store, now_ms: int) -> None:
    """Journals what people approved, pinned or edited of what was found, as it is now, before anybody looks for notes:
    whatever is found from then on, by this version or another, such notes stay. What was drafted by an older version
    may be gone already; then the note itself says what it was."""
    decisions = gather_decisions(items.recorded(store.db))
    brought = {id_of(draft): draft for draft in decisions.drafts}
    approved = {name for name, made in decisions.decisions.items() if will_of(made).is_approved}
    approved -= {name for name, draft in brought.items() if draft.harvester != READ} | decisions.kept.keys()
    if not approved:
        return
    notes = [item for item in all_items(store.db) if not approved.isdisjoint(_ids_in(item))]
    names = {name for item in notes for name in _ids_in(item)} - decisions.kept.keys()
    drafts = {name: draft for name, draft in brought.items() if name in names and draft.harvester == READ}
    drafts |= {row.id: _DRAFT.decode(row.body) for row in sightings.drafts_named(store.db, names)}
    drafts |= {
        item.id: as_found(item) for item in notes if item.id in names and drafts.keys().isdisjoint(_ids_in(item))
    }
    if drafts:
        entries = ({"item": name, "draft": msgspec.to_builtins(draft)} for name, draft in sorted(drafts.items()))
        decide_all(store, ((KnowledgeEntry.KEPT, entry) for entry in entries), now_ms)


def settle(store: Store, world: World, *, is_forced: bool = False) -> Harvested:
    """Makes the items anew: those of the scopes in which something changed, or all of them where something has changed
    that all depend on, or what holds in one scope reaches into others."""
    note_repetitions(store)
    places = every_checkout(store, world)
    basis = _basis(store, world, places)
    settling = _Settling(store, world, basis, places)
    if is_forced or basis.mark != items.items_mark(store.db):
        return settling.all_items()
    scopes = sightings.scopes_to_settle(store.db)
    if not scopes:
        return _count(store.db, {}, {})
    return settling.items_in(scopes) or settling.all_items(scopes)


class _Settling:
    """Makes items of what is known now."""

    def __init__(self, store: Store, world: World, basis: "_Basis", places: list[Checkout]) -> None:
        self._store = store
        self._world = world
        self._basis = basis
        self._places = places
        entries = items.recorded(store.db)
        self._decisions = gather_decisions(entries)
        self._lines = notes_of_lines(entries)

    def all_items(self, changed: Collection[str] | None = None) -> Harvested:
        """`changed` are the scopes in which something is not as it was when all was settled, where that is known."""
        drafts = [_DRAFT.decode(row.body) for row in sightings.all_drafts(self._store.db)]
        made = self._made(drafts, echoes(self._store.db, self._lines), changed)
        before = {item.id: item for item in all_items(self._store.db)}
        gone = self._gone((*drafts, *made.items.values()))
        if gone != self._basis.gone:  # what an item relies on depends on nothing that is gone
            made = made.weighed_with(gone)
        with transaction(self._store.db):
            _write(self._store, before, made)
            items.put_rejections(self._store.db, made.rejected)
            items.put_doubles(self._store.db, made.doubles)
            items.put_items_mark(self._store.db, self._basis._replace(gone=gone).mark)
            step("items are written, not committed")
        return _count(self._store.db, before, made.items)

    def items_in(self, scopes: Collection[str]) -> Harvested | None:
        """None where others would have to be made with them."""
        db = self._store.db
        rows = sightings.drafts_with(db, scopes, is_everywhere=str(EVERYWHERE) in scopes)
        drafts = list(_with_a_share(scopes, [_DRAFT.decode(row.body) for row in rows]))
        made = self._made(drafts, echoes(db, self._lines, map(id_of, drafts)), frozenset(scopes), frozenset(scopes))
        before = {row.id: item_in(row) for row in items.items_in(db, scopes, ItemStatus)}
        if self._replaces_part_of_another(made.own.values()):
            return None
        beside = self._beside(scopes, made.own.values())
        after = {item.id: item for item in relate(made.own | {name: linked.item for name, linked in beside.items()})}
        if any(linked.is_other(after[name]) for name, linked in beside.items()):
            return None
        made = made._replace(items={name: item for name, item in after.items() if name in made.own})
        is_wide = _looks_everywhere(before) != _looks_everywhere(made.items)
        if is_wide or any(item.contradicts for some in (before, made.items) for item in some.values()):
            return None
        if not self._gone(made.items.values()).is_within(self._basis.gone):
            return None
        with transaction(db):
            _write(self._store, before, made)
            items.put_rejections(db, made.rejected, scopes)
            items.put_doubles(db, made.doubles, before.keys() | made.items.keys())
            items.put_items_mark(db, self._basis.mark)
            step("items are written, not committed")
        return _count(db, before, made.items)

    def _replaces_part_of_another(self, made: Collection[Item]) -> bool:
        """Whether one of these takes the place of something that an item of another scope has taken in: which one, only
        a look at all of them tells."""
        db = self._store.db
        named = {old for item in made for old in item.supersedes} - {own for item in made for own in _ids_in(item)}
        named -= {row.id for row in items.items_with_ids(db, named)}
        return bool(named) and sightings.are_drafted(db, named - {row.id for row in items.rejections(db)})

    def _beside(self, scopes: Collection[str], made: Collection[Item]) -> dict[str, "_Linked"]:
        """Items of other scopes that take the place of others, gave way to one, or would give way to one of these; and
        all that hold everywhere, where something is there that only stands until one of these says the same."""
        named = items.items_with_ids(self._store.db, {old for item in made for old in item.supersedes})
        rows = items.items_with_links(self._store.db)
        linked = {row.id: _Linked.of(item_in(row), row.status) for row in named}
        linked |= {row.item.id: _Linked.of(item_in(row.item), row.own_status) for row in rows}
        if any(item.harvester == READ for item in made):
            everywhere = items.items_in(self._store.db, [str(EVERYWHERE)], ItemStatus)
            linked = {row.id: _Linked.of(item_in(row), row.status) for row in everywhere} | linked
        return {name: link for name, link in linked.items() if str(link.item.scope) not in scopes}

    def _made(
        self,
        drafts: Sequence[Draft],
        shown: Mapping[str, frozenset[str]],
        changed: Collection[str] | None,
        scopes: Collection[str] | None = None,
    ) -> "_Made":
        """The items of these scopes, or of all. The drafts are all that may have a share in them."""
        decisions = self._decisions
        everything = [*drafts, *drafts_of_fixes(fix_checks(self._store.db)), *decisions.drafts]
        present = {id_of(draft) for draft in everything}
        everything += [draft for name, draft in decisions.kept.items() if name not in present]
        texts = {repo: HostText.of(named) for repo, named in self._basis.hosts.items()}
        passed, rejected = self._pass_gate(_with_backing(everything, decisions), texts, changed)
        mergings = (
            merge_drafts(
                (draft for draft in passed if not _is_foreign(draft) and draft.harvester != READ), scopes=scopes
            ),
            merge_drafts((draft for draft in passed if draft.harvester == READ), decisions.same, scopes),
            merge_drafts(_not_known(passed), scopes=scopes),
        )
        unions = [union for merging in mergings for union in merging.unions]
        reviews = (review for merging in mergings for review in merging.reviews)
        parts = [part for union in unions for part in union.parts]
        context = WeighingContext(
            now_ms=self._world.now_ms,
            echoes=shown,
            gone=self._basis.gone,
            host_lines={id_of(part): lines for part in parts if (lines := tuple(_host_lines(part, texts)))},
            decisions=decisions.decisions,
            contradicted=decisions.contradicted,
            rejected_by=decisions.rejected_by,
            vouched=decisions.vouched,
            suspects={id_of(part): why for part in parts if (why := review_reason(part))},
            repeated=_with_lines(asked_again(self._store.db), self._lines),
            last_work_ms=_last_work(self._store),
            minimum_stories={READ: 1, GUARDED_FIXES: 1}
            | {harvester.name: harvester.minimum_stories for harvester in harvesters()},
        )
        own = each_weighed(unions, context)
        return _Made(
            unions=unions,
            context=context,
            own=own,
            items={item.id: item for item in relate(own)},
            rejected=[row for row in rejected if scopes is None or row.scope in scopes],
            doubles=sorted({(review.first, review.second) for review in reviews}),
        )

    def _pass_gate(
        self, drafts: Iterable[Draft], texts: Mapping[str, HostText], changed: Collection[str] | None
    ) -> tuple[list[Draft], list[RejectionRow]]:
        """What passes the gate, and what does not. Drafts of other scopes are as they were when all was settled, and so
        is what the gate goes by: it is not asked again about those of which it refused nothing."""
        refused = {row.id for row in items.rejections(self._store.db)} if changed is not None else set()
        kept: list[Draft] = []
        rejected: list[RejectionRow] = []
        for draft in drafts:
            own = id_of(draft)
            has_passed = changed is not None and str(draft.scope) not in changed and own not in refused
            why = None if has_passed else self._refusal(draft, texts)
            if why is None:
                kept.append(draft)
            else:
                rejected.append(RejectionRow(own, why, draft.harvester, str(draft.scope), draft.sentence))
        return kept, rejected

    def _refusal(self, draft: Draft, texts: Mapping[str, HostText]) -> Rejection | None:
        why = next((why for host in _hosts(draft, texts) if (why := rejection(draft, host))), None)
        if why is None and not will_of(self._decisions.decisions.get(id_of(draft), ())).is_approved:
            why = needless(draft)
        return why

    def _gone(self, things: Iterable[Draft | Item]) -> GoneSubjects:
        named = subjects_of(things) if self._places else {}
        return find_gone(self._world, self._places, named, self._basis.gone.versions)


class _Linked(NamedTuple):
    """An item as it is before others take its place, and what became of it."""

    item: Item
    status: ItemStatus
    superseded_by: str

    @classmethod
    def of(cls, item: Item, own_status: str) -> "_Linked":
        alone = msgspec.structs.replace(item, status=ItemStatus(own_status), superseded_by="")
        return cls(alone, item.status, item.superseded_by)

    def is_other(self, now: Item) -> bool:
        return (now.status, now.superseded_by) != (self.status, self.superseded_by)


class _Made(NamedTuple):
    unions: Sequence[Union]
    context: WeighingContext
    own: dict[str, Item]  # each for itself
    items: Mapping[str, Item]  # with what took the place of what
    rejected: Sequence[RejectionRow]
    doubles: Sequence[tuple[str, str]]

    def weighed_with(self, gone: GoneSubjects) -> "_Made":
        own = each_weighed(self.unions, self.context._replace(gone=gone))
        return self._replace(own=own, items={item.id: item for item in relate(own)})


def _ids_in(item: Item) -> tuple[str, ...]:
    return item.id, *item.merged


def _with_a_share(scopes: Collection[str], drafts: Iterable[Draft]) -> Iterator[Draft]:
    """Drafts that may have a share in what holds in these scopes: those of other scopes only where the matter may hold
    everywhere. Which drafts speak for their repositories, and which the gate refuses, is seen later."""
    for same in group_by(drafts, matter_of).values():
        is_wide = any(draft.scope == EVERYWHERE or is_general(draft) for draft in same)
        yield from (draft for draft in same if is_wide or str(draft.scope) in scopes)


def _looks_everywhere(settled: Mapping[str, Item]) -> set[Any]:
    """Of what holds everywhere, all that items of other scopes depend on: what is there, and in whose place."""
    return {(item.id, item.sentence, item.status, item.merged) for item in settled.values() if item.scope == EVERYWHERE}


def is_settled(store: Store, world: World) -> bool:
    """Whether the items are made from all that is known by now: agents tell things, and files change, beside a run."""
    return _basis(store, world, every_checkout(store, world)).mark == items.items_mark(store.db)


def _with_backing(drafts: Sequence[Draft], decisions: Decided) -> Iterable[Draft]:
    """All drafts that are still backed by something, with what agents reported of them, and what they replace."""
    for draft in drafts:
        evidence = tuple(piece for piece in draft.evidence if not decisions.forgotten.takes(piece))
        if any(not piece.is_against for piece in evidence):
            reported = decisions.reports.get(id_of(draft), ())
            reports = (piece for piece in reported if not decisions.forgotten.takes(piece))
            replaced = (*draft.supersedes, *decisions.replaced.get(id_of(draft), ()))
            yield msgspec.structs.replace(draft, evidence=(*evidence, *reports), supersedes=replaced)


def _is_foreign(draft: Draft) -> bool:
    """What was imported, recorded by an agent, or is merely said often: it never touches what was found here."""
    return draft.channel is Channel.IMPORTED or draft.harvester in (ASSISTANT, REPEATED)


def _not_known(drafts: Sequence[Draft]) -> Iterator[Draft]:
    """Foreign drafts, without those that were found here as well."""
    own = {id_of(draft) for draft in drafts if not _is_foreign(draft)}
    return (draft for draft in drafts if _is_foreign(draft) and id_of(draft) not in own)


def _hosts(draft: Draft, texts: Mapping[str, HostText]) -> list[HostText | None]:
    """What every session where the draft holds is told already."""
    own = draft.scope.name if draft.scope.kind is ScopeKind.REPO else ""
    return [texts[name] for name in ("", own) if name in texts] or [None]


def _host_lines(draft: Draft, texts: Mapping[str, HostText]) -> Iterator[HostLine]:
    """Where the hosts' files say a draft already, or otherwise. What holds in several repositories may be said, or
    denied, in some of them."""
    if draft.scope.kind is ScopeKind.REPO:
        everywhere, others = _hosts(draft, texts), {}
    else:
        everywhere, others = _hosts(draft, texts), {repo: text for repo, text in texts.items() if repo}
    own = [line for host in everywhere if host is not None and (line := host_line(draft, host))]
    if own:
        yield min(own, key=lambda line: line.is_otherwise)
        return
    for repo, host in sorted(others.items()):
        if line := host_line(draft, host):
            yield line._replace(repo=repo)


def _with_lines(repeated: Mapping[str, int], lines: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """In how many sessions notes were said again: they, or a line that rests on them."""
    counts = dict(repeated)
    for line, count in repeated.items():
        counts |= {note: max(count, counts.get(note, 0)) for note in lines.get(line, ())}
    return counts


def _last_work(store: Store) -> dict[Scope, int]:
    """When there was last work in each scope. What holds for an agent or everywhere ages by the day of the last work:
    else every session would make all of it anew."""
    last: dict[Scope, int] = {}
    for row in last_work(store.db):
        day_ms = row.at_ms - row.at_ms % DAY_MS
        for scope, at_ms in (
            (Scope(ScopeKind.REPO, row.repo), row.at_ms),
            (Scope(ScopeKind.AGENT, row.agent), day_ms),
            (EVERYWHERE, day_ms),
        ):
            last[scope] = max(last.get(scope, 0), at_ms)
    return last


def _write(store: Store, before: Mapping[str, Item], made: _Made) -> None:
    for gone in sorted(before.keys() - made.items.keys()):
        items.delete_item(store.db, gone)
    for name, item in sorted(made.items.items()):
        if before.get(name) != item:
            items.put_item(store.db, item_row(item), f"{item.sentence} {item.advice} {' '.join(item.files)}")
    links = {name: made.own[name].status for name, item in made.items.items() if item.supersedes or item.superseded_by}
    items.put_links(store.db, links, before.keys() | made.items.keys())


def _count(db: apsw.Connection, before: Mapping[str, Item], after: Mapping[str, Item]) -> Harvested:
    statuses = items.count_by_status(db)
    return Harvested(
        items=sum(statuses.values()),
        active=statuses.get(ItemStatus.ACTIVE, 0),
        waiting=statuses.get(ItemStatus.CANDIDATE, 0),
        needs_approval=statuses.get(ItemStatus.QUARANTINED, 0),
        gained=sorted(after.keys() - before.keys()),
        lost=sorted(before.keys() - after.keys()),
        changed=sorted(name for name in after.keys() & before.keys() if _look(before[name]) != _look(after[name])),
    )


def _look(item: Item) -> Sequence[Any]:
    return item.sentence, item.scope, item.status, item.advice, item.files, item.authority


class _Basis(NamedTuple):
    """What the items depend on beside the sessions: taken before they are made, because others add to it meanwhile."""

    day: int
    decisions: list[tuple[str, int, int]]
    exposures: int
    repeated: dict[str, int]
    work: list[tuple[str, int]]  # when there was last work in scopes that are wider than a repository
    checked: list[tuple[str, int]]  # fixes
    hosts: Mapping[str, Mapping[str, str]]
    gone: GoneSubjects

    @property
    def mark(self) -> str:
        content = msgspec.json.encode(
            [
                self.day,
                _VERSION,
                version_of(),
                self.decisions,
                self.exposures,
                self.repeated,
                self.work,
                self.checked,
                {repo: dict(sorted(named.items())) for repo, named in sorted(self.hosts.items())},
                {repo: sorted(paths) for repo, paths in sorted(self.gone.files.items())},
                sorted(self.gone.versions.items()),
                {repo: sorted(calls.items()) for repo, calls in sorted(self.gone.calls.items())},
            ]
        )
        return hashlib.sha256(content).hexdigest()[:32]


def _basis(store: Store, world: World, places: list[Checkout]) -> _Basis:
    return _Basis(
        day=world.now_ms // DAY_MS,
        decisions=items.decision_counts(store.db),
        exposures=items.count_exposures(store.db),
        repeated=asked_again(store.db),
        work=sorted((str(scope), at) for scope, at in _last_work(store).items() if scope.kind is not ScopeKind.REPO),
        checked=[(row.verdict.commit, row.checked_ms) for row in fix_checks(store.db)],
        hosts=instructions(store, world, checkouts(store, world)),
        gone=find_gone(world, places, subjects_named(store, places), newest_versions(store.db)),
    )
