"""`afterwit guards report`: fixes without a guard, by how often their place was fixed."""

from collections.abc import Sequence

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.options import COUNT, Here, reporting
from afterwit.cli.terminal.output import print_json, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.extras.fixes.cli.places import EXITS, ID_CHARS, fix_day, fix_shape, placed, since_option
from afterwit.extras.fixes.history import FixPlace, FixQuery, listed_fixes
from afterwit.extras.fixes.place import database_of, redactor_here
from afterwit.extras.fixes.show import FixedPlace, fixed_places
from afterwit.model.figures import human_count

_LIMIT = 20
_COLUMNS = (
    Column("file", takes_rest=True),
    Column("unguarded", is_number=True),
    Column("fixes", is_number=True),
    Column("not checked", is_number=True, gives_way=2),
    Column("latest", gives_way=3),
    Column("day", gives_way=4),
)


@command(
    examples=("afterwit guards report --since 'last week'", "afterwit guards report --repo orchard --json"),
    exits=EXITS,
)
@click.option(
    "--limit", type=COUNT, default=_LIMIT, show_default=True, metavar="N", help="At most so many; 0 means all."
)
@reporting
@placed
@since_option
def report(here: Here, place: FixPlace, begin_ms: int | None, limit: int, is_json: bool) -> None:
    """List the files whose fixes nothing guards, those with most such fixes first.

    Counted are fixes that came without a test, and those whose tests pass without them. With --since a file is listed
    if such a fix of that time touched it; how often it was fixed counts all of its history. Nothing is run, so that it
    can be printed every week: docs/how-to/guard-fixes.md.
    """
    with database_of(here.world) as db:
        fixes = list(listed_fixes(place, redactor_here(here.world), db, FixQuery()))
    places = [fixed for fixed in fixed_places(fixes) if begin_ms is None or fixed.latest.fix.at_ms >= begin_ms]
    show_places(here, place, places[: limit or None], is_json=is_json)


def show_places(here: Here, place: FixPlace, places: Sequence[FixedPlace], *, is_json: bool) -> None:
    if is_json:
        print_json([_shape(place, fixed) for fixed in places])
        return
    if not places:
        talk("No fix without a guard is known for that. `afterwit guards list` shows all fixes.")
        return
    print_table(
        _COLUMNS,
        [
            (
                fixed.path,
                fixed.unguarded,
                fixed.fixes,
                fixed.unchecked,
                fixed.latest.fix.id[:ID_CHARS],
                fix_day(here.calendar, fixed.latest),
            )
            for fixed in places
        ],
    )
    talk(
        f"{human_count(len(places), 'file')} with fixes that nothing guards."
        f" `afterwit guards draft {places[0].latest.fix.id[:ID_CHARS]}` writes a test skeleton for the first."
    )


def _shape(place: FixPlace, fixed: FixedPlace) -> dict[str, object]:
    counts = {"path": fixed.path, "unguarded": fixed.unguarded, "fixes": fixed.fixes, "not_checked": fixed.unchecked}
    return counts | {"latest": fix_shape(place, fixed.latest)}
