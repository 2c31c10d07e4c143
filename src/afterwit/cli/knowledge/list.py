"""`afterwit knowledge list`, `search` and `show`: the notes, in a table or one of them whole.

With what the commands of `knowledge` share: the options that choose notes, how notes look, what is said without any.
"""

import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import click
import msgspec

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.options import COUNT, Here, added, many, refuse_unknown, reporting, timed
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.knowledge.documents import written
from afterwit.knowledge.door.list import ItemFilter, ItemListing, listed, searched, shown
from afterwit.knowledge.door.listeners import who_listens
from afterwit.knowledge.whose_words import Listener, people, words_of
from afterwit.model.errors import did_you_mean
from afterwit.model.figures import human_count
from afterwit.model.knowledge import EVERYWHERE, Authority, Category, Item, ItemStatus, ScopeKind, Trigger
from afterwit.recall.told import ToldWhen, told_when
from afterwit.repos.remotes import last_part, short_names

EXITS = {
    ExitCode.FAILED: "There is no store yet, or it cannot be used.",
    ExitCode.WRONG_USE: "Wrong use, or no such note. Nothing is decided.",
}
EMPTY = (
    "There are no notes yet. `afterwit learn` makes one where two sessions show the same; `afterwit read --plan` says"
    " what a model of your choice could read."
)
_COLUMNS = (
    Column("id"),
    Column("conf", is_number=True),
    Column("rests on", gives_way=3),
    Column("applies to", gives_way=2, most=20),
    Column("category", gives_way=4),
    Column("told", gives_way=2),
    Column("status", gives_way=1),
    Column("note", takes_rest=True, least=32),
)
_SAID_BY_FILTER = {"applies to": ("repos", "is_global", "agents"), "category": ("categories",), "status": ("statuses",)}


def item_shape(item: Item, *, has_evidence: bool = True) -> dict[str, Any]:
    """The shape of an item in `index.json`, with what only this store knows of it."""
    shape: dict[str, Any] = msgspec.to_builtins(written(item))
    if not has_evidence:
        shape.pop("evidence", None)
    return shape | {
        "stories": item.stories,
        "reason": item.reason,
        "merged": list(item.merged),
        "contradicts": list(item.contradicts),
        "words_of": list(people(item)),
        "is_pinned": item.is_pinned,
        "is_known_to_host": item.is_known_to_host,
        "host_lines": [line._asdict() for line in item.host_lines],
    }


def show_listing(
    listing: ItemListing,
    wanted: ItemFilter,
    told: Mapping[str, ToldWhen],
    to: Listener,
    *,
    is_json: bool,
    is_explained: bool,
    nothing: str,
) -> None:
    """A table, or JSON; `nothing` is said where nothing fits. `is_explained`: with the confidence."""
    if is_json:
        items = [
            item_shape(item, has_evidence=False) | {"told": told.get(item.id, ToldWhen.NEVER)} for item in listing.items
        ]
        print_json({"items": items, "found": listing.total, "by_status": listing.by_status})
    elif listing.items:
        _print(listing.items, wanted, told, to, is_explained=is_explained)
        talk(_totals(listing))
    else:
        talk(nothing)


def _print(
    items: Sequence[Item], wanted: ItemFilter, told: Mapping[str, ToldWhen], to: Listener, *, is_explained: bool
) -> None:
    """The items without columns that say what the options say already."""
    names = short_names({item.scope.name for item in items})
    rows = [_row(item, names, told.get(item.id, ToldWhen.NEVER), to) for item in items]
    shown = [
        at
        for at, column in enumerate(_COLUMNS)
        if (is_explained or column.name != "conf")
        and (
            len({row[at] for row in rows}) > 1
            or not any(getattr(wanted, name) for name in _SAID_BY_FILTER.get(column.name, ()))
        )
    ]
    print_table([_COLUMNS[at] for at in shown], [[row[at] for at in shown] for row in rows])


def where(item: Item, names: Mapping[str, str] | None = None) -> str:
    """What a note applies to, in a word: the last part of a name, or what it is called among others."""
    kind, name = item.scope
    return "everywhere" if kind is ScopeKind.GLOBAL else names[name] if names else last_part(name)


def silences(item: Item) -> Iterator[str]:
    """Why a note is not told, by the lines of the hosts' files."""
    for line in item.host_lines:
        if not line.is_otherwise:
            yield line.in_words
        elif item.is_pinned:
            yield f"{line.in_words}; told all the same, because you pinned it"
        else:
            yield f"{line.in_words}: change the file, or `afterwit knowledge pin {item.id}`"


def not_heard(item: Item, to: Listener) -> Iterator[str]:
    """Why a note is not told here, where it is somebody else's words."""
    if not to.hears(item):
        yield (
            f"words of {words_of(item, to)}: `afterwit knowledge approve {item.id}` makes them everybody's; if that is"
            " you, `afterwit sessions users --merge` says so"
        )


def _row(item: Item, names: Mapping[str, str], told: ToldWhen, to: Listener) -> tuple[str, ...]:
    marks = "[pinned] " if item.is_pinned else ""
    said_by = words_of(item, to) if to.others else ""
    marks += "" if not said_by else "[your words] " if said_by == "you" else f"[words of {said_by}] "
    marks += "[already in AGENTS.md] " if item.is_known_to_host else ""
    marks += "[AGENTS.md says otherwise] " if item.is_denied else ""
    marks += f"[{item.reason.partition('; ')[0]}] " if item.status is ItemStatus.STALE and item.reason else ""
    holds = where(item, names)
    status = item.status.in_words
    said = marks + item.sentence
    return (item.id, f"{item.confidence:.2f}", item.rests_on, holds, item.category, told, status, said)


def _totals(listing: ItemListing) -> str:
    shown = len(listing.items)
    part = f" ({shown:,} shown; --limit 0 shows all)" if shown < listing.total else ""
    return f"{human_count(listing.total, 'note')}{part}."


_STATUSES = {status.in_words.replace(" ", "-"): status for status in ItemStatus}


class StatusName(click.Choice):  # type: ignore[type-arg]
    """A status by the word that people read, or by the one that JSON has."""

    def __init__(self) -> None:
        super().__init__(list(_STATUSES))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value in list(ItemStatus):
            return str(value)
        return _STATUSES[super().convert(value, param, ctx)].value


_OTHERS = ("assistant", "import", "person")  # who else makes notes
_NAMES = ("statuses", "categories", "repos", "agents", "harvesters", "is_global", "confidence", "users")
_FILTER_OPTIONS = (
    many(
        *("--status", "statuses", "STATUS"),
        f"Only notes of this status ({', '.join(_STATUSES)}); repeat for more. Default: in-use.",
        StatusName(),
    ),
    click.option("--all", "is_all", is_flag=True, help="Notes of every status."),
    many(
        *("--category", "categories", "CATEGORY"),
        f"Only this category ({', '.join(Category)}); repeat for more.",
        Category,
    ),
    many(
        *("--repo", "repos", "NAME"),
        "Only what applies to this repository: its name, the last part of it, or a pattern; repeat for more.",
    ),
    many("--agent", "agents", "AGENT", "Only what applies to this agent."),
    click.option("--global", "is_global", is_flag=True, help="Only what applies everywhere."),
    many(
        *("--found-by", "harvesters", "NAME"),
        "Only what was found by this way of looking, as `show` names it; repeat for more.",
    ),
    many(
        *("--user", "users", "NAME"),
        "Only the words of this user, by the name of the home folder or as `sessions users` shows it; repeat for more.",
    ),
    click.option(
        "--confidence",
        type=click.FloatRange(0, 1),
        default=0.0,
        metavar="NUMBER",
        help="Only notes of at least this confidence, from 0 to 1.",
    ),
)


def chosen(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options, and passes what they mean as `wanted`. Goes below `in_place`, which brings the agents."""

    @functools.wraps(command)
    def wrapped(*args: Any, here: Here, is_all: bool, **options: Any) -> Any:
        values = {name: options.pop(name) for name in _NAMES}
        refuse_unknown(values["agents"], here.world.declared, "--agent")
        _refuse_unknown_harvesters(values["harvesters"])
        if is_all and values["statuses"]:
            raise click.UsageError("--all and --status exclude each other.")
        if not is_all and not values["statuses"]:
            values["statuses"] = (ItemStatus.ACTIVE.value,)
        return command(*args, here=here, wanted=ItemFilter(**values), **options)

    return added(_FILTER_OPTIONS, wrapped)


def _refuse_unknown_harvesters(names: Collection[str]) -> None:
    if not names:
        return
    from afterwit.harvest.registry import harvesters

    makers = sorted({*(harvester.name for harvester in harvesters()), *_OTHERS})
    for name in names:
        if name not in makers:
            hint = did_you_mean(name, makers) or f"Known are: {', '.join(makers)}."
            raise click.BadParameter(f"nothing named {name!r} finds notes. {hint}", param_hint="'--found-by'")


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
