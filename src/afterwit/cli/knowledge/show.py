"""`afterwit knowledge show`: one item with all its fields."""

from collections.abc import Iterator

import click

from afterwit.cli.commands import Command
from afterwit.cli.knowledge.shapes import EXITS, item_shape
from afterwit.cli.terminal.amounts import minute
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import human_count, print_json, print_line, print_text, talk
from afterwit.knowledge import list as item_views
from afterwit.model.knowledge import EVERYWHERE, Authority, Item, Trigger


@click.command(
    cls=Command,
    examples=("afterwit knowledge show 3fa9c1", "afterwit knowledge show 3fa9c1 --json"),
    exits=EXITS,
)
@click.argument("item")
@as_json
@in_place
def show(here: Here, item: str, is_json: bool) -> None:
    """Show one item with all its fields. ITEM is an id or the beginning of one."""
    found = item_views.shown(here.world, item)
    if is_json:
        print_json(item_shape(found))
        return
    print_text(found.sentence)
    print_line("")
    for name, fact in _facts(found):
        print_text(fact, first=f"{name:<11} ", rest=" " * 12)
    talk(f"`afterwit knowledge why {found.id}` shows what stands behind it.")


def _facts(item: Item) -> Iterator[tuple[str, str]]:
    stories = len({piece.session.story for piece in item.evidence if not piece.is_against})
    against = sum(piece.is_against for piece in item.evidence)
    yield "id", item.id
    yield "category", item.category
    yield "holds", "everywhere" if item.scope == EVERYWHERE else str(item.scope)
    yield "status", f"{item.status}: {item.reason}" if item.reason else item.status
    yield "confidence", f"{item.confidence:.2f}"
    yield "authority", f"{item.authority}{_explained(item)}"
    yield "evidence", human_count(stories, "story", "stories") + (f", {against} against" if against else "")
    yield "seen", f"{minute(item.first_ms or None)[:10]} to {minute(item.last_ms or None)[:10]}"
    yield "made by", item.harvester
    for trigger in item.triggers:
        yield "fires on", fires_on(trigger)
    if item.advice:
        yield "advice", item.advice
    for file in item.files:
        yield "file", file
    if item.superseded_by:
        yield "replaced by", item.superseded_by
    for old in item.supersedes:
        yield "replaces", old
    if item.is_pinned:
        yield "pinned", "yes"
    if item.is_known_to_host:
        yield "known", "the repository's own instructions say it already"


def fires_on(trigger: Trigger) -> str:
    """What makes an item fire, in words."""
    parts = (
        ("command", " ".join((trigger.program, *trigger.words)).strip()),
        ("failure", trigger.signature),
        ("tool", trigger.tool),
        ("path", trigger.path),
        ("rule", trigger.rule),
        ("topic", " ".join(trigger.topic)),
    )
    return ", ".join(f"{name}: {value}" for name, value in parts if value)


def _explained(item: Item) -> str:
    return "" if item.authority is Authority.GUIDANCE else " (quoted to agents, never an instruction)"
