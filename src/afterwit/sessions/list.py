"""A session as commands show it, and the list of sessions, uniform over all agents.

A view is a tuple of names that selects fields from `Session`: adding a key to `sessions list --json` is a name in
`LISTED`, and a property of `Session` where the store has no column of that name.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.config.world import World
from afterwit.model.prices import price_list
from afterwit.repos.identity import domain_of
from afterwit.sessions.cost import Spending, cost_of
from afterwit.sessions.filters import Filter, one_line, selection_of
from afterwit.sessions.short_ids import short_ids
from afterwit.store.rows.originals import pins
from afterwit.store.rows.session_list import Selection, SessionRow, native_ids, selected_sessions, spend_sums
from afterwit.store.store import readonly_database

_TITLE_LENGTH = 200
LISTED = (
    *("id", "native_id", "agent", "repo", "domain", "branch", "started_ms", "ended_ms", "title", "outcome"),
    *("relation", "parent", "is_partial", "is_pinned", "prompts", "actions", "failures", "tokens"),
    *("cost_usd", "is_cost_partial", "duration_ms"),
)


class Session(NamedTuple):
    """The row of a session, and what prices, decisions and the configuration add to it."""

    row: SessionRow
    id: str = ""  # enough of the native id to name the session
    domain: str = ""
    is_pinned: bool = False  # its original stays, whatever the storage budget says
    spending: Spending | None = None

    @property
    def title(self) -> str:
        """Its title, or the beginning of the task."""
        return one_line(self.row.title or self.row.task, _TITLE_LENGTH)

    @property
    def is_partial(self) -> bool:
        """Known from a history of prompts alone."""
        return bool(self.row.is_partial)

    @property
    def versions(self) -> list[str]:
        return msgspec.json.decode(self.row.versions or "[]", type=list[str])

    @property
    def models(self) -> list[str]:
        return msgspec.json.decode(self.row.models or "[]", type=list[str])

    @property
    def messages(self) -> int:
        return self.row.prompts + self.row.replies

    @property
    def duration_ms(self) -> int | None:
        started, ended = self.row.started_ms, self.row.ended_ms
        return None if started is None or ended is None else ended - started

    @property
    def cost_usd(self) -> float | None:
        """None: no price is known."""
        return self.spending.cost_usd if self.spending else None

    @property
    def is_cost_partial(self) -> bool:
        """Some of its responses have no known price."""
        return self.spending is not None and self.spending.is_partial

    def view(self, names: Iterable[str]) -> dict[str, Any]:
        """The fields of these names, of its own or of the row."""
        return {name: getattr(self if hasattr(self, name) else self.row, name) for name in names}


class Order(StrEnum):
    """What sessions can be sorted by."""

    START = "start"
    COST = "cost"
    TOKENS = "tokens"
    FAILURES = "failures"
    ACTIONS = "actions"
    DURATION = "duration"


_MEASURES: Mapping[Order, Callable[[Session], float]] = {
    Order.START: lambda _: 0,
    Order.COST: lambda session: -1 if session.cost_usd is None else session.cost_usd,
    Order.TOKENS: lambda session: session.row.tokens,
    Order.FAILURES: lambda session: session.row.failures,
    Order.ACTIONS: lambda session: session.row.actions,
    Order.DURATION: lambda session: (session.row.ended_ms or 0) - (session.row.started_ms or session.row.ended_ms or 0),
}


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    sessions: list[Session]
    found: int  # how many there are, shown or not
    spending: Spending  # of all that were found


def list_sessions(world: World, wanted: Filter, order: Order, limit: int, *, is_reversed: bool = False) -> Listing:
    """The sessions that the filter means. The largest or latest come first; `limit` 0 means all."""
    with readonly_database(world.layout) as db:
        selection = selection_of(db, world.settings, wanted)
        spendings = _spendings(db, selection, world)
        sessions = [Session(row, spending=spendings.get(row.id)) for row in selected_sessions(db, selection)]
        sessions.sort(key=lambda session: _rank(session, order), reverse=not is_reversed)
        shown = sessions[:limit] if limit else sessions
        short = short_ids(native_ids(db)) if shown else {}
        pinned = pins(db) if shown else set()
    listed = [
        session._replace(
            id=short[session.row.native_id],
            domain=domain_of(session.row.repo, world.settings.domains),
            is_pinned=(session.row.agent, session.row.native_id) in pinned,
        )
        for session in shown
    ]
    total = Spending()
    for spending in spendings.values():
        total.join(spending)
    return Listing(sessions=listed, found=len(sessions), spending=total)


def _spendings(db: apsw.Connection, selection: Selection, world: World) -> dict[int, Spending]:
    prices = price_list(world.settings.prices)
    spendings: dict[int, Spending] = {}
    for row in spend_sums(db, selection, prices.steps):
        spendings.setdefault(row.session_id, Spending()).add(row, cost_of(row, prices))
    return spendings


def _rank(session: Session, order: Order) -> tuple[float, int, str]:
    return _MEASURES[order](session), session.row.started_ms or 0, session.row.native_id
