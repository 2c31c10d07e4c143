"""`afterwit patterns pack` and `install`: patterns in one file, for another machine."""

from pathlib import Path

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.options import Here, agreed, reporting
from afterwit.cli.terminal.output import is_confirmed, print_json, print_text, talk
from afterwit.extras.lab.patterns import pack as packing
from afterwit.extras.lab.patterns.cli.completing import pattern_ids
from afterwit.extras.lab.patterns.cli.shapes import in_catalog
from afterwit.extras.lab.patterns.pack import InstalledPack
from afterwit.model.text.amounts import human_count

_FILE = click.argument("path", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
_DRY_RUN = click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would happen, and change nothing.")


@command(
    examples=("afterwit patterns pack orchard.json", "afterwit patterns pack orchard.json 3fa9c1 0b7d22"),
    exits={
        ExitCode.FAILED: "There is no store yet, or the file cannot be written.",
        ExitCode.WRONG_USE: "A pattern is not approved or holds a secret, or the file is no pack. Nothing is written.",
    },
)
@_FILE
@click.argument("names", nargs=-1, metavar="[PATTERN]...", shell_complete=pattern_ids)
@_DRY_RUN
@reporting
def pack(here: Here, path: Path, names: tuple[str, ...], is_dry_run: bool, is_json: bool) -> None:
    """Write approved patterns into one file that another machine can install.

    Without PATTERN all that are approved. The file holds their words, versions and conditions, and no evidence: nothing
    of your sessions. A pattern with something like a secret in it stops the whole.
    """
    done = packing.pack(here.world, path, names, is_dry_run=is_dry_run)
    if is_json:
        print_json(done)
        return
    for pattern in done.patterns:
        print_text(f"{pattern.id} {pattern.version}: {pattern.title}", rest="  ")
    count = human_count(len(done.patterns), "pattern")
    talk(f"{count} would be packed. Nothing was written." if is_dry_run else f"Packed {count} into {path}.")


@command(
    examples=("afterwit patterns install orchard.json --dry-run", "afterwit patterns install orchard.json"),
    exits={
        ExitCode.FAILED: "The answer was no, or nobody answered.",
        ExitCode.WRONG_USE: "The file is no pack. Nothing is installed.",
    },
)
@_FILE
@_DRY_RUN
@agreed
@in_catalog
@reporting
def install(here: Here, path: Path, is_dry_run: bool, is_agreed: bool, folder: Path | None, is_json: bool) -> None:
    """Take patterns from a pack into the catalog, where each waits until you approve it.

    Nothing of it is told to agents before. What the catalog knows stays as you decided it. A pattern that holds an
    address, a secret, something that cannot be seen, or that reads like an order to an agent is refused.
    """

    def agree(planned: InstalledPack) -> bool:
        if not is_json:
            _show(planned)
        return is_confirmed(f"Install {human_count(len(planned.new), 'pattern')}?", is_agreed=is_agreed)

    done = packing.install(here.world, path, agree, folder, is_dry_run=is_dry_run)
    if done is None:
        talk("Nothing was installed.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    if is_json:
        print_json(done)
    elif is_dry_run or not done.new:
        _show(done)
    if not done.new:
        talk("There is nothing new in it.")
    elif is_dry_run:
        talk("Nothing was installed.")
    else:
        talk(
            f"Installed {human_count(len(done.new), 'pattern')}. Each needs your approval: `afterwit patterns list"
            " --status needs-your-approval` shows them, `afterwit patterns approve PATTERN` takes one over."
        )


def _show(planned: InstalledPack) -> None:
    for pattern in planned.new:
        print_text(f"{pattern.id} {pattern.version}: {pattern.title}", rest="  ")
        print_text(pattern.text, "  ", "  ")
    for own in planned.known:
        print_text(f"{own} is in the catalog, and stays as it is.")
    for refused in planned.refused:
        print_text(f"number {refused.number} is refused: {refused.why}", rest="  ")
