"""`afterwit sessions list`: all agents' sessions in one table."""

from typing import Any

import click
import msgspec

from afterwit.cli.commands import COUNT, Command
from afterwit.cli.sessions.filters import filtered
from afterwit.cli.sessions.names import EMPTY, EXITS
from afterwit.cli.terminal.amounts import human_dollars, human_span, human_tokens, minute
from afterwit.cli.terminal.listing import Column, print_listing
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import human_count, print_json, talk
from afterwit.sessions.filters import Filter
from afterwit.sessions.list import Listed, Listing, Order, browse

_COLUMNS = (
    Column("id"),
    Column("started", gives_way=1, most=10),
    Column("agent", gives_way=2),
    Column("repo", gives_way=3, most=12),
    Column("domain", gives_way=9),
    Column("branch", gives_way=8, most=16),
    Column("title", is_cut=True),
    Column("outcome", gives_way=6),
    Column("prompts", is_number=True, gives_way=10),
    Column("actions", is_number=True, gives_way=5),
    Column("failed", is_number=True, gives_way=4),
    Column("span", is_number=True, gives_way=11),
    Column("tokens", is_number=True, gives_way=7),
    Column("cost", is_number=True),
)


@click.command(
    "list",
    cls=Command,
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
@as_json
@in_place
@filtered
def list_sessions(here: Here, wanted: Filter, order: str, is_reversed: bool, limit: int, is_json: bool) -> None:
    """List sessions of all agents, with what they did and what they cost.

    A session of a subagent is marked ↳, one of which only the prompts are known [prompts only], one whose original
    stays whatever the storage budget says [pinned]. The cost is by list price: `?` means that no price is known, `+`
    that none is known for some of it. A narrow terminal shows fewer columns; a pipe gets them all. The id is as much
    as `afterwit sessions show` needs.
    """
    listing = browse(here.world, wanted, Order(order), limit, is_reversed=is_reversed)
    if is_json:
        print_json(_as_json(listing))
    elif listing.found:
        print_listing(_COLUMNS, [_row(session) for session in listing.sessions])
        talk(_totals(listing))
    else:
        talk("No session fits." if wanted != Filter() else EMPTY)


def _row(one: Listed) -> tuple[str, ...]:
    marks = ("↳ " if one.relation == "subagent" else "") + ("[prompts only] " if one.is_partial else "")
    marks += "[pinned] " if one.is_pinned else ""
    return (
        one.id,
        minute(one.started_ms),
        one.agent,
        one.repo.rpartition("/")[2] or "–",
        one.domain,
        one.branch,
        marks + (one.title or "–"),
        one.outcome,
        str(one.prompts),
        str(one.actions),
        str(one.failures) if one.failures else "",
        human_span(one.duration_ms),
        human_tokens(one.tokens) if one.tokens else "",
        human_dollars(one.cost_usd, is_partial=one.is_cost_partial) if one.tokens else "–",
    )


def _totals(listing: Listing) -> str:
    shown, spent = len(listing.sessions), listing.spending
    part = f" ({shown:,} shown; --limit 0 shows all)" if shown < listing.found else ""
    cost = human_dollars(spent.cost_usd, is_partial=spent.is_partial) if spent.tokens else "nothing"
    missing = f", {human_count(spent.unpriced, 'response')} without a known price" if spent.unpriced else ""
    return f"{human_count(listing.found, 'session')}{part}: {human_tokens(spent.tokens)} tokens, {cost}{missing}."


def _as_json(listing: Listing) -> dict[str, Any]:
    spent = listing.spending
    return {
        "sessions": [
            msgspec.structs.asdict(session) | {"duration_ms": session.duration_ms} for session in listing.sessions
        ],
        "found": listing.found,
        "total": {
            "tokens": spent.tokens,
            "cost_usd": spent.cost_usd,
            "is_cost_partial": spent.is_partial,
            "unpriced_responses": spent.unpriced,
        },
    }
