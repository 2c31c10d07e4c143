"""`learn`: sweep all sources, read what changed, archive, redact, store, report.

Idempotent. One run at a time holds the lease. Files are derived in parallel and committed in batches by this process;
after each commit the store is consistent, so Ctrl-C, a kill or a full disk lose at most the batch under way, which the
next run reads again.
"""

import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from afterwit.capture.prices import price_list
from afterwit.capture.repo import resolve
from afterwit.model.captured import CAPTURE_VERSION
from afterwit.model.settings import Settings
from afterwit.store import files, repos, sessions, texts
from afterwit.store.archive import Archive
from afterwit.store.database import transaction, translated
from afterwit.store.lease import held
from afterwit.store.repos import RepoRow
from afterwit.store.spool import backlog
from afterwit.store.steps import step
from afterwit.store.store import Store, opened, rehearsed
from afterwit.usecases import standing
from afterwit.usecases.commit import Committer, Origin, remove_doomed
from afterwit.usecases.dealing import deal
from afterwit.usecases.decisions import CHECKOUTS_SEEN, catch_up, decide
from afterwit.usecases.derive import Bookmark, Derived, Rules, copied_companion, derive_live
from afterwit.usecases.digesting import digest_pending
from afterwit.usecases.evict import keep_within_budget
from afterwit.usecases.learn_options import Options, Wanted
from afterwit.usecases.learn_report import AgentReport, Report
from afterwit.usecases.leaving import settle_leaving
from afterwit.usecases.one_session import plan_sessions
from afterwit.usecases.parallel import spread
from afterwit.usecases.plan import AgentPlan, Home, Pending, homes, plan, plan_folder
from afterwit.usecases.recapture import recapturable
from afterwit.usecases.retention import soonest_first
from afterwit.usecases.settling import harvest
from afterwit.usecases.spooled import take_in
from afterwit.usecases.watching import Progress
from afterwit.usecases.world import World, redactor_of, rules_for

__all__ = ["Options", "jobs_for", "learn", "resolve_repos", "sweep"]

BATCH_FILES = 256
BATCH_BYTES = 40 << 20
_BATCH_AGAIN = 32
_WORTH_A_POOL_BYTES = 16 << 20
_COLLECT_AFTER = 10_000  # new values; Python's own 700 is meant for programs that leave more cycles behind
_MOST_ROUNDS = 5  # after the first: for sessions that ended meanwhile, whose own runs found the lease held


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """A run keeps many values and leaves hardly a cycle: looking for cycles often costs time and finds nothing."""
    before = gc.get_threshold()
    gc.set_threshold(_COLLECT_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@_collecting_seldom()
def learn(world: World, options: Options, progress: Progress) -> Report:
    """One run. Raises BusyError if another run holds the lease."""
    if options.is_dry_run and not world.layout.exists():
        with rehearsed(world.layout) as store:
            return sweep(world, options, store, progress)
    world.layout.create()
    store_of = rehearsed if options.is_dry_run else opened
    with held(world.layout.lease, options.wait_seconds), store_of(world.layout) as store:
        standing.forget(store)
        if options.is_whole:
            return _whole(world, options, store, progress)
        report = sweep(world, options, store, progress)
        for _ in range(_MOST_ROUNDS):
            if not options.is_ended or not backlog(world.layout.spool)[0]:
                break
            more = sweep(world, options, store, progress)
            report = msgspec.structs.replace(more, agents=[*report.agents, *more.agents]) if more.agents else report
        return report


def _whole(world: World, options: Options, store: Store, progress: Progress) -> Report:
    """A run after which `standing` can tell whether there is anything new."""
    seen = standing.look(world)
    report = sweep(world, options, store, progress)
    standing.note(store, world, seen, report)
    return report


def sweep(world: World, options: Options, store: Store, progress: Progress) -> Report:
    """One run into a store that is open already."""
    return _Run(world, options, store, progress).run()


class _Run:
    def __init__(self, world: World, options: Options, store: Store, progress: Progress) -> None:
        self._world = world
        self._options = options
        self._store = store
        self._progress = progress
        self._rules = rules_for(world, store)
        self._committer = Committer(store, self._rules)
        self._reports: dict[str, AgentReport] = {}
        self._checkouts: dict[str, str] = {}
        self._failed: set[tuple[Home, PurePosixPath]] = set()  # where something could not be read

    def run(self) -> Report:
        remove_doomed(self._store)
        settle_leaving(self._store)
        catch_up(self._store)
        wanted = (*self._options.sessions, *self._take_in_spool())
        if self._options.is_narrow and not wanted:
            return Report(agents=[], sessions=sessions.count_sessions(self._store.db))
        plans = self._plans(wanted)
        for one in plans:
            self._note_plan(one)
        pending = soonest_first(task for one in plans for task in one.pending)
        self._progress.begin(len(pending), sum(task.unit.transcript.size_bytes for task in pending))
        before = sessions.counts_by_agent(self._store.db)
        if not self._options.is_narrow:
            self._derive_older_again()
        for batch in _batches(self._derived(pending)):
            self._commit(batch)
        self._note_sources(plans)
        self._note_growth(before)
        if sum(report.bytes for report in self._reports.values()) >= _WORTH_A_POOL_BYTES:
            with transaction(self._store.db):
                texts.tidy(self._store.db)
        self._note_checkouts()
        resolve_repos(self._store, self._world.settings)
        digested = digest_pending(self._store, price_list(self._world.settings.prices), self._progress)
        harvested = harvest(self._store, self._world, self._progress, is_again=self._options.is_reharvest)
        if not self._options.is_dry_run:
            deal(self._store, self._world)
        evicted = keep_within_budget(self._store, self._world, is_dry_run=self._options.is_dry_run)
        count = sessions.count_sessions(self._store.db)
        return Report(
            agents=list(self._reports.values()),
            sessions=count,
            digested=digested,
            harvested=harvested,
            evicted=evicted,
            is_dry_run=self._options.is_dry_run,
        )

    def _take_in_spool(self) -> tuple[Wanted, ...]:
        """What hooks noted since the last run; the sessions that ended. Making a redactor is costly, so only where
        something waits."""
        if self._options.is_dry_run or not backlog(self._store.layout.spool)[0]:
            return ()
        return take_in(self._store, redactor_of(self._world), self._world.now_ms).ended

    def _plans(self, wanted: tuple[Wanted, ...]) -> list[AgentPlan]:
        world, options = self._world, self._options
        if options.is_narrow:
            own = homes(world.settings, world.user_home, {one.agent for one in wanted})
            return plan_sessions(self._store.db, own, wanted, world.declared)
        since_ns = options.since_ms * 1_000_000
        again = recapturable(self._store, world.settings.retention)
        if options.folder is not None:
            return plan_folder(self._store.db, options.folder, options.agents, since_ns, world.declared, again)
        found = homes(world.settings, world.user_home, options.agents)
        return plan(self._store.db, found, since_ns, world.declared, again)

    def _note_plan(self, one: AgentPlan) -> None:
        if not one.discovered and not one.unreadable:
            return
        self._reports[one.agent] = AgentReport(
            agent=one.agent,
            discovered=one.discovered,
            unchanged=one.unchanged,
            no_reader=one.no_reader,
            failed=len(one.unreadable),
            errors=[f"{place.place}: {place.reason}" for place in one.unreadable],
        )

    def _derived(self, pending: list[Pending]) -> Iterator[tuple[Pending, Derived]]:
        archive = self._store.layout.archive
        tasks = (_Task(one, self._bookmark(one), self._rules, archive) for one in pending)
        total = sum(one.unit.transcript.size_bytes for one in pending)
        jobs = jobs_for(self._world.settings, self._options.jobs, len(pending), total)
        if jobs <= 1:
            yield from ((task.pending, _derive(task)) for task in tasks)
            return
        for task, answer in spread(tasks, _work, jobs):
            yield task.pending, msgspec.msgpack.decode(answer, type=Derived)

    def _bookmark(self, one: Pending) -> Bookmark | None:
        row = files.live_file(self._store.db, one.key)
        if row is None or not row.held_bytes:
            return None
        resume = None if one.has_new_companions else row.resume
        return Bookmark(held_bytes=row.held_bytes, sha256=row.sha256, cursor=row.cursor, resume=resume)

    def _commit(self, batch: list[tuple[Pending, Derived]]) -> None:
        try:
            with transaction(self._store.db):
                for one, derived in batch:
                    origin = Origin(one.home.agent, one.home.label, one.unit.transcript.path)
                    is_kept = self._committer.put(origin, derived, one.unit.companions_mark, is_again=one.is_again)
                    self._count(one, derived, is_kept=is_kept)
                self._committer.settle()
                self._store.archive.flush()
                step("a batch is about to be committed")
        except OSError as error:
            raise translated(error, self._store.layout.root) from error
        step("a batch is committed")
        remove_doomed(self._store)
        self._progress.advance(len(batch), sum(one.unit.transcript.size_bytes for one, _ in batch))

    def _count(self, one: Pending, derived: Derived, *, is_kept: bool) -> None:
        report = self._reports[one.home.agent]
        self._checkouts.update(derived.checkouts)
        if derived.error:
            report.failed += 1
            report.errors.append(f"{one.unit.home / one.unit.transcript.path}: {derived.error}")
            self._failed.add((one.home, one.unit.transcript.path.parent))
        elif derived.captured is None:
            report.unchanged += 1
        elif not is_kept:
            report.empty += 1
        else:
            report.read += 1
            report.problems += len(derived.captured.problems)
            report.bytes += derived.fresh_bytes

    def _note_sources(self, plans: list[AgentPlan]) -> None:
        """What has many sessions is as it was from now on, unless one of them could not be read."""
        listed = [
            source for one in plans for source in one.listed if (source.home, source.found.path) not in self._failed
        ]
        with transaction(self._store.db):
            for source in listed:
                origin = Origin(source.home.agent, source.home.label, source.found.path)
                self._committer.note_source(origin, source.found, source.sessions, source.error)

    def _derive_older_again(self) -> None:
        """Files whose rows an older capture made lack what later stages need: their rows come anew from the archive."""
        older = files.captured_before(self._store.db, CAPTURE_VERSION)
        for start in range(0, len(older), _BATCH_AGAIN):
            with transaction(self._store.db):
                self._committer.derive_again(older[start : start + _BATCH_AGAIN])
                self._committer.settle()

    def _note_growth(self, before: Mapping[str, sessions.Counts]) -> None:
        """What came into the store: copied history, which many files hold, is counted once."""
        after = sessions.counts_by_agent(self._store.db)
        for agent, report in self._reports.items():
            was, now = (counts.get(agent, sessions.Counts(0, 0)) for counts in (before, after))
            report.events, report.actions = max(0, now.events - was.events), max(0, now.actions - was.actions)

    def _note_checkouts(self) -> None:
        """Remotes of folders on this machine: journalled, because the folders may be gone tomorrow."""
        known = repos.checkouts(self._store.db)
        new = {root: remote for root, remote in self._checkouts.items() if known.get(root) != remote}
        if new and self._options.is_dry_run:
            repos.put_checkouts(self._store.db, new)
        elif new:
            decide(self._store, CHECKOUTS_SEEN, {"remotes": new}, self._world.now_ms)


def jobs_for(settings: Settings, asked: int, tasks: int, total_bytes: int) -> int:
    """How many processes to use. Little work stays in this one."""
    jobs = asked or settings.learn.jobs or os.cpu_count() or 1
    return min(jobs, tasks) if total_bytes >= _WORTH_A_POOL_BYTES else 1


class _Task(NamedTuple):
    pending: Pending
    bookmark: Bookmark | None
    rules: Rules
    archive: Path


def _work(task: _Task) -> bytes:
    """Runs in a worker: one file, its answer as bytes, which cross between processes cheaply."""
    return msgspec.msgpack.encode(_derive(task))


def _derive(task: _Task) -> Derived:
    one = task.pending
    companions = frozenset(str(found.path) for found in one.unit.companions)
    path = one.unit.transcript.path
    archived = partial(_archived_companion, Archive(task.archive), one.home)
    derived = derive_live(one.home.agent, one.unit.home, path, companions, task.rules, task.bookmark, archived)
    if derived.captured is not None and (task.bookmark is None or one.has_new_companions):
        copies = (copied_companion(one.unit.home, path) for path in sorted(companions))
        derived.copies += [copy for copy in copies if copy is not None]
    return derived


def _archived_companion(archive: Archive, home: Home, path: PurePosixPath) -> bytes | None:
    name = archive.latest(files.file_key(home.agent, home.label + str(path)))
    return b"".join(archive.read(name)) if name else None


def resolve_repos(store: Store, settings: Settings) -> None:
    """Gives every session its repository, by the set of all that was seen."""
    db = store.db
    found = resolve(
        sessions.sightings(db), settings.aliases.repos, repos.checkouts(db), merges=repos.aliases(db, "repo")
    )
    rows = sorted(RepoRow(spot.root, spot.remote, answer.repo, answer.how.value) for spot, answer in found.items())
    if rows != sorted(repos.repo_rows(db)) or sessions.has_unresolved(db):
        with transaction(db):
            repos.put_repos(db, rows)


def _batches(derived: Iterator[tuple[Pending, Derived]]) -> Iterator[list[tuple[Pending, Derived]]]:
    batch: list[tuple[Pending, Derived]] = []
    size = 0
    for one, answer in derived:
        batch.append((one, answer))
        size += one.unit.transcript.size_bytes
        if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
