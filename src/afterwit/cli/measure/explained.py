"""The sessions behind a figure of the live effect, as a table."""

from collections.abc import Sequence

from afterwit.cli.terminal.amounts import human_count
from afterwit.cli.terminal.output import print_text
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.measure.effect import ExplainedCase
from afterwit.measure.words import amount

_COLUMNS = (
    Column("first draw"),
    Column("session"),
    Column("agent", gives_way=1),
    Column("repository", gives_way=2),
    Column("side"),
    Column("chance", is_number=True, gives_way=3),
    Column("value", is_number=True),
    Column("usual", is_number=True, gives_way=3),
    Column("score", is_number=True),
)


def show_explained(
    calendar: Calendar,
    rows: Sequence[ExplainedCase],
    words: str,
    sides: tuple[str, str] = ("told", "not told"),
    *,
    is_log: bool = False,
) -> None:
    if not rows:
        print_text(f"{words}: no session counts yet.")
        return
    print_text(f"{words}: {human_count(len(rows), 'row')}. The effect is the mean of the scores.")
    if is_log:
        print_text("`usual` and `score` are logarithms of one more: this figure differs by factors.")
    print_table(_COLUMNS, [_row(calendar, row, sides) for row in rows])


def _row(calendar: Calendar, row: ExplainedCase, sides: tuple[str, str]) -> list[str]:
    side = sides[0] if row.is_told else sides[1]
    figures = (amount(row.value), *("" if value is None else f"{value:.2f}" for value in (row.usual, row.score)))
    return [calendar.moment(row.at_ms), row.session, row.agent, row.repo, side, f"{row.chance:.2f}", *figures]
