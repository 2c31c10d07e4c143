"""A run that calls a model: how it is to call, how far it is, and what came of it. Values alone."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from afterwit.reader.ways.way import Way
from afterwit.store.decisions import NotesConsolidated, ReadingUsage, SessionRead


class FailedReading(msgspec.Struct, frozen=True, kw_only=True):
    """A request that was not answered, and why."""

    agent: str  # "" where it asked about notes
    native_id: str
    repo: str
    fault: str


class CalledRun(msgspec.Struct, kw_only=True):
    """How far a run is, and what came of it."""

    model: str
    sessions: int = 0  # of which everything is answered
    answered: int = 0  # requests
    notes: int = 0
    rejected: int = 0
    relations: int = 0  # notes that were there already, and are confirmed or contradicted
    merged: int = 0  # notes that say the same as another, which is kept
    replaced: int = 0
    contradicting: int = 0  # pairs that a person should look at
    gained: list[str] = msgspec.field(default_factory=list)  # ids of new items
    tokens_in: int = 0  # of all calls, also of those that failed
    tokens_out: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0  # calls without a known price
    failed: list[FailedReading] = msgspec.field(default_factory=list)
    left: int = 0  # requests that were planned and not asked
    stopped_by: str = ""  # "caps", "failures", "interrupted" or "time", where it ended early

    def spend(self, usage: ReadingUsage) -> None:
        """Counts what a call took."""
        self.tokens_in += usage.tokens_in
        self.tokens_out += usage.tokens_out
        self.cost_usd += usage.cost_usd or 0.0
        self.unpriced += usage.cost_usd is None

    def count(self, entry: SessionRead | NotesConsolidated) -> None:
        """Counts an answer."""
        self.answered += 1
        self.rejected += len(entry.rejected)
        if isinstance(entry, SessionRead):
            self.notes += len(entry.drafts)
            self.relations += len(entry.relations)
        else:
            self.merged += sum(len(group) - 1 for group in entry.same)
            self.replaced += len(entry.replaced)
            self.contradicting += len(entry.contradict)


class CallingRules(NamedTuple):
    """How a run is to call."""

    way: Way
    clock: Callable[[], int]  # in milliseconds: a run takes longer than a moment
    budget_usd: float | None = None
    is_again: bool = False  # also what was answered
    until_ms: int | None = None  # after which nothing more is asked
    watch: Callable[[CalledRun], object] = lambda _: None  # told after every answer
