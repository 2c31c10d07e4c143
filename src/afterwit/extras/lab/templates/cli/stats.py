"""`afterwit templates stats`: how often templates were used, and what came of it."""

from typing import Any

from afterwit.cli.commands import command
from afterwit.cli.terminal.options import Here, reporting, timed
from afterwit.cli.terminal.output import print_json, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.extras.lab.templates.cli.list import NOTHING_YET, brief
from afterwit.extras.lab.templates.stats import TemplateStats
from afterwit.extras.lab.templates.stats import stats as run
from afterwit.model.times import ms_from_any

_COLUMNS = (
    Column("template"),
    Column("type", gives_way=2),
    Column("uses", is_number=True),
    Column("last printed", gives_way=1),
    Column("effect", takes_rest=True),
)


@command(examples=("afterwit templates stats", "afterwit templates stats --json"))
@reporting
@timed
def stats(here: Here, is_json: bool) -> None:
    """Show how often templates were used, and whether that helped.

    A use is a template that was printed with `afterwit templates apply`, or told to a session of an experiment. Only
    an experiment can say what came of it: `afterwit measure experiment start --arm told --arm template`.
    """
    rows = run(here.world)
    if is_json:
        print_json({"templates": [_shape(row) for row in rows]})
    elif rows:
        print_table(_COLUMNS, [_cells(here, row) for row in rows])
    else:
        talk(NOTHING_YET)


def _shape(row: TemplateStats) -> dict[str, Any]:
    return {
        **brief(row.template),
        "uses": row.uses,
        "told": row.told,
        "ways": row.ways,
        "last_used_at": row.last_used_at,
        "effect": row.effect,
    }


def _cells(here: Here, row: TemplateStats) -> tuple[Any, ...]:
    used_ms = ms_from_any(row.last_used_at)
    used = here.calendar.moment(used_ms) if used_ms else "–"
    return row.template.id, row.template.type, row.uses, used, row.effect_words
