"""What a run of `learn` has to do: which files there are, whose they are, and which have changed.

A file whose size, time and inode are as they were costs its `stat` and nothing more.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping, Set
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import apsw
import msgspec
import zstandard

from afterwit.agents import registry
from afterwit.agents.protocol import Reader
from afterwit.model.settings import Settings
from afterwit.sources.discovery import Unit, Unreadable, discover
from afterwit.sources.lines import lines_of
from afterwit.store import files
from afterwit.store.files import Seen, file_key

_SNIFF_LINES = 50
_SNIFF_BYTES = 1 << 20
_LOG_ENDINGS = (".jsonl", ".jsonl.zst", ".json")


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

    @property
    def key(self) -> bytes:
        return file_key(self.home.agent, self.home.label + str(self.unit.transcript.path))


class AgentPlan(NamedTuple):
    """What was found of one agent."""

    agent: str
    pending: list[Pending]
    unchanged: int
    no_reader: int
    unreadable: list[Unreadable]

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


def plan(db: apsw.Connection, found: Iterable[Home], since_ns: int = 0) -> list[AgentPlan]:
    """What to do for each agent, in the order of the registry."""
    plans: dict[str, AgentPlan] = {}
    for home in found:
        part = _plan_home(db, home, since_ns)
        before = plans.get(home.agent)
        plans[home.agent] = part if before is None else _joined(before, part)
    return list(plans.values())


def plan_folder(db: apsw.Connection, folder: Path, only: Set[str] = frozenset(), since_ns: int = 0) -> list[AgentPlan]:
    """What to do for a folder of logs given by hand: each file goes to the reader that recognises it."""
    label = _label(folder)
    readers = [(agent.name, reader) for agent in registry.AGENTS if (reader := registry.reader_for(agent.name))]
    found = discover(folder, lambda path: path if path.name.endswith(_LOG_ENDINGS) else None)
    plans: dict[str, AgentPlan] = {}
    for unit in found.units:
        agent = _recognised(unit, readers)
        if only and agent not in only:
            continue
        name = agent or "unrecognised"
        into = plans.setdefault(name, AgentPlan(name, [], 0, 0, []))
        one = _sorted_out(db, Home(name, folder, label), [unit], since_ns) if agent else _unread(name)
        plans[name] = _joined(into, one)
    if found.unreadable:
        plans["unrecognised"] = _joined(
            plans.get("unrecognised") or AgentPlan("unrecognised", [], 0, 0, []),
            AgentPlan("unrecognised", [], 0, 0, found.unreadable),
        )
    return list(plans.values())


def _unread(name: str) -> AgentPlan:
    return AgentPlan(name, [], 0, 1, [])


def _plan_home(db: apsw.Connection, home: Home, since_ns: int) -> AgentPlan:
    reader, agent = registry.reader_for(home.agent), registry.agent(home.agent)
    unread: list[PurePosixPath] = []

    def primary(path: PurePosixPath) -> PurePosixPath | None:
        owner = reader.primary(path) if reader else None
        if owner is None and agent.matches(path):
            unread.append(path)
        return owner

    found = discover(home.folder, primary)
    sorted_out = _sorted_out(db, home, found.units, since_ns)
    return sorted_out._replace(no_reader=len(unread), unreadable=found.unreadable)


def _sorted_out(db: apsw.Connection, home: Home, units: list[Unit], since_ns: int) -> AgentPlan:
    seen = files.seen_files(db, home.agent)
    pending: list[Pending] = []
    unchanged = 0
    for unit in units:
        before = seen.get(file_key(home.agent, home.label + str(unit.transcript.path)))
        if unit.transcript.mtime_ns < since_ns or (before and _is_as_before(home, unit, before, seen)):
            unchanged += 1
        else:
            has_new = before is not None and _has_new_companions(home, unit, seen)
            pending.append(Pending(home, unit, has_new))
    pending.sort(key=lambda one: (one.unit.transcript.mtime_ns, str(one.unit.transcript.path)))
    return AgentPlan(home.agent, pending, unchanged, 0, [])


def _is_as_before(home: Home, unit: Unit, before: Seen, seen: Mapping[bytes, Seen]) -> bool:
    found = unit.transcript
    is_same = (found.size_bytes, found.mtime_ns, found.inode) == (before.size_bytes, before.mtime_ns, before.inode)
    if not is_same or before.state == "failed":
        return False
    if before.companions == unit.companions_mark or before.state == "empty":
        return True
    return not _has_new_companions(home, unit, seen)


def _has_new_companions(home: Home, unit: Unit, seen: Mapping[bytes, Seen]) -> bool:
    """Whether a companion came or changed. One that is gone is no news: the archive holds it."""
    for found in unit.companions:
        before = seen.get(file_key(home.agent, home.label + str(found.path)))
        if before is None or (found.size_bytes, found.mtime_ns) != (before.size_bytes, before.mtime_ns):
            return True
    return False


def _joined(one: AgentPlan, other: AgentPlan) -> AgentPlan:
    return AgentPlan(
        one.agent,
        one.pending + other.pending,
        one.unchanged + other.unchanged,
        one.no_reader + other.no_reader,
        one.unreadable + other.unreadable,
    )


def _label(folder: Path, user_home: Path | None = None) -> str:
    """Tells the files of this folder from those of others. The same below every user's home."""
    place = folder.resolve()
    if user_home is not None and place.is_relative_to(user_home.resolve()):
        place = place.relative_to(user_home.resolve())
    return hashlib.blake2b(os.fsencode(place), digest_size=4).hexdigest() + ":"


def _recognised(unit: Unit, readers: list[tuple[str, Reader]]) -> str | None:
    """The agent whose reader knows one of the first records."""
    for record in _first_records(unit):
        for name, reader in readers:
            if reader.sniffs(record):
                return name
    return None


def _first_records(unit: Unit) -> list[dict[str, Any]]:
    path = unit.home / unit.transcript.path
    found: list[dict[str, Any]] = []
    try:
        with path.open("rb", buffering=0) as file:
            lines = lines_of(unit.transcript.path, file)
            for _ in range(_SNIFF_LINES):
                line = lines.readline(_SNIFF_BYTES)
                if not line:
                    break
                try:
                    found.append(msgspec.json.decode(line, type=dict[str, Any]))
                except (msgspec.DecodeError, RecursionError):
                    continue
    except (OSError, EOFError, zstandard.ZstdError):
        return found
    return found
