"""`afterwit knowledge import`: takes in what others exported."""

from pathlib import Path

import click

from afterwit.cli.commands import Command, ExitCode
from afterwit.cli.knowledge.judge import UNDO
from afterwit.cli.knowledge.shapes import EXITS
from afterwit.cli.terminal.ask import is_confirmed
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import human_count, print_json, print_line, print_text, talk
from afterwit.curation.files import Imported, import_folders

_SHOWN = 20


@click.command(
    "import",
    cls=Command,
    examples=("afterwit knowledge import team/knowledge", "afterwit knowledge import ada/ grace/ --yes"),
    exits={**EXITS, ExitCode.FAILED: "The answer was no, nobody answered, or the store cannot be used."},
)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FOLDER...")
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would come in, and import nothing.")
@click.option("--yes", "is_agreed", is_flag=True, help="Do not ask.")
@as_json
@in_place
def import_(here: Here, folders: tuple[Path, ...], is_dry_run: bool, is_agreed: bool, is_json: bool) -> None:
    """Take in folders that others exported. What they hold is quarantined until you approve it.

    The order of folders does not matter, and importing one again changes nothing. `afterwit knowledge undo` takes an
    import back.
    """

    def agree(planned: Imported) -> bool:
        if not is_json:
            _show(planned)
        return is_confirmed(f"Import {human_count(planned.new, 'item')}?", is_agreed=is_agreed)

    done = import_folders(here.world, folders, agree, is_dry_run=is_dry_run)
    if done is None:
        talk("Nothing was imported.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    if is_json:
        print_json(done)
        return
    if is_dry_run:
        _show(done)
    if not done.new:
        talk("Everything in there is known already.")
    elif not is_dry_run:
        talk(
            f"{human_count(done.new, 'item')} imported. `afterwit knowledge list --status quarantined` shows what waits"
            " for you, `afterwit knowledge approve ITEM` lets it be used."
        )
        talk(UNDO)


def _show(planned: Imported) -> None:
    for folder in planned.folders:
        print_line(f"{folder.source}: {human_count(folder.items, 'item')}, {human_count(folder.new)} new")
        for fact in folder.facts[:_SHOWN]:
            print_text(fact, first="  ", rest="    ")
        if len(folder.facts) > _SHOWN:
            print_line(f"  … and {human_count(len(folder.facts) - _SHOWN)} more; --json lists all")
