"""`afterwit store sync`: exchange notes with a PostgreSQL hub."""

from collections.abc import Sequence

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.knowledge.curate import UNDO
from afterwit.cli.terminal.options import Here, agreed, many, reporting
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, talk
from afterwit.extras.team.cli.hub.look import EXITS, hub_at
from afterwit.extras.team.cli.look import show_changes, warn_of
from afterwit.extras.team.hub.sync import Synced, SyncRequest
from afterwit.extras.team.hub.sync import sync as run_sync
from afterwit.model.figures import human_count


@command(
    examples=(
        "afterwit store sync postgresql://ada@db.example.org/hub --repo orchard",
        "afterwit store sync --dry-run",
        "afterwit store sync --yes",
    ),
    exits={
        **EXITS,
        ExitCode.FAILED: "The answer was no, or the hub does not answer, or refused. Nothing is lost.",
        ExitCode.PARTLY_DONE: "Some lines on the hub cannot be taken.",
    },
)
@click.argument("url", required=False, default="")
@many("--repo", "repos", "NAME", "A repository whose notes are exchanged. Default: `repos` under [hub].")
@many("--rule", "rules", "NOTE", "Share a note in a user's own words, as a rule of the project. Repeat for more.")
@click.option(
    "--digests", "has_digests", is_flag=True, help="Share digests of sessions, too, as `digests` under [hub] does."
)
@click.option("--no-digests", "takes_digests_back", is_flag=True, help="Take back the digests that were shared.")
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would leave and come in, and do neither.")
@agreed
@reporting
def sync(
    here: Here,
    url: str,
    repos: tuple[str, ...],
    rules: tuple[str, ...],
    has_digests: bool,
    takes_digests_back: bool,
    is_dry_run: bool,
    is_agreed: bool,
    is_json: bool,
) -> None:
    """Exchange notes with a hub: take in what others share, and share what you approved.

    What comes in waits for your approval, as with `afterwit share pull`; what leaves is what `afterwit share push`
    would write. Without a connection nothing is lost: the next sync goes on. A password comes from ~/.pgpass or
    PGPASSWORD.
    """
    if has_digests and takes_digests_back:
        raise click.UsageError("--digests and --no-digests exclude each other.")
    address = hub_at(here, url)
    wanted = repos or here.world.settings.hub.repos
    if not wanted:
        raise click.UsageError("Which repositories? Name them with --repo, or as `repos` under [hub] in config.toml.")

    def agree(plans: Sequence[Synced]) -> bool:
        if not is_json:
            _show_outgoing(plans)
        count = sum(len(plan.outgoing) for plan in plans)
        return is_confirmed(f"Share {human_count(count, 'change')} with {plans[0].team}?", is_agreed=is_agreed)

    digests = True if has_digests else False if takes_digests_back else None
    request = SyncRequest(repos=tuple(wanted), rules=rules, has_digests=digests, is_dry_run=is_dry_run)
    done = run_sync(here.world, address, request, agree)
    if done is None:
        talk("Nothing was shared.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    if is_json:
        print_json(done)
    else:
        if is_dry_run:
            _show_outgoing(done)
        for synced in done:
            _say_synced(synced)
    if any(synced.bad for synced in done):
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE)


def _show_outgoing(plans: Sequence[Synced]) -> None:
    for plan in plans:
        if plan.outgoing:
            print_line(f"{plan.repo}, to be shared with {plan.team}:")
            show_changes(plan.outgoing)


def _say_synced(synced: Synced) -> None:
    warn_of(synced.bad)
    if synced.incoming:
        print_line(f"{synced.repo}, from {synced.team}:")
        show_changes(synced.incoming)
    came = human_count(len(synced.incoming), "change")
    left = human_count(len(synced.outgoing), "change")
    digests = f", {human_count(synced.digests_sent, 'digest')} shared" if synced.digests_sent else ""
    digests += f", {human_count(synced.digests_taken_back, 'digest')} taken back" if synced.digests_taken_back else ""
    if synced.is_read_only:
        talk(f"{synced.repo}: {came} in; you may only read there.")
    else:
        talk(f"{synced.repo}: {came} in, {left} out{digests}{'; nothing was done' if synced.is_dry_run else ''}.")
    if synced.incoming and not synced.is_dry_run:
        talk("`afterwit review` asks about each.")
        talk(UNDO)
