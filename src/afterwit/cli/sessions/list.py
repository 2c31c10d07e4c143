"""`afterwit sessions list`: all agents' sessions in one table."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import click

from afterwit.cli.commands import command, flag
from afterwit.cli.sessions.filters import filtered, nothing_matches
from afterwit.cli.terminal.options import COUNT, Here, reporting
from afterwit.cli.terminal.output import print_json, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.model.figures import human_count, human_dollars, human_span, human_tokens
from afterwit.model.kinds import Outcome
from afterwit.repos.remotes import short_names
from afterwit.sessions.filters import Filter
from afterwit.sessions.list import LISTED, Listing, Order, Session
from afterwit.sessions.list import list_sessions as run


class _View(NamedTuple):
    """How a session is put into words."""

    calendar: Calendar
    repos: dict[str, str]  # as they are shown


def _marks(session: Session) -> str:
    marks = ("↳ " if session.row.relation == "subagent" else "") + ("[prompts only] " if session.is_partial else "")
    return marks + ("[pinned] " if session.is_pinned else "")


def _tokens(session: Session) -> str:
    return human_tokens(session.row.tokens) if session.row.tokens else ""


def _cost(session: Session) -> str:
    return human_dollars(session.cost_usd, is_partial=session.is_cost_partial) if session.row.tokens else "–"


_COLUMNS: tuple[tuple[Column, Callable[[Session, _View], str]], ...] = (
    (Column("id"), lambda session, _: session.id),
    (Column("started", gives_way=1), lambda session, view: view.calendar.moment(session.row.started_ms)),
    (Column("agent", gives_way=5), lambda session, _: session.row.agent),
    (Column("repo", gives_way=2, most=14), lambda session, view: view.repos[session.row.repo] or "–"),
    (Column("domain", gives_way=9), lambda session, _: session.domain),
    (Column("branch", gives_way=8, most=16), lambda session, _: session.row.branch),
    (
        Column("title", takes_rest=True, least=28, most_lines=2),
        lambda session, _: _marks(session) + (session.title or "–"),
    ),
    (
        Column("outcome", gives_way=6, is_bad=lambda text: text == Outcome.FAILURE),
        lambda session, _: session.row.outcome,
    ),
    (Column("prompts", is_number=True, gives_way=11), lambda session, _: str(session.row.prompts)),
    (Column("actions", is_number=True, gives_way=7), lambda session, _: str(session.row.actions)),
    (
        Column("failed", is_number=True, gives_way=4, is_bad=lambda text: bool(text.strip())),
        lambda session, _: str(session.row.failures or ""),
    ),
    (Column("span", is_number=True, gives_way=12), lambda session, _: human_span(session.duration_ms)),
    (Column("tokens", is_number=True, gives_way=10), lambda session, _: _tokens(session)),
    (Column("cost", is_number=True, gives_way=3), lambda session, _: _cost(session)),
)
_SAID_BY_FILTER = {"agent": "agents", "repo": "repos", "domain": "domains", "branch": "branch", "outcome": "outcomes"}


@command(
    "list",
    examples=(
        "afterwit sessions list",
        "afterwit sessions list --repo orchard --since 30d --sort cost",
        "afterwit sessions list --agent codex --top --limit 0 --json",
    ),
)
@click.option(
    "--sort",
    "order",
    type=click.Choice([order.value for order in Order]),
    default=Order.START.value,
    show_default=True,
    metavar="BY",
    help=f"The latest or largest first, by one of: {', '.join(Order)}.",
)
@flag("--reverse", "is_reversed", "The earliest or smallest first.")
@click.option("--limit", type=COUNT, metavar="N", default=20, show_default=True, help="0 means all.")
@flag("--totals", "has_totals", "Add up tokens and cost of all that fit, not only where all are shown.")
@reporting
@filtered
def list_sessions(
    here: Here, wanted: Filter, order: str, is_reversed: bool, limit: int, has_totals: bool, is_json: bool
) -> None:
    """List sessions of all agents, with what they did and what they cost.

    A session of a subagent is marked ↳, one of which only the prompts are known [prompts only], one whose original
    stays whatever the storage budget says [pinned]. The cost is by list price: `?` means that no price is known, `+`
    that none is known for some of it. A narrow terminal shows fewer columns; a pipe gets all but those that say what
    the options say already. Times are local. The id is as much as `afterwit sessions show` needs.
    """
    listing = run(here.world, wanted, Order(order), limit, is_reversed=is_reversed, has_totals=has_totals)
    if is_json:
        print_json(_as_json(listing))
    elif listing.found:
        _print(here.calendar, wanted, listing.sessions)
        talk(_totals(listing))
    else:
        talk(nothing_matches(here, wanted))


def _print(calendar: Calendar, wanted: Filter, sessions: Sequence[Session]) -> None:
    view = _View(calendar, short_names({session.row.repo for session in sessions}))
    rows = [[text(session, view) for _, text in _COLUMNS] for session in sessions]
    shown = list(_columns_to_show(wanted, rows))
    print_table([_COLUMNS[at][0] for at in shown], [[row[at] for at in shown] for row in rows])


def _columns_to_show(wanted: Filter, rows: Sequence[Sequence[str]]) -> Iterator[int]:
    """The places of the columns that say more than the options do."""
    for at, (column, _) in enumerate(_COLUMNS):
        is_said = bool(getattr(wanted, _SAID_BY_FILTER.get(column.name, ""), None))
        if not is_said or len({row[at] for row in rows}) > 1:
            yield at


def _totals(listing: Listing) -> str:
    shown, spent = len(listing.sessions), listing.spending
    part = f" ({shown:,} shown; --limit 0 shows all)" if shown < listing.found else ""
    if spent is None:
        return f"{human_count(listing.found, 'session')}{part}. `--totals` adds up tokens and cost."
    cost = human_dollars(spent.cost_usd, is_partial=spent.is_partial) if spent.tokens else "nothing"
    missing = f", {human_count(spent.unpriced, 'response')} without a known price" if spent.unpriced else ""
    return f"{human_count(listing.found, 'session')}{part}: {human_tokens(spent.tokens)} tokens, {cost}{missing}."


def _as_json(listing: Listing) -> dict[str, Any]:
    spent = listing.spending
    return {
        "sessions": [session.view(LISTED) for session in listing.sessions],
        "found": listing.found,
        "total": spent
        and {
            "tokens": spent.tokens,
            "cost_usd": spent.cost_usd,
            "is_cost_partial": spent.is_partial,
            "unpriced_responses": spent.unpriced,
        },
    }
