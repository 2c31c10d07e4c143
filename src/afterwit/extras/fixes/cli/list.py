"""`afterwit guards list`: the fixes of a repository, newest first, and whether anything guards them."""

from collections import Counter

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.options import COUNT, Here, many, reporting
from afterwit.cli.terminal.output import print_json, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.extras.fixes.cli.places import EXITS, ID_CHARS, counted_states, fix_day, fix_shape, placed, since_option
from afterwit.extras.fixes.cli.report import show_places
from afterwit.extras.fixes.history import FixPlace, FixQuery, ListedFix, listed_fixes
from afterwit.extras.fixes.place import database_of, redactor_here
from afterwit.extras.fixes.show import OPEN, fixed_places
from afterwit.model.figures import human_count
from afterwit.model.guards import GuardState

_LIMIT = 30
_COLUMNS = (
    Column("commit"),
    Column("day", gives_way=3),
    Column("guard"),
    Column("tests", is_number=True, gives_way=2),
    Column("known by", gives_way=4),
    Column("subject", takes_rest=True),
)


@command(
    "list",
    examples=(
        "afterwit guards list",
        "afterwit guards list --unguarded --since 'last month'",
        "afterwit guards list --unguarded --by-place",
        "afterwit guards list --checkout ~/src/orchard --json",
    ),
    exits=EXITS,
)
@many("--state", "states", "STATE", f"One of {', '.join(GuardState)}; repeat for more.", GuardState)
@click.option(
    "--unguarded", "is_open", is_flag=True, help="Only fixes that nothing guards: unguarded, accidentally green."
)
@click.option("--by-place", "is_by_place", is_flag=True, help="Group by file, as `afterwit guards report` does.")
@click.option(
    "--limit", type=COUNT, default=_LIMIT, show_default=True, metavar="N", help="At most so many; 0 means all."
)
@reporting
@placed
@since_option
def list_fixes(
    here: Here,
    place: FixPlace,
    begin_ms: int | None,
    states: tuple[str, ...],
    is_open: bool,
    is_by_place: bool,
    limit: int,
    is_json: bool,
) -> None:
    """List the commits that fixed something, newest first.

    A fix is known by its message, as a revert, by the issue that it fixes, or by a session that was asked to mend
    something and ended in it. "guarded": its tests fail without it; "accidentally green": they pass without it;
    "unguarded": no test came with it; "cannot be run": with the reason in `afterwit guards show`; "not checked": only
    `afterwit guards check` can tell. Read from git each time; nothing is run.
    """
    wanted = frozenset(GuardState(state) for state in states) | (frozenset(OPEN) if is_open else frozenset())
    with database_of(here.world) as db:
        query = FixQuery(begin_ms, 0 if is_by_place else limit, wanted)
        fixes = list(listed_fixes(place, redactor_here(here.world), db, query))
    if is_by_place:
        show_places(here, place, fixed_places(fixes)[: limit or None], is_json=is_json)
    elif is_json:
        print_json([fix_shape(place, listed) for listed in fixes])
    elif fixes:
        _show(here, fixes)
    else:
        talk(_nothing(place, is_narrowed=bool(wanted) or begin_ms is not None))


def _show(here: Here, fixes: list[ListedFix]) -> None:
    rows = [
        (
            listed.fix.id[:ID_CHARS],
            fix_day(here.calendar, listed),
            listed.state.in_words,
            len(listed.fix.tests),
            ", ".join(listed.fix.signs),
            listed.subject,
        )
        for listed in fixes
    ]
    print_table(_COLUMNS, rows)
    counts = Counter(listed.state for listed in fixes)
    talk(f"{human_count(len(fixes), 'fix', 'fixes')}: {counted_states(dict(counts))}.")
    if counts[GuardState.UNCHECKED]:
        talk("`afterwit guards check` finds out about those that are not checked.")


def _nothing(place: FixPlace, *, is_narrowed: bool) -> str:
    if is_narrowed:
        return f"No such fix in {place.root}. Without --since, --state and --unguarded all fixes are listed."
    return f"No commit of {place.root} says that it fixes something."
