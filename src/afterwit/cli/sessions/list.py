"""`afterwit sessions list`: all agents' sessions in one table."""

from collections.abc import Callable
from typing import Any

import click

from afterwit.cli.commands import command
from afterwit.cli.sessions.filters import EMPTY, EXITS, filtered
from afterwit.cli.terminal.amounts import COUNT, human_count, human_dollars, human_span, human_tokens, minute
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.sessions.filters import Filter
from afterwit.sessions.list import LISTED, Listing, Order, Session
from afterwit.sessions.list import list_sessions as run


def _marks(session: Session) -> str:
    marks = ("↳ " if session.row.relation == "subagent" else "") + ("[prompts only] " if session.is_partial else "")
    return marks + ("[pinned] " if session.is_pinned else "")


def _tokens(session: Session) -> str:
    return human_tokens(session.row.tokens) if session.row.tokens else ""


def _cost(session: Session) -> str:
    return human_dollars(session.cost_usd, is_partial=session.is_cost_partial) if session.row.tokens else "–"


_COLUMNS: tuple[tuple[Column, Callable[[Session], str]], ...] = (
    (Column("id"), lambda session: session.id),
    (Column("started", gives_way=1, most=10), lambda session: minute(session.row.started_ms)),
    (Column("agent", gives_way=2), lambda session: session.row.agent),
    (Column("repo", gives_way=3, most=12), lambda session: session.row.repo.rpartition("/")[2] or "–"),
    (Column("domain", gives_way=9), lambda session: session.domain),
    (Column("branch", gives_way=8, most=16), lambda session: session.row.branch),
    (Column("title", is_cut=True), lambda session: _marks(session) + (session.title or "–")),
    (Column("outcome", gives_way=6), lambda session: session.row.outcome),
    (Column("prompts", is_number=True, gives_way=10), lambda session: str(session.row.prompts)),
    (Column("actions", is_number=True, gives_way=5), lambda session: str(session.row.actions)),
    (Column("failed", is_number=True, gives_way=4), lambda session: str(session.row.failures or "")),
    (Column("span", is_number=True, gives_way=11), lambda session: human_span(session.duration_ms)),
    (Column("tokens", is_number=True, gives_way=7), _tokens),
    (Column("cost", is_number=True), _cost),
)


@command(
    "list",
    examples=(
        "afterwit sessions list",
        "afterwit sessions list --repo orchard --since 30d --sort cost",
        "afterwit sessions list --agent codex --top --limit 0 --json",
    ),
    exits=EXITS,
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
@click.option("--reverse", "is_reversed", is_flag=True, help="The earliest or smallest first.")
@click.option("--limit", type=COUNT, metavar="N", default=20, show_default=True, help="0 means all.")
@reporting
@filtered
def list_sessions(here: Here, wanted: Filter, order: str, is_reversed: bool, limit: int, is_json: bool) -> None:
    """List sessions of all agents, with what they did and what they cost.

    A session of a subagent is marked ↳, one of which only the prompts are known [prompts only], one whose original
    stays whatever the storage budget says [pinned]. The cost is by list price: `?` means that no price is known, `+`
    that none is known for some of it. A narrow terminal shows fewer columns; a pipe gets them all. The id is as much
    as `afterwit sessions show` needs.
    """
    listing = run(here.world, wanted, Order(order), limit, is_reversed=is_reversed)
    if is_json:
        print_json(_as_json(listing))
    elif listing.found:
        columns = [column for column, _ in _COLUMNS]
        print_table(columns, [[text(session) for _, text in _COLUMNS] for session in listing.sessions])
        talk(_totals(listing))
    else:
        talk("No session fits." if wanted != Filter() else EMPTY)


def _totals(listing: Listing) -> str:
    shown, spent = len(listing.sessions), listing.spending
    part = f" ({shown:,} shown; --limit 0 shows all)" if shown < listing.found else ""
    cost = human_dollars(spent.cost_usd, is_partial=spent.is_partial) if spent.tokens else "nothing"
    missing = f", {human_count(spent.unpriced, 'response')} without a known price" if spent.unpriced else ""
    return f"{human_count(listing.found, 'session')}{part}: {human_tokens(spent.tokens)} tokens, {cost}{missing}."


def _as_json(listing: Listing) -> dict[str, Any]:
    spent = listing.spending
    return {
        "sessions": [session.view(LISTED) for session in listing.sessions],
        "found": listing.found,
        "total": {
            "tokens": spent.tokens,
            "cost_usd": spent.cost_usd,
            "is_cost_partial": spent.is_partial,
            "unpriced_responses": spent.unpriced,
        },
    }
