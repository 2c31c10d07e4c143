"""The options that choose items, the same for `list`, `search` and `export`."""

import functools
from collections.abc import Callable, Collection
from typing import Any

import click

from afterwit.cli.terminal.agent_names import refuse_unknown
from afterwit.cli.terminal.options import Here
from afterwit.knowledge.list import ItemFilter
from afterwit.model.knowledge import Category, ItemStatus

_OTHERS = ("assistant", "import", "person")  # who else makes items
_NAMES = ("statuses", "categories", "repos", "agents", "harvesters", "is_global", "confidence")
_OPTIONS = (
    click.option(
        "--status",
        "statuses",
        multiple=True,
        type=click.Choice([status.value for status in ItemStatus]),
        metavar="STATUS",
        help=f"Only items of this status ({', '.join(ItemStatus)}); repeat for more. Default: active.",
    ),
    click.option("--all", "is_all", is_flag=True, help="Items of every status."),
    click.option(
        "--category",
        "categories",
        multiple=True,
        type=click.Choice([category.value for category in Category]),
        metavar="CATEGORY",
        help=f"Only this category ({', '.join(Category)}); repeat for more.",
    ),
    click.option(
        "--repo",
        "repos",
        multiple=True,
        metavar="NAME",
        help="Only what holds in this repository: its name, the last part of it, or a pattern; repeat for more.",
    ),
    click.option("--agent", "agents", multiple=True, metavar="AGENT", help="Only what holds for this agent."),
    click.option("--global", "is_global", is_flag=True, help="Only what holds everywhere."),
    click.option("--harvester", "harvesters", multiple=True, metavar="NAME", help="Only what this harvester made."),
    click.option(
        "--confidence",
        type=click.FloatRange(0, 1),
        default=0.0,
        metavar="NUMBER",
        help="Only items that are believed at least so much.",
    ),
)


def chosen(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options, and passes what they mean as `wanted`. Goes below `in_place`, which brings the agents."""

    @functools.wraps(command)
    def wrapped(*args: Any, here: Here, is_all: bool, **options: Any) -> Any:
        given = {name: options.pop(name) for name in _NAMES}
        refuse_unknown(given["agents"], here.world.declared, "--agent")
        _refuse_unknown_harvesters(given["harvesters"])
        if is_all and given["statuses"]:
            raise click.UsageError("--all and --status exclude each other.")
        if not is_all and not given["statuses"]:
            given["statuses"] = (ItemStatus.ACTIVE.value,)
        return command(*args, here=here, wanted=ItemFilter(**given), **options)

    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


def _refuse_unknown_harvesters(names: Collection[str]) -> None:
    if not names:
        return
    from afterwit.harvest.registry import HARVESTERS

    known = sorted({*(harvester.name for harvester in HARVESTERS), *_OTHERS})
    for name in names:
        if name not in known:
            raise click.BadParameter(f"{name!r} is not one of {', '.join(known)}.", param_hint="'--harvester'")
