"""`doctor`: does capture still see what it should, and is the store sound?

Reads; repairs nothing. A store that is damaged is an alarm like others, and the rest is still reported. Every alarm is
one sentence of what was found and one of what to do.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby

import msgspec

from afterwit.agents.prompt_history import HISTORY
from afterwit.agents.registry import DAY_MS, agents_with
from afterwit.capture.plan import homes
from afterwit.config.world import World
from afterwit.engine.doctor.agent_health import (
    NOTHING,
    AgentHealth,
    Break,
    Horizon,
    InStore,
    OnDisk,
    PendingUnit,
    Sign,
    agent_health,
    breaks,
    look,
    refusal,
    transcripts,
    units_waiting,
)
from afterwit.engine.doctor.findings import (
    DoctorFinding,
    Level,
    StoreHealth,
    alarm,
    budget_findings,
    examine_store,
    exclusion_findings,
    extra_findings,
    fault_findings,
    findings_around,
    fully_checked,
    reading_findings,
    surroundings,
    warning,
)
from afterwit.model.errors import DamagedError
from afterwit.store.archive import Archive
from afterwit.store.rows.files import LOST
from afterwit.store.rows.health import (
    agent_totals,
    archive_state,
    home_label,
    newest_problem,
    parts_by_file,
    transcript_rows,
)
from afterwit.store.store import Store, open_store, require

_SHOWN = 5
_UNKNOWN_WORTH_SAYING = 0.05
_SOON_DAYS = 7
_REMEDY = (
    "Upgrade afterwit and run `afterwit store rebuild`, which reads again what the archive holds; if there is no newer"
    " version, report this one."
)
_REMEDY_OF_LOST = (
    "Originals that went because of the hard cap are not in the archive: upgrade afterwit and run `afterwit learn`,"
    " which takes in again what the agent still has, if raw_hard_cap_bytes in [retention] of config.toml leaves room."
)


def agent_findings(
    health: AgentHealth,
    disk: Sequence[OnDisk],
    stored: InStore,
    pending: Collection[PendingUnit],
    archive: Archive | None,
) -> Iterator[DoctorFinding]:
    faults = breaks(stored.read)
    for code, fault in {_code(fault): fault for fault in faults}.items():
        if fault.sign is Sign.ODD:
            yield warning(code, f"{_name(health, fault)} `afterwit store problems` says why.", health.agent)
        else:
            yield alarm(code, f"{_name(health, fault)} {_remedy(stored)}", health.agent)
    if not faults and health.unknown_share >= _UNKNOWN_WORTH_SAYING:
        yield warning("unknown-records", _unknown(health), health.agent)
    if archive is not None:
        yield from _homes_emptied(health, disk, stored, archive)
    yield from _unreadable(health, disk, pending)
    yield from _outside(health, disk)
    yield from _find_unclaimed(health, disk)
    yield from _find_vanishing(health)


def _remedy(stored: InStore) -> str:
    """What the archive does not hold cannot be read again from it."""
    mute = [row for row in stored.rows if row.read_bytes and not stored.facts.get(row.id)]
    lost = [row for row in mute if row.state == LOST]
    if not lost:
        return _REMEDY
    return _REMEDY_OF_LOST if len(lost) == len(mute) else f"{_REMEDY} {_REMEDY_OF_LOST}"


def _code(fault: Break) -> str:
    """A format that changed shows itself in two ways, which are one alarm; the one with more to tell comes last."""
    return "format-changed" if fault.sign in (Sign.LOST, Sign.UNKNOWN) else fault.sign.value


def _name(health: AgentHealth, fault: Break) -> str:
    name = f"{health.agent} {fault.version}".strip()
    newest = "the newest transcript" if fault.transcripts == 1 else f"the newest {fault.transcripts:,} transcripts"
    before = f"of the {fault.before:,} before, {fault.sound:,}"
    match fault.sign:
        case Sign.BLIND:
            count = "1 transcript was" if fault.transcripts == 1 else f"{fault.transcripts:,} transcripts were"
            return f"{name}: {count} read, and there is no session. The reader is blind."
        case Sign.LOST:
            return f"{name}: {newest} gave no session; {before} did. The format has changed."
        case Sign.SILENT:
            return f"{name}: {newest} have text and not a single action; {before} had actions. The reader is blind."
        case Sign.UNKNOWN:
            types = ", ".join(list(health.unknown_types)[:_SHOWN])
            share = f"{fault.share:.0%} of the records in {newest}"
            return f"{name}: {share} are of types that the reader does not know ({types}). The format has changed."
        case Sign.ODD:
            return (
                f"{name}: {fault.path} is new and gave no session; of the {fault.before:,} others, {fault.sound:,} did."
            )


def _unknown(health: AgentHealth) -> str:
    types = ", ".join(health.unknown_types)
    return f"{health.agent}: {health.unknown_share:.0%} of the records are of types that the reader skips ({types})."


def _homes_emptied(
    health: AgentHealth, disk: Sequence[OnDisk], stored: InStore, archive: Archive
) -> Iterator[DoctorFinding]:
    """Homes without a transcript that used to have some."""
    for place in disk:
        if not place.is_emptied or not stored.rows:
            continue
        transcripts = [row for row in stored.rows if row.read_bytes and row.path != str(HISTORY)]
        count = sum(home_label(archive, row) == place.home.label for row in transcripts)
        count = count or (len(place.units) if stored.totals.sessions else 0)
        if count:
            state = "has no transcript any more" if place.home.folder.is_dir() else "is gone"
            state = "has empty transcripts only" if place.units else state
            were = "1 was" if count == 1 else f"{count:,} were"
            yield alarm(
                "folder-empty",
                f"{health.agent}: {place.home.folder} {state}; {were} read from it. If the logs have moved, set"
                f" `homes` in [agents.{health.agent}] of config.toml; if you no longer use it, set `enabled = false`."
                " What was read is in the archive.",
                health.agent,
            )


def _unreadable(
    health: AgentHealth, disk: Sequence[OnDisk], pending: Collection[PendingUnit]
) -> Iterator[DoctorFinding]:
    places = [f"{folder.place}: {folder.reason}" for place in disk for folder in place.unreadable]
    failed = [f"{unit.transcript.path}: {error}" for unit, error in pending if error]
    fresh = [(unit, refusal(unit)) for unit, error in pending if not error]
    places += [*failed, *(f"{unit.transcript.path}: {reason}" for unit, reason in fresh if reason)]
    if places:
        shown = "; ".join(places[:_SHOWN])
        more = f"; and {len(places) - _SHOWN:,} more" if len(places) > _SHOWN else ""
        yield alarm(
            "unreadable",
            f"{health.agent}: cannot read {shown}{more}. Make it readable for this user, then run `afterwit learn`.",
            health.agent,
        )


def _outside(health: AgentHealth, disk: Sequence[OnDisk]) -> Iterator[DoctorFinding]:
    places = [str(link) for place in disk for link in place.outside]
    if places:
        what = "1 link leads" if len(places) == 1 else f"{len(places):,} links lead"
        shown = ", ".join(places[:_SHOWN]) + (", …" if len(places) > _SHOWN else "")
        yield warning(
            "links-outside",
            f"{health.agent}: {what} out of its folder, and what is there is not read: {shown}. If logs are there, name"
            f" the place in `homes` in [agents.{health.agent}] of config.toml.",
            health.agent,
        )


def _find_unclaimed(health: AgentHealth, disk: Sequence[OnDisk]) -> Iterator[DoctorFinding]:
    """Newer than all that is read, they mean that the agent has moved on; older ones are worth a word."""
    newest = max((place.newest_ns for place in disk), default=0)
    for place in disk:
        if not place.unclaimed:
            continue
        last, count = place.unclaimed[0], len(place.unclaimed)
        is_newest = last.mtime_ns > newest
        files = "1 file looks" if count == 1 else f"{count:,} files look"
        when = ", newer than every transcript that is read" if is_newest else ""
        level = alarm if is_newest else warning
        where = place.home.folder / last.path
        what = f"{health.agent}: {files} like transcripts, and no reader takes them: {where}{when}."
        yield level("unread-logs", f"{what} {_REMEDY}", health.agent)


def _find_vanishing(health: AgentHealth) -> Iterator[DoctorFinding]:
    kept = health.retention
    if kept is None:
        return
    if kept.days == 0:
        yield warning(
            "keeps-nothing",
            f"{health.agent} is set to keep no transcripts ({kept.source}); there will be nothing to learn from."
            " Set a number of days there.",
            health.agent,
        )
    if any(horizon.unarchived for horizon in kept.horizons if horizon.days <= _SOON_DAYS):
        going = ", ".join(f"{horizon.vanishing:,} {within(horizon)}" for horizon in kept.horizons if horizon.vanishing)
        waiting = ", ".join(
            f"{horizon.unarchived:,} {within(horizon)}" for horizon in kept.horizons if horizon.unarchived
        )
        yield warning(
            "vanishing",
            f"{health.agent}: of its sessions the agent will delete {going}. Not archived yet: {waiting}."
            " Run `afterwit learn`.",
            health.agent,
        )


def within(horizon: Horizon) -> str:
    return "today" if horizon.days == 1 else f"within {horizon.days} days"


OVERDUE_DAYS = 7


class Examination(msgspec.Struct, kw_only=True):
    """What was found. Alarms come before warnings."""

    store: StoreHealth
    agents: list[AgentHealth]
    findings: list[DoctorFinding]

    @property
    def has_alarms(self) -> bool:
        return any(finding.level is Level.ALARM for finding in self.findings)

    def plus(self, findings: Iterable[DoctorFinding]) -> "Examination":
        """With what was found elsewhere."""
        both = sorted([*self.findings, *findings], key=lambda finding: finding.level)
        return msgspec.structs.replace(self, findings=both)


def examine(world: World, *, is_full: bool = False) -> Examination:
    require(world.layout)
    health = surroundings(world.layout, is_full=is_full)
    findings: list[DoctorFinding] = []
    stored: dict[str, InStore] = {}
    archive: Archive | None = None
    beside: list[DoctorFinding] = []
    try:
        with open_store(world.layout) as store:
            archived = archive_state(store.db, store.archive)
            findings += examine_store(store, archived, health)
            stored, archive = _find_stored(store), store.archive
            beside += budget_findings(store, archived, world.settings.retention, world.now_ms)
            beside += fault_findings(store.db, world.now_ms)
            beside += exclusion_findings(store, world)
            beside += reading_findings(store.db)
            beside += extra_findings(world)
        if is_full:
            findings += fully_checked(world.layout)
    except DamagedError as error:
        findings.append(alarm("damaged", str(error)))
    except msgspec.DecodeError as error:
        what = f"database: a row cannot be read ({error}). `afterwit store rebuild` makes it again from the archive."
        findings.append(alarm("damaged", what))
    health.is_sound = not findings
    findings += beside
    findings += findings_around(world.layout, health, world.now_ms)
    agents: list[AgentHealth] = []
    for agent, disk in _on_disk(world, stored).items():
        in_store = stored.get(agent, NOTHING)
        pending = units_waiting(disk, in_store)
        agent_state = agent_health(agent, disk, in_store, pending, world.now_ms, world.declared)
        if world.settings.agents[agent].enabled:
            findings += agent_findings(agent_state, disk, in_store, pending, archive)
        agents.append(agent_state)
    findings += _overdue(health, agents, world.now_ms)
    return Examination(
        store=health, agents=agents, findings=sorted(findings, key=lambda agent_state: agent_state.level)
    )


def _find_stored(store: Store) -> dict[str, InStore]:
    """What the store knows, by agent."""
    totals, facts = agent_totals(store.db), parts_by_file(store.db)
    stored: dict[str, InStore] = {}
    for agent, own in groupby(transcript_rows(store.db), key=lambda row: row.agent):
        rows = list(own)
        total, newest_error = totals.get(agent, NOTHING.totals), newest_problem(store.db, agent)
        stored[agent] = InStore(rows, facts, total, newest_error, transcripts(rows, facts))
    return stored


def _on_disk(world: World, stored: dict[str, InStore]) -> dict[str, list[OnDisk]]:
    """The homes of all agents of which there is anything, on the disk or in the store."""
    places: dict[str, list[OnDisk]] = {agent.name: [] for agent in agents_with(world.declared)}
    for home in homes(world.settings, world.user_home):
        places[home.agent].append(look(home, world.settings, world.declared))
    return {
        agent: disk
        for agent, disk in places.items()
        if agent in stored
        or any(
            place.transcripts or place.unreadable or place.unclaimed or place.outside or place.orphans for place in disk
        )
    }


def _overdue(health: StoreHealth, agents: list[AgentHealth], now_ms: int) -> Iterator[DoctorFinding]:
    pending = sum(agent.files_pending for agent in agents)
    days = (now_ms - (health.last_run_ms or now_ms)) // DAY_MS
    if pending and days >= OVERDUE_DAYS:
        what = "1 transcript is" if pending == 1 else f"{pending:,} transcripts are"
        yield alarm("learn-overdue", f"No run for {days} days, and {what} new or changed. Run `afterwit learn`.")
