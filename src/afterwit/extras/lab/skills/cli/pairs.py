"""`afterwit skills pairs`: skills that sessions use together, against each of them alone."""

from collections.abc import Sequence
from typing import Any

from afterwit.cli.commands import command
from afterwit.cli.sessions.filters import EXITS, filtered
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.extras.lab.skills.cli.words import rounded, talk_of_nothing
from afterwit.extras.lab.skills.history import skill_history
from afterwit.extras.lab.skills.pairs import LEAST_TOGETHER, SkillPair, pairs
from afterwit.extras.lab.skills.words import UNIT, between, of_ten
from afterwit.sessions.filters import Filter

_COLUMNS = (
    Column("skills", takes_rest=True),
    Column("together", is_number=True),
    Column("by chance", is_number=True),
    Column("effect", is_number=True),
    Column("alone", is_number=True),
    Column("difference, 95% range", gives_way=1),
)


@command(
    "pairs",
    examples=("afterwit skills pairs", "afterwit skills pairs --repo orchard --json"),
    exits=EXITS,
)
@reporting
@filtered
def show_pairs(here: Here, wanted: Filter, is_json: bool) -> None:
    """Show skills that three independent sessions or more use together.

    "by chance" is in how many sessions both would be used if one had nothing to do with the other. "effect" is that of
    their uses in these sessions, "alone" what the same uses would do if they did what they do in sessions with only
    one of the two.
    """
    history = skill_history(here.world, wanted)
    together = pairs(history)
    if is_json:
        print_json([_shape(pair) for pair in together])
    elif together:
        _show(together)
    else:
        talk_of_nothing(
            here, wanted, history, f"No two skills are used together in {LEAST_TOGETHER} independent sessions."
        )


def _shape(pair: SkillPair) -> dict[str, Any]:
    return {
        "skills": list(pair.names),
        "sessions": pair.sessions,
        "expected_sessions": rounded(pair.expected_sessions),
        "effect": rounded(pair.effect),
        "expected_effect": rounded(pair.expected_effect),
        "difference": rounded(pair.change),
        "low": rounded(pair.low),
        "high": rounded(pair.high),
    }


def _show(together: Sequence[SkillPair]) -> None:
    rows = [
        (
            " + ".join(pair.names),
            pair.sessions,
            f"{pair.expected_sessions:.1f}",
            of_ten(pair.effect),
            of_ten(pair.expected_effect),
            between(pair.low, pair.high),
        )
        for pair in together
    ]
    print_table(_COLUMNS, rows)
    talk(UNIT)
