"""`afterwit knowledge list`, `search` and `show`: the notes, in a table or one of them whole."""

from collections.abc import Iterator

import click

from afterwit.cli.commands import command
from afterwit.cli.knowledge.items import EMPTY, EXITS, chosen, item_shape, not_heard, show_listing, silences
from afterwit.cli.terminal.options import COUNT, Here, reporting, timed
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.config.calendar import Calendar
from afterwit.knowledge.door.list import ItemFilter, ItemListing, listed, searched, shown
from afterwit.knowledge.door.listeners import who_listens
from afterwit.knowledge.whose_words import Listener, words_of
from afterwit.model.knowledge import EVERYWHERE, Authority, Item, ItemStatus, Trigger
from afterwit.recall.told import ToldWhen, told_when

_EXPLAIN = click.option(
    "--explain", "is_explained", is_flag=True, help="Also the confidence: the figure by which notes are ranked."
)


@command(
    "list",
    examples=(
        "afterwit knowledge list",
        "afterwit knowledge list --repo orchard --category pitfall",
        "afterwit knowledge list --status needs-your-approval --json",
    ),
    exits=EXITS,
)
@click.option("--limit", type=COUNT, metavar="N", default=50, show_default=True, help="0 means all.")
@_EXPLAIN
@reporting
@chosen
def list_items(here: Here, wanted: ItemFilter, limit: int, is_explained: bool, is_json: bool) -> None:
    """List the notes, the most certain first.

    Those in use, unless asked otherwise. A note that came from elsewhere needs your approval; one with too little
    evidence is waiting. *rests on* says in how many independent sessions it was said, worked or was seen. *told* says
    when a session first hears of it: at its start, at a prompt, with its first edit, test run, commit or the like,
    after a failure, or never. `[already in AGENTS.md]` marks what the repository's own instructions say: it is not
    repeated to agents. `[AGENTS.md says otherwise]` marks what they contradict: it is held back from agents until you
    change the file, or pin the note. Where sessions of several people are learned from, `[words of NAME]` or `[your
    words]` marks what one of them said: only their sessions hear it, unless it is approved. An outdated note says why:
    what is gone from the repository brings it back by itself when it returns.
    """
    listing = listed(here.world, wanted, limit)
    told = told_when(here.world, listing.items)
    to, nothing = who_listens(here.world), _nothing(listing)
    show_listing(listing, wanted, told, to, is_json=is_json, is_explained=is_explained, nothing=nothing)


def _nothing(listing: ItemListing) -> str:
    if not listing.by_status:
        return EMPTY
    others = ", ".join(f"{count:,} {ItemStatus(status).in_words}" for status, count in listing.by_status.items())
    return f"No notes match. There are: {others}. `afterwit knowledge list --all` shows them."


@command(
    examples=("afterwit knowledge search migration lock", "afterwit knowledge search tests --all --json"),
    exits=EXITS,
)
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=COUNT, metavar="N", default=20, show_default=True, help="0 means all.")
@_EXPLAIN
@reporting
@chosen
def search(
    here: Here, wanted: ItemFilter, words: tuple[str, ...], limit: int, is_explained: bool, is_json: bool
) -> None:
    """Find notes by words, in any form: all must occur. What fits best comes first."""
    listing = searched(here.world, " ".join(words), wanted, limit)
    nothing = "No notes match. Fewer words find more, and --all looks at notes of every status."
    told = told_when(here.world, listing.items)
    to = who_listens(here.world)
    show_listing(listing, wanted, told, to, is_json=is_json, is_explained=is_explained, nothing=nothing)


@command(
    examples=("afterwit knowledge show 3fa9c1", "afterwit knowledge show 3fa9c1 --json"),
    exits=EXITS,
)
@click.argument("item", metavar="NOTE")
@reporting
@timed
def show(here: Here, item: str, is_json: bool) -> None:
    """Show one note with all its details. NOTE is an id or the beginning of one."""
    whole = shown(here.world, item)
    moment = told_when(here.world, [whole]).get(whole.id, ToldWhen.NEVER)
    if is_json:
        print_json(item_shape(whole) | {"told": moment})
        return
    print_text(whole.sentence)
    print_line("")
    for name, fact in (*_facts(here.calendar, whole, who_listens(here.world)), ("told", moment)):
        print_text(fact, first=f"{name:<11} ", rest=" " * 12)
    talk(f"`afterwit knowledge why {whole.id}` shows what stands behind it.")


def _facts(calendar: Calendar, item: Item, to: Listener) -> Iterator[tuple[str, str]]:
    yield "id", item.id
    yield "category", item.category
    yield "applies to", "everywhere" if item.scope == EVERYWHERE else str(item.scope)
    yield "status", f"{item.status.in_words}: {item.reason}" if item.reason else item.status.in_words
    yield "rests on", item.rests_on
    if item.stories > 1:
        yield "confidence", f"{item.confidence:.2f}"
    yield "told as", f"{item.authority.in_words}{_caution(item)}"
    yield "seen", _between(calendar.day(item.first_ms or None), calendar.day(item.last_ms or None))
    yield "found by", item.harvester
    if said_by := words_of(item, to):
        yield "words of", said_by
    for trigger in item.triggers:
        yield "shown when", shown_when(trigger)
    if item.advice:
        yield "use", item.advice
    for file in item.files:
        yield "file", file
    if item.superseded_by:
        yield "replaced by", item.superseded_by
    for old in item.supersedes:
        yield "replaces", old
    for other in item.contradicts:
        yield "contradicts", f"{other}: `afterwit knowledge approve` or `retire` one of the two"
    if item.is_pinned:
        yield "pinned", "yes"
    yield from (("not told", reason) for reason in (*silences(item), *not_heard(item, to)))


def _between(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"


def shown_when(trigger: Trigger) -> str:
    """When a note is shown, in words."""
    parts = (
        ("command", " ".join((trigger.program, *trigger.words)).strip()),
        ("failure", trigger.signature),
        ("failure with", " ".join(trigger.error)),
        ("tool", trigger.tool),
        ("path", trigger.path),
        ("lines of a fix", str(len(trigger.lines) or "")),
        ("rule", trigger.rule),
        ("topic", " ".join(trigger.topic)),
    )
    return ", ".join(f"{name}: {value}" for name, value in parts if value)


def _caution(item: Item) -> str:
    return "" if item.authority is Authority.GUIDANCE else " (never an instruction)"
