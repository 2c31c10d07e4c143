"""`afterwit knowledge export`: knowledge as a folder of files."""

from pathlib import Path

import click

from afterwit.cli.commands import Command
from afterwit.cli.knowledge.filters import chosen
from afterwit.cli.knowledge.shapes import EXITS
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import human_count, print_json, talk
from afterwit.curation import files as knowledge_files
from afterwit.knowledge.list import ItemFilter


@click.command(
    cls=Command,
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
@as_json
@in_place
@chosen
def export(here: Here, wanted: ItemFilter, folder: Path, is_merged: bool, is_json: bool) -> None:
    """Write a folder of JSON and Markdown, for people and for git.

    FOLDER gets index.json, global/*.md, repos/*.md and agents/*.md. The same knowledge gives the same bytes, files that
    would not change are left alone, and nothing but earlier pages of ours is removed. docs/reference/knowledge.md
    describes the shape.
    """
    done = knowledge_files.export(here.world, folder, wanted, is_merged=is_merged)
    if is_json:
        print_json(done)
        return
    files = f"{human_count(len(done.written), 'file')} written, {human_count(done.unchanged)} unchanged"
    removed = f", {human_count(len(done.removed))} removed" if done.removed else ""
    talk(f"{human_count(done.items, 'item')} in {done.folder}: {files}{removed}.")
    if not done.items:
        talk("No item fits. `afterwit knowledge list` shows what there is; --all exports items of every status.")
