"""`afterwit store backup restore`: a snapshot becomes the store."""

from pathlib import Path

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.options import Here, agreed, reporting
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, talk
from afterwit.cli.terminal.progress import bar
from afterwit.extras.backup.cli.snapshots import place_of, with_place_options
from afterwit.extras.backup.restore import Restored, finish, restore_snapshot, undo
from afterwit.model.figures import human_bytes, human_count
from afterwit.store.layout import Layout


@command(
    examples=(
        "afterwit store backup restore /media/disk/afterwit",
        "afterwit store backup restore s3://my-bucket/afterwit --key-file ~/backup.key --to ~/restored",
        "afterwit store backup restore --replace --snapshot 20260504",
        "afterwit store backup restore --undo",
    ),
    exits={
        ExitCode.FAILED: "There is a store already, the snapshot is damaged or cannot be read, or the answer was no."
        " The store is as it was.",
    },
)
@with_place_options
@click.option(
    "--snapshot", default="", metavar="ID", help="This snapshot instead of the newest; the beginning is enough."
)
@click.option(
    "--to", "folder", type=click.Path(path_type=Path), metavar="FOLDER", help="Restore into this folder instead."
)
@click.option(
    "--replace", "may_replace", is_flag=True, help="Set a store that is there aside. `--undo` brings it back."
)
@click.option("--undo", "is_undo", is_flag=True, help="Put back what the last restore has set aside.")
@click.option("--finish", "is_finish", is_flag=True, help="End a restore that was stopped half-way.")
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would be restored, and change nothing.")
@agreed
@reporting
def restore(
    here: Here,
    target: str | None,
    key_file: Path | None,
    has_passphrase: bool,
    snapshot: str,
    folder: Path | None,
    may_replace: bool,
    is_undo: bool,
    is_finish: bool,
    is_dry_run: bool,
    is_agreed: bool,
    is_json: bool,
) -> None:
    """Put a snapshot in the place of the store.

    Everything is read and checked beside the store first. Where there is a store already, nothing is done unless
    --replace says so: it may know more than the snapshot. Then it is set aside as a whole. A config.toml that is there
    is never replaced.
    """
    if is_undo and is_finish:
        raise click.UsageError("--undo and --finish exclude each other.")
    if folder is not None:
        here = here._replace(world=here.world._replace(layout=Layout(folder.expanduser().absolute())))
    if is_finish or is_undo:
        _move(here, is_finish=is_finish, is_agreed=is_agreed, is_json=is_json)
        return
    at = place_of(here, target, key_file, has_passphrase=has_passphrase)

    def agree(planned: Restored) -> bool:
        if not planned.present.is_there:
            return True
        question = f"Set the store at {planned.root} aside, and put {planned.snapshot} in its place?"
        return is_confirmed(question, is_agreed=is_agreed, verb="replace it")

    with bar("restoring") as progress:
        done = restore_snapshot(
            here.world,
            at.target,
            at.keys,
            progress,
            agree,
            snapshot=snapshot,
            may_replace=may_replace,
            is_dry_run=is_dry_run,
        )
    if done is None:
        talk("Nothing was changed.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    if is_json:
        print_json(done)
    else:
        _show(done)


def _move(here: Here, *, is_finish: bool, is_agreed: bool, is_json: bool) -> None:
    if is_finish:
        is_done, where = finish(here.world.layout), ""
        said = "The restore is complete." if is_done else "No restore was stopped half-way."
    else:
        question = f"Put back at {here.world.layout.root} what the last restore has set aside?"
        if not is_confirmed(question, is_agreed=is_agreed, verb="put it back"):
            talk("Nothing was changed.")
            raise click.exceptions.Exit(ExitCode.FAILED)
        is_done, where = True, str(undo(here.world))
        said = f"Put back. What was there is in {where}; `--undo` once more changes them again."
    if is_json:
        print_json({"root": str(here.world.layout.root), "is_changed": is_done, "set_aside": where})
    else:
        print_line(said)


def _show(done: Restored) -> None:
    what = f"{human_count(done.sessions, 'session')}, {human_bytes(done.total_bytes)}, content hash {done.content_hash}"
    if done.is_dry_run:
        print_line(f"Snapshot {done.snapshot} would be restored to {done.root}: {what}.")
        if done.present.is_there:
            print_line("The store that is there would be set aside.")
        return
    print_line(f"Snapshot {done.snapshot} is restored to {done.root}: {what}.")
    if done.set_aside:
        print_line(f"The store of before is in {done.set_aside}; `afterwit store backup restore --undo` puts it back.")
    if done.config_beside:
        print_line(f"Your config.toml stays as it is; that of the snapshot is {done.config_beside}.")
    talk("Next: `afterwit store verify` checks it; `afterwit learn` takes in what happened since.")
