"""What would be asked next, the most promising first, and what that would take. Sends and writes nothing.

Sessions wait to be read, and the notes of a repository wait to be settled after several new ones were read there;
`waiting` says which. The caps, and what was wished, decide how much of that is planned.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.config.world import World
from afterwit.model.errors import ConfigError
from afterwit.model.learn_run import Progress
from afterwit.model.prices import price_list
from afterwit.reader.ledger import Purse, ReadingEstimate, estimate
from afterwit.reader.requests import ReadingPrompt, ReadingRequest, built_in, prompt_of, requests
from afterwit.reader.session_texts import Beside, session_text
from afterwit.reader.spent import ReadingSpent, spent_by
from afterwit.reader.waiting import Patience, Shelf, best_first, due, notes_asked_about, readable
from afterwit.sessions.filters import Filter, short_id
from afterwit.sessions.list import Session
from afterwit.sessions.originals import TranscriptSource, source_of
from afterwit.store.regular_files import read_regular
from afterwit.store.rows.readings import last_model, requests_about_notes, requests_failed, requests_for

AT_HAND = "agent-at-hand"  # the model that an agent is which asks for sessions to read itself


class ReadingWish(NamedTuple):
    """What is to be read, and how much of it."""

    filter: Filter = Filter()
    model: str = ""  # "": the one that is set, or was used last
    limit: int = 0  # sessions; 0: as many as the caps allow
    budget_usd: float | None = None
    is_again: bool = False  # also what was read or asked
    requests: int = 0  # at most so many, of whatever sessions; 0: any number
    overhead_tokens: int = 0  # that the way to the model adds to each


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

    @property
    def session(self) -> tuple[str, str]:
        """Empty names where it asks about notes."""
        return self.agent, self.native_id


class ReadingPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What would be read, and what that would take."""

    model: str
    prompt: ReadingPrompt
    sessions: list[PlannedSession]
    consolidations: list[PlannedRequest]  # about notes that are there
    waiting: int  # sessions, with those that are planned
    read: int
    asked: int  # sessions that were asked about and not answered yet
    failed: int  # sessions that are left alone for a while, because a call failed
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
            "failed": self.failed,
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
        return sum(shelf.counts(row) for row in readable(source, world, wish.filter, prompt))


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
    ended = list(readable(source, world, wish.filter, prompt))
    rows = [row for row in ended if shelf.counts(row)]
    spent = spent_by(db, world.now_ms)
    purse = Purse(world.settings.reading, spent, wish.budget_usd)
    beside, prices = Beside(source, world), price_list(world.settings.prices)
    chosen_sessions: list[PlannedSession] = []
    consolidations: list[PlannedRequest] = []
    empty, stopped_by = 0, ""
    repos = {row.repo for row in ended}
    before = notes_asked_about(requests_about_notes(db), _patience(db, world))
    for repo, request in due(beside, before, repos, model, is_again=wish.is_again):
        wanted = estimate(request, model, prices, world.now_ms, wish.overhead_tokens)
        if (not wish.requests or len(consolidations) < wish.requests) and purse.reserve(wanted, model):
            consolidations.append(PlannedRequest(request, wanted, repo))
    progress.stage("planning", wish.limit or len(rows), "sessions")
    left = wish.requests - len(consolidations) if wish.requests else None
    for row, value in best_first(db, rows):
        if (wish.limit and len(chosen_sessions) >= wish.limit) or left == 0:
            stopped_by = "limit"
            break
        asked = requests(session_text(source, row), beside.around(row.repo), prompt, model)
        new = [request for request in asked if wish.is_again or request.id not in shelf.settled][:left]
        estimates = [estimate(request, model, prices, world.now_ms, wish.overhead_tokens) for request in new]
        if not new:
            empty += 1
        elif all(purse.reserve(wanted, model) for wanted in estimates):
            left = left - len(new) if left is not None else None
            chosen_sessions.append(PlannedSession(Session(row, short_id(db, row.native_id)), value, new, estimates))
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
        failed=shelf.failed,
        spent=spent,
        stopped_by=stopped_by,
    )


def _model(db: apsw.Connection, world: World, wish: ReadingWish) -> str:
    return wish.model or world.settings.reading.model or last_model(db)


def _patience(db: apsw.Connection, world: World) -> Patience:
    return Patience(requests_failed(db), world.now_ms)


def _shelf(db: apsw.Connection, world: World, wish: ReadingWish, prompt: ReadingPrompt) -> Shelf:
    asked = requests_for(db, prompt.version, _model(db, world, wish))
    return Shelf(asked, _patience(db, world), is_again=wish.is_again)
