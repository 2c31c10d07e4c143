"""`afterwit knowledge export` and `import`: knowledge as a folder of files."""

from pathlib import Path

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.knowledge.curate import UNDO
from afterwit.cli.knowledge.items import EXITS, chosen
from afterwit.cli.terminal.amounts import human_count
from afterwit.cli.terminal.options import Here, agreed, reporting
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, print_text, talk
from afterwit.engine.curation.files import Imported, import_folders
from afterwit.engine.curation.files import export as run_export
from afterwit.knowledge.door.list import ItemFilter


@command(
    examples=(
        "afterwit knowledge export knowledge",
        "afterwit knowledge export team/knowledge --repo orchard --merge",
    ),
    exits=EXITS,
)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--merge", "is_merged", is_flag=True, help="Unite it with what the folder holds, instead of replacing it."
)
@reporting
@chosen
def export(here: Here, wanted: ItemFilter, folder: Path, is_merged: bool, is_json: bool) -> None:
    """Write a folder of JSON and Markdown, for people and for git.

    FOLDER gets index.json, global/*.md, repos/*.md and agents/*.md. The same notes give the same bytes, files that
    would not change are left alone, and nothing but pages of an earlier export is removed. docs/reference/knowledge.md
    describes the shape.
    """
    done = run_export(here.world, folder, wanted, is_merged=is_merged)
    if is_json:
        print_json(done)
        return
    files = f"{human_count(len(done.written), 'file')} written, {human_count(done.unchanged)} unchanged"
    removed = f", {human_count(len(done.removed))} removed" if done.removed else ""
    talk(f"{human_count(done.items, 'note')} in {done.folder}: {files}{removed}.")
    if not done.items:
        talk("No notes match. `afterwit knowledge list` shows what there is; --all exports notes of every status.")


_SHOWN = 20


@command(
    "import",
    examples=("afterwit knowledge import team/knowledge", "afterwit knowledge import ada/ grace/ --yes"),
    exits={**EXITS, ExitCode.FAILED: "The answer was no, nobody answered, or the store cannot be used."},
)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FOLDER...")
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would come in, and import nothing.")
@agreed
@reporting
def import_(here: Here, folders: tuple[Path, ...], is_dry_run: bool, is_agreed: bool, is_json: bool) -> None:
    """Take in folders that others exported. Each note in them needs your approval before it is used.

    The order of folders does not matter, and importing one again changes nothing. `afterwit knowledge undo` takes an
    import back.
    """

    def agree(planned: Imported) -> bool:
        if not is_json:
            _show(planned)
        return is_confirmed(f"Import {human_count(planned.new, 'note')}?", is_agreed=is_agreed)

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
        talk("Everything in there was imported before.")
    elif not is_dry_run:
        talk(
            f"{human_count(done.new, 'note')} imported. `afterwit knowledge review` asks about each, and"
            " `afterwit knowledge approve NOTE` lets one be used."
        )
        talk(UNDO)


def _show(planned: Imported) -> None:
    for folder in planned.folders:
        print_line(f"{folder.source}: {human_count(folder.items, 'note')}, {human_count(folder.new)} new")
        for fact in folder.facts[:_SHOWN]:
            print_text(fact, first="  ", rest="    ")
        if len(folder.facts) > _SHOWN:
            print_line(f"  … and {human_count(len(folder.facts) - _SHOWN)} more; --json lists all")
