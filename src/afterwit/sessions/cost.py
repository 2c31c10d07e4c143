"""What sessions cost, by list price: summed per session, day, week, month, repository, model,
agent or domain.

Each response is priced by its model, its day and the length of its prompt. A model without a price costs nothing
known: its responses are counted as unpriced and its name is given, never a guess. A cost that the log states itself
goes before the list.
"""

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import StrEnum

import apsw
import msgspec

from afterwit.config.calendar import month_of, week_of
from afterwit.config.world import World
from afterwit.model.prices import NAMELESS, Prices, price_list
from afterwit.model.readings import Usage
from afterwit.model.settings import Settings
from afterwit.repos.identity import domain_of
from afterwit.sessions.filters import Filter, selection_of, short_id
from afterwit.store.rows.session_list import Selection, SessionRow, SpendSum, spend_sums
from afterwit.store.store import readonly_database

_SUMMED = ("responses", "input", "cache_read", "cache_write", "output", "reasoning", "cache_write_1h")
_DIGITS = 6  # of a dollar: a millionth is what one token costs


class By(StrEnum):
    """What costs can be summed by."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    REPO = "repo"
    MODEL = "model"
    AGENT = "agent"
    DOMAIN = "domain"
    SESSION = "session"


_TIMES_OF: Mapping[By, Callable[[dt.date], str]] = {
    By.DAY: dt.date.isoformat,
    By.WEEK: week_of,
    By.MONTH: month_of,
}
_TIMES = frozenset(_TIMES_OF)


class Spending(msgspec.Struct):
    """Tokens and what they cost. Without a single priced response the cost is not known."""

    responses: int = 0
    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0
    cache_write_1h: int = 0  # part of cache_write
    unpriced: int = 0  # responses whose model has no price
    priced_usd: float = 0.0

    @property
    def tokens(self) -> int:
        return self.input + self.cache_read + self.cache_write + self.output

    @property
    def cost_usd(self) -> float | None:
        return round(self.priced_usd, _DIGITS) if self.responses > self.unpriced else None

    @property
    def is_partial(self) -> bool:
        """Whether some responses are priced and others are not: then the cost is a lower bound."""
        return 0 < self.unpriced < self.responses

    def add(self, row: SpendSum, cost_usd: float | None) -> None:
        for name in _SUMMED:
            setattr(self, name, getattr(self, name) + getattr(row, name))
        if cost_usd is None:
            self.unpriced += row.responses
        else:
            self.priced_usd += cost_usd


class CostLine(msgspec.Struct, frozen=True):
    """The spending of one group; `key` has a value for each thing that was grouped by."""

    key: tuple[str, ...]
    spending: Spending


class CostReport(msgspec.Struct, frozen=True, kw_only=True):
    by: tuple[By, ...]
    lines: list[CostLine]
    total: Spending
    nested: Spending  # part of the total: subagents of which only copies inside their parents' logs are left
    unpriced_models: list[str]
    short_ids: dict[str, str] = {}  # of sessions, where it is summed by them


def cost(world: World, wanted: Filter, by: tuple[By, ...]) -> CostReport:
    """What was spent, by group. The filter's times are those of the responses."""
    prices = price_list(world.settings.prices)
    with readonly_database(world.layout) as db:
        selection = selection_of(db, world.settings, wanted)
        rows = spend_sums(db, selection, prices.steps, by_response=True, is_fine=not _TIMES.isdisjoint(by))
        report = _report(rows, prices, world, by)
        if By.SESSION not in by:
            return report
        named = {line.key[by.index(By.SESSION)] for line in report.lines}
        return msgspec.structs.replace(report, short_ids={name: short_id(db, name) for name in named})


def spending_of(db: apsw.Connection, settings: Settings, session: SessionRow) -> Spending:
    """What one session spent, without its subagents."""
    return total_of(spendings(db, settings, Selection(session=session.id)).values())


def spending_of_sessions(db: apsw.Connection, settings: Settings, sessions: Collection[int]) -> Spending:
    """What these sessions spent together."""
    return total_of(spendings(db, settings, Selection(sessions=frozenset(sessions))).values())


def total_of(parts: Iterable[Spending]) -> Spending:
    total = Spending()
    for part in parts:
        for name in Spending.__struct_fields__:
            setattr(total, name, getattr(total, name) + getattr(part, name))
    return total


def spendings(db: apsw.Connection, settings: Settings, selection: Selection) -> dict[int, Spending]:
    """What each of these sessions spent, by its row."""
    prices = price_list(settings.prices)
    by_session: dict[int, Spending] = {}
    for row in spend_sums(db, selection, prices.steps):
        by_session.setdefault(row.session_id, Spending()).add(row, cost_of(row, prices))
    return by_session


def cost_of(row: SpendSum, prices: Prices) -> float | None:
    """What these responses cost. Responses without a token cost nothing, whatever their model."""
    if row.stated_usd is not None:
        return row.stated_usd
    usage = Usage(row.input, row.cache_read, row.cache_write, row.output, row.reasoning, row.cache_write_1h)
    if not (row.prompt or row.output):
        return 0.0
    return prices.cost_usd(row.model, usage, row.at_ms, row.prompt)


def _report(rows: Iterable[SpendSum], prices: Prices, world: World, by: tuple[By, ...]) -> CostReport:
    groups: dict[tuple[str, ...], Spending] = {}
    total, nested = Spending(), Spending()
    unpriced: set[str] = set()
    for row in rows:
        spent_usd = cost_of(row, prices)
        if spent_usd is None:
            unpriced.add(row.model or NAMELESS)
        groups.setdefault(tuple(_key(row, part, world) for part in by), Spending()).add(row, spent_usd)
        total.add(row, spent_usd)
        if row.is_nested:
            nested.add(row, spent_usd)
    lines = [CostLine(key, spending) for key, spending in groups.items()]
    lines.sort(key=lambda line: (0.0 if _TIMES.intersection(by) else -line.spending.priced_usd, line.key))
    return CostReport(by=by, lines=lines, total=total, nested=nested, unpriced_models=sorted(unpriced))


def _key(row: SpendSum, by: By, world: World) -> str:
    match by:
        case By.DAY | By.WEEK | By.MONTH:
            return "" if row.at_ms is None else _TIMES_OF[by](world.calendar.date(row.at_ms))
        case By.DOMAIN:
            return domain_of(row.repo, world.settings.domains)
        case By.SESSION:
            return row.native_id
    return str(getattr(row, by))
