"""`afterwit patterns review`, `approve`, `reject`, `edit`, `merge`, `split`, `undo`: decisions about patterns."""

from functools import partial

import click

from afterwit.cli.commands import CliCommand, ExitCode, command
from afterwit.cli.sessions.filters import filtered
from afterwit.cli.terminal.options import COUNT, Here, many, reporting
from afterwit.cli.terminal.output import ask, fail_unanswered, print_json, print_line, talk
from afterwit.extras.lab.patterns import curate
from afterwit.extras.lab.patterns.catalog import CatalogDecision
from afterwit.extras.lab.patterns.cli.look import (
    EXITS,
    UNDO,
    entry_shape,
    pattern_shape,
    still_published,
    summary_lines,
    with_minimum,
)
from afterwit.extras.lab.patterns.curate import (
    CatalogChange,
    EntryChanges,
    PatternWalk,
    SplitBy,
    catalog_of,
    list_undecided,
)
from afterwit.extras.lab.patterns.detect import Pattern
from afterwit.extras.lab.patterns.publish import find_published
from afterwit.sessions.filters import Filter


def _judge_command(decision: CatalogDecision, help_text: str) -> CliCommand:
    """A command that decides the same about several patterns."""

    @command(decision.value, help=help_text, examples=(f"afterwit patterns {decision} 3fa9c1 0b7d22",), exits=EXITS)
    @click.argument("names", nargs=-1, required=True, metavar="PATTERN...")
    @reporting
    def judging(here: Here, names: tuple[str, ...], is_json: bool) -> None:
        _say(here, curate.judge(here.world, decision, names), is_json=is_json)

    return judging


approve = _judge_command(
    CatalogDecision.APPROVE,
    """Take patterns into the catalog, as version 1.0.0.

    PATTERN is an id or the beginning of one, as `detect` shows it.
    """,
)
reject = _judge_command(
    CatalogDecision.REJECT,
    """Keep patterns from being asked about again. The catalog remembers them as rejected.

    PATTERN is an id or the beginning of one, as `detect` shows it.
    """,
)


@command(
    examples=(
        'afterwit patterns edit 3fa9c1 --text "Run `make index` before `make count`."',
        'afterwit patterns edit 3fa9c1 --applies-to repo:orchard --shown-when "command:make count"',
    ),
    exits=EXITS,
)
@click.argument("name", metavar="PATTERN")
@click.option("--title", metavar="SENTENCE", help="What recurs, in one sentence.")
@click.option("--text", metavar="SENTENCE", help="What to do about it, in one sentence.")
@click.option("--applies-to", "scope", metavar="WHERE", help="everywhere, repo:NAME or agent:NAME.")
@many(
    *("--shown-when", "triggers", "WHEN"),
    'When it matters, such as "command:make count"; "" for none. Repeat for more.',
)
@reporting
def edit(
    here: Here,
    name: str,
    title: str | None,
    text: str | None,
    scope: str | None,
    triggers: tuple[str, ...],
    is_json: bool,
) -> None:
    """Change what a pattern says, and approve it with that. It gets a new version.

    Other words count up the last number of the version, another place or other conditions the middle one. What is not
    named stays. PATTERN is an id or the beginning of one.
    """
    changes = EntryChanges(title=title, text=text, scope=scope, triggers=triggers or None)
    if not changes.fields:
        raise click.UsageError("Say what to change: --title, --text, --applies-to or --shown-when.")
    _say(here, curate.edit(here.world, name, changes), is_json=is_json)


@command(examples=("afterwit patterns merge 3fa9c1 0b7d22",), exits=EXITS)
@click.argument("names", nargs=-1, required=True, metavar="PATTERN...")
@reporting
def merge(here: Here, names: tuple[str, ...], is_json: bool) -> None:
    """Make one pattern of several.

    The first keeps its id and its words, and gets the evidence and conditions of the others, which are kept as merged.
    PATTERN is an id or the beginning of one.
    """
    _say(here, curate.merge(here.world, names), is_json=is_json)


@command(examples=("afterwit patterns split 3fa9c1 --by repo",), exits=EXITS)
@click.argument("name", metavar="PATTERN")
@click.option(
    "--by",
    type=click.Choice([by.value for by in SplitBy]),
    default=SplitBy.REPO.value,
    metavar="repo|agent",
    help="What each part is for. Default: repo.",
)
@reporting
def split(here: Here, name: str, by: str, is_json: bool) -> None:
    """Make one pattern for every repository, or agent, of its evidence. The whole is kept as split.

    PATTERN is an id or the beginning of one.
    """
    _say(here, curate.split(here.world, name, SplitBy(by)), is_json=is_json)


@command(examples=("afterwit patterns undo",), exits=EXITS)
@reporting
def undo(here: Here, is_json: bool) -> None:
    """Take back what the last command about patterns decided; called again, the one before.

    Version numbers are used once: what is decided next gets a higher one than all before.
    """
    _say(here, curate.undo(here.world), is_json=is_json, is_undo=True)


def _say(here: Here, change: CatalogChange, *, is_json: bool, is_undo: bool = False) -> None:
    """What one command did, and where what it decided about is published."""
    published = find_published(here.world, catalog_of(here.world), change.touched)
    if is_json:
        entries = [entry_shape(entry) for entry in change.entries]
        said = {"what": change.what, "has_changed": change.has_changed, "entries": entries}
        print_json(said | {"published": published})
        return
    if not change.has_changed:
        talk("It is so already. Nothing was changed.")
    elif is_undo:
        talk(f"{change.what[:1].upper()}{change.what[1:]}.")
    for entry in change.entries:
        talk(f"{entry.id} {entry.version} {entry.status.in_words}: {entry.title}")
    if change.has_changed and not is_undo:
        talk(UNDO)
    for own, places in published.items():
        for line in still_published(own, places):
            talk(line)


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
@reporting
@filtered
def review(here: Here, wanted: Filter, minimum: int, limit: int, is_json: bool) -> None:
    """Decide about what was found and nobody has decided about, those across agents first.

    A key each: y approves, n rejects, e gives it another text and approves, s skips, w shows all evidence, u takes the
    last answer back, q ends. What you decided is kept at once, however you end. `--json` lists what waits.
    """
    waiting = list_undecided(here.world, wanted, minimum)
    waiting = waiting[:limit] if limit else waiting
    if is_json:
        print_json([pattern_shape(pattern, None) for pattern in waiting])
    elif not waiting:
        talk("Nothing waits for you. `afterwit patterns list` shows the catalog.")
    else:
        _walk(here, PatternWalk(here.world, waiting))


def _walk(here: Here, walk: PatternWalk) -> None:
    is_answered = False
    while (pattern := walk.next_pattern) is not None:
        _show_pattern(here, pattern, walk.position, walk.total)
        answer = ask(walk, pattern.text, _KEYS, partial(_show_summary, here, pattern, len(pattern.evidence)))
        is_answered = is_answered or answer.is_answered
        if answer.is_last:
            break
    if not is_answered:
        fail_unanswered(_UNANSWERED)
    print_line(", ".join(f"{count} {what}" for what, count in walk.tally.items()) + ".")


def _show_pattern(here: Here, pattern: Pattern, position: int, total: int) -> None:
    talk(f"\n{position} of {total}: {pattern.title}")
    talk(f"  {pattern.text} ({pattern.id})")
    _show_summary(here, pattern, _SHOWN_EVIDENCE)
    talk(_KEYS)


def _show_summary(here: Here, pattern: Pattern, pieces: int) -> None:
    for line in summary_lines(pattern, here.calendar, pieces):
        talk(f"  {line}")
