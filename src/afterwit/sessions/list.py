"""The list of sessions, uniform over all agents: what they were about, how much they did, what they cost."""

from bisect import bisect_left
from collections.abc import Callable
from enum import StrEnum

import apsw
import msgspec

from afterwit.config.world import World
from afterwit.model.prices import price_list
from afterwit.repos.identity import domain_of
from afterwit.sessions.cost import Spending, cost_of
from afterwit.sessions.filters import Filter, one_line, selection_of
from afterwit.store.rows.originals import pins
from afterwit.store.rows.session_list import Selection, SessionRow, native_ids, selected_sessions, spend_sums
from afterwit.store.store import readonly_database

_TITLE_LENGTH = 200
_SHORTEST_ID = 8


class Order(StrEnum):
    """What sessions can be sorted by."""

    START = "start"
    COST = "cost"
    TOKENS = "tokens"
    FAILURES = "failures"
    ACTIONS = "actions"
    DURATION = "duration"


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """One session of the list."""

    id: str  # enough of the native id to name the session
    native_id: str
    agent: str
    repo: str
    domain: str
    branch: str
    started_ms: int | None
    ended_ms: int | None
    title: str  # or the beginning of the task
    outcome: str
    relation: str
    parent: str
    is_partial: bool  # known from a history of prompts alone
    is_pinned: bool  # its original stays, whatever the storage budget says
    prompts: int
    actions: int
    failures: int
    tokens: int
    cost_usd: float | None  # None: no price is known
    is_cost_partial: bool  # some of its responses have no known price

    @property
    def duration_ms(self) -> int | None:
        return None if self.started_ms is None or self.ended_ms is None else self.ended_ms - self.started_ms


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    sessions: list[Listed]
    found: int  # how many there are, shown or not
    spending: Spending  # of all that were found


def browse(world: World, wanted: Filter, order: Order, limit: int, *, is_reversed: bool = False) -> Listing:
    """The sessions that the filter means. The largest or latest come first; `limit` 0 means all."""
    with readonly_database(world.layout) as db:
        selection = selection_of(db, world.settings, wanted)
        spendings = _spendings(db, selection, world)
        rows = list(selected_sessions(db, selection))
        rows.sort(key=lambda row: _rank(row, order, spendings), reverse=not is_reversed)
        shown = rows[:limit] if limit else rows
        short = short_ids(native_ids(db)) if shown else {}
        pinned = pins(db) if shown else set()
        listed = [
            _listed(row, short[row.native_id], spendings.get(row.id), world, (row.agent, row.native_id) in pinned)
            for row in shown
        ]
    total = Spending()
    for spending in spendings.values():
        total.join(spending)
    return Listing(sessions=listed, found=len(rows), spending=total)


def _spendings(db: apsw.Connection, selection: Selection, world: World) -> dict[int, Spending]:
    prices = price_list(world.settings.prices)
    found: dict[int, Spending] = {}
    for row in spend_sums(db, selection, prices.steps):
        found.setdefault(row.session_id, Spending()).add(row, cost_of(row, prices))
    return found


def _rank(row: SessionRow, order: Order, spendings: dict[int, Spending]) -> tuple[float, int, str]:
    spending = spendings.get(row.id)
    cost = spending.cost_usd if spending else None
    measures: dict[Order, Callable[[], float]] = {
        Order.START: lambda: 0,
        Order.COST: lambda: -1 if cost is None else cost,
        Order.TOKENS: lambda: row.tokens,
        Order.FAILURES: lambda: row.failures,
        Order.ACTIONS: lambda: row.actions,
        Order.DURATION: lambda: (row.ended_ms or 0) - (row.started_ms or row.ended_ms or 0),
    }
    return measures[order](), row.started_ms or 0, row.native_id


def _listed(row: SessionRow, short: str, spending: Spending | None, world: World, is_pinned: bool) -> Listed:
    return Listed(
        id=short,
        native_id=row.native_id,
        agent=row.agent,
        repo=row.repo,
        domain=domain_of(row.repo, world.settings.domains),
        branch=row.branch,
        started_ms=row.started_ms,
        ended_ms=row.ended_ms,
        title=one_line(row.title or row.task, _TITLE_LENGTH),
        outcome=row.outcome,
        relation=row.relation,
        parent=row.parent,
        is_partial=bool(row.is_partial),
        is_pinned=is_pinned,
        prompts=row.prompts,
        actions=row.actions,
        failures=row.failures,
        tokens=row.tokens,
        cost_usd=spending.cost_usd if spending else None,
        is_cost_partial=spending.is_partial if spending else False,
    )


def short_ids(ids: list[str]) -> dict[str, str]:
    """For each id the beginning of its last part that no other id shares."""
    tails = {native_id: native_id.rpartition("/")[2].removeprefix("agent-") for native_id in ids}
    heads = sorted(set(tails.values()))
    return {native_id: _shortest(tail, heads) for native_id, tail in tails.items()}


def _shortest(tail: str, heads: list[str]) -> str:
    """As much of a name as tells it from its neighbours in the sorted list."""
    place = bisect_left(heads, tail)
    before = heads[place - 1] if place else ""
    after = heads[place + 1] if place + 1 < len(heads) else ""
    needed = max(_shared(tail, before), _shared(tail, after)) + 1
    return tail[: max(needed, _SHORTEST_ID)]


def _shared(one: str, other: str) -> int:
    length = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        length += 1
    return length
