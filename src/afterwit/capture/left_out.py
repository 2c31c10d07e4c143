"""What capture must not keep: sessions that the settings exclude, those that were erased, and those in which an agent
read sessions for us.

Decided before anything of a file is archived or stored. The agent is certain at once, the folder and the repository
only from inside the log: so a file is read, and what is left out of it goes nowhere. A file of which nothing may be
kept gets a row without its path. One that holds other sessions, too, is taken apart: the lines of those that are left
out are gone from what is archived, and its rows are those of the rest. Where that cannot be done, all of it is left
out. A history of prompts may not say where a session ran: there it counts that the session's own log was left out.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import NamedTuple

from afterwit.agents.log_reader import FileReading, Shape, SourceFile
from afterwit.agents.registry import reader_for
from afterwit.capture.assembly.texts import safe_text
from afterwit.capture.derive import FileToRead, derive_archived
from afterwit.capture.derived import Derived, ReadingMode, rows_in
from afterwit.capture.plan import AgentPlan
from afterwit.config.run_rules import redactor_for
from afterwit.config.world import World, exclusion_of
from afterwit.model.captured import PartFacts
from afterwit.model.kinds import Relation
from afterwit.model.readings import Event, Problem, Reading
from afterwit.redaction.markers import is_reading_request, placeholder
from afterwit.repos.folders import Spot
from afterwit.repos.identity import RepoSighting, resolve
from afterwit.sources.framing import Framing, Record
from afterwit.sources.places import is_packed
from afterwit.store import frames
from afterwit.store.rows import erased, repos, sessions
from afterwit.store.rows.erased import session_key
from afterwit.store.store import Store


class LeftOutParts(NamedTuple):
    """Native ids of sessions in one file of which nothing may be kept, and why."""

    excluded: frozenset[str] = frozenset()
    erased: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()  # an agent read for us

    @property
    def all(self) -> frozenset[str]:
        return self.excluded | self.erased | self.own


class LeftOutSessions:
    """What is left out of one store."""

    def __init__(self, world: World, store: Store) -> None:
        self.exclusion = exclusion_of(world)
        self._db = store.db
        self._aliases = world.settings.aliases.repos
        home = world.user_home
        self._home, self._hidden = str(home), str(home.parent / placeholder("user", home.name, store.key))
        self._erased = erased.keys_of_erased(store.db)
        self._passed_over = erased.keys_left_out(store.db)
        self._own = erased.own_keys(store.db)
        self._own_folders = {str(world.layout.reading), os.path.realpath(world.layout.reading)}
        self._repos: dict[Spot, str] = {}

    def parts_of(self, agent: str, derived: Derived) -> LeftOutParts:
        """The sessions of a file that may not be kept."""
        if derived.captured is None:
            return LeftOutParts()
        parts = [part for part in derived.captured.parts if not part.is_empty]
        own = frozenset(part.native_id for part in parts if self._is_own(agent, part, derived))
        others = [part for part in parts if part.native_id not in own]
        gone = frozenset(part.native_id for part in others if self._is_among(agent, part, self._erased))
        excluded = frozenset(
            part.native_id for part in others if part.native_id not in gone and self._is_excluded(agent, part, derived)
        )
        return LeftOutParts(excluded, gone, own)

    def wanted(self, plans: Sequence[AgentPlan]) -> tuple[list[AgentPlan], int]:
        """The plans of agents that are not left out, and how many transcripts the others have."""
        others = [plan for plan in plans if self.exclusion.has_agent(plan.agent)]
        count = sum(len(plan.pending) + plan.unchanged for plan in others)
        return [plan for plan in plans if plan not in others], count

    def pass_over(self, agent: str, parts: LeftOutParts) -> None:
        """The logs of these were left out: a history of prompts may not tell of them either, nor subagents that an
        agent had while it read for us."""
        self._passed_over |= {session_key(agent, native_id) for native_id in parts.all}
        self._own |= {session_key(agent, native_id) for native_id in parts.own}

    def stored(self) -> list[erased.SessionPlace]:
        """Sessions that are stored, from before they were excluded."""
        if not self.exclusion:
            return []
        return [
            place
            for place in erased.places_of_sessions(self._db)
            if self.exclusion.has_agent(place.agent)
            or self.exclusion.has_repo(place.repo)
            or self.exclusion.has_folder(self._unhidden(place.cwd))
        ]

    def _is_own(self, agent: str, part: PartFacts, derived: Derived) -> bool:
        """Whether an agent read sessions for us in it: by how it begins, where it worked, or whose subagent it is."""
        folders = (derived.folders.get(part.native_id, ""), self._unhidden(part.cwd))
        is_there = any(f"{folder}/".startswith(f"{own}/") for folder in folders for own in self._own_folders)
        return is_there or is_reading_request(part.task) or self._is_among(agent, part, self._own)

    def _is_excluded(self, agent: str, part: PartFacts, derived: Derived) -> bool:
        if not part.cwd and self._is_among(agent, part, self._passed_over):
            return True
        exclusion = self.exclusion
        folders = (derived.folders.get(part.native_id, ""), self._unhidden(part.cwd), self._unhidden(part.root))
        if exclusion.has_agent(agent) or any(map(exclusion.has_folder, folders)):
            return True
        if not exclusion.repos:
            return False
        checkout = derived.checkouts.get(part.root, "")
        names = (part.remote, checkout, self._repo_at(Spot(part.root, part.remote), checkout))
        return any(map(exclusion.has_repo, names))

    def _is_among(self, agent: str, part: PartFacts, keys: frozenset[bytes]) -> bool:
        """Whether it is one of these sessions, or a subagent of one."""
        names = (part.native_id, part.parent if part.relation == Relation.SUBAGENT else "")
        return any(name and session_key(agent, name) in keys for name in names)

    def _unhidden(self, folder: str) -> str:
        """A folder as it was before the user's name was taken out of it, or a log wrote `~` for it."""
        if folder.startswith("~/"):
            return self._home + folder[1:]
        return self._home + folder[len(self._hidden) :] if f"{folder}/".startswith(f"{self._hidden}/") else folder

    def _repo_at(self, spot: Spot, checkout: str) -> str:
        """The repository that this place is resolved to by all that is known so far."""
        if spot not in self._repos:
            known_places = [RepoSighting(spot.root, spot.remote), *sessions.sightings(self._db)]
            checkouts = repos.checkouts(self._db) | ({spot.root: checkout} if checkout else {})
            merges = repos.aliases(self._db, "repo")
            self._repos[spot] = resolve(known_places, self._aliases, checkouts, merges=merges)[spot].repo
        return self._repos[spot]


def take_apart(file: FileToRead, content: bytes, left_out: frozenset[str]) -> Derived | None:
    """A file without some of its sessions: its bytes, packed, and the rows of the others. None, where it cannot be
    taken apart."""
    kept = _without_sessions(file, content, left_out)
    if kept is None:
        return None
    derived = derive_archived(file, [kept])
    present = {part.native_id for part in rows_in(derived).parts if not part.is_empty}
    if not present or present & left_out:
        return None
    derived.frames, derived.fresh_bytes = list(frames.pack([kept])), len(kept)
    return derived


def sift(file: FileToRead, whole: Derived, left_out: frozenset[str]) -> Derived | None:
    """What may be kept of a file that was read from its beginning."""
    derived = take_apart(file, b"".join(map(frames.unpack, whole.frames)), left_out)
    if derived is not None:
        roots = {part.root for part in rows_in(derived).parts}
        derived.checkouts = {root: remote for root, remote in whole.checkouts.items() if root in roots}
        derived.size_bytes, derived.mtime_ns, derived.inode = whole.size_bytes, whole.mtime_ns, whole.inode
        derived.mode = ReadingMode.WHOLE
    return derived


def _without_sessions(file: FileToRead, content: bytes, left_out: frozenset[str]) -> bytes | None:
    """The bytes of the other sessions. None, where they cannot be told from the rest."""
    rules, reader = file.rules, reader_for(file.agent, file.rules.declared)
    if reader is None or is_packed(file.path) or reader.shape(file.path) is Shape.DOCUMENT:
        return None
    redactor = redactor_for(rules.key, rules.people, rules.allow)
    reading = reader.start(SourceFile(file.path, file.companion))
    if reader.shape(file.path) is Shape.TEXT:
        spans = [
            (event.offset, event.offset + event.length)
            for event in reading.feed(Record(0, len(content), content))
            if isinstance(event, Event) and safe_text(event.session, redactor) in left_out
        ]
        return _without_spans(content, spans)
    named = _Named(reading)
    for _ in Framing(named).read(BytesIO(content)):
        pass
    lines: list[bytes] = []
    at = 0
    for line in BytesIO(content):
        told = {safe_text(name, redactor) for name in named.sessions_between(at, at + len(line))}
        if told and not told & left_out:
            lines.append(line)
        at += len(line)
    return b"".join(lines)


class _Named:
    """A reading that remembers which sessions each record speaks of."""

    def __init__(self, reading: FileReading) -> None:
        self._reading = reading
        self._records: list[tuple[int, frozenset[str]]] = []
        self._next = 0

    def feed(self, record: Record) -> list[Reading]:
        readings = list(self._reading.feed(record))
        names = frozenset(reading.session for reading in readings if not isinstance(reading, Problem))
        self._records.append((record.offset, names))
        return readings

    def sessions_between(self, begin: int, end: int) -> Iterator[str]:
        """To be asked from the front to the back."""
        while self._next < len(self._records) and self._records[self._next][0] < end:
            if self._records[self._next][0] >= begin:
                yield from self._records[self._next][1]
            self._next += 1


def _without_spans(content: bytes, spans: Iterable[tuple[int, int]]) -> bytes:
    kept, at = bytearray(), 0
    for begin, end in sorted(set(spans)):
        kept += content[at : max(at, begin)]
        at = max(at, end)
    return bytes(kept + content[at:])


def mark_of(world: World, store: Store) -> str:
    """Changes whenever something else is left out."""
    keys = sorted(erased.keys_of_erased(store.db))
    content = repr([sorted(world.settings.learn.exclude), str(world.user_home), keys]).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=16).hexdigest()
