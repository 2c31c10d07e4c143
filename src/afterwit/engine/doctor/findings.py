"""What `doctor` and `status` have to say: alarms, which need somebody, and warnings, which are good to know.

Here of the store (the usual look is quick, and says what it left out; the full one is `store verify`), of the storage
budget, of reading by a model, and of hooks. A hook never disturbs a session, so nobody sees that it fails. An agent
never calls if its sessions come in and no call of it was noted since it was connected, or for a while before they
began; a session without an action, or a subagent's, says nothing.
"""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum
from typing import NamedTuple

import apsw
import msgspec

from afterwit.agents.hook_payloads import described
from afterwit.agents.registry import DAY_MS, integration_for
from afterwit.config.extras import broken_extras, functions
from afterwit.config.world import World, exclusion_of
from afterwit.connect import connections
from afterwit.connect.plan import ConnectionState, Machine, states
from afterwit.engine.archive.upkeep import foreign_belongings, objects_damaged, unknown_objects, verify
from afterwit.engine.faults import LEARN
from afterwit.model.errors import AfterwitError
from afterwit.model.settings import ReadingSettings, RetentionSettings
from afterwit.model.times import iso_from_ms
from afterwit.recall.hook.entry import CALLED
from afterwit.store import archive_mark, journal, spool
from afterwit.store.checks import foreign_permissions
from afterwit.store.database import schema_version
from afterwit.store.layout import Layout
from afterwit.store.pauses import in_words, pauses_in_force
from afterwit.store.rows import hooks
from afterwit.store.rows.erased import is_unfinished
from afterwit.store.rows.files import LOST, files_dropped, files_lost_unread
from afterwit.store.rows.health import ArchiveState, database_bytes
from afterwit.store.rows.hooks import FaultRow
from afterwit.store.rows.readings import count_unanswered, requests_failed
from afterwit.store.store import Store, holder, is_held, readonly_database

_BEFORE_ITS_SESSION_MS = 600_000  # a call may come before the first line of the log that it is about


RECENT_DAYS = 7
_SHOWN = 5


class Level(StrEnum):
    ALARM = "alarm"
    WARNING = "warning"


class DoctorFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong, as a sentence that says what to do."""

    level: Level
    code: str  # stable, for scripts
    agent: str = ""  # "" where it is about the store
    what: str


def alarm(code: str, what: str, agent: str = "") -> DoctorFinding:
    return DoctorFinding(level=Level.ALARM, code=code, agent=agent, what=what)


def warning(code: str, what: str, agent: str = "") -> DoctorFinding:
    return DoctorFinding(level=Level.WARNING, code=code, agent=agent, what=what)


def budget_findings(
    store: Store, archived: ArchiveState, limits: RetentionSettings, now_ms: int
) -> Iterator[DoctorFinding]:
    """A loss is an alarm for a week, so that somebody hears of it, and a warning from then on."""
    lost = [file for file in files_dropped(store.db) if file.state == LOST]
    if lost:
        names = ", ".join(file.path for file in lost[:_SHOWN]) + (", …" if len(lost) > _SHOWN else "")
        count = "1 original was" if len(lost) == 1 else f"{len(lost):,} originals were"
        say = alarm if lost[0].dropped_ms > now_ms - RECENT_DAYS * DAY_MS else warning
        yield say(
            "data-loss",
            f"{count} dropped without having been analysed, because the archive was above its hard cap ({names})."
            f" {_remedy(store, limits)} `afterwit store dropped` lists them.",
        )
    used = archived.original_bytes
    if used > limits.hard_cap_bytes:
        yield alarm(
            "over-budget",
            f"Originals take {used // 1_000_000:,} MB, above the hard cap of {limits.hard_cap_bytes // 1_000_000:,} MB."
            " Run `afterwit store evict`, unpin sessions, or raise raw_hard_cap_bytes in [retention] of config.toml.",
        )
    distilled = database_bytes(store.layout.database) + archived.remains_bytes
    if distilled > limits.distilled_cap_bytes:
        yield warning(
            "distilled-cap",
            f"What was learned takes {distilled // 1_000_000:,} MB, more than distilled_cap_bytes"
            f" ({limits.distilled_cap_bytes // 1_000_000:,} MB). Nothing of it is dropped; raise that cap.",
        )


def extra_findings(world: World) -> Iterator[DoctorFinding]:
    """What extras say, and which cannot."""
    for extra in broken_extras():
        yield warning("extra-broken", f"The extra {extra.name!r} cannot be loaded ({extra.why}). Install it again.")
    for find in functions("findings"):
        yield from find(world)


def exclusion_findings(store: Store, world: World) -> Iterator[DoctorFinding]:
    """What is stored from before the settings left it out, and what a run that was killed has still to erase."""
    count = _find_left_out(store, world) if exclusion_of(world) else 0
    if count:
        sessions = "1 stored session is" if count == 1 else f"{count:,} stored sessions are"
        yield warning(
            "excluded-stored",
            f"{sessions} from before your settings (learn.exclude) left them out."
            " `afterwit sessions delete --excluded` erases them.",
        )
    if is_unfinished(store.db):
        yield warning(
            "erasing", "Sessions were deleted, and not all of their bytes are gone yet. Run `afterwit learn`."
        )


def _find_left_out(store: Store, world: World) -> int:
    from afterwit.capture.left_out import LeftOutSessions  # with all that reads, which few need here

    return len(LeftOutSessions(world, store).stored())


def _remedy(store: Store, limits: RetentionSettings) -> str:
    """What brings back the ones that gave no session; of the others, what was read is there."""
    if not files_lost_unread(store.db):
        return "Raise raw_hard_cap_bytes in [retention] of config.toml, so that it does not happen again."
    from afterwit.engine.archive.evict import recapturable  # with all that a run needs

    if recapturable(store, limits):
        return "Run `afterwit learn`: there is room now, and it takes in again what the agents still have."
    return (
        "Raise raw_hard_cap_bytes in [retention] of config.toml, then run `afterwit learn`, which takes in again what"
        " the agents still have."
    )


def fault_findings(db: apsw.Connection, now_ms: int) -> Iterator[DoctorFinding]:
    """One warning for each agent whose hooks failed of late, and one for what they start."""
    by_agent: dict[str, list[FaultRow]] = {}
    for fault in hooks.faults(db, now_ms - RECENT_DAYS * DAY_MS):
        by_agent.setdefault(fault.agent, []).append(fault)
    by_itself = by_agent.pop(LEARN, [])
    if by_itself:
        yield _learn_warning(by_itself)
    for agent, faults in by_agent.items():
        yield warning(
            "hook-fault",
            f"{agent}: its hook failed {_often(faults)}, and the session went on without notes."
            f" Latest: {_tell(faults[-1])}. Run `afterwit learn`, which writes anew what hooks read; if it fails again,"
            " report this line.",
            agent,
        )


def _learn_warning(faults: list[FaultRow]) -> DoctorFinding:
    return warning(
        "learn-fault",
        f"The `learn` that agents start at the end of a session failed {_often(faults)}. Latest: {_tell(faults[-1])}."
        " Run `afterwit learn`; if it fails too, it says why.",
    )


def hooks_missing(machine: Machine) -> Iterator[DoctorFinding]:
    """One alarm for each connected agent that calls a program which is gone. A journal that cannot be read says
    nothing here: that is an alarm of its own."""
    connected: list[ConnectionState] = []
    with suppress(AfterwitError):
        connected = states(machine)
    for state in connected:
        if state.missing:
            place = f" in {state.project}" if state.project else ""
            yield alarm(
                "hook-missing",
                f"{state.agent}{place}: it calls {' and '.join(state.missing)}, which does not exist any more, so it"
                f" hears nothing. Run `afterwit connect {state.agent}`, or `afterwit disconnect {state.agent}`.",
                state.agent,
            )


def silent_hooks(machine: Machine) -> Iterator[DoctorFinding]:
    """One warning for each agent that never calls."""
    for calls in hook_calls(machine):
        if calls.unheard:
            yield warning("hook-silent", calls.silence, calls.agent)


def pause_findings(layout: Layout, now_ms: int) -> Iterator[DoctorFinding]:
    """So that nobody wonders why nothing is told."""
    for what, until_ms in pauses_in_force(str(layout.root), now_ms).items():
        end = f" until {iso_from_ms(until_ms)[:16].replace('T', ' ')} UTC" if until_ms else ""
        yield warning("paused", f"Nothing is told in {in_words(what)}{end}: it is paused. `afterwit resume` ends that.")


def connection_findings(machine: Machine) -> list[DoctorFinding]:
    return [*hooks_missing(machine), *silent_hooks(machine)]


class HookCalls(NamedTuple):
    """Since when an agent with hooks is connected, and when these called last."""

    agent: str
    connected_ms: int
    called_ms: int  # 0: never, as far as is noted
    unheard: int = 0  # sessions that came in since, without a call
    hint: str = ""  # what its user may have to do, where there are such

    @property
    def has_called(self) -> bool:
        """Since it was connected."""
        return self.called_ms >= self.connected_ms

    @property
    def silence(self) -> str:
        came = "1 session has" if self.unheard == 1 else f"{self.unheard:,} sessions have"
        when = "its hooks called last" if self.has_called else "it was connected"
        at = f"{iso_from_ms(self.called_ms if self.has_called else self.connected_ms)[:16]}Z"
        more = self.hint or f"Run `afterwit connect {self.agent}` again."
        return f"{self.agent}: {came} come in since {when} ({at}), and no hook of it called. {more}"


def hook_calls(machine: Machine) -> list[HookCalls]:
    """Of all agents that are connected by hooks. A journal or a database that cannot be read says nothing here: that is
    an alarm of its own."""
    calls: list[HookCalls] = []
    with suppress(AfterwitError, OSError):
        noted = connections.since(machine.layout).items()
        calls = [
            HookCalls(agent, at_ms, _ms_of_note(machine, agent))
            for agent, at_ms in noted
            if "hooks" in described(agent)
        ]
        if calls:
            with readonly_database(machine.layout) as db:
                latest = hooks.latest_calls(db)
                later = [call._replace(called_ms=max(latest.get(call.agent, 0), call.called_ms)) for call in calls]
                calls = [_count_unheard(machine, db, call) for call in later]
    return calls


def _count_unheard(machine: Machine, db: apsw.Connection, call: HookCalls) -> HookCalls:
    since_ms = call.called_ms + _BEFORE_ITS_SESSION_MS if call.has_called else call.connected_ms
    count = hooks.sessions_since(db, call.agent, since_ms)
    return call._replace(unheard=count, hint=_hint(machine, call.agent)) if count else call


def _ms_of_note(machine: Machine, agent: str) -> int:
    """When the agent called last, as its calls noted."""
    try:
        return (machine.layout.spool / f"{agent}{CALLED}").lstat().st_mtime_ns // 1_000_000
    except OSError:
        return 0


def _hint(machine: Machine, agent: str) -> str:
    return " ".join(integration_for(agent, machine.at._replace(may_refuse=False, may_rewrite=False)).to_do)


def _often(faults: list[FaultRow]) -> str:
    times = "once" if len(faults) == 1 else f"{len(faults):,} times"
    return f"{times} in the last {RECENT_DAYS} days"


def _tell(fault: FaultRow) -> str:
    said = f" ({fault.said})" if fault.said else ""
    place = f" in {fault.place}" if fault.place else ""
    return f"{iso_from_ms(fault.at_ms)[:16]}Z, at {fault.event}, {fault.error}{said}{place}"


class ReadingState(msgspec.Struct, frozen=True, kw_only=True):
    """What reading has taken today, and what waits for an answer."""

    cost_usd: float  # spent or reserved today, by UTC
    cap_usd: float
    unpriced_tokens: int  # the same of models without a known price
    cap_tokens: int
    unanswered: int  # requests that were asked and not answered yet, with those that failed
    failed: int

    @property
    def is_idle(self) -> bool:
        return not (self.cost_usd or self.unpriced_tokens or self.unanswered)


def reading_state(db: apsw.Connection, caps: ReadingSettings, now_ms: int) -> ReadingState:
    from afterwit.reader.ledger import spent_by

    today = spent_by(db, now_ms).day
    return ReadingState(
        cost_usd=today.cost_usd,
        cap_usd=caps.usd_per_day,
        unpriced_tokens=today.unpriced_tokens,
        cap_tokens=caps.tokens_per_day,
        unanswered=count_unanswered(db),
        failed=len(requests_failed(db)),
    )


def reading_findings(db: apsw.Connection) -> Iterator[DoctorFinding]:
    """One warning for each model whose calls failed and were not answered since."""
    failures = requests_failed(db)
    if not failures:
        return
    from afterwit.reader.plan import retry_ms  # with all that harvests, which few need here

    for model in dict.fromkeys(failure.model for failure in failures):
        own = [failure for failure in failures if failure.model == model]
        count = "1 request" if len(own) == 1 else f"{len(own):,} requests"
        at = f"{iso_from_ms(min(retry_ms(failure) for failure in own))[:16]}Z"
        yield warning(
            "reading-failed",
            f"{model} did not answer {count}. Latest: {own[0].fault.rstrip('.')}. Mend that; from"
            f" {at} on `afterwit read --with {model}` asks again.",
        )


_OLDEST_SAFE_SQLITE = (3, 51, 3)
_LEAST_FREE_BYTES = 200_000_000
_LONG_RUN_HOURS = 6
_HOUR_MS = 3_600_000
_LARGE_SPOOL_BYTES = 10_000_000
_UNCHECKED = ("database pages and rows", "archived bytes")


class StoreHealth(msgspec.Struct, kw_only=True):
    root: str
    sqlite_version: str
    schema_version: int | None = None  # None: the database cannot be read
    check: str  # quick, full
    unchecked: list[str]  # what only the full check looks at, unless it is one
    is_sound: bool = True
    database_bytes: int = 0
    archive_bytes: int = 0
    free_bytes: int
    journal_entries: int | None = None
    lease: str  # free, held, stale: left by a run that was killed
    lease_process: int | None
    last_run_ms: int | None  # when the lease was last taken or given back
    spool_files: int
    spool_bytes: int


def surroundings(layout: Layout, *, is_full: bool) -> StoreHealth:
    """What can be said without opening the database."""
    process, is_running = holder(layout.lease), is_held(layout.lease)
    files, size = spool.backlog(layout.spool)
    return StoreHealth(
        root=str(layout.root),
        sqlite_version=apsw.sqlite_lib_version(),
        check="full" if is_full else "quick",
        unchecked=[] if is_full else list(_UNCHECKED),
        free_bytes=shutil.disk_usage(layout.root).free,
        lease="held" if is_running else "stale" if process else "free",
        lease_process=process,
        last_run_ms=_ms_of_change(layout),
        spool_files=files,
        spool_bytes=size,
    )


def examine_store(store: Store, state: ArchiveState, health: StoreHealth) -> Iterator[DoctorFinding]:
    """Fills in what the open store says, and yields what is wrong with it."""
    health.schema_version = schema_version(store.db)
    health.journal_entries = store.journal.count()
    health.archive_bytes = state.packed_bytes
    health.database_bytes = database_bytes(store.layout.database)
    if health.check == "full":
        return
    for belonging in foreign_belongings(store):
        yield alarm(belonging.where, f"{belonging.what}.")
    for fault in journal.journal_faults(store.layout, store.db, store.journal):
        yield alarm("damaged", f"journal: {fault}. Nothing else holds it: restore journal.db from a backup.")
    heads = journal.heads_fault(store.layout)
    if heads:
        yield alarm("damaged", f"journal: {heads}.")
    for fault in archive_mark.faults(store):
        yield alarm("damaged", f"database: {fault}.")
    for file in objects_damaged(store):
        yield alarm("damaged", f"archive: {file.path}: {file.error}")
    unknown = [finding.what for finding in unknown_objects(store, state.unknown) if not finding.is_harmless]
    for what in unknown[:_SHOWN]:
        yield alarm("damaged", f"archive: {what}.")
    if len(unknown) > _SHOWN:
        more = f"{len(unknown) - _SHOWN:,} more files that the database does not know"
        yield alarm("damaged", f"archive: {more}; `afterwit store verify` lists them.")
    if state.missing:
        names = ", ".join(state.missing[:_SHOWN]) + (", …" if len(state.missing) > _SHOWN else "")
        what = "1 file is" if len(state.missing) == 1 else f"{len(state.missing):,} files are"
        yield alarm(
            "damaged",
            f"archive: {what} missing ({names}). After `afterwit store verify` the next `afterwit learn` reads again"
            " what the agents still have; restore the rest, or go on by `afterwit store rebuild --accept-archive`.",
        )


def fully_checked(layout: Layout) -> Iterator[DoctorFinding]:
    """Every byte. Waits for a run that is at work."""
    for finding in verify(layout):
        if not finding.is_harmless and finding.where != "permissions":
            yield alarm("damaged", f"{finding.where}: {finding.what}. See `afterwit store verify`.")


def findings_around(layout: Layout, health: StoreHealth, now_ms: int) -> Iterator[DoctorFinding]:
    yield from pause_findings(layout, now_ms)
    for fault in foreign_permissions(layout):
        yield alarm("permissions", f"{fault}. The archive holds secrets as the agents logged them.")
    if tuple(int(part) for part in health.sqlite_version.split(".")[:3]) < _OLDEST_SAFE_SQLITE:
        yield warning("sqlite", f"SQLite {health.sqlite_version} can damage a database in use. Upgrade apsw.")
    needed = max(_LEAST_FREE_BYTES, 2 * health.database_bytes + health.archive_bytes // 5)
    if health.free_bytes < needed:
        free, wanted = health.free_bytes // 1_000_000, needed // 1_000_000
        yield warning("disk", f"{free:,} MB are free where the store lies; {wanted:,} MB should be. Free some space.")
    since_ms = health.last_run_ms or now_ms
    if health.lease == "held" and now_ms - since_ms > _LONG_RUN_HOURS * _HOUR_MS:
        hours = (now_ms - since_ms) // _HOUR_MS
        yield warning("lease", f"Process {health.lease_process} has been at work for {hours} hours. Look what it does.")
    if health.spool_bytes > _LARGE_SPOOL_BYTES:
        size = health.spool_bytes // 1_000_000
        yield warning("spool", f"{size:,} MB from hooks wait to be taken in. Run `afterwit learn`.")


def _ms_of_change(layout: Layout) -> int | None:
    try:
        return layout.lease.stat().st_mtime_ns // 1_000_000
    except OSError:
        return None
