"""`afterwit guards list` and `show`: the fixes of a repository, and whether anything guards them."""

import functools
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from afterwit.capture.checkouts import GitCheckout
from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.options import COUNT, Here, added, many, reporting, since_ms, timed
from afterwit.cli.terminal.output import page, print_json, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.extras.fixes.history import (
    OPEN,
    FixQuery,
    ListedFix,
    ShownFix,
    database_of,
    fix_named,
    fixes_of,
    place_of,
    redactor_here,
    show_fix,
)
from afterwit.model.figures import human_count
from afterwit.model.guards import GuardState
from afterwit.recall.recall import repo_at

EXITS = {ExitCode.FAILED: "The history cannot be read, or the store cannot be used."}
ID_CHARS = 10
_PLACE = (
    click.option("--repo", default="", metavar="NAME", help="A learned repository."),
    click.option(
        "--checkout",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="FOLDER",
        help="A git checkout. Default: the one that you are in.",
    ),
)
_SINCE = click.option("--since", metavar="TIME", help="Only fixes from then on: 3d, 2w, 'last month', 2026-03, a day.")


def with_checkout(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--repo`, `--checkout` and `--utc`, and passes the checkout as `place`. Goes below `in_place`."""

    @functools.wraps(command)
    def wrapped(*args: Any, here: Here, repo: str, checkout: Path | None, **options: Any) -> Any:
        if repo and checkout is not None:
            raise click.UsageError("--repo and --checkout exclude each other.")
        place = place_of(here.world, checkout, repo, repo_at)
        return command(*args, here=here, place=place, **options)

    return added(_PLACE, timed(wrapped))


def since_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--since`, passed as `begin_ms`. Goes below `in_place`."""

    @functools.wraps(command)
    def wrapped(*args: Any, here: Here, since: str | None, **options: Any) -> Any:
        return command(*args, here=here, begin_ms=since_ms(since, here.calendar), **options)

    return added((_SINCE,), wrapped)


def fix_shape(place: GitCheckout, listed: ListedFix) -> dict[str, Any]:
    """A fix as programs get it."""
    fix, verdict = listed.fix, listed.verdict
    session = listed.session
    return {
        "commit": fix.id,
        "repo": place.repo,
        "subject": listed.subject,
        "at_ms": fix.at_ms,
        "signs": list(fix.signs),
        "state": listed.state,
        "reason": listed.reason,
        "files": list(fix.files),
        "tests": list(fix.tests),
        "failing": list(verdict.failing) if verdict is not None else [],
        "reverts": fix.reverts,
        "issues": list(fix.issues),
        "pull": fix.pull or None,
        "session": {"agent": session.agent, "id": session.native_id} if session is not None else None,
    }


def fix_day(calendar: Calendar, listed: ListedFix) -> str:
    return calendar.date(listed.fix.at_ms).isoformat()


def count_states(states: dict[GuardState, int]) -> str:
    """How many fixes there are of each state, in words."""
    return ", ".join(f"{count:,} {state.in_words}" for state, count in states.items() if count)


_MOST_FIXES = 30
_FIX_COLUMNS = (
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
        "afterwit guards list --checkout ~/src/orchard --json",
    ),
    exits=EXITS,
)
@many("--state", "states", "STATE", f"One of {', '.join(GuardState)}; repeat for more.", GuardState)
@click.option(
    "--unguarded", "is_open", is_flag=True, help="Only fixes that nothing guards: unguarded, accidentally green."
)
@click.option(
    "--limit", type=COUNT, default=_MOST_FIXES, show_default=True, metavar="N", help="At most so many; 0 means all."
)
@reporting
@with_checkout
@since_option
def list_fixes(
    here: Here,
    place: GitCheckout,
    begin_ms: int | None,
    states: tuple[str, ...],
    is_open: bool,
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
        fixes = list(fixes_of(place, redactor_here(here.world), db, FixQuery(begin_ms, limit, wanted)))
    if is_json:
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
    print_table(_FIX_COLUMNS, rows)
    counts = Counter(listed.state for listed in fixes)
    talk(f"{human_count(len(fixes), 'fix', 'fixes')}: {count_states(dict(counts))}.")
    if counts[GuardState.UNCHECKED]:
        talk("`afterwit guards check` finds out about those that are not checked.")


def _nothing(place: GitCheckout, *, is_narrowed: bool) -> str:
    if is_narrowed:
        return f"No such fix in {place.root}. Without --since, --state and --unguarded all fixes are listed."
    return f"No commit of {place.root} says that it fixes something."


_MOST_HUNKS = 40
_MOST_LINES = 12


@command(examples=("afterwit guards show 3fa9c1d2", "afterwit guards show 3fa9c1d2 --json"), exits=EXITS)
@click.argument("commit", metavar="COMMIT")
@reporting
@with_checkout
def show(here: Here, place: GitCheckout, commit: str, is_json: bool) -> None:
    """Show one fix: what it changed, which tests came with it, and whether they notice when it is gone.

    COMMIT is the id of a fix or the beginning of it, as `afterwit guards list` shows it.
    """
    redactor = redactor_here(here.world)
    with database_of(here.world) as db:
        listed = fix_named(fixes_of(place, redactor, db), commit)
    shown = show_fix(place, listed, redactor)
    if is_json:
        lines = [line._asdict() for line in shown.lines]
        runs = list(listed.verdict.runs) if listed.verdict is not None else []
        print_json(fix_shape(place, listed) | {"runs": runs, "lines": lines, "problem": shown.problem})
    else:
        page(_show_lines(here, shown))


def _show_lines(here: Here, shown: ShownFix) -> Iterator[str]:
    listed = shown.listed
    fix = listed.fix
    yield f"{fix.id[:ID_CHARS]}  {fix_day(here.calendar, listed)}  {listed.subject}"
    yield f"known by: {', '.join(fix.signs)}{_links(shown)}"
    yield f"guard:    {listed.state.in_words}. {listed.state.meaning}"
    if listed.reason:
        yield f"          {listed.reason}"
    if listed.verdict is not None:
        for name in listed.verdict.failing:
            yield f"          fails without it: {name}"
        for line in listed.verdict.runs:
            yield f"          run: {line}"
    if listed.session is not None:
        yield f"session:  {listed.session.agent} {listed.session.native_id}"
    yield from _hunks(shown)
    if listed.state is GuardState.UNCHECKED:
        yield f"`afterwit guards check {fix.id[:ID_CHARS]}` runs its tests with and without it."


def _links(shown: ShownFix) -> str:
    fix = shown.listed.fix
    parts = [f"fixes {', '.join(f'#{number}' for number in fix.issues)}"] if fix.issues else []
    parts += [f"pull request #{fix.pull}"] if fix.pull else []
    parts += [f"takes back {fix.reverts[:ID_CHARS]}"] if fix.reverts else []
    return f"; {'; '.join(parts)}" if parts else ""


def _hunks(shown: ShownFix) -> Iterator[str]:
    if shown.problem:
        yield f"lines:    cannot be read: {shown.problem}"
    for is_test, heading in ((False, "Changed"), (True, "Tests")):
        hunks = [line for line in shown.lines if line.is_test is is_test]
        if hunks:
            yield ""
            yield f"{heading}:"
        path = ""
        for hunk in hunks[:_MOST_HUNKS]:
            if hunk.path != path:
                path = hunk.path
                yield f"  {path}"
            yield f"    lines {hunk.first}-{max(hunk.first, hunk.first + hunk.length - 1)}"
            if not is_test:
                both = [*(f"- {text}" for text in hunk.removed), *(f"+ {text}" for text in hunk.added)]
                yield from (f"      {text}" for text in both[:_MOST_LINES])
                if len(both) > _MOST_LINES:
                    yield f"      … {len(both) - _MOST_LINES} more"
        if len(hunks) > _MOST_HUNKS:
            yield f"    … {len(hunks) - _MOST_HUNKS} more"
    yield ""
