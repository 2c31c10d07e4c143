"""Which sessions wait to be read, the most promising first, and what that would take.

A session waits that people worked in themselves, that has ended, and that was not read with this prompt and model; one
that went on after it was read waits again, for what is new in it. What was asked and is not answered yet is left alone
for a while: some days where it was written to a file, some minutes where the model was called. What failed pauses,
longer after each failure. Sessions in which a model read for us are never read. Sends and writes nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.config.world import World, exclusion_of
from afterwit.decisions.decided import decided
from afterwit.digest.update import load_digest
from afterwit.digest.value import SampleCandidate, chosen, findings_of
from afterwit.harvest.run import SessionRefs
from afterwit.knowledge.settle import recorded
from afterwit.model.errors import ConfigError
from afterwit.model.learn_run import Progress
from afterwit.model.prices import price_list
from afterwit.reading.ledger import Purse, ReadingEstimate, ReadingSpent, estimate, spent_by
from afterwit.reading.requests import ReadingPrompt, ReadingRequest, built_in, prompt_of, requests
from afterwit.reading.session_texts import Beside, session_text
from afterwit.sessions.filters import Filter, selection_of
from afterwit.sessions.list import Session
from afterwit.sessions.originals import TranscriptSource, source_of
from afterwit.sessions.short_ids import short_ids
from afterwit.store.regular_files import read_regular
from afterwit.store.rows.readings import (
    CALLED,
    ReadingFailure,
    ReadingRow,
    failed_requests,
    last_model,
    requests_for,
)
from afterwit.store.rows.session_list import SessionRow, native_ids, selected_sessions

_QUIET_MS = 30 * 60_000  # without an event: it has ended
_PATIENCE_MS = 3 * 86_400_000  # after which an answer is no longer waited for
_CALL_PATIENCE_MS = 20 * 60_000  # longer than any call and its mending: whoever asked was killed
_PAUSES_MS = (3_600_000, 4 * 3_600_000, 86_400_000, 3 * 86_400_000)  # after the first failure, the second, …
_OPENING = 60  # characters of the prompt by which a session of ours is known


class ReadingWish(NamedTuple):
    """What is to be read, and how much of it."""

    filter: Filter = Filter()
    model: str = ""  # "": the one that is set, or was used last
    limit: int = 0  # sessions; 0: as many as the caps allow
    budget_usd: float | None = None
    is_again: bool = False  # also what was read or asked


class PlannedSession(NamedTuple):
    """A session that is to be read, with what is asked about it."""

    session: Session
    value: float
    requests: Sequence[ReadingRequest]
    estimates: Sequence[ReadingEstimate]


class ReadingPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What would be read, and what that would take."""

    model: str
    prompt: ReadingPrompt
    sessions: list[PlannedSession]
    waiting: int  # sessions, with those that are planned
    read: int
    asked: int  # sessions that were asked about and not answered yet
    failed: int  # sessions that are left alone for a while, because a call failed
    spent: ReadingSpent
    stopped_by: str  # "limit" or "caps", where more wait than are planned

    @property
    def estimates(self) -> list[ReadingEstimate]:
        return [estimated for planned in self.sessions for estimated in planned.estimates]

    @property
    def cost_usd(self) -> float | None:
        """None where no price is known."""
        costs = [estimated.cost_usd for estimated in self.estimates]
        return sum(cost for cost in costs if cost is not None) if None not in costs else None

    def as_json(self) -> dict[str, Any]:
        """The stable shape."""
        return {
            "model": self.model,
            "prompt": self.prompt.version,
            "waiting": self.waiting,
            "read": self.read,
            "asked": self.asked,
            "failed": self.failed,
            "requests": len(self.estimates),
            "tokens_in": sum(estimated.tokens_in for estimated in self.estimates),
            "tokens_out": sum(estimated.tokens_out for estimated in self.estimates),
            "cost_usd": self.cost_usd,
            "stopped_by": self.stopped_by,
            "spent": {name: spent._asdict() for name, spent in self.spent._asdict().items()},
            "sessions": [
                planned.session.view(("id", "native_id", "agent", "repo", "started_ms", "title"))
                | {
                    "value": planned.value,
                    "requests": [request.id for request in planned.requests],
                    "tokens_in": sum(estimated.tokens_in for estimated in planned.estimates),
                }
                for planned in self.sessions
            ],
        }


def plan(world: World, wish: ReadingWish, progress: Progress) -> ReadingPlan:
    """What a run with this wish would read."""
    with source_of(world) as source:
        return planned(source, world, wish, progress)


def prompt_in_force(world: World) -> ReadingPrompt:
    """The prompt that is set, or the built-in one."""
    path = world.settings.reading.prompt
    if path is None:
        return built_in()
    try:
        return prompt_of(read_regular(path).decode(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"reading.prompt: {path} cannot be read ({error}). Correct the path, or remove it."
        ) from error


def planned(source: TranscriptSource, world: World, wish: ReadingWish, progress: Progress) -> ReadingPlan:
    """The same, of a store that is open."""
    db = source.store.db
    prompt = prompt_in_force(world)
    model = wish.model or world.settings.reading.model or last_model(db)
    failures = {failure.request: failure for failure in failed_requests(db)}
    shelf = _Shelf(requests_for(db, prompt.version, model), failures, world.now_ms, is_again=wish.is_again)
    rows = [row for row in _readable(source, world, wish, prompt) if shelf.counts(row)]
    spent = spent_by(db, world.now_ms)
    purse = Purse(world.settings.reading, spent, wish.budget_usd)
    beside, prices, short = Beside(source, world), price_list(world.settings.prices), short_ids(native_ids(db))
    chosen_sessions: list[PlannedSession] = []
    empty, stopped_by = 0, ""
    progress.stage("planning", wish.limit or len(rows), "sessions")
    for row, value in _best_first(db, rows):
        if wish.limit and len(chosen_sessions) >= wish.limit:
            stopped_by = "limit"
            break
        asked = requests(session_text(source, row), beside.around(row.repo), prompt, model)
        new = [request for request in asked if wish.is_again or request.id not in shelf.answered]
        estimates = [estimate(request, model, prices, world.now_ms) for request in new]
        if not new:
            empty += 1
        elif all(purse.reserve(wanted, model) for wanted in estimates):
            chosen_sessions.append(PlannedSession(Session(row, short[row.native_id]), value, new, estimates))
            progress.advance(1, 1)
        else:
            stopped_by = "caps"
            break
    return ReadingPlan(
        model=model,
        prompt=prompt,
        sessions=chosen_sessions,
        waiting=len(rows) - empty,
        read=shelf.read,
        asked=shelf.asked,
        failed=shelf.failed,
        spent=spent,
        stopped_by=stopped_by,
    )


def _readable(source: TranscriptSource, world: World, wish: ReadingWish, prompt: ReadingPrompt) -> Iterator[SessionRow]:
    """Sessions of people that have ended, without what is left out or forgotten, and what a model did for us."""
    db = source.store.db
    refs = SessionRefs(source.store, decided(recorded(db)).forgotten)
    exclusion = exclusion_of(world)
    opening = " ".join(prompt.text.split())[:_OPENING]
    selection = selection_of(db, world.settings, wish.filter._replace(is_top=True))
    for row in selected_sessions(db, selection):
        has_ended = row.ended_ms is not None and row.ended_ms <= world.now_ms - _QUIET_MS
        is_ours = " ".join(row.task.split()).startswith(opening)
        places = (exclusion.has_agent(row.agent), exclusion.has_repo(row.repo), exclusion.has_folder(row.cwd))
        if has_ended and row.prompts and not is_ours and not any(places) and refs.of(row.id) is not None:
            yield row


class _Shelf:
    """What was asked with one prompt and model, and what of that is answered."""

    def __init__(
        self, rows: Iterable[ReadingRow], failures: Mapping[str, ReadingFailure], now_ms: int, *, is_again: bool
    ) -> None:
        self._by_session: defaultdict[tuple[str, str], list[ReadingRow]] = defaultdict(list)
        for row in rows:
            self._by_session[row.agent, row.native_id].append(row)
        self._failures = failures
        self._now_ms = now_ms
        self._is_again = is_again
        self.answered = frozenset(
            row.id for several in self._by_session.values() for row in several if row.answered_ms is not None
        )
        self.read = 0
        self.asked = 0
        self.failed = 0

    def counts(self, session: SessionRow) -> bool:
        """Whether a session waits; counts those that do not."""
        rows = self._by_session.get((session.agent, session.native_id), [])
        as_now = [row for row in rows if row.ended_ms == session.ended_ms]
        answered = {row.part for row in rows if row.answered_ms is not None}
        if as_now and answered.issuperset(range(1, max(row.parts for row in as_now) + 1)):
            self.read += 1
            return self._is_again
        left_alone = [row for row in as_now if row.answered_ms is None and self._now_ms < self._until_ms(row)]
        if left_alone:
            has_failed = any(self._has_failed(row) for row in left_alone)
            self.asked += not has_failed
            self.failed += has_failed
            return self._is_again
        return True

    def _has_failed(self, row: ReadingRow) -> bool:
        """Whether the last that was heard is a failure."""
        return row.id in self._failures and self._failures[row.id].failed_ms >= row.asked_ms

    def _until_ms(self, row: ReadingRow) -> int:
        """When a request that was not answered may be asked again."""
        if self._has_failed(row):
            return retry_ms(self._failures[row.id])
        return row.asked_ms + (_CALL_PATIENCE_MS if row.asked_by == CALLED else _PATIENCE_MS)


def retry_ms(failure: ReadingFailure) -> int:
    """When a request that failed is asked again."""
    return failure.failed_ms + _PAUSES_MS[min(failure.failures, len(_PAUSES_MS)) - 1]


def _best_first(db: apsw.Connection, rows: Iterable[SessionRow]) -> Iterator[tuple[SessionRow, float]]:
    """The sessions that promise most knowledge first, each counting what those before it leave to be found."""
    by_order = {(-(row.started_ms or 0), row.native_id, row.agent): row for row in rows}
    candidates = []
    for order, row in by_order.items():
        digest = load_digest(db, row)
        candidates.append(SampleCandidate(order, () if digest is None else findings_of(digest)))
    for choice in chosen(candidates):
        yield by_order[choice.candidate.order], choice.value.total
