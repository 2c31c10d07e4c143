"""`afterwit share pull`: take in what others share."""

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.knowledge.curate import UNDO
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, talk
from afterwit.extras.fixes.cli.places import placed
from afterwit.extras.fixes.history import FixPlace
from afterwit.extras.team.cli.words import EXITS, show_changes, warn_of
from afterwit.extras.team.pull import Pulled
from afterwit.extras.team.pull import pull as run_pull
from afterwit.model.figures import human_count


@command(examples=("afterwit share pull", "afterwit share pull --dry-run --json"), exits=EXITS)
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would come in, and take in nothing.")
@reporting
@placed
def pull(here: Here, place: FixPlace, is_dry_run: bool, is_json: bool) -> None:
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
            _say(pulled)
    if any(pulled.bad for pulled in done):
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE)


def _say(pulled: Pulled) -> None:
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
