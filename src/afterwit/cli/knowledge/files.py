"""`afterwit knowledge export`, `import`, `reconcile` and `rejected`: notes as a folder of files, what instruction files
say otherwise, and what was kept out.
"""

from pathlib import Path

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.knowledge.curate import UNDO
from afterwit.cli.knowledge.list import EXITS, chosen
from afterwit.cli.terminal.options import COUNT, Here, agreed, reporting
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, print_text, talk
from afterwit.engine.curation.files import Imported, import_folders
from afterwit.engine.curation.files import export as run_export
from afterwit.knowledge.door.list import ItemFilter
from afterwit.knowledge.door.list import rejected as list_rejected
from afterwit.knowledge.door.reconcile import Reconciliation, Side
from afterwit.knowledge.door.reconcile import reconcile as run_reconcile
from afterwit.knowledge.gate import Rejection
from afterwit.model.figures import human_count


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


@command(examples=("afterwit knowledge reconcile", "afterwit knowledge reconcile --json"), exits=EXITS)
@reporting
def reconcile(here: Here, is_json: bool) -> None:
    """Show where instruction files contradict each other or the notes, and notes that may say the same.

    Reads AGENTS.md, CLAUDE.md and the like in repositories on this machine, and the agents' own memory files. Changes
    nothing.
    """
    result = run_reconcile(here.world)
    if is_json:
        print_json(result)
    else:
        _show_reconciled(result)


def _show_reconciled(result: Reconciliation) -> None:
    pairs = [(f"{clash.repo or 'everywhere'}: about {clash.about}", clash.one, clash.other) for clash in result.clashes]
    pairs += [("These may say the same:", double.one, double.other) for double in result.doubles]
    for heading, *sides in pairs:
        print_line(heading)
        for side in sides:
            print_text(_side(side), first="  ", rest="    ")
    clashes = human_count(len(result.clashes), "contradiction")
    doubles = human_count(len(result.doubles), "likely duplicate")
    talk(f"{human_count(result.files, 'instruction file')} read: {clashes}, {doubles}.")
    if result.clashes or result.doubles:
        talk("`afterwit knowledge retire NOTE` takes a note out, `edit` rewords it; the files are yours to change.")
    if any(clash.one.item and clash.other.file for clash in result.clashes):
        talk("No agent is told a note that a file contradicts; `afterwit knowledge pin NOTE` tells it all the same.")


def _side(side: Side) -> str:
    return f"{side.file}:{side.line}: {side.text}" if side.file else f"{side.item}: {side.text}"


@command(
    examples=("afterwit knowledge rejected", "afterwit knowledge rejected --reason momentary --samples 0"),
    exits=EXITS,
)
@click.option(
    "--reason",
    type=click.Choice([reason.value for reason in Rejection]),
    default=None,
    metavar="REASON",
    help=f"Only this reason: {', '.join(Rejection)}.",
)
@click.option("--samples", type=COUNT, metavar="N", default=3, show_default=True, help="0 means all.")
@reporting
def rejected(here: Here, reason: str | None, samples: int, is_json: bool) -> None:
    """Show what was found and did not become a note: how much for which reason, with samples."""
    groups = list_rejected(here.world, reason or "", samples)
    if is_json:
        print_json(groups)
        return
    for refused in groups:
        print_text(f"{human_count(refused.count)} {refused.reason}: {refused.why}")
        for sample in refused.samples:
            print_text(f"{sample['fact']}  ({sample['harvester']}, {sample['scope']})", first="  ", rest="    ")
    if not groups:
        talk("Nothing was kept out. `afterwit learn` makes notes from what your agents log.")
