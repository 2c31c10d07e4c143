"""What a run reports: the table of agents, the sessions it read and what they cost, logs that would be gone soon, the
best finds, and what the user keeps saying.

Gathered while a run is at work, and asked for at its end. Only agents of which something was found have a line. What
came into the store is told by the store itself, before and after, because copied history, which many files hold, counts
once. Sessions that an older capture made, and that are only derived again, are no news.
"""

from collections.abc import Iterator, Mapping, Sequence

from afterwit.agents.registry import RetentionPeriod
from afterwit.capture.derived import Derived
from afterwit.capture.logs import Home, retention_in, vanishes_at
from afterwit.capture.plan import AgentPlan, Pending
from afterwit.config.world import World
from afterwit.harvest.statements import words_stated
from afterwit.knowledge.door.list import item_in
from afterwit.knowledge.door.listeners import listener_here
from afterwit.model.knowledge import REPEATED, Item, ItemStatus
from afterwit.model.learn_run import AgentReport, Find, Harvested, KeptSaying, News
from afterwit.recall.told import told_in
from afterwit.sessions.cost import spending_of_sessions
from afterwit.store.marks import LastLearned, in_use_since, note_without_news, put_in_use_since, put_last_learned
from afterwit.store.rows.items import ItemRow, best_items, ids_with_status, items_with_ids
from afterwit.store.rows.session_list import agents_of
from afterwit.store.rows.sessions import Counts, count_sessions
from afterwit.store.rows.sightings import sessions_changed
from afterwit.store.store import Store

MOST_FINDS = 3
_MOST_LOOKED_AT = 50  # of the notes that are believed most
_HELD = (ItemStatus.ACTIVE, ItemStatus.CANDIDATE, ItemStatus.QUARANTINED)
MOST_SAYINGS = 2


class RunNews:
    """The news of one run."""

    def __init__(self, store: Store, world: World) -> None:
        self._store = store
        self._world = world
        self._sessions_before = count_sessions(store.db)
        self._older: frozenset[int] = frozenset()
        self._read: frozenset[int] = frozenset()
        self._kept: dict[Home, RetentionPeriod | None] = {}
        self._vanishing_ms: list[int] = []

    def begin(self) -> None:
        """From here on files are read; what waits to be digested by now has other reasons."""
        self._older = frozenset(sessions_changed(self._store.db))

    def count(self, file: Pending) -> None:
        """One file that was read, and is archived."""
        if file.home not in self._kept:
            self._kept[file.home] = retention_in(file.home)
        moment = vanishes_at(file.home, self._kept[file.home], file.unit.transcript)
        self._vanishing_ms += [] if moment is None else [moment]

    def end(self) -> None:
        """All files are read, and nothing of them is digested yet."""
        self._read = frozenset(sessions_changed(self._store.db)) - self._older

    def news(self, harvested: Harvested, *, is_dry_run: bool = False) -> News | None:
        """None where nothing was read."""
        if not self._read:
            return None
        db = self._store.db
        spending = spending_of_sessions(db, self._world.settings, self._read)
        return News(
            sessions=len(self._read),
            new_sessions=max(0, count_sessions(db) - self._sessions_before),
            agents=agents_of(db, self._read),
            tokens=spending.tokens,
            cost_usd=spending.cost_usd,
            is_cost_partial=spending.is_partial,
            rescued=len(self._vanishing_ms),
            rescued_from_ms=min(self._vanishing_ms, default=None),
            finds=list(self._finds(harvested, is_dry_run=is_dry_run)),
            keeps_saying=self._keeps_saying(harvested),
        )

    def _finds(self, harvested: Harvested, *, is_dry_run: bool) -> Iterator[Find]:
        """New notes that sessions are told; where there is none, those of them that are believed most."""
        names = {*harvested.gained, *harvested.changed}
        new = [row for row in items_with_ids(self._store.db, names) if row.status == ItemStatus.ACTIVE]
        best = self._told(new, is_dry_run=is_dry_run) or self._told(
            best_items(self._store.db, ItemStatus.ACTIVE, _MOST_LOOKED_AT), is_dry_run=is_dry_run
        )
        for item in best[:MOST_FINDS]:
            yield _find(item, is_new=item.id in names)

    def _told(self, rows: Sequence[ItemRow], *, is_dry_run: bool) -> list[Item]:
        """Those that hooks have. A rehearsal writes nothing for hooks, so that all may be."""
        notes = [item_in(row) for row in rows]
        told = () if is_dry_run else told_in(self._store.db, self._world, notes)
        return [item for item in notes if is_dry_run or item.id in told]

    def _keeps_saying(self, harvested: Harvested) -> list[KeptSaying]:
        """What the user of this machine keeps saying, where that is new, and no file says it already."""
        to = listener_here(self._store.db, self._world._replace(layout=self._store.layout))
        new = map(item_in, items_with_ids(self._store.db, harvested.gained))
        asked = (item for item in new if item.harvester == REPEATED and item.status is ItemStatus.QUARANTINED)
        said = [_sentences_repeated(item) for item in asked if to.hears(item) and not item.is_known_to_host]
        return sorted(said, key=lambda saying: (-saying.sessions, saying.id))[:MOST_SAYINGS]


def _sentences_repeated(item: Item) -> KeptSaying:
    sessions = len({piece.session.story for piece in item.evidence})
    return KeptSaying(id=item.id, words=words_stated(item.sentence), repo=item.scope.name, sessions=sessions)


def _find(item: Item, *, is_new: bool) -> Find:
    name = item.scope.name.rpartition("/")[2]
    return Find(
        id=item.id,
        sentence=item.sentence,
        applies_to=name,
        confidence=item.confidence,
        rests_on=item.rests_on,
        is_new=is_new,
    )


def note_learned(store: Store, now_ms: int, news: News | None, gained: Sequence[str] = ()) -> None:
    """Marks that a run has ended, which notes are in use since when, and what the last one with news brought: notes
    that were replaced or answered in the same run are none."""
    _note_in_use(store, now_ms, news)
    new_notes = sum(row.status in _HELD for row in items_with_ids(store.db, gained))
    if news is None and not new_notes:
        note_without_news(store.db, now_ms)
    else:
        read = news or News()
        put_last_learned(store.db, LastLearned(now_ms, now_ms, read.sessions, read.new_sessions, new_notes))


def _note_in_use(store: Store, now_ms: int, news: News | None) -> None:
    """In a store that is older than this mark, nobody knows since when."""
    before = in_use_since(store.db)
    is_first = news is not None and news.new_sessions == count_sessions(store.db)
    since_ms = now_ms if before is not None or is_first else 0
    after = {name: (before or {}).get(name, since_ms) for name in ids_with_status(store.db, ItemStatus.ACTIVE)}
    if after != before:
        put_in_use_since(store.db, after)


class RunTally:
    """The reports of one run."""

    def __init__(self) -> None:
        self._reports: dict[str, AgentReport] = {}

    def reports(self) -> list[AgentReport]:
        return list(self._reports.values())

    def read_bytes(self) -> int:
        """How much was read, of all agents."""
        return sum(report.bytes for report in self._reports.values())

    def note_plan(self, plan: AgentPlan) -> None:
        if not plan.discovered and not plan.unreadable:
            return
        self._reports[plan.agent] = AgentReport(
            agent=plan.agent,
            discovered=plan.discovered,
            unchanged=plan.unchanged,
            no_reader=plan.no_reader,
            failed=len(plan.unreadable),
            errors=[f"{place.place}: {place.reason}" for place in plan.unreadable],
        )

    def count(self, file: Pending, derived: Derived, *, is_kept: bool) -> None:
        """One file, after it was written."""
        report = self._reports[file.home.agent]
        if derived.error:
            report.failed += 1
            report.errors.append(f"{file.unit.home / file.unit.transcript.path}: {derived.error}")
        elif derived.captured is None:
            report.unchanged += 1
        elif not is_kept:
            report.empty += 1
        else:
            report.read += 1
            report.problems += len(derived.captured.problems)
            report.bytes += derived.fresh_bytes

    def count_left_out(self, agent: str) -> None:
        """One file of which nothing was kept."""
        self._reports[agent].left_out += 1

    def note_growth(self, before: Mapping[str, Counts], after: Mapping[str, Counts]) -> None:
        """What came into the store: copied history, which many files hold, is counted once."""
        for agent, report in self._reports.items():
            was, now = (counts.get(agent, Counts(0, 0)) for counts in (before, after))
            report.events, report.actions = max(0, now.events - was.events), max(0, now.actions - was.actions)
