"""A session as commands show it, and the list of sessions, uniform over all agents.

A view is a tuple of names that selects fields from `Session`: adding a key to `sessions list --json` is a name in
`LISTED`, and a property of `Session` where the store has no column of that name.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from afterwit.config.world import World
from afterwit.repos.identity import domain_of
from afterwit.sessions.cost import Spending, spendings, total_of
from afterwit.sessions.filters import Filter, one_line, selection_of, short_id
from afterwit.store.rows.files import pins
from afterwit.store.rows.session_list import (
    Selection,
    SessionRow,
    count_selected,
    first_sessions,
    select_sessions,
)
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


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    sessions: list[Session]
    found: int  # how many there are, shown or not
    spending: Spending | None  # of all that were found; None: not all of them were looked at


def list_sessions(
    world: World,
    wanted: Filter,
    order: Order,
    limit: int,
    *,
    is_reversed: bool = False,
    has_totals: bool = False,
    skipped: int = 0,
) -> Listing:
    """The sessions that the filter means. The largest or latest come first; `limit` 0 means all, and `skipped` are left
    out before the first. What all of them spent is added up where that is wanted, or known anyway."""
    with readonly_database(world.layout) as db:
        selection = selection_of(db, world.settings, wanted)
        count = count_selected(db, selection)
        is_whole = has_totals or order is Order.COST or not limit
        spent = spendings(db, world.settings, selection) if is_whole else {}
        if order is Order.COST:
            rows = _dearest(list(select_sessions(db, selection)), spent, is_reversed=is_reversed)[skipped:]
            rows = rows[:limit] if limit else rows
        else:
            rows = first_sessions(db, selection, order, limit, is_reversed=is_reversed, skipped=skipped)
        if not is_whole:
            shown = Selection(sessions=frozenset(row.id for row in rows))
            spent = spendings(db, world.settings, shown) if rows else {}
        is_whole = is_whole or len(rows) == count
        pinned = pins(db) if rows else set()
        listed = [
            Session(
                row,
                id=short_id(db, row.native_id),
                domain=domain_of(row.repo, world.settings.domains),
                is_pinned=(row.agent, row.native_id) in pinned,
                spending=spent.get(row.id),
            )
            for row in rows
        ]
    return Listing(sessions=listed, found=count, spending=total_of(spent.values()) if is_whole else None)


def _dearest(rows: list[SessionRow], spent: Mapping[int, Spending], *, is_reversed: bool) -> list[SessionRow]:
    """Prices are no matter of the database. Sessions of which none is known come last."""

    def rank(row: SessionRow) -> tuple[float, int, str]:
        cost_usd = spent[row.id].cost_usd if row.id in spent else None
        return -1 if cost_usd is None else cost_usd, row.started_ms or 0, row.native_id

    rows.sort(key=rank, reverse=not is_reversed)
    return rows
