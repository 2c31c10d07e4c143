"""`afterwit knowledge forget`: takes back all that was learned from somewhere."""

import click

from afterwit.cli.commands import Command, ExitCode
from afterwit.cli.knowledge.shapes import EXITS
from afterwit.cli.terminal.ask import is_confirmed
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import human_count, print_json, print_line, print_text, talk
from afterwit.curation import forget as forgetting
from afterwit.curation.forget import ForgetRequest, Forgetting

_SHOWN = 20


@click.command(
    cls=Command,
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
    help="What `why` names: a source such as a page or import:FOLDER, a channel such as web, a user, an agent.",
)
@click.option("--session", default="", metavar="SESSION", help="A session, with its subagents.")
@click.option("--repo", default="", metavar="NAME", help="A repository: its name, or the last part of it.")
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would be lost, and forget nothing.")
@click.option("--yes", "is_agreed", is_flag=True, help="Do not ask.")
@as_json
@in_place
def forget(here: Here, origin: str, session: str, repo: str, is_dry_run: bool, is_agreed: bool, is_json: bool) -> None:
    """Take back all that was learned from a session, a repository or another origin.

    Evidence from there counts no longer, now and in future, and what stands on nothing else is gone. Sessions and the
    archive stay. `afterwit knowledge undo` takes it back.
    """
    wanted = ForgetRequest(origin=origin, session=session, repo=repo)
    if sum(map(bool, wanted)) != 1:
        raise click.UsageError("Say what to forget: one of --origin, --session and --repo.")

    def agree(planned: Forgetting) -> bool:
        if not is_json:
            _show(planned)
        return is_confirmed(f"Forget what was learned from {planned.name}?", is_agreed=is_agreed)

    done = forgetting.forget(here.world, wanted, agree, is_dry_run=is_dry_run)
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
        print_line(f"No item stands on {planned.what} {planned.name}.")
