"""Which thread a record belongs to, and the key that it shares with its copies in other files.

A fork or a forked subagent begins with a copy of its parent's history: its own `session_meta`, then the parent's, then
the parent's records, stamped anew. Ids are UUIDs of version 7, which sort by time, so that **a turn belongs to the
youngest thread named in the file that is not younger than the turn**; that sorts out a fork of a fork, too.
`subagent_history_start_ordinal` says it outright. Without such ids (2025) the copy ends at the first pause: copies are
written within milliseconds. A fork cut to its last turns lacks the parent's `session_meta`; `forked_from_id` stands in.
Keys count the occurrences of a text within one turn, so that a copy without earlier turns has equal keys.

`Echoes` finds the second of two records that tell one thing, in both orders, by hashes of the last few texts.
"""

from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from afterwit.agents.codex.records import Endings, Payload
from afterwit.agents.log_reader import ReadingMemory, mark
from afterwit.model.kinds import Relation
from afterwit.model.readings import Facts
from afterwit.model.text import regex

_KEPT = 7
_UUID7 = regex(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_UUID = regex(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_PAUSE_MS = 500


class Source(StrEnum):
    ITEM = "item"
    EVENT = "event"


class Waiting(NamedTuple):
    """A text that was read from one record and may come once more from another."""

    source: Source
    mark: str
    number: int  # of the record in the file


class Echoes(msgspec.Struct):
    """Finds the second record of a pair that tells one thing twice, in whichever order the two come."""

    waiting: list[Waiting] = []

    def answers(self, source: Source, text: str, number: int) -> bool:
        """Whether this is the echo of an earlier record: the same text, or the event right behind an item."""
        name = mark(text)
        for index, earlier in enumerate(self.waiting):
            is_next = source is Source.EVENT and earlier.number == number - 1
            if earlier.source is not source and (earlier.mark == name or is_next):
                del self.waiting[index]
                return True
        self.waiting = [*self.waiting[-_KEPT:], Waiting(source, name, number)]
        return False


class Spawn(NamedTuple):
    """How a subagent was started; empty for any other thread."""

    is_subagent: bool = False
    parent: str = ""
    role: str = ""


def facts_of(meta: Payload, session: str, at_ms: int | None) -> Facts:
    spawn = _spawn(meta)
    base = meta.history_base.thread_id if meta.history_base else None
    parent = spawn.parent or meta.parent_thread_id or meta.forked_from_id or base or ""
    relation = Relation.SUBAGENT if spawn.is_subagent else Relation.FORK
    return Facts(
        session=session,
        at_ms=at_ms,
        cwd=meta.cwd or "",
        branch=(meta.git.branch if meta.git else None) or "",
        remote=(meta.git.repository_url if meta.git else None) or "",
        version=meta.cli_version or "",
        parent=parent,
        relation=relation if parent or spawn.is_subagent else None,
        origin=spawn.role or meta.originator or "",
        provider=meta.model_provider or "",
    )


def is_subagent(meta: Payload) -> bool:
    return _spawn(meta).is_subagent


def _spawn(meta: Payload) -> Spawn:
    how = meta.source.get("subagent") if isinstance(meta.source, dict) else None
    role = meta.agent_role or meta.agent_nickname or ""
    if isinstance(how, str):
        return Spawn(True, "", role or how)
    if isinstance(how, dict):
        spawned = how.get("thread_spawn")
        spawned = spawned if isinstance(spawned, dict) else {}
        role = role or _text(spawned, "agent_role") or _text(spawned, "agent_nickname") or _text(how, "other")
        return Spawn(True, _text(spawned, "parent_thread_id"), role)
    return Spawn(meta.thread_source == "subagent", "", role)


def _text(value: dict[str, Any], name: str) -> str:
    text = value.get(name)
    return text if isinstance(text, str) else ""


class Lineage(msgspec.Struct):
    """The thread and the turn in force at this place of the file."""

    own: str = ""
    thread: str = ""
    named: list[str] = []
    turn: str = ""
    unnamed_turns: int = 0
    has_dated_turns: bool = False
    own_from_ordinal: int | None = None
    last_ms: int | None = None
    counts: dict[str, int] = {}

    @property
    def is_copy(self) -> bool:
        return self.thread != self.own

    @property
    def is_copy_of_parent(self) -> bool:
        """Whether this was copied from the parent itself, not by it from its own parent."""
        return self.is_copy and self.named[1:2] == [self.thread]

    def begin(self, own: str) -> None:
        self.own = own
        self.named.append(own)
        self._enter(own)

    def meet(self, meta: Payload) -> bool:
        """Takes a session_meta in; true if it speaks of this file's own thread."""
        thread = meta.id or self.own
        is_first = len(self.named) == 1
        if thread not in self.named:
            self.named.append(thread)
        self._enter(thread)
        if thread == self.own and is_first:
            self.own_from_ordinal = meta.subagent_history_start_ordinal
            if meta.forked_from_id and meta.history_base is None and meta.forked_from_id != self.own:
                self.named.append(meta.forked_from_id)
                self._enter(meta.forked_from_id)
        return thread == self.own

    def step(self, ordinal: int | None, at_ms: int | None) -> None:
        """Notices the end of the copied part by line numbers or by a pause."""
        previous, self.last_ms = self.last_ms, at_ms if at_ms is not None else self.last_ms
        if not self.is_copy:
            return
        if self.own_from_ordinal is not None and ordinal is not None:
            if ordinal >= self.own_from_ordinal:
                self._enter(self.own)
        elif not self.has_dated_turns and previous is not None and at_ms is not None and at_ms - previous >= _PAUSE_MS:
            self._enter(self.own)

    def turn_to(self, turn: str | None) -> None:
        """Takes the id of a turn in that begins or goes on here; None where the log gives it none."""
        if turn is not None and _UUID7.fullmatch(turn):
            older = [thread for thread in self.named if thread <= turn and _UUID7.fullmatch(thread)]
            if older:
                self._enter(max(older))
            self.has_dated_turns = True
        if turn is None:
            self.unnamed_turns += 1
            self._scope(f"{self.thread}/#{self.unnamed_turns}")
        else:
            self._scope(turn if _UUID.fullmatch(turn) else f"{self.thread}/{turn}")

    def key(self, kind: str, text: str) -> str:
        """A key for a record without an id of its own: turn, kind, text, and the how-manieth of these it is."""
        name = f"{kind}:{mark(text)}"
        self.counts[name] = count = self.counts.get(name, 0) + 1
        return f"{self.turn}:{name}:{count}"

    def _enter(self, thread: str) -> None:
        if thread != self.thread:
            self.thread = thread
            self.unnamed_turns = 0
            self.has_dated_turns = False
            self._scope(thread)

    def _scope(self, turn: str) -> None:
        if turn != self.turn:
            self.turn = turn
            self.counts = {}


class CodexState(ReadingMemory):
    """All that a reading remembers between two appends: ids, hashes and counters, never text of the log."""

    number: int = 0  # records read so far
    lineage: Lineage = msgspec.field(default_factory=Lineage)
    prompts: Echoes = msgspec.field(default_factory=Echoes)
    compactions: Echoes = msgspec.field(default_factory=Echoes)
    endings: Endings = msgspec.field(default_factory=Endings)
    model: str = ""
    subagents: list[str] = msgspec.field(default_factory=list)  # threads that another agent talks to
    cwd_mark: str = ""
    totals: tuple[int, int, int] | None = None
