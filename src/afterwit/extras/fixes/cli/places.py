"""What commands about fixes share: the options that name a checkout, and how a fix is written."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from afterwit.cli.commands import ExitCode
from afterwit.cli.terminal.completion import repo_names
from afterwit.cli.terminal.options import Here, added, since_ms, timed
from afterwit.config.calendar import Calendar
from afterwit.extras.fixes.history import FixPlace, ListedFix
from afterwit.extras.fixes.place import place_of
from afterwit.model.guards import GuardState
from afterwit.recall.recall import repo_at

EXITS = {ExitCode.FAILED: "The history cannot be read, or the store cannot be used."}
ID_CHARS = 10
_PLACE = (
    click.option("--repo", default="", metavar="NAME", help="A learned repository.", shell_complete=repo_names),
    click.option(
        "--checkout",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="FOLDER",
        help="A git checkout. Default: the one that you are in.",
    ),
)
_SINCE = click.option("--since", metavar="TIME", help="Only fixes from then on: 3d, 2w, 'last month', 2026-03, a day.")


def placed(command: Callable[..., Any]) -> Callable[..., Any]:
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


def fix_shape(place: FixPlace, listed: ListedFix) -> dict[str, Any]:
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


def counted_states(states: dict[GuardState, int]) -> str:
    """How many fixes there are of each state, in words."""
    return ", ".join(f"{count:,} {state.in_words}" for state, count in states.items() if count)
