"""`afterwit knowledge forget` and `undo`: takes back what was learned from somewhere, or what was decided."""

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.knowledge.items import EXITS
from afterwit.cli.terminal.amounts import COUNT, human_count
from afterwit.cli.terminal.completing import repo_names, session_ids
from afterwit.cli.terminal.options import Here, agreed, reporting, timed
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, print_text, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.engine.curation.undo import ForgetRequest, Forgetting, Past, past
from afterwit.engine.curation.undo import forget as run_forget
from afterwit.engine.curation.undo import undo as run_undo

_SHOWN = 20


@command(
    examples=(
        "afterwit knowledge forget --session 5ea50001 --dry-run",
        "afterwit knowledge forget --repo orchard --yes",
        "afterwit knowledge forget --origin import:team",
    ),
    exits={**EXITS, ExitCode.FAILED: "The answer was no, nobody answered, or there is no store yet."},
)
@click.option(
    "--origin",
    default="",
    metavar="NAME",
    help="A source that `why` names, such as a page or import:FOLDER; a channel, such as web; a user; an agent.",
)
@click.option(
    "--session", default="", metavar="SESSION", help="A session, with its subagents.", shell_complete=session_ids
)
@click.option(
    "--repo",
    default="",
    metavar="NAME",
    help="A repository: its name, or the last part of it.",
    shell_complete=repo_names,
)
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would be lost, and forget nothing.")
@agreed
@reporting
def forget(here: Here, origin: str, session: str, repo: str, is_dry_run: bool, is_agreed: bool, is_json: bool) -> None:
    """Take back all that was learned from a session, a repository or another origin.

    Evidence from there counts no longer, now and in future, and notes with no other evidence are gone. Sessions and the
    archive stay. `afterwit knowledge undo` takes it back.
    """
    wanted = ForgetRequest(origin=origin, session=session, repo=repo)
    if sum(map(bool, wanted)) != 1:
        raise click.UsageError("Say what to forget: one of --origin, --session and --repo.")

    def agree(planned: Forgetting) -> bool:
        if not is_json:
            _show(planned)
        return is_confirmed(f"Forget what was learned from {planned.name}?", is_agreed=is_agreed)

    done = run_forget(here.world, wanted, agree, is_dry_run=is_dry_run)
    if done is None:
        talk("Nothing was forgotten.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    if is_json:
        print_json(done)
    elif is_dry_run:
        _show(done)
    else:
        talk(f"Forgot what was learned from {done.name}. `afterwit knowledge undo` takes it back.")


def _show(planned: Forgetting) -> None:
    for loss in planned.losses[:_SHOWN]:
        left = f"{loss.left} of {human_count(loss.evidence, 'piece')} of evidence left" if loss.left else "gone"
        print_text(f"{loss.id}  {left}: {loss.fact}", rest="  ")
    if len(planned.losses) > _SHOWN:
        print_line(f"… and {human_count(len(planned.losses) - _SHOWN)} more; --json lists all")
    if not planned.losses:
        print_line(f"No note has evidence from {planned.what} {planned.name}.")


_COLUMNS = (
    Column("number", is_number=True),
    Column("when"),
    Column("undone", gives_way=1),
    Column("decision", takes_rest=True),
)


@command(
    examples=("afterwit knowledge undo", "afterwit knowledge undo --list", "afterwit knowledge undo 17"),
    exits=EXITS,
)
@click.argument("number", type=click.IntRange(min=1), required=False)
@click.option("--list", "is_listed", is_flag=True, help="Show what was decided, the latest first, and undo nothing.")
@click.option("--limit", type=COUNT, metavar="N", default=20, show_default=True, help="0 lists all.")
@reporting
@timed
def undo(here: Here, number: int | None, is_listed: bool, limit: int, is_json: bool) -> None:
    """Take the latest decision about notes back, or an earlier one by its number.

    All that one command decided goes together. Undoing is a decision, too: `undo NUMBER` with the number of an undo
    brings back what it took.
    """
    decisions = past(here.world, limit) if is_listed else run_undo(here.world, number)
    if is_json:
        print_json(decisions)
    elif is_listed:
        _show_past(here.calendar, decisions)
    else:
        for decision in decisions:
            talk(f"Undone: {decision.what}")


def _show_past(calendar: Calendar, decisions: list[Past]) -> None:
    if not decisions:
        talk("Nothing was decided yet.")
        return
    rows = [
        (str(decision.number), calendar.moment(decision.at_ms), "undone" if decision.is_undone else "", decision.what)
        for decision in decisions
    ]
    print_table(_COLUMNS, rows)
