"""`afterwit patterns review`: decide about what was found, one pattern after the other, with single keys."""

from functools import partial
from pathlib import Path

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.sessions.filters import filtered
from afterwit.cli.terminal.options import COUNT, Here, reporting
from afterwit.cli.terminal.output import ask, fail_unanswered, print_json, print_line, talk
from afterwit.extras.lab.patterns.cli.shapes import EXITS, in_catalog, pattern_shape, summary_lines, with_minimum
from afterwit.extras.lab.patterns.pattern import Pattern
from afterwit.extras.lab.patterns.review import PatternWalk
from afterwit.extras.lab.patterns.show import undecided
from afterwit.sessions.filters import Filter

_KEYS = "y approve, n reject, e edit the text, s skip, w all evidence, u undo the last, q quit"
_UNANSWERED = (
    "Nobody answered. Run `afterwit patterns review` in a terminal, or give it the answers, one key a line; `afterwit"
    " patterns approve PATTERN` and `reject PATTERN` decide about one."
)
_SHOWN_EVIDENCE = 3


@command(
    examples=("afterwit patterns review", "afterwit patterns review --repo orchard --limit 5"),
    exits={**EXITS, ExitCode.FAILED: "Nobody answered, or the store cannot be used."},
)
@with_minimum
@click.option("--limit", type=COUNT, metavar="N", default=0, help="At most so many patterns. Default: all.")
@in_catalog
@reporting
@filtered
def review(here: Here, wanted: Filter, minimum: int, limit: int, folder: Path | None, is_json: bool) -> None:
    """Decide about what was found and nobody has decided about, those across agents first.

    A key each: y approves, n rejects, e gives it another text and approves, s skips, w shows all evidence, u takes the
    last answer back, q ends. What you decided is kept at once, however you end. `--json` lists what waits.
    """
    waiting = undecided(here.world, wanted, minimum)
    waiting = waiting[:limit] if limit else waiting
    if is_json:
        print_json([pattern_shape(pattern, None) for pattern in waiting])
    elif not waiting:
        talk("Nothing waits for you. `afterwit patterns list` shows the catalog.")
    else:
        _walk(here, PatternWalk(here.world, waiting, folder))


def _walk(here: Here, walk: PatternWalk) -> None:
    is_answered = False
    while (pattern := walk.next_pattern) is not None:
        _show(here, pattern, walk.position, walk.total)
        answer = ask(walk, pattern.text, _KEYS, partial(_show_summary, here, pattern, len(pattern.evidence)))
        is_answered = is_answered or answer.is_answered
        if answer.is_last:
            break
    if not is_answered:
        fail_unanswered(_UNANSWERED)
    print_line(", ".join(f"{count} {what}" for what, count in walk.tally.items()) + ".")


def _show(here: Here, pattern: Pattern, position: int, total: int) -> None:
    talk(f"\n{position} of {total}: {pattern.title}")
    talk(f"  {pattern.text} ({pattern.id})")
    _show_summary(here, pattern, _SHOWN_EVIDENCE)
    talk(_KEYS)


def _show_summary(here: Here, pattern: Pattern, pieces: int) -> None:
    for line in summary_lines(pattern, here.calendar, pieces):
        talk(f"  {line}")
