"""`afterwit store backup verify`: whether everything could be restored."""

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, print_line, print_text
from afterwit.cli.terminal.progress import bar
from afterwit.extras.backup.cli.options import BackupPlace, placed
from afterwit.extras.backup.verify import verify as run
from afterwit.model.figures import human_bytes, human_count


@command(
    examples=("afterwit store backup verify", "afterwit store backup verify /media/disk/afterwit --snapshot 20260504"),
    exits={ExitCode.FAILED: "Something is damaged or missing, or the backup cannot be read at all."},
)
@click.option("--snapshot", default="", metavar="ID", help="Only this snapshot; the beginning of its id is enough.")
@reporting
@placed
def verify(here: Here, at: BackupPlace, snapshot: str, is_json: bool) -> None:
    """Read a whole backup, and say what is damaged.

    Every object is read and compared with its hash. What is damaged or missing is named, with the snapshots that need
    it.
    """
    with bar("reading") as progress:
        verified = run(here.world, at.target, at.keys, progress, snapshot)
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
