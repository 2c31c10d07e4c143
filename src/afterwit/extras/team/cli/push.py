"""`afterwit share push`: write what you approved into the share."""

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.options import Here, agreed, many, reporting
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, talk
from afterwit.extras.fixes.cli.places import placed
from afterwit.extras.fixes.history import FixPlace
from afterwit.extras.team.cli.words import EXITS, show_changes, warn_of
from afterwit.extras.team.push import Pushed, PushRequest
from afterwit.extras.team.push import push as run_push
from afterwit.model.figures import human_count


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
@placed
def push(
    here: Here,
    place: FixPlace,
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
            _say(pushed)
    if any(pushed.bad for pushed in done):
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE)


def _show(plan: Pushed) -> None:
    print_line(f"{plan.share}:")
    show_changes(plan.changes)


def _say(pushed: Pushed) -> None:
    warn_of(pushed.bad)
    if not pushed.changes:
        talk(f"{pushed.share}: nothing new to share. What you approve is: `afterwit knowledge approve NOTE`.")
    elif pushed.is_dry_run:
        _show(pushed)
    else:
        files = human_count(len(pushed.files), "file")
        sent = "sent" if pushed.is_sent else "committed" if pushed.is_committed else "written, for your next commit"
        talk(f"{pushed.share}: {human_count(len(pushed.changes), 'change')} in {files}, {sent}.")
