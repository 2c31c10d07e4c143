"""`afterwit store backup create`: one more snapshot."""

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, print_line, talk
from afterwit.cli.terminal.progress import bar
from afterwit.extras.backup.cli.options import BackupPlace, placed, with_new_key
from afterwit.extras.backup.create import CreatedBackup
from afterwit.extras.backup.create import create as run
from afterwit.model.figures import human_bytes, human_count


@command(
    examples=(
        "afterwit store backup create /media/disk/afterwit",
        "afterwit store backup create s3://my-bucket/afterwit --key-file ~/backup.key --new-key",
        "afterwit store backup create git+ssh://git@example.com/me/backup.git --passphrase",
    ),
    exits={
        ExitCode.FAILED: "There is no store yet, the target cannot be used, or what was sent could not be read back."
        " The snapshots that are there stay.",
    },
)
@click.option(
    "--new-key", "has_new_key", is_flag=True, help="Make the key file first; one that is there is never changed."
)
@click.option("--no-verify", "is_unread", is_flag=True, help="Do not read back what was sent.")
@reporting
@placed
def create(here: Here, at: BackupPlace, has_new_key: bool, is_unread: bool, is_json: bool) -> None:
    """Make a snapshot of the store elsewhere.

    TARGET is a folder, any URL that fsspec knows (s3://, gs://, sftp:// …), or a git remote (git+URL); without it, what
    the configuration says. What is there already is not sent again. Whatever leaves this machine is encrypted first, in
    the age format. Nothing is learned while it runs.
    """
    if has_new_key:
        with_new_key(here, at)
    with bar("backing up") as progress:
        created = run(here.world, at.target, at.keys, progress, reads_back=not is_unread)
    if is_json:
        print_json(created)
        return
    show_created(created)
    if created.is_first:
        _warn(created)


def show_created(created: CreatedBackup) -> None:
    """In two lines."""
    if created.skipped:
        talk(f"Not all that was there can be built on: {created.skipped} `afterwit store backup verify` says more.")
    sent = f"sent {human_bytes(created.sent_bytes)} to {created.target}"
    read_back = "read back" if created.is_read_back else "not read back"
    print_line(
        f"Snapshot {created.snapshot}: {human_count(created.sessions, 'session')}, {human_bytes(created.total_bytes)}"
        f" in {human_count(created.files, 'file')}; {sent}, {read_back}."
    )


def _warn(created: CreatedBackup) -> None:
    if created.is_encrypted:
        talk("Without its key nobody can read this backup, and nobody can make the key again: keep a copy elsewhere.")
    else:
        talk("This backup is not encrypted, and holds secrets as your agents logged them. Guard it.")
