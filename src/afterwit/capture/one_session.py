"""Plans to read one session, or a few that are named, without a sweep of all logs.

An agent may say where the log of a session lies. That is a hint and no more: it counts only below a home of that agent,
so that no file is ever read because somebody named it. Without a hint the id is looked for in the names of files, and
in the databases of agents that keep sessions there. Each file comes out as a sweep would find it, with its companions,
so that the next sweep finds it unchanged.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

import apsw

from afterwit.agents import registry
from afterwit.agents.declared.description import Description
from afterwit.agents.moments import LONGEST_ID
from afterwit.agents.protocol import Reader
from afterwit.agents.registry import Agent, gatherers_for
from afterwit.capture.logs import Home
from afterwit.capture.plan import AgentPlan, plan_units
from afterwit.model.learn_run import WantedSession
from afterwit.sources.discovery import (
    LogFile,
    NamedFile,
    Unit,
    file_at,
    named_files,
    pattern_of,
    place_inside,
    units_among,
)
from afterwit.sources.gathering import Gatherer, rendering_path

_SMALL_FILES = (".json", ".jsonl")  # names that no database has; there can be very many of them


def plan_sessions(
    db: apsw.Connection, homes: Iterable[Home], wanted: Iterable[WantedSession], declared: tuple[Description, ...] = ()
) -> list[AgentPlan]:
    """What to do for these sessions."""
    named = [session for session in sorted(set(wanted)) if _is_id(session.session)]
    return plan_units(db, ((home, _units_in(home, named, declared)) for home in homes))


def _is_id(session: str) -> bool:
    return 0 < len(session) <= LONGEST_ID and session.isprintable()


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
        near = list(named_files(home, (_folder(hint),), names, agent.follows))
        units = _units(home, reader, (entry for entry in near if entry.is_named or entry.path == str(hint)))
        if units:
            return units
    entries = list(named_files(home, _tops(agent), names, agent.follows))
    return [
        *_units(home, reader, (entry for entry in entries if entry.is_named)),
        *(
            unit
            for gatherer in gatherers_for(agent.name)
            for unit in _gathered(home, gatherer, wanted.session, entries)
        ),
    ]


def _folder(path: PurePosixPath) -> str:
    return str(path.parent) if len(path.parts) > 1 else ""


def _tops(agent: Agent) -> tuple[str, ...]:
    """The folders of a home that hold transcripts; "" for the home itself. A single file is no session's own."""
    tops = {glob.partition("/")[0] for glob in agent.transcripts if "/" in glob or "*" in glob}
    return ("",) if agent.gatherers or any("*" in top for top in tops) else tuple(sorted(tops))


def _units(home: Path, reader: Reader, entries: Iterable[NamedFile]) -> list[Unit]:
    return units_among(home, filter(None, map(file_at, entries)), reader.primary)


def _gathered(home: Path, gatherer: Gatherer, session: str, entries: Sequence[NamedFile]) -> Iterator[Unit]:
    """The session in sources that hold many: by the files of its own, or by asking each database for it."""
    owned: dict[PurePosixPath, list[LogFile]] = {}
    for entry in entries:
        path = PurePosixPath(entry.path)
        source = gatherer.collection(path) if entry.is_named or not entry.path.endswith(_SMALL_FILES) else None
        if source == path:
            yield from _rendered(home, gatherer, rendering_path(path, session))
        elif source is not None and entry.is_named and (file := file_at(entry)):
            owned.setdefault(source, []).append(file)
    for source, files in sorted(owned.items()):
        yield from (Unit(home, file, ()) for file in gatherer.sessions(home, source, files))


def _rendered(home: Path, gatherer: Gatherer, path: PurePosixPath) -> Iterator[Unit]:
    """The session of a database, if it is there."""
    try:
        yield Unit(home, gatherer.render(home, path).file, ())
    except OSError:
        return
