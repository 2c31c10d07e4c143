"""`afterwit store backup schedule`: a backup every day, set up and switched off."""

from pathlib import Path

import click
import msgspec

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.connect.agents import this_host
from afterwit.cli.terminal.options import Here, agreed, reporting
from afterwit.cli.terminal.output import ask_or_leave, print_json, print_line, talk
from afterwit.config.file import text_of
from afterwit.connect.schedule import label_for, status
from afterwit.extras.backup.cli.snapshots import BackupPlace, place_of, with_new_key
from afterwit.extras.backup.daily import backup_table, with_backups
from afterwit.extras.backup.targets.at import is_folder
from afterwit.model.errors import AfterwitError
from afterwit.model.settings import BackupSettings
from afterwit.store.atomic import replace_file


@command(
    examples=(
        "afterwit store backup schedule /media/disk/afterwit",
        "afterwit store backup schedule s3://my-bucket/afterwit --key-file ~/backup.key --new-key --prune",
        "afterwit store backup schedule --off",
    ),
    exits={ExitCode.FAILED: "The configuration cannot be changed, or the answer was no."},
)
@click.argument("target", required=False, metavar="[TARGET]")
@click.option(
    "--key-file", type=click.Path(path_type=Path), metavar="FILE", help="The file with the key of the backup."
)
@click.option(
    "--new-key", "has_new_key", is_flag=True, help="Make the key file first; one that is there is never changed."
)
@click.option(
    "--prune/--no-prune",
    "is_pruned",
    default=None,
    help="Whether each backup also removes snapshots that the settings do not keep. Default: as it is set.",
)
@click.option("--off", "is_off", is_flag=True, help="No more backups by themselves; where they went stays set.")
@agreed
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would be written, and do nothing.")
@reporting
def schedule(
    here: Here,
    target: str | None,
    key_file: Path | None,
    has_new_key: bool,
    is_pruned: bool | None,
    is_off: bool,
    is_agreed: bool,
    is_dry_run: bool,
    is_json: bool,
) -> None:
    """Let the first `learn` of a day make a backup.

    Writes the table [backup] of config.toml: shows it first, and asks. `afterwit connect schedule` is what lets `learn`
    run by itself.
    """
    before = here.world.settings.backup
    if is_off:
        if target or key_file or has_new_key or is_pruned is not None:
            raise click.UsageError("--off goes with none of TARGET, --key-file, --new-key and --prune.")
        wanted = msgspec.structs.replace(before, daily=False)
    else:
        at = place_of(here, target, key_file.expanduser().absolute() if key_file else None, has_passphrase=False)
        _refuse_unattended(at)
        wanted = msgspec.structs.replace(
            before,
            target=at.target,
            key_file=at.keys.file,
            daily=True,
            prune=before.prune if is_pruned is None else is_pruned,
        )
    file = here.configured.place.config
    text = text_of(file)
    changed = with_backups(text, wanted)
    is_changed = changed != text and not is_dry_run
    if not is_json:
        print_line(f"{file}:")
        for line in backup_table(wanted).splitlines():
            print_line(f"    {line}")
    if is_changed:
        if not is_agreed:
            ask_or_leave("Write this?", "Look at it with --dry-run, and add --yes.")
        if has_new_key and not is_off:
            with_new_key(here, at)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(file, changed.encode())
    is_regular = _is_regular(here)
    if is_json:
        print_json(_shape(file, wanted, is_changed=is_changed, is_regular=is_regular))
    elif is_changed or is_dry_run:
        _say_next(wanted, is_regular=is_regular)


def _refuse_unattended(at: BackupPlace) -> None:
    if at.keys.file is None and not is_folder(at.target):
        raise click.UsageError(
            f"{at.target} is outside of this machine, so a backup is encrypted, and nobody is there to type a"
            " passphrase. Name a key with --key-file FILE; --new-key makes it."
        )


def _is_regular(here: Here) -> bool:
    """Whether a scheduler runs `learn`. One that cannot be asked runs nothing."""
    host = this_host(here)
    try:
        return status(host, label_for(here.configured.place, host)).is_installed
    except AfterwitError:
        return False


def _say_next(wanted: BackupSettings, *, is_regular: bool) -> None:
    if not wanted.daily:
        print_line("No backups by themselves any more.")
        return
    print_line("The first `learn` of a day makes a backup. `afterwit store backup create` makes the first one now.")
    if not is_regular:
        talk("`learn` does not run by itself yet: `afterwit connect schedule` sets that up.")


def _shape(file: Path, wanted: BackupSettings, *, is_changed: bool, is_regular: bool) -> dict[str, object]:
    return {
        "config": str(file),
        "backup": msgspec.structs.asdict(wanted),
        "is_changed": is_changed,
        "is_learn_scheduled": is_regular,
    }
