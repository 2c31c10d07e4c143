"""`afterwit guards check`: runs the tests of fixes with and without the fix, after showing the plan and asking."""

import shlex
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from afterwit.capture.checkouts import GitCheckout
from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.options import COUNT, Here, agreed, reporting
from afterwit.cli.terminal.output import ask_or_leave, print_json, print_text, talk
from afterwit.cli.terminal.progress import bar
from afterwit.config.world import World
from afterwit.extras.fixes.check import (
    SECONDS,
    CheckOptions,
    PlannedCheck,
    folders_to_protect,
    plan_check,
    settle_notes,
)
from afterwit.extras.fixes.check import check as check_fixes
from afterwit.extras.fixes.cli.look import EXITS, ID_CHARS, count_states, since_option, with_checkout
from afterwit.extras.fixes.history import FixQuery, ListedFix, database_of, fix_named, fixes_of, redactor_here
from afterwit.extras.fixes.running import confinement_here
from afterwit.model.figures import human_count
from afterwit.model.guards import GuardVerdict

_LIMIT = 10
_SHOWN = 10


@command(
    examples=(
        "afterwit guards check",
        "afterwit guards check 3fa9c1d2 --timeout 300",
        "afterwit guards check --limit 30 --yes",
        "afterwit guards check --setup 'uv sync' --test 'uv run pytest {files}'",
    ),
    exits=EXITS | {ExitCode.PARTLY_DONE: "Ctrl-C stopped it. The verdicts so far are kept."},
)
@click.argument("commits", nargs=-1, metavar="[COMMIT]...")
@click.option(
    "--limit", type=COUNT, default=_LIMIT, show_default=True, metavar="N", help="At most so many; 0 means all."
)
@click.option("--again", "is_again", is_flag=True, help="Also fixes that were judged before.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=1, max=86_400),
    default=SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long one run of tests may take.",
)
@click.option("--setup", default="", metavar="COMMAND", help="Run this in each work tree first, with network.")
@click.option("--test", default="", metavar="COMMAND", help="Run tests by this; {files} stands for the test files.")
@click.option(
    "--link/--no-link",
    "links",
    default=None,
    help="Link node_modules, .venv, venv and vendor of the checkout. Default: unless --setup is given.",
)
@agreed
@reporting
@with_checkout
@since_option
def check(
    here: Here,
    place: GitCheckout,
    begin_ms: int | None,
    commits: tuple[str, ...],
    limit: int,
    is_again: bool,
    timeout: float,
    setup: str,
    test: str,
    links: bool | None,
    is_agreed: bool,
    is_json: bool,
) -> None:
    """Find out whether the tests that came with a fix fail without it.

    Each fix is judged in temporary folders: its tree, and its tree with everything but the tests put back to what it
    was before. The tests that the fix added or changed are run in both. This runs code of the repository, so the plan
    is shown and you are asked; --yes agrees. The commands get few variables, an empty home, a time limit, and, where
    the system allows it, no network, no privileges and no way to write elsewhere than into temporary folders. Without
    COMMIT the newest fixes are judged that were not yet.
    """
    options = CheckOptions(
        timeout, _line(setup, "--setup"), _line(test, "--test"), not setup if links is None else links
    )
    redactor = redactor_here(here.world)
    with database_of(here.world) as db:
        listed = list(fixes_of(place, redactor, db, FixQuery(begin_ms)))
    wanted = _choose(listed, commits, limit, is_again=is_again)
    planned = [plan_check(place, listed_fix, options) for listed_fix in wanted]
    if not planned:
        _say_nothing(place, listed, is_json=is_json)
        return
    runs = [plan for plan in planned if plan.is_run]
    if runs and not is_agreed:
        _show_plan(here.world, place, runs, options)
        ask_or_leave("Run this code of the repository?", "--yes runs the tests without being asked.")
    here.world.layout.create()
    with end_cleanly(), bar("checking", "fixes") as progress:
        verdicts = check_fixes(here.world, place, redactor_here(here.world), planned, options, progress)
    settle_notes(here.world)
    if is_json:
        print_json(verdicts)
    else:
        _show(verdicts)


@contextmanager
def end_cleanly() -> Iterator[None]:
    """Lets a request to end be like Ctrl-C, so that what was started ends too and its folders go."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _line(text: str, option: str) -> str:
    try:
        shlex.split(text)
    except ValueError as error:
        raise click.UsageError(f"{option}: {text!r} is no command line ({error}).") from error
    return text


def _choose(listed: list[ListedFix], commits: tuple[str, ...], limit: int, *, is_again: bool) -> list[ListedFix]:
    if commits:
        return list({fix.fix.id: fix for fix in (fix_named(listed, name) for name in commits)}.values())
    pending = [fix for fix in listed if is_again or fix.verdict is None]
    return pending[: limit or None]


def _say_nothing(place: GitCheckout, listed: list[ListedFix], *, is_json: bool) -> None:
    if is_json:
        print_json([])
    if listed:
        talk("All fixes are judged. --again judges them once more; `afterwit guards list` shows them.")
    else:
        talk(f"No commit of {place.root} says that it fixes something.")


def _show_plan(world: World, place: GitCheckout, runs: list[PlannedCheck], options: CheckOptions) -> None:
    confinement = confinement_here(Path.cwd(), folders_to_protect(world, place))
    count = human_count(len(runs), "fix", "fixes")
    talk(f"Tests of {count} in {place.root} would be run, each with and without the fix, in temporary folders:")
    for plan in runs[:_SHOWN]:
        for test in plan.plan.commands:
            talk(f"  {plan.listed.fix.id[:ID_CHARS]}  in ./{test.folder}: {test.line}")
    if len(runs) > _SHOWN:
        talk(f"  … and {len(runs) - _SHOWN} more")
    if options.setup:
        talk(f"Before each run, with network: {options.setup}")
    linked = "linked from the checkout" if options.links else "not linked"
    network = "without network" if not confinement.has_network else "WITH network: it cannot be cut off here"
    network += ", unable to write elsewhere than into" if not confinement.is_writing else ", ABLE to write outside of"
    network += " folders for temporary files"
    talk(f"At most {options.seconds:g} seconds each, {network}. Installed dependencies are {linked}.")


def _show(verdicts: list[GuardVerdict]) -> None:
    for verdict in verdicts:
        reason = f" ({verdict.reason})" if verdict.reason else ""
        begin = f"{verdict.commit[:ID_CHARS]}  {verdict.state.in_words:<18}  "
        print_text(f"{verdict.subject}{reason}", begin, " " * len(begin))
    counts = Counter(verdict.state for verdict in verdicts)
    talk(f"{human_count(len(verdicts), 'fix', 'fixes')} judged: {count_states(dict(counts))}.")
