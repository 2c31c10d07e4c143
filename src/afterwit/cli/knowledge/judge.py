"""`afterwit knowledge approve`, `reject`, `pin`, `unpin` and `retire`: the same thing with different words."""

from collections.abc import Sequence

import click

from afterwit.cli.commands import Command
from afterwit.cli.knowledge.shapes import EXITS
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import print_json, talk
from afterwit.curation.curate import Judged, judge
from afterwit.decisions.will import DecisionKind

_items = click.argument("items", nargs=-1, required=True, metavar="ITEM...")
UNDO = "`afterwit knowledge undo` takes it back."


@click.command(cls=Command, examples=("afterwit knowledge approve 3fa9c1 0b7d22",), exits=EXITS)
@_items
@as_json
@in_place
def approve(here: Here, items: tuple[str, ...], is_json: bool) -> None:
    """Let items be used, whatever stands behind them.

    What was quarantined or a candidate becomes active. ITEM is an id or the beginning of one.
    """
    _decide(here, DecisionKind.APPROVE, items, is_json=is_json)


@click.command(cls=Command, examples=("afterwit knowledge reject 3fa9c1",), exits=EXITS)
@_items
@as_json
@in_place
def reject(here: Here, items: tuple[str, ...], is_json: bool) -> None:
    """Take out items that should never have been made. They do not come back.

    ITEM is an id or the beginning of one.
    """
    _decide(here, DecisionKind.REJECT, items, is_json=is_json)


@click.command(cls=Command, examples=("afterwit knowledge pin 3fa9c1",), exits=EXITS)
@_items
@as_json
@in_place
def pin(here: Here, items: tuple[str, ...], is_json: bool) -> None:
    """Keep items in use, however old they get and whatever contradicts them.

    An item that was rejected or retired comes back. ITEM is an id or the beginning of one.
    """
    _decide(here, DecisionKind.PIN, items, is_json=is_json)


@click.command(cls=Command, examples=("afterwit knowledge unpin 3fa9c1",), exits=EXITS)
@_items
@as_json
@in_place
def unpin(here: Here, items: tuple[str, ...], is_json: bool) -> None:
    """Let items age again. ITEM is an id or the beginning of one."""
    _decide(here, DecisionKind.UNPIN, items, is_json=is_json)


@click.command(cls=Command, examples=("afterwit knowledge retire 3fa9c1",), exits=EXITS)
@_items
@as_json
@in_place
def retire(here: Here, items: tuple[str, ...], is_json: bool) -> None:
    """Take out items that held once and no longer do. ITEM is an id or the beginning of one."""
    _decide(here, DecisionKind.RETIRE, items, is_json=is_json)


def _decide(here: Here, decision: DecisionKind, items: Sequence[str], *, is_json: bool) -> None:
    done = judge(here.world, decision, items)
    if is_json:
        print_json(done)
        return
    for one in done:
        talk(said(one))
    if any(one.has_changed for one in done):
        talk(UNDO)


def said(one: Judged) -> str:
    """What became of an item, in a line."""
    if not one.status:
        return f"{one.id} is gone: {one.fact}"
    was = f" (was {one.before})" if one.before and one.before != one.status else ""
    reason = f", {one.reason}" if one.reason else ""
    unchanged = "" if one.has_changed else "Nothing to change: "
    return f"{unchanged}{one.id} is {one.status}{was}{reason}: {one.fact}"
