"""The health of one agent's capture: what lies on the disk against what was read, per version.

Values and figures only; what follows from them is said in `agent_findings`. A prompt history is no transcript here: it
stays when transcripts go, and has no actions by nature.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from afterwit.agents import registry
from afterwit.agents.declared.description import Description
from afterwit.agents.prompt_history import HISTORY
from afterwit.agents.registry import DAY_MS
from afterwit.capture.logs import Home, keeping_in, look_into, sessions_in, vanishes_at
from afterwit.capture.recognition import unclaimed
from afterwit.engine.doctor.reader_health import Transcript, unknown_share, versions
from afterwit.model.settings import Settings
from afterwit.sources.discovery import Unit, Unreadable, list_home
from afterwit.sources.places import LogFile, open_in
from afterwit.store.rows.files import file_key
from afterwit.store.rows.health import AgentTotals, PartFigures, TranscriptRow

HORIZONS_DAYS = (1, 7, 30)
_TYPES_SHOWN = 5


class VersionHealth(msgspec.Struct, frozen=True, kw_only=True):
    """What was read of the transcripts of one version of an agent."""

    version: str  # "" if the transcripts do not say
    files: int
    sessions: int
    events: int
    actions: int
    unknown_share: float
    last_ms: int | None


class Horizon(msgspec.Struct, frozen=True, kw_only=True):
    """What the agent deletes within so many days, with what it deletes sooner."""

    days: int
    vanishing: int  # transcripts
    unarchived: int  # of these, not read yet


class RetentionHealth(msgspec.Struct, frozen=True, kw_only=True):
    """What the agent itself is going to delete."""

    days: float | None  # after the last change of a file; None: never
    source: str
    horizons: list[Horizon]  # the nearest first


class AgentHealth(msgspec.Struct, frozen=True, kw_only=True):
    agent: str
    evidence: str  # on what the reader was written; "" where there is none
    homes: list[str]
    files_on_disk: int
    files_without_reader: int
    files_in_store: int
    files_pending: int  # new, or changed since the last run
    files_empty: int
    files_failed: int
    files_unclaimed: int  # that look like transcripts, and that no reader takes
    sessions: int
    partial_sessions: int  # known from a history of prompts alone
    events: int
    actions: int
    unknown_share: float
    unknown_types: dict[str, int]  # the most frequent ones
    last_ms: int | None
    newest_error: str
    versions: list[VersionHealth]
    retention: RetentionHealth | None  # None: not known


class OnDisk(NamedTuple):
    """What lies in one home of an agent."""

    home: Home
    units: list[Unit]
    histories: int
    no_reader: int
    unreadable: list[Unreadable]
    unclaimed: list[LogFile]
    outside: list[Path] = []  # noqa: RUF012 - links that are not followed, and may lead to transcripts

    @property
    def transcripts(self) -> int:
        return len(self.units) + self.no_reader

    @property
    def newest_ns(self) -> int:
        """When a transcript was last changed; 0 if there is none."""
        return max((unit.transcript.mtime_ns for unit in self.units), default=0)

    @property
    def is_emptied(self) -> bool:
        """No transcript is there, or none with a byte in it."""
        return not self.no_reader and not any(unit.transcript.size_bytes for unit in self.units)

    def key(self, unit: Unit) -> bytes:
        return file_key(self.home.agent, self.home.label + str(unit.transcript.path))


class InStore(NamedTuple):
    """What the store knows of one agent."""

    rows: list[TranscriptRow]
    facts: Mapping[int, list[PartFigures]]  # by file
    totals: AgentTotals
    newest_error: str
    read: list[Transcript]


NOTHING = InStore([], {}, AgentTotals(0, 0, 0, 0, None), "", [])


def look(home: Home, settings: Settings, declared: tuple[Description, ...] = ()) -> OnDisk:
    """What a home holds. For one that is not there, no reader is loaded."""
    if _is_gone(home.folder):
        return OnDisk(home, [], 0, 0, [], [])
    reader, agent = registry.reader_for(home.agent, declared), registry.agent(home.agent, declared)
    logs = look_into(list_home(home.folder, agent.follows), agent, reader)
    units = [unit for unit in logs.units if str(unit.transcript.path) != str(HISTORY)]
    histories, unreadable = len(logs.units) - len(units), list(logs.unreadable)
    for source in logs.sources:
        try:
            units += sessions_in(source)
        except OSError as error:
            unreadable.append(Unreadable(source.folder / source.whole.path, error.strerror or str(error)))
    strange = unclaimed(home, logs.strangers, settings, declared)
    return OnDisk(home, units, histories, len(logs.unread), unreadable, strange, logs.outside)


def _is_gone(folder: Path) -> bool:
    try:
        folder.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


class PendingUnit(NamedTuple):
    """A transcript that the next `learn` has something to read of, and why it could not read it before."""

    unit: Unit
    error: str = ""


def pending_units(disk: Sequence[OnDisk], stored: InStore) -> list[PendingUnit]:
    rows = {row.key: row for row in stored.rows}
    pending: list[PendingUnit] = []
    for place in disk:
        for unit in place.units:
            row = rows.get(place.key(unit))
            if _is_pending(unit, row):
                pending.append(PendingUnit(unit, row.error if row and row.state == "failed" else ""))
    return pending


def _is_pending(unit: Unit, row: TranscriptRow | None) -> bool:
    if row is None or row.state == "failed":
        return True
    transcript = unit.transcript
    now = (transcript.size_bytes, transcript.mtime_ns, transcript.inode, unit.companions_mark)
    return now != (row.size_bytes, row.mtime_ns, row.inode, row.companions)


def refusal(unit: Unit) -> str:
    """Why the transcript cannot be opened; "" if it can, or if it is a session inside another file."""
    try:
        with open_in(unit.home, unit.transcript.path):
            return ""
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return error.strerror or str(error)


def transcripts(rows: Iterable[TranscriptRow], facts: Mapping[int, list[PartFigures]]) -> list[Transcript]:
    """What was read, file by file. Files that could not be opened, and those without a byte, say nothing."""
    return [
        _transcript(row, facts.get(row.id, ()))
        for row in rows
        if row.state != "failed" and row.size_bytes and row.path != str(HISTORY)
    ]


def agent_health(
    agent: str,
    disk: Sequence[OnDisk],
    stored: InStore,
    pending: Collection[PendingUnit],
    now_ms: int,
    declared: tuple[Description, ...] = (),
) -> AgentHealth:
    rows = [row for row in stored.rows if row.path != str(HISTORY)]
    reader = registry.reader_for(agent, declared)
    read = stored.read
    unknown: Counter[str] = Counter()
    for row in rows:
        unknown.update(row.unknown)
    return AgentHealth(
        agent=agent,
        evidence=reader.evidence.value if reader else "",
        homes=[str(place.home.folder) for place in disk],
        files_on_disk=sum(place.transcripts for place in disk),
        files_without_reader=sum(place.no_reader for place in disk),
        files_in_store=len(rows),
        files_pending=len(pending),
        files_empty=sum(row.state == "empty" for row in rows),
        files_failed=sum(row.state == "failed" for row in rows),
        files_unclaimed=sum(len(place.unclaimed) for place in disk),
        sessions=stored.totals.sessions,
        partial_sessions=stored.totals.partial,
        events=stored.totals.events,
        actions=stored.totals.actions,
        unknown_share=unknown_share(read),
        unknown_types=dict(unknown.most_common(_TYPES_SHOWN)),
        last_ms=stored.totals.last_ms,
        newest_error=stored.newest_error,
        versions=[_version(version, group) for version, group in versions(read).items()],
        retention=_retention(disk, pending, now_ms),
    )


def _transcript(row: TranscriptRow, facts: Sequence[PartFigures]) -> Transcript:
    stated = [version for part in facts for version in part.versions[-1:]]
    moments = [moment for part in facts if (moment := part.ended_ms or part.first_ms)]
    return Transcript(
        at_ms=max(moments, default=row.mtime_ns // 1_000_000),
        version=stated[0] if stated else "",
        sessions=len(facts),
        replies=sum(part.replies for part in facts),
        events=sum(part.events - part.copied for part in facts),
        actions=sum(part.calls for part in facts),
        known=row.known,
        unknown=sum(row.unknown.values()) if row.unknown else 0,
        has_problems=bool(row.problems),
        path=row.path,
    )


def _version(version: str, group: list[Transcript]) -> VersionHealth:
    return VersionHealth(
        version=version,
        files=len(group),
        sessions=sum(transcript.sessions for transcript in group),
        events=sum(transcript.events for transcript in group),
        actions=sum(transcript.actions for transcript in group),
        unknown_share=unknown_share(group),
        last_ms=max((transcript.at_ms for transcript in group if transcript.sessions), default=None),
    )


def _retention(disk: Sequence[OnDisk], pending: Collection[PendingUnit], now_ms: int) -> RetentionHealth | None:
    """Over all homes; the shortest time counts."""
    keeping = [(place, kept) for place in disk if (kept := keeping_in(place.home)) is not None]
    if not keeping:
        return None
    shortest = min((kept for _, kept in keeping), key=lambda kept: float("inf") if kept.days is None else kept.days)
    waiting = {(unit.home, unit.transcript.path) for unit, _ in pending}
    going = [
        (moment, bool(waiting) and (unit.home, unit.transcript.path) in waiting)
        for place, kept in keeping
        for unit in place.units
        if (moment := vanishes_at(place.home, kept, unit.transcript)) is not None
    ]
    return RetentionHealth(
        days=shortest.days,
        source=shortest.source,
        horizons=[
            _horizon(days, [waits for at, waits in going if at <= now_ms + days * DAY_MS]) for days in HORIZONS_DAYS
        ],
    )


def _horizon(days: int, waiting: list[bool]) -> Horizon:
    return Horizon(days=days, vanishing=len(waiting), unarchived=sum(waiting))
