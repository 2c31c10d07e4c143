"""`doctor`: does capture still see what it should, and is the store sound?

Reads; repairs nothing. A store that is damaged is an alarm like others, and the rest is still reported.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby

import msgspec

from afterwit.agents.registry import DAY_MS, agents_with
from afterwit.capture.plan import homes
from afterwit.config.world import World
from afterwit.engine.doctor.agent_findings import agent_findings
from afterwit.engine.doctor.agent_health import (
    NOTHING,
    AgentHealth,
    InStore,
    OnDisk,
    agent_health,
    look,
    pending_units,
    transcripts,
)
from afterwit.engine.doctor.findings import (
    DoctorFinding,
    Level,
    alarm,
    budget_findings,
    exclusion_findings,
    extra_findings,
    fault_findings,
)
from afterwit.engine.doctor.reading_health import reading_findings
from afterwit.engine.doctor.store_health import (
    StoreHealth,
    examine_store,
    fully_checked,
    surrounding_findings,
    surroundings,
)
from afterwit.model.errors import DamagedError
from afterwit.store.archive import Archive
from afterwit.store.rows.health import agent_totals, archive_state, newest_problem, parts_by_file, transcript_rows
from afterwit.store.store import Store, open_store, require

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
            stored, archive = _stored(store), store.archive
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
    findings += surrounding_findings(world.layout, health, world.now_ms)
    agents: list[AgentHealth] = []
    for agent, disk in _on_disk(world, stored).items():
        in_store = stored.get(agent, NOTHING)
        pending = pending_units(disk, in_store)
        agent_state = agent_health(agent, disk, in_store, pending, world.now_ms, world.declared)
        if world.settings.agents[agent].enabled:
            findings += agent_findings(agent_state, disk, in_store, pending, archive)
        agents.append(agent_state)
    findings += _overdue(health, agents, world.now_ms)
    return Examination(
        store=health, agents=agents, findings=sorted(findings, key=lambda agent_state: agent_state.level)
    )


def _stored(store: Store) -> dict[str, InStore]:
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
        or any(place.transcripts or place.unreadable or place.unclaimed or place.outside for place in disk)
    }


def _overdue(health: StoreHealth, agents: list[AgentHealth], now_ms: int) -> Iterator[DoctorFinding]:
    pending = sum(agent.files_pending for agent in agents)
    days = (now_ms - (health.last_run_ms or now_ms)) // DAY_MS
    if pending and days >= OVERDUE_DAYS:
        what = "1 transcript is" if pending == 1 else f"{pending:,} transcripts are"
        yield alarm("learn-overdue", f"No run for {days} days, and {what} new or changed. Run `afterwit learn`.")
