"""`afterwit store backup create`, `list`, `verify`, `prune`: snapshots at a target."""

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.options import COUNT, Here, added, agreed, reporting, timed
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, print_text, talk
from afterwit.cli.terminal.progress import bar
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.extras.backup.create import make_snapshot
from afterwit.extras.backup.keys import LEAST_CHARS, PASSPHRASE_VARIABLE, BackupKeys, make_key
from afterwit.extras.backup.look import ListedSnapshot, list_snapshots, verify_backup
from afterwit.extras.backup.prune import KeepRule, PrunedBackup, prune_backup
from afterwit.extras.backup.targets.at import absolute_target, target_of_settings
from afterwit.model.figures import human_bytes, human_count


class BackupPlace(NamedTuple):
    target: str
    keys: BackupKeys


def with_place_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds TARGET, `--key-file` and `--passphrase`."""
    options = (
        click.argument("target", required=False, metavar="[TARGET]"),
        click.option(
            "--key-file",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="The file with the key of the backup. Default: `backup.key_file` of the configuration.",
        ),
        click.option(
            "--passphrase",
            "has_passphrase",
            is_flag=True,
            help=f"Ask for a passphrase, or take it from {PASSPHRASE_VARIABLE}.",
        ),
    )
    return added(options, command)


def with_place(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same, passing what they lead to as `at`. Goes below `reporting`."""

    @functools.wraps(command)
    def wrapped(
        *args: Any, here: Here, target: str | None, key_file: Path | None, has_passphrase: bool, **options: Any
    ) -> Any:
        place = place_of(here, target, key_file, has_passphrase=has_passphrase)
        return command(*args, here=here, at=place, **options)

    return with_place_options(wrapped)


def place_of(here: Here, target: str | None, key_file: Path | None, *, has_passphrase: bool) -> BackupPlace:
    """The settings say where, and with which key, if the command does not."""
    if key_file is not None and has_passphrase:
        raise click.UsageError("--key-file and --passphrase exclude each other.")
    usual = target_of_settings(here.world)
    if not target and not usual:
        raise click.UsageError(
            "Name a TARGET: a folder, or a URL such as s3://bucket/folder. `target = …` under [backup] in config.toml"
            " makes it the usual one."
        )
    wanted = absolute_target(target, here.world.user_home, Path.cwd()) if target else usual
    if key_file is None and wanted == usual and not has_passphrase:
        key_file = here.world.settings.backup.key_file
    return BackupPlace(wanted, BackupKeys(key_file, _ask if sys.stdin.isatty() else None, has_passphrase))


def _ask(is_new: bool) -> str:
    what = f"New passphrase of the backup (at least {LEAST_CHARS} characters)" if is_new else "Passphrase of the backup"
    words: str = click.prompt(what, hide_input=True, confirmation_prompt=is_new, err=True)
    return words


@command(
    examples=(
        "afterwit store backup create /media/disk/afterwit",
        "afterwit store backup create s3://my-bucket/afterwit --key-file ~/backup.key --new-key",
        "afterwit store backup create sftp://example.com/backup --passphrase",
    ),
    exits={
        ExitCode.FAILED: "There is no store yet, the target cannot be used, or what was sent could not be read back."
        " The snapshots that are there stay.",
    },
)
@click.option(
    "--new-key", "has_new_key", is_flag=True, help="Make the key file first; one that is there is never changed."
)
@reporting
@with_place
def create(here: Here, at: BackupPlace, has_new_key: bool, is_json: bool) -> None:
    """Make a snapshot of the store elsewhere.

    TARGET is a folder or any URL that fsspec knows (s3://, gs://, sftp:// …); without it, what the configuration says.
    What is there already is not sent again. Whatever leaves this machine is encrypted first, in the age format. Nothing
    is learned while it runs.
    """
    if has_new_key:
        if at.keys.file is None:
            raise click.UsageError("--new-key needs the name of the file to make: --key-file FILE.")
        make_key(at.keys.file, here.world.now_ms)
        talk(f"Made a key in {at.keys.file}. Keep a copy of it elsewhere, as you keep passwords.")
    with bar("backing up") as progress:
        created = make_snapshot(here.world, at.target, at.keys, progress)
    if is_json:
        print_json(created)
        return
    if created.skipped:
        talk(f"Not all that was there can be built on: {created.skipped} `afterwit store backup verify` says more.")
    sent = f"sent {human_bytes(created.sent_bytes)} to {created.target}"
    print_line(
        f"Snapshot {created.snapshot}: {human_count(created.sessions, 'session')}, {human_bytes(created.total_bytes)}"
        f" in {human_count(created.files, 'file')}; {sent}, read back."
    )
    if created.is_first and created.is_encrypted:
        talk("Without its key nobody can read this backup, and nobody can make the key again: keep a copy elsewhere.")
    elif created.is_first:
        talk("This backup is not encrypted, and holds secrets as your agents logged them. Guard it.")


_COLUMNS = (
    *(Column("snapshot"), Column("made"), Column("machine", gives_way=3)),
    *(Column("sessions", is_number=True), Column("files", is_number=True, gives_way=2)),
    *(Column("bytes", is_number=True), Column("new", is_number=True, gives_way=1)),
    Column("problem", takes_rest=True, least=20, is_bad=bool),
)

_MACHINE_CHARS = 8


@command(
    "list",
    examples=("afterwit store backup list /media/disk/afterwit", "afterwit store backup list --json"),
    exits={ExitCode.FAILED: "There is no backup at the target, or it cannot be used."},
)
@reporting
@timed
@with_place
def list_(here: Here, at: BackupPlace, is_json: bool) -> None:
    """List the snapshots of a backup, the newest first.

    Of an encrypted one, the sizes and sessions are shown if its key is given; when each was made can be seen without.
    """
    listed = list_snapshots(here.world, at.target, at.keys)
    if is_json:
        print_json(listed)
        return
    if not listed.snapshots:
        print_line(f"There is no complete snapshot at {listed.target}. `afterwit store backup create` makes one.")
        return
    columns = _COLUMNS if any(snapshot.problem for snapshot in listed.snapshots) else _COLUMNS[:-1]
    rows = [_row_of(here.calendar, snapshot)[: len(columns)] for snapshot in listed.snapshots]
    print_table(columns, rows)
    size = "" if listed.object_bytes is None else f", {human_bytes(listed.object_bytes)}"
    print_line(f"{listed.target}: {human_count(listed.objects, 'object')}{size}, encryption: {listed.encryption}.")
    if not listed.is_open:
        talk("Without the key only the moments are known: --key-file FILE or --passphrase shows the rest.")


def _row_of(calendar: Calendar, snapshot: ListedSnapshot) -> tuple[str, ...]:
    def amount(value: int | None, *, is_size: bool = False) -> str:
        return "" if value is None else human_bytes(value) if is_size else human_count(value)

    return (
        snapshot.id,
        calendar.moment(snapshot.created_ms),
        snapshot.machine[:_MACHINE_CHARS],
        amount(snapshot.sessions),
        amount(snapshot.files),
        amount(snapshot.total_bytes, is_size=True),
        amount(snapshot.new_bytes, is_size=True),
        snapshot.problem,
    )


@command(
    examples=("afterwit store backup verify", "afterwit store backup verify /media/disk/afterwit --snapshot 20260504"),
    exits={ExitCode.FAILED: "Something is damaged or missing, or the backup cannot be read at all."},
)
@click.option("--snapshot", default="", metavar="ID", help="Only this snapshot; the beginning of its id is enough.")
@reporting
@with_place
def verify(here: Here, at: BackupPlace, snapshot: str, is_json: bool) -> None:
    """Read a whole backup, and say what is damaged.

    Every object is read and compared with its hash. What is damaged or missing is named, with the snapshots that need
    it.
    """
    with bar("reading") as progress:
        verified = verify_backup(here.world, at.target, at.keys, progress, snapshot)
    if is_json:
        print_json(verified)
    else:
        for fault in verified.faults:
            print_text(f"{fault.what} Concerned: {', '.join(fault.snapshots)}.", rest="  ")
        what = f"{human_count(verified.snapshots, 'snapshot')}, {human_count(verified.objects, 'object')}"
        sound = "all sound" if not verified.faults else f"{human_count(len(verified.faults), 'fault')}"
        print_line(f"{verified.target}: {what}, {human_bytes(verified.read_bytes)} read: {sound}.")
        if verified.unused_objects:
            unused = human_count(verified.unused_objects, "object")
            print_line(f"No snapshot needs {unused}, left by runs that were stopped; `prune` removes what is unused.")
    if verified.faults:
        raise click.exceptions.Exit(ExitCode.FAILED)


@command(
    examples=(
        "afterwit store backup prune --dry-run",
        "afterwit store backup prune --keep-daily 7 --keep-weekly 4 --keep-monthly 12",
    ),
    exits={
        ExitCode.FAILED: "No snapshot is whole, so none is removed; the backup cannot be used; or the answer was no."
    },
)
@click.option("--keep-daily", type=COUNT, metavar="N", help="Keep the last of each of N days. Default: the setting.")
@click.option("--keep-weekly", type=COUNT, metavar="N", help="Keep the last of each of N weeks. Default: the setting.")
@click.option(
    "--keep-monthly", type=COUNT, metavar="N", help="Keep the last of each of N months. Default: the setting."
)
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would go, and remove nothing.")
@agreed
@reporting
@timed
@with_place
def prune(
    here: Here,
    at: BackupPlace,
    keep_daily: int | None,
    keep_weekly: int | None,
    keep_monthly: int | None,
    is_dry_run: bool,
    is_agreed: bool,
    is_json: bool,
) -> None:
    """Remove snapshots that are not to be kept, and what only they needed.

    Kept is the last snapshot of each of the newest days, weeks and months that have one, for each machine that backs up
    there. The newest whole one stays in any case. What is removed cannot be brought back.
    """
    usual = here.world.settings.backup
    rule = KeepRule(
        usual.keep_daily if keep_daily is None else keep_daily,
        usual.keep_weekly if keep_weekly is None else keep_weekly,
        usual.keep_monthly if keep_monthly is None else keep_monthly,
    )

    def agree(planned: PrunedBackup) -> bool:
        if not is_json:
            _show_plan(here.calendar, planned)
        question = f"Remove {_amount(planned)} from {planned.target}? They cannot be brought back."
        return is_confirmed(question, is_agreed=is_agreed, verb="remove")

    done = prune_backup(here.world, at.target, at.keys, rule, agree, is_dry_run=is_dry_run)
    if done is None:
        talk("Nothing was removed.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    if is_json:
        print_json(done)
        return
    if is_dry_run:
        _show_plan(here.calendar, done)
    freed = "" if done.freed_bytes is None else f", {human_bytes(done.freed_bytes)}"
    kept = human_count(len(done.snapshots) - done.removed, "snapshot")
    print_line(f"{_amount(done)}{freed} {'would be ' if is_dry_run else ''}removed; {kept} kept.")
    if done.young_objects:
        young = human_count(done.young_objects, "object")
        talk(f"{young} without a use stay for a week: they may be of a backup that another machine is making.")


def _amount(pruned: PrunedBackup) -> str:
    return f"{human_count(pruned.removed, 'snapshot')} and {human_count(pruned.removed_objects, 'object')}"


def _show_plan(calendar: Calendar, planned: PrunedBackup) -> None:
    for snapshot in planned.snapshots:
        verb = "keep" if snapshot.is_kept else "remove"
        problem = f"  {snapshot.problem}" if snapshot.problem else ""
        print_line(f"{verb:<6}  {snapshot.id}  {calendar.moment(snapshot.created_ms)}{problem}")
