"""`afterwit patterns detect`: finds what recurs."""

from afterwit.cli.commands import command
from afterwit.cli.sessions.filters import filtered, nothing_matches
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.extras.lab.patterns.cli.shapes import EXITS, pattern_shape, with_minimum
from afterwit.extras.lab.patterns.detect import detect as run
from afterwit.extras.lab.patterns.show import catalog_of
from afterwit.sessions.filters import Filter

_COLUMNS = (
    Column("id"),
    Column("sessions", is_number=True),
    Column("failures", is_number=True, gives_way=2),
    Column("agents", gives_way=1),
    Column("decided", gives_way=3),
    Column("pattern", takes_rest=True),
)


@command(
    examples=(
        "afterwit patterns detect",
        "afterwit patterns detect --repo orchard --since 4w",
        "afterwit patterns detect --min-frequency 5 --json",
    ),
    exits=EXITS,
)
@with_minimum
@reporting
@filtered
def detect(here: Here, wanted: Filter, minimum: int, is_json: bool) -> None:
    """Find what recurs in your sessions: problems and successes, with what they cost.

    What sessions of several agents show comes first, then what most independent sessions show. An id stays the same
    when sessions are added. `afterwit patterns review` asks about what nobody has decided yet.
    """
    patterns, decided = run(here.world, wanted, minimum), catalog_of(here.world).entries
    if is_json:
        print_json([pattern_shape(pattern, decided.get(pattern.id)) for pattern in patterns])
        return
    if not patterns:
        talk(nothing_matches(here, wanted) or f"Nothing recurs in {minimum} independent sessions.")
        return
    rows = []
    for pattern in patterns:
        entry = decided.get(pattern.id)
        said = f"{entry.status} {entry.version}" if entry else ""
        rows.append((pattern.id, pattern.stories, pattern.failures, ", ".join(pattern.agents), said, pattern.title))
    print_table(_COLUMNS, rows)
    waiting = sum(pattern.id not in decided for pattern in patterns)
    if waiting:
        talk(f"{waiting} not decided yet. `afterwit patterns review` asks what to do, `show` shows one.")
