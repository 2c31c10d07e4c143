"""What a run of `learn` has to do: which files there are, whose they are, and which have changed.

A file whose size, time and inode are as they were costs its `stat` and nothing more. So does a database or a folder
that holds many sessions; one that has changed is opened, and the marks of its sessions tell which of them to read.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping, Set
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import apsw
import msgspec

from afterwit.agents import registry
from afterwit.agents.declared.description import Description
from afterwit.capture.derived import SESSIONS
from afterwit.capture.logs import Collectors, LogSource, look_into, sessions_in, sources_in
from afterwit.capture.recognition import Recognition
from afterwit.model.settings import Settings
from afterwit.sources.discovery import LogFile, Unit, Unreadable, discover
from afterwit.store.rows import files
from afterwit.store.rows.files import FileRow, FileStamp, file_key

NOTHING: Mapping[bytes, str] = MappingProxyType({})
_NOBODY = "unrecognised"


class Home(NamedTuple):
    """A folder with logs of one agent. The label keeps files of a second home apart from those of the first."""

    agent: str
    folder: Path
    label: str = ""


class Pending(NamedTuple):
    """A transcript to read."""

    home: Home
    unit: Unit
    has_new_companions: bool  # then what was read before is read again, with them
    is_again: bool = False  # it was lost to the budget, and there is room for it now

    @property
    def key(self) -> bytes:
        return file_key(self.home.agent, self.home.label + str(self.unit.transcript.path))


class ListedSource(NamedTuple):
    """A source with many sessions, opened to see what has changed in it."""

    home: Home
    file: LogFile
    sessions: int
    error: str = ""  # why it could not be read

    @property
    def key(self) -> bytes:
        return file_key(self.home.agent, self.home.label + str(self.file.path))


class AgentPlan(NamedTuple):
    """What was found of one agent."""

    agent: str
    pending: list[Pending]
    unchanged: int
    no_reader: int
    unreadable: list[Unreadable]
    listed: list[ListedSource] = []  # noqa: RUF012 - never changed

    @property
    def discovered(self) -> int:
        return len(self.pending) + self.unchanged + self.no_reader


def homes(settings: Settings, user_home: Path, only: Set[str] = frozenset()) -> list[Home]:
    """The homes of all agents that are wanted and enabled."""
    wanted = {name: own for name, own in settings.agents.items() if own.enabled and (not only or name in only)}
    return [
        Home(name, folder, _label(folder, user_home) if number else "")
        for name, own in wanted.items()
        for number, folder in enumerate(own.homes)
    ]


def plan(
    db: apsw.Connection,
    homes_found: Iterable[Home],
    since_ns: int = 0,
    declared: tuple[Description, ...] = (),
    again: Mapping[bytes, str] = NOTHING,
) -> list[AgentPlan]:
    """What to do for each agent, in the order of the registry. `again` are files, with their agents, that count as not
    seen."""
    plans: dict[str, AgentPlan] = {}
    for home in homes_found:
        part = _plan_home(db, home, since_ns, declared, again)
        before = plans.get(home.agent)
        plans[home.agent] = part if before is None else _joined(before, part)
    return list(plans.values())


def plan_folder(
    db: apsw.Connection,
    folder: Path,
    only: Set[str] = frozenset(),
    since_ns: int = 0,
    declared: tuple[Description, ...] = (),
    again: Mapping[bytes, str] = NOTHING,
) -> list[AgentPlan]:
    """What to do for a folder of logs given by hand: each file goes to the reader that recognises it."""
    label = _label(folder)
    agents = ((agent.name, registry.reader_for(agent.name, declared)) for agent in registry.agents_with(declared))
    readers = [(name, reader) for name, reader in agents if reader]
    recognised = Recognition(readers)
    collectors = Collectors(name for name, _ in readers)
    discovery = discover(folder, lambda path: path if recognised.may_be_log(path) else None, collectors.place)
    plans: dict[str, AgentPlan] = {}
    for source in sources_in(folder, discovery.collected):
        if not only or source.agent in only:
            before = plans.get(source.agent) or AgentPlan(source.agent, [], 0, 0, [])
            planned = _plan_source(db, Home(source.agent, folder, label), source, since_ns, again)
            plans[source.agent] = _joined(before, planned)
    by_agent: dict[str, list[Unit]] = {}
    for unit in discovery.units:
        by_agent.setdefault(recognised.agent_of(unit) or _NOBODY, []).append(unit)
    for name, units in by_agent.items():
        if not only or name in only:
            before = plans.get(name) or AgentPlan(name, [], 0, 0, [])
            is_known = name != _NOBODY
            planned = _sorted_out(db, Home(name, folder, label), units, since_ns, again) if is_known else _unread(units)
            plans[name] = _joined(before, planned)
    if discovery.unreadable:
        before = plans.get(_NOBODY) or _unread([])
        plans[_NOBODY] = before._replace(unreadable=before.unreadable + discovery.unreadable)
    return list(plans.values())


def plan_units(db: apsw.Connection, units_by_home: Iterable[tuple[Home, list[Unit]]]) -> list[AgentPlan]:
    """What to do for these alone."""
    plans: dict[str, AgentPlan] = {}
    for home, units in units_by_home:
        before = plans.get(home.agent) or AgentPlan(home.agent, [], 0, 0, [])
        plans[home.agent] = _joined(before, _sorted_out(db, home, units, 0, NOTHING))
    return list(plans.values())


def _unread(units: list[Unit]) -> AgentPlan:
    return AgentPlan(_NOBODY, [], 0, len(units), [])


def _plan_home(
    db: apsw.Connection, home: Home, since_ns: int, declared: tuple[Description, ...], again: Mapping[bytes, str]
) -> AgentPlan:
    reader, agent = registry.reader_for(home.agent, declared), registry.agent(home.agent, declared)
    folder = look_into(home.folder, agent, reader)
    sorted_out = _sorted_out(db, home, folder.units, since_ns, again)
    planned = sorted_out._replace(no_reader=len(folder.unread), unreadable=folder.unreadable)
    for source in folder.sources:
        planned = _joined(planned, _plan_source(db, home, source, since_ns, again))
    return planned


def _plan_source(
    db: apsw.Connection, home: Home, source: LogSource, since_ns: int, again: Mapping[bytes, str]
) -> AgentPlan:
    """What to do for the sessions of one source. One whose files are as they were is not opened, unless a session of
    the agent is to be read again."""
    listed = ListedSource(home, source.whole, 0)
    before = files.live_file(db, listed.key)
    is_as_before = before is not None and _is_same(source.whole, before) and before.state != "failed"
    if before is not None and is_as_before and home.agent not in again.values():
        return AgentPlan(home.agent, [], _sessions_known(before), 0, [])
    try:
        units = sessions_in(source)
    except OSError as error:
        reason = error.strerror or str(error)
        place = Unreadable(source.folder / source.whole.path, reason)
        return AgentPlan(home.agent, [], 0, 0, [place], [listed._replace(error=reason)])
    planned = _sorted_out(db, home, units, since_ns, again)
    return planned._replace(listed=[] if since_ns else [listed._replace(sessions=len(units))])


def _is_same(file: LogFile, before: FileRow) -> bool:
    return (file.size_bytes, file.mtime_ns, file.inode) == (before.size_bytes, before.mtime_ns, before.inode)


def _sessions_known(row: FileRow) -> int:
    return msgspec.json.decode(row.known, type=dict[str, int]).get(SESSIONS, 0)


def _sorted_out(
    db: apsw.Connection, home: Home, units: list[Unit], since_ns: int, again: Mapping[bytes, str]
) -> AgentPlan:
    seen = files.file_stamps(db, home.agent)
    pending: list[Pending] = []
    unchanged = 0
    for unit in units:
        key = file_key(home.agent, home.label + str(unit.transcript.path))
        before, is_again = seen.get(key), key in again
        is_as_before = before is not None and not is_again and _is_as_before(home, unit, before, seen)
        if unit.transcript.mtime_ns < since_ns or is_as_before:
            unchanged += 1
        else:
            has_new = before is not None and _has_new_companions(home, unit, seen)
            pending.append(Pending(home, unit, has_new, is_again))
    pending.sort(key=lambda transcript: (transcript.unit.transcript.mtime_ns, str(transcript.unit.transcript.path)))
    return AgentPlan(home.agent, pending, unchanged, 0, [])


def _is_as_before(home: Home, unit: Unit, before: FileStamp, seen: Mapping[bytes, FileStamp]) -> bool:
    file = unit.transcript
    is_same = (file.size_bytes, file.mtime_ns, file.inode) == (before.size_bytes, before.mtime_ns, before.inode)
    if not is_same or before.state in ("failed", files.DAMAGED):
        return False
    if before.companions == unit.companions_mark or before.state == "empty":
        return True
    return not _has_new_companions(home, unit, seen)


def _has_new_companions(home: Home, unit: Unit, seen: Mapping[bytes, FileStamp]) -> bool:
    """Whether a companion came or changed. One that is gone is no news: the archive holds it."""
    for companion in unit.companions:
        before = seen.get(file_key(home.agent, home.label + str(companion.path)))
        if before is None or (companion.size_bytes, companion.mtime_ns) != (before.size_bytes, before.mtime_ns):
            return True
    return False


def _joined(first: AgentPlan, other: AgentPlan) -> AgentPlan:
    return AgentPlan(
        first.agent,
        first.pending + other.pending,
        first.unchanged + other.unchanged,
        first.no_reader + other.no_reader,
        first.unreadable + other.unreadable,
        first.listed + other.listed,
    )


def _label(folder: Path, user_home: Path | None = None) -> str:
    """Tells the files of this folder from those of others. The same below every user's home."""
    place = folder.resolve()
    if user_home is not None and place.is_relative_to(user_home.resolve()):
        place = place.relative_to(user_home.resolve())
    return hashlib.blake2b(os.fsencode(place), digest_size=4).hexdigest() + ":"
