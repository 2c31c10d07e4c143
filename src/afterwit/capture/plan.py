"""What a run of `learn` has to do: which files there are, whose they are, and which have changed.

A transcript whose size, time and inode are as they were, and that has no companions, costs its `stat` and the look-up
of its key. A source with many sessions is opened only if one of its files has changed. A few sessions that are named
are planned without a sweep: an agent may say where the log of one lies, which counts only below a home of that agent,
so that no file is ever read because somebody named it.
"""

import hashlib
import operator
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import NamedTuple

import apsw

from afterwit.agents import registry
from afterwit.agents.declared.description import Description
from afterwit.agents.descriptor import Agent
from afterwit.agents.hook_payloads import LONGEST_ID
from afterwit.agents.log_reader import Reader
from afterwit.agents.registry import gatherers_for
from afterwit.capture.derived import SESSIONS, Origin
from afterwit.capture.logs import Collectors, Home, LogSource, look_into, sessions_in, sources_in
from afterwit.capture.recognition import Recognition
from afterwit.model.captured import CAPTURE_VERSION
from afterwit.model.learn_run import WantedSession
from afterwit.model.settings import Settings
from afterwit.sources.checkout import is_tracked as is_tracked_by_git
from afterwit.sources.discovery import (
    HomeListing,
    NamedFile,
    Unit,
    Unreadable,
    discover,
    file_at,
    find_named_files,
    list_home,
    nothing_is_known,
    pattern_of,
    place_inside,
    units_among,
)
from afterwit.sources.gathering import Gatherer, rendering_path
from afterwit.sources.places import ListedFile, LogFile, RemoteFolder
from afterwit.store.rows import files
from afterwit.store.rows.files import FileRow, FileStamp

NOTHING: Mapping[bytes, str] = MappingProxyType({})
NOT_LISTED: Mapping[tuple[str, Path], HomeListing] = MappingProxyType({})
_NOBODY = "unrecognised"
_LOOKS_AT_ONCE = 16
_SMALL_FILES = (".json", ".jsonl")  # names that no database has; there can be very many of them


class Pending(NamedTuple):
    home: Home
    unit: Unit
    has_new_companions: bool  # then what was read before is read again, with them
    is_again: bool = False  # it was lost to the budget, and there is room for it now
    is_tracked: bool = False  # git holds it as part of a checkout

    @property
    def key(self) -> bytes:
        return self.home.key(self.unit.transcript.path)


class ListedSource(NamedTuple):
    """A source with many sessions, opened to see what has changed in it."""

    home: Home
    file: LogFile
    sessions: int
    error: str = ""  # why it could not be read


class AgentPlan(NamedTuple):
    """What was found of one agent."""

    agent: str
    pending: list[Pending] = []  # noqa: RUF012 - the lists are never changed
    unchanged: int = 0
    no_reader: int = 0
    unreadable: list[Unreadable] = []  # noqa: RUF012
    listed: list[ListedSource] = []  # noqa: RUF012

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
    in_homes: Iterable[Home],
    since_ns: int = 0,
    declared: tuple[Description, ...] = (),
    again: Mapping[bytes, str] = NOTHING,
    listings: Mapping[tuple[str, Path], HomeListing] = NOT_LISTED,
) -> list[AgentPlan]:
    """What to do for each agent, in the order of the registry. `again` are files, with their agents, that count as not
    seen. `listings` are those of homes, by agent and folder, that somebody has made just now."""
    planner = _Planner(db, since_ns, again)
    for home in in_homes:
        agent = registry.agent(home.agent, declared)
        listing = listings.get((home.agent, home.folder)) or list_home(home.folder, agent.follows)
        reader = registry.reader_for(home.agent, declared) if listing.files else None
        folder = look_into(listing, agent, reader, planner.check_in(home))
        planner.add_units(home, folder.units)
        planner.add(
            AgentPlan(
                home.agent,
                unchanged=folder.settled,
                no_reader=len(folder.unread),
                unreadable=folder.unreadable,
            )
        )
        for source in folder.sources:
            planner.add_source(home, source)
    return list(planner.plans.values())


def plan_folder(
    db: apsw.Connection,
    listing: HomeListing,
    only: Set[str] = frozenset(),
    since_ns: int = 0,
    declared: tuple[Description, ...] = (),
    again: Mapping[bytes, str] = NOTHING,
    remote: RemoteFolder | None = None,
) -> list[AgentPlan]:
    """What to do for a folder of logs given by hand: each file goes to the reader that recognises it. The files may lie
    at a URL; then those of sources with many sessions are fetched into the folder, since a database is asked there."""
    folder = listing.folder
    planner, label = _Planner(db, since_ns, again), _label(folder) if remote is None else _hash_place(remote.url)
    agents = ((agent.name, registry.reader_for(agent.name, declared)) for agent in registry.agents_with(declared))
    readers = [(name, reader) for name, reader in agents if reader]
    recognised = Recognition(readers)
    collectors = Collectors(name for name, _ in readers)
    as_before = Counter[str]()
    is_known = planner.check_anywhere(label, [name for name, _ in readers], as_before) if remote else nothing_is_known
    discovery = discover(
        listing, lambda path: path if recognised.may_be_log(path) else None, collectors.place, is_known
    )
    for name, count in as_before.items():
        planner.add(AgentPlan(name, unchanged=count))
    for source in sources_in(folder, discovery.collected):
        if not only or source.agent in only:
            planner.add_source(Home(source.agent, folder, label), source, remote)
    by_agent: dict[str, list[Unit]] = {}
    for unit, name in _with_agents(discovery.units, recognised, remote):
        by_agent.setdefault(name, []).append(unit)
    for name, units in by_agent.items():
        if name == _NOBODY and (not only or name in only):
            planner.add(AgentPlan(_NOBODY, no_reader=len(units)))
        elif not only or name in only:
            planner.add_units(Home(name, folder, label), units)
    if listing.unreadable:
        planner.add(AgentPlan(_NOBODY, unreadable=listing.unreadable))
    return list(planner.plans.values())


def _with_agents(units: list[Unit], recognised: Recognition, remote: RemoteFolder | None) -> Iterator[tuple[Unit, str]]:
    """Units and their agents. At a URL most of the time goes by in waiting, so several are looked at together."""
    if remote is None:
        yield from ((unit, recognised.agent_of(unit) or _NOBODY) for unit in units)
        return
    there = [unit._replace(home=remote) for unit in units]
    with ThreadPoolExecutor(_LOOKS_AT_ONCE) as threads:
        yield from (
            (unit, name or _NOBODY) for unit, name in zip(there, threads.map(recognised.agent_of, there), strict=True)
        )


class _Planner:
    """Sorts out what has changed, by agent."""

    def __init__(self, db: apsw.Connection, since_ns: int = 0, again: Mapping[bytes, str] = NOTHING) -> None:
        self._db = db
        self._since_ns = since_ns
        self._again = again
        self._is_tracked = cache(is_tracked_by_git)
        self.plans: dict[str, AgentPlan] = {}

    def add(self, planned: AgentPlan) -> None:
        before = self.plans.get(planned.agent, AgentPlan(planned.agent))
        self.plans[planned.agent] = AgentPlan._make((planned.agent, *map(operator.add, before[1:], planned[1:])))

    def check_in(self, home: Home) -> Callable[[ListedFile], bool]:
        """Tells transcripts that are as they were. Whose file it is follows from its path and from the version of
        capture: after an upgrade readers are asked about all of them once more."""
        if self._is_upgraded:
            return nothing_is_known
        settled = files.transcript_stamps(self._db, home.agent)

        def is_known(file: ListedFile) -> bool:
            key = home.key(file[0])
            return settled.get(key) == file[1:] and key not in self._again

        return is_known

    def check_anywhere(
        self, label: str, agents: Iterable[str], as_before: "Counter[str]"
    ) -> Callable[[ListedFile], bool]:
        """The same for a folder that may hold logs of all of these; counts them by agent."""
        checks = [(agent, self.check_in(Home(agent, Path(), label))) for agent in agents]

        def is_known(file: ListedFile) -> bool:
            owner = next((agent for agent, is_theirs in checks if is_theirs(file)), None)
            as_before.update([owner] if owner else [])
            return owner is not None

        return is_known

    @cached_property
    def _is_upgraded(self) -> bool:
        return bool(files.files_captured_before(self._db, CAPTURE_VERSION))

    def add_units(self, home: Home, units: Iterable[Unit]) -> None:
        pending: list[Pending] = []
        unchanged = 0
        for unit in units:
            key = home.key(unit.transcript.path)
            before, is_again = files.file_stamp(self._db, key), key in self._again
            is_as_before = before is not None and not is_again and self._is_as_before(home, unit, before)
            if 0 < unit.transcript.mtime_ns < self._since_ns or is_as_before:
                unchanged += 1
            else:
                has_new = before is not None and self._has_new_companions(home, unit)
                place = home.folder / unit.transcript.path  # of a rendered session its database or folder counts
                asked = place if place.is_file() else place.parent
                is_tracked = may_lie_anywhere(home) and self._is_tracked(asked)
                pending.append(Pending(home, unit, has_new, is_again, is_tracked))
        pending.sort(key=lambda transcript: (transcript.unit.transcript.mtime_ns, str(transcript.unit.transcript.path)))
        self.add(AgentPlan(home.agent, pending, unchanged))

    def _is_as_before(self, home: Home, unit: Unit, before: FileStamp) -> bool:
        if not _is_same(unit.transcript, before) or before.state in ("failed", files.DAMAGED):
            return False
        is_bare = before.companions == unit.companions_mark or before.state == "empty"
        return is_bare or not self._has_new_companions(home, unit)

    def _has_new_companions(self, home: Home, unit: Unit) -> bool:
        """Whether a companion came or changed. One that is gone is no news: the archive holds it."""
        for companion in unit.companions:
            before = files.file_stamp(self._db, home.key(companion.path))
            if before is None or (companion.size_bytes, companion.mtime_ns) != (before.size_bytes, before.mtime_ns):
                return True
        return False

    def add_source(self, home: Home, source: LogSource, remote: RemoteFolder | None = None) -> None:
        """The sessions of one source. One whose files are as they were is not opened, unless a session of the agent is
        to be read again."""
        listed = ListedSource(home, source.whole, 0)
        before = files.live_file(self._db, home.key(source.whole.path))
        is_as_before = before is not None and _is_same(source.whole, before) and before.state != "failed"
        if before is not None and is_as_before and home.agent not in self._again.values():
            self.add(AgentPlan(home.agent, unchanged=files.counts_in(before.known).get(SESSIONS, 0)))
            return
        try:
            if remote is not None:
                for file in source.files:
                    remote.fetch(file.path, home.folder)
            units = sessions_in(source)
        except OSError as error:
            reason = error.strerror or str(error)
            place = Unreadable((remote or source.folder) / source.whole.path, reason)
            self.add(AgentPlan(home.agent, unreadable=[place], listed=[listed._replace(error=reason)]))
            return
        self.add_units(home, units)
        self.add(AgentPlan(home.agent, listed=[] if self._since_ns else [listed._replace(sessions=len(units))]))


def may_lie_anywhere(home: Home | Origin) -> bool:
    """Whether somebody named the folder: the first home of most agents is one of theirs, which no clone can fill."""
    return bool(home.label) or not any(agent.homes for agent in registry.AGENTS if agent.name == home.agent)


def _is_same(file: LogFile, before: FileRow | FileStamp) -> bool:
    return (file.size_bytes, file.mtime_ns, file.inode) == (before.size_bytes, before.mtime_ns, before.inode)


def _label(folder: Path, user_home: Path | None = None) -> str:
    """Tells the files of this folder from those of others. The same below every user's home."""
    place = folder.resolve()
    if user_home is not None and place.is_relative_to(user_home.resolve()):
        place = place.relative_to(user_home.resolve())
    return _hash_place(place)


def _hash_place(place: Path | str) -> str:
    return hashlib.blake2b(os.fsencode(place), digest_size=4).hexdigest() + ":"


def plan_sessions(
    db: apsw.Connection, homes: Iterable[Home], wanted: Iterable[WantedSession], declared: tuple[Description, ...] = ()
) -> list[AgentPlan]:
    named = [
        session
        for session in sorted(set(wanted))
        if 0 < len(session.session) <= LONGEST_ID and session.session.isprintable()
    ]
    planner = _Planner(db)
    for home in homes:
        planner.add_units(home, _units_in(home, named, declared))
    return list(planner.plans.values())


def _units_in(home: Home, named: Sequence[WantedSession], declared: tuple[Description, ...]) -> list[Unit]:
    agent, reader = registry.agent(home.agent, declared), registry.reader_for(home.agent, declared)
    if reader is None:
        return []
    own = (wanted for wanted in named if wanted.agent == home.agent)
    units = (unit for wanted in own for unit in units_of(home.folder, agent, reader, wanted))
    return list({unit.transcript.path: unit for unit in units}.values())


def units_of(home: Path, agent: Agent, reader: Reader, wanted: WantedSession) -> list[Unit]:
    """The logs of a session in a home."""
    hint = place_inside(home, wanted.transcript)
    names = pattern_of(wanted.session)
    if hint is not None and reader.primary(hint) == hint:
        near = list(find_named_files(home, (_folder(hint),), names, agent.follows))
        units = _units(home, reader, (entry for entry in near if entry.is_named or entry.path == str(hint)))
        if units:
            return units
    entries = list(find_named_files(home, _tops(agent), names, agent.follows))
    return [
        *_units(home, reader, (entry for entry in entries if entry.is_named)),
        *(unit for gatherer in gatherers_for(agent.name) for unit in _gather(home, gatherer, wanted.session, entries)),
    ]


def _folder(path: PurePosixPath) -> str:
    return str(path.parent) if len(path.parts) > 1 else ""


def _tops(agent: Agent) -> tuple[str, ...]:
    """The folders of a home that hold transcripts; "" for the home itself. A single file is no session's own."""
    tops = {glob.partition("/")[0] for glob in agent.transcripts if "/" in glob or "*" in glob}
    return ("",) if agent.gatherers or any("*" in top for top in tops) else tuple(sorted(tops))


def _units(home: Path, reader: Reader, entries: Iterable[NamedFile]) -> list[Unit]:
    return units_among(home, filter(None, map(file_at, entries)), reader.primary, stand_ins=reader.stand_ins)


def _gather(home: Path, gatherer: Gatherer, session: str, entries: Sequence[NamedFile]) -> Iterator[Unit]:
    """The session in sources that hold many: by the files of its own, or by asking each database for it."""
    owned: dict[PurePosixPath, list[LogFile]] = {}
    for entry in entries:
        path = PurePosixPath(entry.path)
        source = gatherer.collection(path) if entry.is_named or not entry.path.endswith(_SMALL_FILES) else None
        if source == path:
            yield from _render(home, gatherer, rendering_path(path, session))
        elif source is not None and entry.is_named and (file := file_at(entry)):
            owned.setdefault(source, []).append(file)
    for source, own_files in sorted(owned.items()):
        yield from (Unit(home, file, ()) for file in gatherer.sessions(home, source, own_files))


def _render(home: Path, gatherer: Gatherer, path: PurePosixPath) -> Iterator[Unit]:
    """The session of a database, if it is there."""
    try:
        yield Unit(home, gatherer.render(home, path).file, ())
    except OSError:
        return
