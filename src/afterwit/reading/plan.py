"""Which sessions wait to be read, the most promising first, and what that would take.

A session waits that people worked in themselves, that has ended, and that was not read with this prompt and model; one
that went on after it was read waits again, for what is new in it. What was asked and is not answered yet is left alone
for some days. Sessions in which a model read for us are never read. Beside them, the notes of a repository wait to be
settled after several new ones were read there. Sends and writes nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
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
from afterwit.reading.consolidating import NEW_NOTES, PROMPT, consolidation
from afterwit.reading.ledger import Purse, ReadingEstimate, ReadingSpent, estimate, spent_by
from afterwit.reading.requests import ReadingPrompt, ReadingRequest, built_in, prompt_of, requests
from afterwit.reading.session_texts import Beside, session_text
from afterwit.sessions.filters import Filter, selection_of
from afterwit.sessions.list import Session
from afterwit.sessions.originals import TranscriptSource, source_of
from afterwit.sessions.short_ids import short_ids
from afterwit.store.regular_files import read_regular
from afterwit.store.rows.readings import ReadingRow, items_asked_about, last_model, requests_for
from afterwit.store.rows.session_list import SessionRow, native_ids, selected_sessions, sessions_calling

_QUIET_MS = 30 * 60_000  # without an event: it has ended
_PATIENCE_MS = 3 * 86_400_000  # after which an answer is no longer waited for
AT_HAND = "agent-at-hand"  # the model that an agent is which asks for sessions to read itself
READING_TOOL = "reading_next"  # by which it does
_OPENING = 60  # characters of the prompt by which a session of ours is known


class ReadingWish(NamedTuple):
    """What is to be read, and how much of it."""

    filter: Filter = Filter()
    model: str = ""  # "": the one that is set, or was used last
    limit: int = 0  # sessions; 0: as many as the caps allow
    budget_usd: float | None = None
    is_again: bool = False  # also what was read or asked
    requests: int = 0  # at most so many, of whatever sessions; 0: any number


class PlannedSession(NamedTuple):
    """A session that is to be read, with what is asked about it."""

    session: Session
    value: float
    requests: Sequence[ReadingRequest]
    estimates: Sequence[ReadingEstimate]


class PlannedRequest(NamedTuple):
    """A request, with what it is about and what it takes at most: a session, or the notes of a repository."""

    request: ReadingRequest
    estimate: ReadingEstimate
    repo: str
    agent: str = ""
    native_id: str = ""
    ended_ms: int = 0


class ReadingPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What would be read, and what that would take."""

    model: str
    prompt: ReadingPrompt
    sessions: list[PlannedSession]
    consolidations: list[PlannedRequest]  # about notes that are there
    waiting: int  # sessions, with those that are planned
    read: int
    asked: int  # sessions that were asked about and not answered yet
    spent: ReadingSpent
    stopped_by: str  # "limit" or "caps", where more wait than are planned

    @property
    def requests(self) -> list[PlannedRequest]:
        """All that would be asked, in this order."""
        about_sessions = (
            PlannedRequest(*pair, row.repo, row.agent, row.native_id, row.ended_ms or 0)
            for planned in self.sessions
            for row in (planned.session.row,)
            for pair in zip(planned.requests, planned.estimates, strict=True)
        )
        return [*self.consolidations, *about_sessions]

    @property
    def estimates(self) -> list[ReadingEstimate]:
        return [planned.estimate for planned in self.requests]

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
            "requests": len(self.estimates),
            "tokens_in": sum(estimated.tokens_in for estimated in self.estimates),
            "tokens_out": sum(estimated.tokens_out for estimated in self.estimates),
            "cost_usd": self.cost_usd,
            "stopped_by": self.stopped_by,
            "spent": {name: spent._asdict() for name, spent in self.spent._asdict().items()},
            "consolidations": [
                {"repo": planned.repo, "request": planned.request.id, "notes": len(planned.request.items)}
                for planned in self.consolidations
            ],
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


def count_waiting(world: World, wish: ReadingWish) -> int:
    """How many sessions wait."""
    with source_of(world) as source:
        prompt = prompt_in_force(world)
        shelf = _shelf(source.store.db, world, wish, prompt)
        return sum(shelf.counts(row) for row in _readable(source, world, wish, prompt))


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
    model = _model(db, world, wish)
    shelf = _shelf(db, world, wish, prompt)
    readable = list(_readable(source, world, wish, prompt))
    rows = [row for row in readable if shelf.counts(row)]
    spent = spent_by(db, world.now_ms)
    purse = Purse(world.settings.reading, spent, wish.budget_usd)
    beside, prices, short = Beside(source, world), price_list(world.settings.prices), short_ids(native_ids(db))
    chosen_sessions: list[PlannedSession] = []
    consolidations: list[PlannedRequest] = []
    empty, stopped_by = 0, ""
    for repo, request in _due(source, beside, {row.repo for row in readable}, model, world.now_ms, wish):
        wanted = estimate(request, model, prices, world.now_ms)
        if (not wish.requests or len(consolidations) < wish.requests) and purse.reserve(wanted, model):
            consolidations.append(PlannedRequest(request, wanted, repo))
    progress.stage("planning", wish.limit or len(rows), "sessions")
    left = wish.requests - len(consolidations) if wish.requests else None
    for row, value in _best_first(db, rows):
        if (wish.limit and len(chosen_sessions) >= wish.limit) or left == 0:
            stopped_by = "limit"
            break
        asked = requests(session_text(source, row), beside.around(row.repo), prompt, model)
        new = [request for request in asked if wish.is_again or request.id not in shelf.settled][:left]
        estimates = [estimate(request, model, prices, world.now_ms) for request in new]
        if not new:
            empty += 1
        elif all(purse.reserve(wanted, model) for wanted in estimates):
            left = left - len(new) if left is not None else None
            chosen_sessions.append(PlannedSession(Session(row, short[row.native_id]), value, new, estimates))
            progress.advance(1, 1)
        else:
            stopped_by = "caps"
            break
    return ReadingPlan(
        model=model,
        prompt=prompt,
        sessions=chosen_sessions,
        consolidations=consolidations,
        waiting=len(rows) - empty,
        read=shelf.read,
        asked=shelf.asked,
        spent=spent,
        stopped_by=stopped_by,
    )


def _model(db: apsw.Connection, world: World, wish: ReadingWish) -> str:
    return wish.model or world.settings.reading.model or last_model(db)


def _shelf(db: apsw.Connection, world: World, wish: ReadingWish, prompt: ReadingPrompt) -> "_Shelf":
    asked = requests_for(db, prompt.version, _model(db, world, wish))
    return _Shelf(asked, world.now_ms, is_again=wish.is_again)


def _readable(source: TranscriptSource, world: World, wish: ReadingWish, prompt: ReadingPrompt) -> Iterator[SessionRow]:
    """Sessions of people that have ended, without what is left out or forgotten, and what a model did for us."""
    db = source.store.db
    refs = SessionRefs(source.store, decided(recorded(db)).forgotten)
    exclusion = exclusion_of(world)
    opening = " ".join(prompt.text.split())[:_OPENING]
    selection = selection_of(db, world.settings, wish.filter._replace(is_top=True))
    reading = sessions_calling(db, READING_TOOL)
    for row in selected_sessions(db, selection):
        has_ended = row.ended_ms is not None and row.ended_ms <= world.now_ms - _QUIET_MS
        is_ours = row.id in reading or " ".join(row.task.split()).startswith(opening)
        places = (exclusion.has_agent(row.agent), exclusion.has_repo(row.repo), exclusion.has_folder(row.cwd))
        if has_ended and row.prompts and not is_ours and not any(places) and refs.of(row.id) is not None:
            yield row


def _due(
    source: TranscriptSource, beside: Beside, repos: Iterable[str], model: str, now_ms: int, wish: ReadingWish
) -> Iterator[tuple[str, ReadingRequest]]:
    """What is to be asked about the notes of repositories that gained several since they were asked about last."""
    prompt = built_in(PROMPT)
    before = items_asked_about(source.store.db, now_ms - _PATIENCE_MS)
    for repo in sorted(repos):
        items, asked = beside.read_items(repo), before.get(repo, set())
        new = [item for item in items if item.id not in asked]
        if len(new) >= NEW_NOTES or (wish.is_again and len(items) > 1):
            yield repo, consolidation(repo, items, asked, prompt, model)


class _Shelf:
    """What was asked with one prompt and model, and what of that is answered."""

    def __init__(self, rows: Iterable[ReadingRow], now_ms: int, *, is_again: bool) -> None:
        self._by_session: defaultdict[tuple[str, str], list[ReadingRow]] = defaultdict(list)
        for row in rows:
            self._by_session[row.agent, row.native_id].append(row)
        self._now_ms = now_ms
        self._is_again = is_again
        self.settled = frozenset(
            row.id
            for several in self._by_session.values()
            for row in several
            if row.answered_ms is not None or self._is_under_way(row)
        )
        self.read = 0
        self.asked = 0

    def counts(self, session: SessionRow) -> bool:
        """Whether a session waits; counts those that do not."""
        rows = self._by_session.get((session.agent, session.native_id), [])
        as_now = [row for row in rows if row.ended_ms == session.ended_ms]
        answered = {row.part for row in rows if row.answered_ms is not None}
        if as_now and answered.issuperset(range(1, max(row.parts for row in as_now) + 1)):
            self.read += 1
            return self._is_again
        under_way = {row.part for row in as_now if self._is_under_way(row)}
        if under_way and (answered | under_way).issuperset(range(1, max(row.parts for row in as_now) + 1)):
            self.asked += 1
            return self._is_again
        return True

    def _is_under_way(self, row: ReadingRow) -> bool:
        return row.answered_ms is None and row.asked_ms > self._now_ms - _PATIENCE_MS


def _best_first(db: apsw.Connection, rows: Iterable[SessionRow]) -> Iterator[tuple[SessionRow, float]]:
    """The sessions that promise most knowledge first, each counting what those before it leave to be found."""
    by_order = {(-(row.started_ms or 0), row.native_id, row.agent): row for row in rows}
    candidates = []
    for order, row in by_order.items():
        digest = load_digest(db, row)
        candidates.append(SampleCandidate(order, () if digest is None else findings_of(digest)))
    for choice in chosen(candidates):
        yield by_order[choice.candidate.order], choice.value.total
