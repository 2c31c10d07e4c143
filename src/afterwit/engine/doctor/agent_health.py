"""The health of one agent's capture: what lies on the disk against what was read, and whether its reader still
understands it. Values and figures only; what follows from them is said in `doctor`.

Readers rot silently: a new version of an agent renames its records, every file is read without an error, and nothing
comes out. What gives it away is a break: transcripts, one after the other, without what those before them had. Looked
at are the newest transcripts, and all of the version that came last, because two versions can be in use side by side.
How many in a row make a break depends on how rare such a transcript was before: a user who often chats without tools
causes no alarm. A prompt history is no transcript here: it stays when transcripts go, and has no actions by nature.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import msgspec

from afterwit.agents import registry
from afterwit.agents.declared.description import Description
from afterwit.agents.prompt_history import HISTORY
from afterwit.agents.registry import DAY_MS
from afterwit.capture.logs import Home, look_into, retention_in, sessions_in, vanishes_at
from afterwit.capture.recognition import find_unclaimed
from afterwit.model.settings import Settings
from afterwit.model.text import regex
from afterwit.sources.discovery import Unit, Unreadable, list_home
from afterwit.sources.places import LogFile, open_in
from afterwit.store.rows.files import file_key
from afterwit.store.rows.health import AgentTotals, PartFigures, TranscriptRow

_CHANCE = 0.01  # a run less likely than this is no accident
_SHORTEST = 2
_SHORTEST_OF_NOISE = 5  # files without a session are also made by opening an agent and closing it again
_NEWEST = 5
_MANY_UNKNOWN = 0.2
_MOST_UNKNOWN = 0.5
_FEW_RECORDS = 10
_VERSION_PART = regex(r"[0-9]+|[A-Za-z]+")


class Transcript(NamedTuple):
    """What was read of one transcript."""

    at_ms: int  # its last event, or its last change where it has none
    version: str  # of the agent; "" if it does not say
    sessions: int
    replies: int
    events: int
    actions: int
    known: int  # records by whether the reader knows their type
    unknown: int
    has_problems: bool = False
    path: str = ""

    @property
    def is_silent(self) -> bool:
        """Text, but not a single action."""
        return self.replies > 0 and self.actions == 0

    @property
    def is_lost(self) -> bool:
        """Records, but no session in them."""
        return self.sessions == 0

    @property
    def is_noise(self) -> bool:
        """No session, and nothing that says why: it may have been opened and closed again."""
        return self.is_lost and not self.unknown and not self.has_problems


class Sign(StrEnum):
    """What gives a blind reader away."""

    BLIND = "reader-blind"  # there are transcripts, and there never was a session
    LOST = "no-sessions"  # the newest transcripts gave none
    SILENT = "no-actions"  # the newest have text and not a single action
    UNKNOWN = "unknown-records"  # the newest consist of records that the reader does not know
    ODD = "odd-transcript"  # one of the newest gave none, and not because it was opened and closed again


class Break(NamedTuple):
    """A sign, and the figures behind it."""

    sign: Sign
    version: str  # of the transcripts that show it; "" if they do not say or differ
    transcripts: int  # that show it
    before: int  # that came before
    sound: int  # of those before, how many did not show it
    share: float = 0.0  # of unknown records
    path: str = ""  # of the transcript, where it is one


def breaks(transcripts: Iterable[Transcript]) -> list[Break]:
    """What is wrong with the reader of these transcripts, at most one of each sign."""
    ordered = _in_time(transcripts)
    if ordered and all(transcript.is_lost for transcript in ordered):
        is_told = len(ordered) >= _SHORTEST_OF_NOISE or any(not transcript.is_noise for transcript in ordered)
        return (
            [Break(Sign.BLIND, _version_of_all(ordered), len(ordered), 0, 0, unknown_share(ordered))] if is_told else []
        )
    spoken = [transcript for transcript in ordered if transcript.replies]
    signs = (
        _find_lost(ordered) or _odd(ordered),
        _run(Sign.SILENT, spoken, lambda transcript: transcript.is_silent),
        _unknown(ordered),
    )
    return [transcript for transcript in signs if transcript is not None]


def unknown_share(transcripts: Iterable[Transcript]) -> float:
    """The share of records whose type the reader does not know."""
    counts = [(transcript.known + transcript.unknown, transcript.unknown) for transcript in transcripts]
    records = sum(count for count, _ in counts)
    return sum(unknown for _, unknown in counts) / records if records else 0.0


def versions(transcripts: Iterable[Transcript]) -> dict[str, list[Transcript]]:
    """Transcripts by version, the highest first; those that state none come last."""
    by_version: dict[str, list[Transcript]] = {}
    for transcript in transcripts:
        by_version.setdefault(transcript.version, []).append(transcript)
    return dict(sorted(by_version.items(), key=lambda item: version_order(item[0]), reverse=True))


def version_order(version: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts versions as versions: 2.1.9 before 2.1.10, and 2.0.0-rc.1 before 2.0.0. None comes before all others."""
    release, _, early = version.partition("-")
    end = (-1 if early else 1, 0, "")
    return (*_version_parts(release), end, *_version_parts(early)) if version else ()


def _version_parts(text: str) -> Iterator[tuple[int, int, str]]:
    for part in _VERSION_PART.findall(text):
        yield (2, int(part), "") if part.isdigit() else (0, 0, part)


def _in_time(transcripts: Iterable[Transcript]) -> list[Transcript]:
    return sorted(transcripts, key=lambda transcript: (transcript.at_ms, transcript.version))


def _find_lost(ordered: Sequence[Transcript]) -> Break | None:
    run = _run(Sign.LOST, ordered, lambda transcript: transcript.is_lost)
    if run is None or run.transcripts >= _SHORTEST_OF_NOISE:
        return run
    return run if any(not transcript.is_noise for transcript in ordered if transcript.is_lost) else None


def _odd(ordered: Sequence[Transcript]) -> Break | None:
    """A single one among the newest may be an accident, but is worth a look."""
    for odd in reversed(ordered[-_NEWEST:]):
        if odd.is_lost and not odd.is_noise:
            sound = sum(not transcript.is_lost for transcript in ordered)
            return Break(Sign.ODD, odd.version, 1, len(ordered) - 1, sound, unknown_share([odd]), odd.path)
    return None


def _run(sign: Sign, ordered: Sequence[Transcript], is_odd: Callable[[Transcript], bool]) -> Break | None:
    """A run of odd transcripts that is too long to be an accident."""
    for newest, before in _splits(ordered, _odd_at_the_end(ordered, is_odd)):
        odd = sum(map(is_odd, before))
        is_all_odd = len(newest) >= _SHORTEST and all(map(is_odd, newest))
        chance = ((odd + 1) / (len(before) + 2)) ** len(newest)
        if is_all_odd and odd < len(before) and chance < _CHANCE:
            return Break(sign, _version_of_all(newest), len(newest), len(before), len(before) - odd)
    return None


def _unknown(ordered: Sequence[Transcript]) -> Break | None:
    for newest, before in _splits(ordered, min(_NEWEST, len(ordered) - 1)):
        share, usual = unknown_share(newest), unknown_share(before)
        is_telling = sum(transcript.unknown for transcript in newest) >= _FEW_RECORDS
        has_risen = bool(before) and share >= _MANY_UNKNOWN and usual * 3 <= share
        if is_telling and (has_risen or share >= _MOST_UNKNOWN):
            sound = sum(not transcript.unknown for transcript in before)
            return Break(Sign.UNKNOWN, _version_of_all(newest), len(newest), len(before), sound, share)
    return None


def _splits(ordered: Sequence[Transcript], newest: int) -> list[tuple[Sequence[Transcript], Sequence[Transcript]]]:
    """(The newest, those before), cut in two ways: the version that came last, and so many transcripts."""
    latest = next(reversed(dict.fromkeys(transcript.version for transcript in ordered)), "")
    splits: list[tuple[Sequence[Transcript], Sequence[Transcript]]] = [
        (
            [transcript for transcript in ordered if transcript.version == latest],
            [transcript for transcript in ordered if transcript.version != latest],
        )
    ]
    if newest > 0:
        splits.append((ordered[-newest:], ordered[:-newest]))
    return splits


def _odd_at_the_end(ordered: Sequence[Transcript], is_odd: Callable[[Transcript], bool]) -> int:
    count = 0
    while count < len(ordered) and is_odd(ordered[-1 - count]):
        count += 1
    return count


def _version_of_all(transcripts: Sequence[Transcript]) -> str:
    stated = {transcript.version for transcript in transcripts}
    return stated.pop() if len(stated) == 1 else ""


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
    files_orphaned: int  # that belong to a transcript which is not there
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
    orphans: int = 0

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
    strange = find_unclaimed(home, logs.strangers, settings, declared)
    return OnDisk(home, units, histories, len(logs.unread), unreadable, strange, logs.outside, len(logs.orphans))


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


def units_waiting(disk: Sequence[OnDisk], stored: InStore) -> list[PendingUnit]:
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
        files_orphaned=sum(place.orphans for place in disk),
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
    keeping = [(place, kept) for place in disk if (kept := retention_in(place.home)) is not None]
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
