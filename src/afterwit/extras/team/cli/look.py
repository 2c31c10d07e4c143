"""`afterwit share status` and `afterwit share log`: what is shared, and who said what."""

from collections.abc import Sequence

import click

from afterwit.capture.checkouts import GitCheckout
from afterwit.cli.commands import ExitCode, command
from afterwit.cli.knowledge.curate import UNDO
from afterwit.cli.terminal.options import COUNT, Here, agreed, many, reporting
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, print_text, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.extras.fixes.cli.look import with_checkout
from afterwit.extras.team.folder import BadLine
from afterwit.extras.team.look import LogRow, SharedRow
from afterwit.extras.team.look import log as run_log
from afterwit.extras.team.look import status as run_status
from afterwit.extras.team.place import init as begin
from afterwit.extras.team.pull import Pulled
from afterwit.extras.team.pull import pull as run_pull
from afterwit.extras.team.push import Pushed, PushRequest, SharedChange
from afterwit.extras.team.push import push as run_push
from afterwit.model.figures import human_count

EXITS = {
    ExitCode.FAILED: "The answer was no, nobody answered, or git or the store failed.",
    ExitCode.PARTLY_DONE: "Some lines of the share cannot be read.",
}
_SHOWN = 20


def show_changes(changes: Sequence[SharedChange]) -> None:
    for change in changes[:_SHOWN]:
        by = f" by {change.by}" if change.by else ""
        print_text(f"{change.id} {change.change}{by}: {change.fact}", first="  ", rest="      ")
    if len(changes) > _SHOWN:
        print_line(f"  … and {human_count(len(changes) - _SHOWN)} more; --json lists all")


def warn_of(bad: Sequence[BadLine]) -> None:
    for row in bad[:_SHOWN]:
        where = f"{row.file}, line {row.line}" if row.line else row.file
        talk(f"{where}: {row.reason}. It was passed over, and left as it is.")


_STATUS = (
    Column("id"),
    Column("here"),
    Column("approved by", gives_way=2),
    Column("note", takes_rest=True),
)
_LOG = (
    Column("when", gives_way=2),
    Column("who"),
    Column("what"),
    Column("id", gives_way=1),
    Column("note", takes_rest=True),
)
_LIMIT = 50


@command(examples=("afterwit share status", "afterwit share status --json"), exits=EXITS)
@reporting
@with_checkout
def status(here: Here, place: GitCheckout, is_json: bool) -> None:
    """What is shared, what you would share with `push`, and what `pull` would bring. Nothing is fetched or written."""
    state = run_status(here.world, place)
    bad = [row for pulled in state.incoming for row in pulled.bad]
    if is_json:
        print_json(state)
    else:
        if state.notes:
            print_table(_STATUS, [_row(row) for row in state.notes])
        warn_of(bad)
        for title, changes in (
            ("`afterwit share push` would share:", [change for out in state.outgoing for change in out.changes]),
            ("`afterwit share pull` would bring:", [change for into in state.incoming for change in into.changes]),
        ):
            if changes:
                print_line(title)
                show_changes(changes)
        talk(f"{human_count(len(state.notes), 'note')} shared.")
    if bad:
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE)


def _row(row: SharedRow) -> tuple[str, ...]:
    here = f"rejected by {row.rejected_by}" if row.rejected_by else row.status
    return row.id, here, ", ".join(row.approved_by), row.fact


@command(examples=("afterwit share log", "afterwit share log --limit 0 --json"), exits=EXITS)
@click.option(
    "--limit", type=COUNT, default=_LIMIT, show_default=True, metavar="N", help="At most so many; 0 means all."
)
@reporting
@with_checkout
def log(here: Here, place: GitCheckout, limit: int, is_json: bool) -> None:
    """Who shared, approved and rejected what, the latest first."""
    rows = run_log(here.world, place)[: limit or None]
    if is_json:
        print_json(rows)
    elif rows:
        print_table(_LOG, [_log_row(here, row) for row in rows])
    else:
        talk("Nothing was shared yet. `afterwit share push` shares what you approved.")


def _log_row(here: Here, row: LogRow) -> tuple[str, ...]:
    return here.calendar.date(row.at_ms).isoformat(), row.by, row.what, row.id, row.fact


@command(examples=("afterwit share pull", "afterwit share pull --dry-run --json"), exits=EXITS)
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would come in, and take in nothing.")
@reporting
@with_checkout
def pull(here: Here, place: GitCheckout, is_dry_run: bool, is_json: bool) -> None:
    """Take in what others share. Every note waits for your approval before any agent is told of it.

    Notes that people approved whom `share.trusted` names, or as many as `share.quorum` says, are quoted to agents
    unasked, never as advice. `afterwit review` asks about the rest; what you reject is rejected for everybody by your
    next push.
    """
    done = run_pull(here.world, place, is_dry_run=is_dry_run)
    if is_json:
        print_json(done)
    else:
        for pulled in done:
            _say_pulled(pulled)
    if any(pulled.bad for pulled in done):
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE)


def _say_pulled(pulled: Pulled) -> None:
    warn_of(pulled.bad)
    show_changes(pulled.changes)
    held = human_count(pulled.notes, "note")
    if not pulled.changes:
        talk(f"{pulled.share}: {held}, nothing new.")
        return
    talk(f"{pulled.share}: {held}, {human_count(len(pulled.changes), 'change')}.")
    if not pulled.is_dry_run:
        talk("`afterwit review` asks about each.")
        talk(UNDO)


@command(
    examples=(
        "afterwit share push",
        "afterwit share push --commit --yes",
        "afterwit share push --rule 7cf50f7abfde",
        "afterwit share push --agents-md",
    ),
    exits=EXITS,
)
@many("--rule", "rules", "NOTE", "Share a note in a user's own words, as a rule of the project. Repeat for more.")
@click.option("--commit", "is_committed", is_flag=True, help="Commit the folder, and nothing else, in the checkout.")
@click.option(
    "--agents-md/--no-agents-md",
    "is_in_agents_file",
    default=None,
    help="Keep what you approved in a block of AGENTS.md, for agents without Afterwit; or take the block out.",
)
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would be shared, and write nothing.")
@agreed
@reporting
@with_checkout
def push(
    here: Here,
    place: GitCheckout,
    rules: tuple[str, ...],
    is_committed: bool,
    is_in_agents_file: bool | None,
    is_dry_run: bool,
    is_agreed: bool,
    is_json: bool,
) -> None:
    """Write what you approved, rejected or changed into the share.

    Shared are notes of this repository that a person approved (`share.policy` in the configuration widens that). What a
    user said in a session stays theirs, unless you name the note with --rule. In a checkout the files are yours to
    commit; a repository of its own is fetched, committed and sent. A push that holds a secret is refused.
    """

    def agree(plan: Pushed) -> bool:
        if not is_json:
            _show(plan)
        return is_confirmed(f"Share {human_count(len(plan.changes), 'change')}?", is_agreed=is_agreed)

    request = PushRequest(rules, is_committed, is_in_agents_file, is_dry_run)
    done = run_push(here.world, place, agree, request)
    if done is None:
        talk("Nothing was shared.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    if is_json:
        print_json(done)
    else:
        for pushed in done:
            _say_pushed(pushed)
    if any(pushed.bad for pushed in done):
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE)


def _show(plan: Pushed) -> None:
    print_line(f"{plan.share}:")
    show_changes(plan.changes)


def _say_pushed(pushed: Pushed) -> None:
    warn_of(pushed.bad)
    if not pushed.changes:
        talk(f"{pushed.share}: nothing new to share. What you approve is: `afterwit knowledge approve NOTE`.")
    elif pushed.is_dry_run:
        _show(pushed)
    else:
        files = human_count(len(pushed.files), "file")
        sent = "sent" if pushed.is_sent else "committed" if pushed.is_committed else "written, for your next commit"
        talk(f"{pushed.share}: {human_count(len(pushed.changes), 'change')} in {files}, {sent}.")


@command(
    examples=(
        "afterwit share init",
        "afterwit share init --through git@example.org:orchard/notes.git",
    ),
    exits=EXITS,
)
@click.option("--through", "url", default="", metavar="URL", help="A git repository of its own, not a folder here.")
@reporting
@with_checkout
def init(here: Here, place: GitCheckout, url: str, is_json: bool) -> None:
    """Begin to share the notes of a repository.

    Makes the folder `.afterwit` in the checkout, to be committed like any other file. With --through the notes lie in a
    git repository of their own, which may hold those of several repositories; a clone of it is kept in the store.
    Nothing is shared before `afterwit share push`.
    """
    begun = begin(here.world, place, url)
    if is_json:
        print_json(begun)
        return
    talk(f"The notes of {place.repo} are shared through {begun.folder}.")
    talk("Next: afterwit share push  # shows what would be shared, and asks")
