"""`afterwit store backup list`: what is there."""

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.options import Here, reporting, timed
from afterwit.cli.terminal.output import print_json, print_line, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.extras.backup.cli.options import BackupPlace, placed
from afterwit.extras.backup.list import ListedSnapshot, list_snapshots
from afterwit.model.figures import human_bytes, human_count

_COLUMNS = (
    *(Column("snapshot"), Column("made"), Column("machine", gives_way=3)),
    *(Column("sessions", is_number=True), Column("files", is_number=True, gives_way=2)),
    *(Column("bytes", is_number=True), Column("new", is_number=True, gives_way=1)),
    Column("problem", takes_rest=True, least=20, is_bad=bool),
)

_SHORT = 8


@command(
    "list",
    examples=("afterwit store backup list /media/disk/afterwit", "afterwit store backup list --json"),
    exits={ExitCode.FAILED: "There is no backup at the target, or it cannot be used."},
)
@reporting
@timed
@placed
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
    rows = [_row(here.calendar, snapshot)[: len(columns)] for snapshot in listed.snapshots]
    print_table(columns, rows)
    size = "" if listed.object_bytes is None else f", {human_bytes(listed.object_bytes)}"
    print_line(f"{listed.target}: {human_count(listed.objects, 'object')}{size}, encryption: {listed.encryption}.")
    if not listed.is_open:
        talk("Without the key only the moments are known: --key-file FILE or --passphrase shows the rest.")


def _row(calendar: Calendar, snapshot: ListedSnapshot) -> tuple[str, ...]:
    def amount(value: int | None, *, is_size: bool = False) -> str:
        return "" if value is None else human_bytes(value) if is_size else human_count(value)

    return (
        snapshot.id,
        calendar.moment(snapshot.created_ms),
        snapshot.machine[:_SHORT],
        amount(snapshot.sessions),
        amount(snapshot.files),
        amount(snapshot.total_bytes, is_size=True),
        amount(snapshot.new_bytes, is_size=True),
        snapshot.problem,
    )
