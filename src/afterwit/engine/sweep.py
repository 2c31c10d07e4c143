"""One run: sweep all sources, read what changed, archive, redact, store, digest, harvest, compile the deck, report.

Idempotent. One run at a time holds the lease. Files are derived in parallel and committed in batches by this process;
after each commit the store is consistent, so Ctrl-C, a kill or a full disk lose at most the batch under way, which the
next run reads again.

The first commits of checkouts without a remote are noted, so that a clone of one is recognised: where a checkout with a
remote turns up that begins with the same commit, its remote is that of the earlier folder too. The folder may be gone
tomorrow, so all of this is journalled.
"""

import gc
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from afterwit.capture.checkouts import folder_here
from afterwit.capture.commit import Committer, remove_dropped_objects, resolve_repos
from afterwit.capture.derived import Bookmark, Derived, Origin, rows_in
from afterwit.capture.left_out import LeftOutSessions, mark_of
from afterwit.capture.logs import Home
from afterwit.capture.plan import NOT_LISTED, AgentPlan, Pending, homes, plan, plan_folder, plan_sessions
from afterwit.capture.tasks import DerivedFile, Task, answers, batches, is_much, rest_of, soonest_first, workers_for
from afterwit.capture.workers import Workers, executor_at
from afterwit.config.world import World, redactor_of, rules_for
from afterwit.connect.connections import is_anything_connected
from afterwit.digest.door import digest_pending
from afterwit.engine.archive.erase import finish_erasing
from afterwit.engine.archive.evict import keep_within_budget, recapturable
from afterwit.engine.archive.remove import settle_dropped
from afterwit.engine.archive.upkeep import check_some, still_damaged
from afterwit.engine.news import RunNews, RunTally, note_learned
from afterwit.engine.unchanged import FilesLook, forget_mark, put_run_mark
from afterwit.knowledge.door.settle import harvest, keep_approved
from afterwit.measure.effect import keep_effect
from afterwit.model.captured import CAPTURE_VERSION
from afterwit.model.learn_run import Options, Progress, Report, WantedSession
from afterwit.model.prices import price_list
from afterwit.recall.deck.compile import compile_deck
from afterwit.recall.repository import update_trees
from afterwit.recall.spooled import Taken, acknowledge_ends, take_in
from afterwit.repos.identity import COMMIT_MARK
from afterwit.sources.checkout import remote_of, root_commit_of, root_of_checkout
from afterwit.sources.discovery import HomeListing, Unreadable, list_home
from afterwit.sources.places import RemoteFolder
from afterwit.store import archive_mark
from afterwit.store.atomic import step
from afterwit.store.database import transaction, translate_error
from afterwit.store.decide import CHECKOUTS_SEEN, catch_up, decide
from afterwit.store.rows import erased, files, repos, sessions, texts
from afterwit.store.spool import backlog
from afterwit.store.store import Store, hold_lease, open_store, rehearse_store

_BATCH_AGAIN = 32
_COLLECT_AFTER = 10_000  # new values; Python's own 700 is meant for programs that leave more cycles behind
_MOST_ROUNDS = 5  # after the first: for sessions that ended meanwhile, whose own runs found the lease held


@contextmanager
def _collect_seldom() -> Iterator[None]:
    """A run keeps many values and leaves hardly a cycle: looking for cycles often costs time and finds nothing."""
    before = gc.get_threshold()
    gc.set_threshold(_COLLECT_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@_collect_seldom()
def sweep(world: World, options: Options, progress: Progress, look: FilesLook | None = None) -> Report:
    """One run. Raises BusyError if another run holds the lease. A whole run goes by a look at all files, of its own or
    by whoever looked just now whether there is anything new."""
    if options.is_dry_run and not world.layout.exists():
        with rehearse_store(world.layout) as store:
            return sweep_into(world, options, store, progress)
    world.layout.create()
    store_of = rehearse_store if options.is_dry_run else open_store
    with hold_lease(world.layout.lease, options.wait_seconds), store_of(world.layout) as store:
        forget_mark(store)
        if options.is_whole:
            report = _whole(world, options, store, progress, look or FilesLook(world))
        else:
            report = sweep_into(world, options, store, progress)
        if options.reads_ended:
            report = _follow(report, world, options, store, progress)
        if not options.is_dry_run:
            note_learned(store, world.now_ms, report.news, report.harvested.gained)
        return report


def _whole(world: World, options: Options, store: Store, progress: Progress, look: FilesLook) -> Report:
    """A run after which `unchanged` can tell whether there is anything new."""
    report = sweep_into(world, options, store, progress, look.listings)
    if not options.is_dry_run:
        keep_effect(store.db, world.now_ms)
    put_run_mark(store, world, look, report)
    return report


def _follow(report: Report, world: World, options: Options, store: Store, progress: Progress) -> Report:
    """With the sessions that ended meanwhile. What else hooks noted comes in with them, so the mark is gone."""
    late = Options(jobs=options.jobs, is_ended=True)
    for _ in range(_MOST_ROUNDS):
        if not backlog(world.layout.spool)[0]:
            break
        forget_mark(store)
        more = sweep_into(world, late, store, progress)
        report = report.followed_by(more) if more.agents else report
    return report


def sweep_into(
    world: World,
    options: Options,
    store: Store,
    progress: Progress,
    listings: Mapping[tuple[str, Path], HomeListing] = NOT_LISTED,
) -> Report:
    """One run into a store that is open already."""
    with ExitStack() as ended:
        elsewhere = ended.enter_context(executor_at(options.executor)) if options.executor else None
        workers = ended.enter_context(workers_for(world.settings, options.jobs, elsewhere))
        return _Run(world, options, store, progress, workers, listings, ended).run()


class _Run:
    def __init__(
        self,
        world: World,
        options: Options,
        store: Store,
        progress: Progress,
        workers: Workers,
        listings: Mapping[tuple[str, Path], HomeListing],
        ended: ExitStack,
    ) -> None:
        self._listings = listings
        self._ended = ended  # what ends with the run
        self._workers = workers
        self._world = world
        self._options = options
        self._store = store
        self._progress = progress
        self._rules = rules_for(world, store)
        self._committer = Committer(store, self._rules)
        self._tally = RunTally()
        self._news = RunNews(store, world)
        self._checkouts: dict[str, str] = {}
        self._failed: set[tuple[Home, PurePosixPath]] = set()  # where something could not be read
        self._agents_left_out = 0  # sessions of agents that are left out whole

    def run(self) -> Report:
        self._check_archive()
        remove_dropped_objects(self._store)
        settle_dropped(self._store)
        catch_up(self._store)
        if not self._options.is_dry_run:
            finish_erasing(self._store, self._world)
        if not (self._options.is_dry_run or self._options.is_narrow):
            check_some(self._store, self._world.now_ms)
        damaged = files.files_damaged(self._store.db)
        self._look_again()
        taken = self._take_in_spool()
        wanted = (*self._options.sessions, *(taken.ended if self._options.is_ended else ()))
        if self._options.is_narrow and not wanted:
            return Report(agents=[], sessions=sessions.count_sessions(self._store.db))
        self._read(self._plans(wanted))
        self._news.end()
        new = self._note_checkouts()
        resolve_repos(self._store, self._world.settings)
        if not self._options.is_dry_run and note_first_commits(self._store, self._world, new):
            resolve_repos(self._store, self._world.settings)
        prices = price_list(self._world.settings.prices)
        digested = digest_pending(self._store, prices, self._progress, self._workers)
        if not self._options.is_dry_run:
            keep_approved(self._store, self._world.now_ms)
        harvested = harvest(
            self._store, self._world, self._progress, self._workers, is_again=self._options.is_reharvest
        )
        if not self._options.is_dry_run:
            update_trees(self._store, self._world, self._progress)
            compile_deck(self._store, self._world)
        evicted = keep_within_budget(self._store, self._world, is_dry_run=self._options.is_dry_run)
        if self._options.reads_ended:
            acknowledge_ends(taken)
        return Report(
            agents=self._tally.reports(),
            sessions=sessions.count_sessions(self._store.db),
            digested=digested,
            harvested=harvested,
            evicted=evicted,
            is_dry_run=self._options.is_dry_run,
            news=self._news.news(harvested, is_dry_run=self._options.is_dry_run),
            is_connected=is_anything_connected(self._world.layout),
            excluded=erased.count_excluded(self._store.db) + self._agents_left_out,
            excluded_stored=len(self._left_out.stored()),
            own=erased.count_own(self._store.db),
            damaged=list(still_damaged(self._store, damaged)),
        )

    def _look_again(self) -> None:
        """What was left out is looked at again where something else is now."""
        with transaction(self._store.db):
            erased.forget_left_out(self._store.db, mark_of(self._world, self._store))
        self._left_out = LeftOutSessions(self._world, self._store)

    def _check_archive(self) -> None:
        """Nothing may be written that speaks of another archive than the one that is there."""
        if self._options.accepts_database and archive_mark.describe_missing(self._store):
            with transaction(self._store.db):
                archive_mark.adopt(self._store)
        archive_mark.refuse_older(self._store)
        if not archive_mark.mark_of(self._store.archive) and not self._options.is_dry_run:
            with transaction(self._store.db):
                archive_mark.announce(self._store)
            archive_mark.confirm(self._store)

    def _read(self, plans: list[AgentPlan]) -> None:
        """Reads and commits what the plans say, batch by batch."""
        plans, left_out = self._left_out.wanted(plans)
        self._agents_left_out += left_out
        for agent in plans:
            self._tally.note_plan(agent)
        pending = soonest_first(task for agent in plans for task in agent.pending)
        self._progress.begin(len(pending), sum(task.unit.transcript.size_bytes for task in pending))
        before = sessions.counts_by_agent(self._store.db)
        if not self._options.is_narrow:
            self._derive_older_again()
        self._news.begin()
        for batch in batches(self._answers(pending)):
            self._commit(batch)
        self._note_sources(plans)
        self._tally.note_growth(before, sessions.counts_by_agent(self._store.db))
        if is_much(self._tally.read_bytes()):
            with transaction(self._store.db):
                texts.tidy(self._store.db)

    def _take_in_spool(self) -> Taken:
        """What hooks noted since the last run. Making a redactor is costly, so only where something waits."""
        if self._options.is_dry_run or not backlog(self._store.layout.spool)[0]:
            return Taken()
        return take_in(self._store, redactor_of(self._world), self._world.now_ms)

    def _plans(self, wanted: tuple[WantedSession, ...]) -> list[AgentPlan]:
        world, options = self._world, self._options
        if options.is_narrow:
            own = homes(world.settings, world.user_home, {session.agent for session in wanted})
            return plan_sessions(self._store.db, own, wanted, world.declared)
        self._committer.doubt(set(files.files_captured_before(self._store.db, CAPTURE_VERSION)))
        since_ns = options.since_ms * 1_000_000
        again = recapturable(self._store, world.settings.retention)
        if options.folder is not None:
            remote = RemoteFolder(options.folder) if isinstance(options.folder, str) else None
            listing = self._list_folder(options.folder, remote)
            return plan_folder(self._store.db, listing, options.agents, since_ns, world.declared, again, remote)
        own = homes(world.settings, world.user_home, options.agents)
        return plan(self._store.db, own, since_ns, world.declared, again, self._listings)

    def _list_folder(self, folder: Path | str, remote: RemoteFolder | None) -> HomeListing:
        """What lies in a folder that was given by hand. One at a URL is listed as if it lay where databases in it are
        fetched to."""
        if remote is None:
            return list_home(Path(folder))
        files, refused = remote.listed()
        unreadable = [Unreadable(name, "has no name or size that a log could have") for name in refused]
        return HomeListing(Path(self._ended.enter_context(TemporaryDirectory())), files, unreadable, [])

    def _answers(self, pending: list[Pending]) -> Iterator[DerivedFile]:
        archive = self._store.layout.archive
        tasks = (Task(file, self._bookmark(file), self._rules, archive) for file in pending)
        total = sum(file.unit.transcript.size_bytes for file in pending)
        return answers(tasks, self._workers, total)

    def _bookmark(self, file: Pending) -> Bookmark | None:
        row = files.live_file(self._store.db, file.key)
        if row is None or not row.held_bytes or row.state == files.DAMAGED:
            return None
        resume = None if file.has_new_companions else row.resume
        return Bookmark(held_bytes=row.held_bytes, sha256=row.sha256, cursor=row.cursor, resume=resume)

    def _commit(self, batch: list[DerivedFile]) -> None:
        try:
            archive_mark.begin(self._store)
            with transaction(self._store.db):
                for file, derived in batch:
                    self._put(file, derived)
                self._committer.settle()
                if self._store.archive.flush():
                    archive_mark.announce(self._store)
                step("a batch is about to be committed")
        except OSError as error:
            raise translate_error(error, self._store.layout.root) from error
        step("a batch is committed")
        archive_mark.confirm(self._store)
        remove_dropped_objects(self._store)
        self._progress.advance(len(batch), sum(file.unit.transcript.size_bytes for file, _ in batch))

    def _put(self, file: Pending, derived: Derived) -> None:
        """One file, or what may be kept of it."""
        origin = Origin(file.home.agent, file.home.label, file.unit.transcript.path, file.is_tracked)
        mark, parts = file.unit.companions_mark, self._left_out.parts_of(file.home.agent, derived)
        if not parts.all:
            is_kept = self._committer.put(origin, derived, mark, is_again=file.is_again)
            self._count(file, derived, is_kept=is_kept)
            return
        self._left_out.pass_over(file.home.agent, parts)
        others = [part for part in rows_in(derived).parts if not part.is_empty and part.native_id not in parts.all]
        rest = rest_of(Task(file, None, self._rules, self._store.layout.archive), parts.all) if others else None
        if rest is None:
            self._committer.leave_out(origin, derived, parts, mark)
            self._tally.count_left_out(file.home.agent)
        else:
            self._count(file, rest, is_kept=self._committer.put_rest(origin, rest, mark))

    def _count(self, file: Pending, derived: Derived, *, is_kept: bool) -> None:
        self._tally.count(file, derived, is_kept=is_kept)
        if is_kept and derived.captured is not None:
            self._news.count(file)
        self._checkouts.update(derived.checkouts)
        if derived.error:
            self._failed.add((file.home, file.unit.transcript.path.parent))

    def _note_sources(self, plans: list[AgentPlan]) -> None:
        """What has many sessions is as it was from now on, unless one of them could not be read."""
        listed = [
            source for agent in plans for source in agent.listed if (source.home, source.file.path) not in self._failed
        ]
        with transaction(self._store.db):
            for source in listed:
                origin = Origin(source.home.agent, source.home.label, source.file.path)
                self._committer.note_source(origin, source.file, source.sessions, source.error)

    def _derive_older_again(self) -> None:
        """Files whose rows an older capture made lack what later stages need: their rows come anew from the archive."""
        older = files.files_captured_before(self._store.db, CAPTURE_VERSION)
        for start in range(0, len(older), _BATCH_AGAIN):
            with transaction(self._store.db):
                self._committer.derive_again(older[start : start + _BATCH_AGAIN])
                self._committer.settle()

    def _note_checkouts(self) -> dict[str, str]:
        """Remotes of folders on this machine: journalled, because the folders may be gone tomorrow. Returns those that
        are new."""
        noted = repos.checkouts(self._store.db)
        new = {root: remote for root, remote in self._checkouts.items() if noted.get(root) != remote}
        if new and self._options.is_dry_run:
            repos.put_checkouts(self._store.db, new)
        elif new:
            decide(self._store, CHECKOUTS_SEEN, {"remotes": new}, self._world.now_ms)
        return new


_MOST = 32  # folders that are asked in one run


def note_first_commits(store: Store, world: World, new: Mapping[str, str]) -> bool:
    """Notes them; `new` are remotes by root folder that this run was the first to see. True if anything was noted."""
    noted = repos.checkouts(store.db)
    commits = _first_commits(store, world, noted)
    begun = {root: mark for root, mark in (noted | commits).items() if mark.startswith(COMMIT_MARK)}
    remotes = _remotes_of_begun(store, world, begun, new) if begun else {}
    if commits or remotes:
        decide(store, CHECKOUTS_SEEN, {"remotes": commits | remotes}, world.now_ms)
    return bool(commits or remotes)


def _first_commits(store: Store, world: World, noted: Mapping[str, str]) -> dict[str, str]:
    commits: dict[str, str] = {}
    rows = (row for row in repos.repo_rows(store.db) if row.repo and "/" not in row.repo and row.root not in noted)
    for row in rows:
        folder = Path(folder_here(store, world, row.root))
        if len(commits) < _MOST and root_of_checkout(folder) is not None and not remote_of(folder):
            commit = root_commit_of(folder)
            if commit:
                commits[row.root] = f"{COMMIT_MARK}{commit}"
    return commits


def _remotes_of_begun(store: Store, world: World, begun: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """The remotes that turned up for folders known by their first commit."""
    remotes: dict[str, str] = {}
    for root, remote in sorted(new.items())[:_MOST]:
        mark = f"{COMMIT_MARK}{root_commit_of(Path(folder_here(store, world, root)))}"
        remotes |= {other: remote for other, noted in begun.items() if noted == mark}
    return remotes
