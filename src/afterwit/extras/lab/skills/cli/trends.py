"""`afterwit skills trends`: which skills got better or worse, and since when."""

from collections.abc import Sequence
from typing import Any

from afterwit.cli.commands import command
from afterwit.cli.sessions.filters import EXITS, filtered
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.extras.lab.skills.cli.words import effect_shape, rounded, talk_of_nothing
from afterwit.extras.lab.skills.history import skill_history
from afterwit.extras.lab.skills.trends import SkillTrend, trends
from afterwit.extras.lab.skills.words import UNIT, between, of_ten
from afterwit.sessions.filters import Filter

_COLUMNS = (
    Column("skill", takes_rest=True),
    Column("since"),
    Column("before", is_number=True),
    Column("after", is_number=True),
    Column("change", is_number=True),
    Column("95% range", gives_way=1),
    Column("finding", is_bad=lambda text: text == "worse"),
)


@command(
    "trends",
    examples=("afterwit skills trends", "afterwit skills trends --agent codex --json"),
    exits=EXITS,
)
@reporting
@filtered
def show_trends(here: Here, wanted: Filter, is_json: bool) -> None:
    """Show which skills got better or worse: over time, and since another version of the skill or of the agent.

    Over time the later half of the sessions is compared with the earlier one. Of versions the latest is taken with
    enough uses on both sides: five that could be compared, in three sessions.
    """
    history = skill_history(here.world, wanted)
    changes = trends(history.uses)
    if is_json:
        print_json([_shape(trend) for trend in changes])
    elif changes:
        _show(changes)
    else:
        talk_of_nothing(here, wanted, history, "No skill has enough uses before and after: ten that could be compared.")


def _shape(trend: SkillTrend) -> dict[str, Any]:
    return {
        "skill": trend.name,
        "since": trend.since,
        "before": effect_shape(trend.before),
        "after": effect_shape(trend.after),
        "change": rounded(trend.change),
        "low": rounded(trend.low),
        "high": rounded(trend.high),
        "finding": trend.finding,
    }


def _show(changes: Sequence[SkillTrend]) -> None:
    rows = [
        (
            trend.name,
            trend.since,
            of_ten(trend.before.effect),
            of_ten(trend.after.effect),
            of_ten(trend.change),
            between(trend.low, trend.high),
            trend.finding,
        )
        for trend in changes
    ]
    print_table(_COLUMNS, rows)
    talk(UNIT)
