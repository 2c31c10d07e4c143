"""`afterwit patterns publish`, `unpublish`, `pack`, `install`: approved patterns go to agents and other machines."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.options import Here, agreed, many, reporting
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, print_text, talk
from afterwit.connect.foreign_files import differences
from afterwit.extras.lab.patterns import pack as packing
from afterwit.extras.lab.patterns import publish as publishing
from afterwit.extras.lab.patterns.cli.look import in_catalog
from afterwit.extras.lab.patterns.pack import InstalledPack
from afterwit.extras.lab.patterns.publish import PublishOutcome, PublishRequest, PublishStep
from afterwit.model.figures import human_count
from afterwit.store.rows.extras import PublishedForm

_PUBLISH_EXITS = {
    ExitCode.FAILED: "The answer was no, nobody answered, or there is no store yet.",
    ExitCode.WRONG_USE: "No such pattern, it is not approved, or a file is somebody else's. Nothing is changed.",
    ExitCode.PARTLY_DONE: "It is recorded, but a file could not be written. The same command again writes it.",
}
_FORMS = many(
    *("--as", "forms", "FORM"),
    "As a note, a skill or a block in a file; repeat for more.",
    PublishedForm,
)
_DRY_RUN = click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would change, and change nothing.")


@command(
    examples=(
        "afterwit patterns publish 3fa9c1 --as note",
        "afterwit patterns publish 3fa9c1 --as skill --agent claude-code --agent codex",
        "afterwit patterns publish 3fa9c1 0b7d22 --as block --file AGENTS.md --dry-run",
        "afterwit patterns publish 3fa9c1",
    ),
    exits=_PUBLISH_EXITS,
)
@click.argument("names", nargs=-1, required=True, metavar="PATTERN...")
@_FORMS
@many("--agent", "agents", "AGENT", "Who gets the skill. Default: all that read skills and were used here.")
@click.option(
    "--project",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="FOLDER",
    help="Put the skill into this project, not into the user's own folders.",
)
@click.option(
    "--file",
    "files",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The file that gets the block, such as AGENTS.md; repeat for more.",
)
@_DRY_RUN
@agreed
@reporting
def publish(
    here: Here,
    names: tuple[str, ...],
    forms: tuple[str, ...],
    agents: tuple[str, ...],
    project: Path | None,
    files: tuple[Path, ...],
    is_dry_run: bool,
    is_agreed: bool,
    is_json: bool,
) -> None:
    """Hand approved patterns to agents, and bring up to date what is published.

    A note is told by hooks and the MCP server when it fits. A skill is a folder with a SKILL.md where agents look for
    skills. A block stands in a file that you name, and leaves the rest of it alone. Without --as, the places that have
    an earlier version get the present one. Shows every change first and asks. Files that somebody else wrote or changed
    are refused. PATTERN is an id or the beginning of one.
    """
    chosen = tuple(map(PublishedForm, forms))
    if files and PublishedForm.BLOCK not in chosen:
        raise click.UsageError("--file goes with --as block.")
    if (agents or project) and PublishedForm.SKILL not in chosen:
        raise click.UsageError("--agent and --project go with --as skill.")
    request = PublishRequest(
        names, chosen, agents, project.absolute() if project else None, tuple(path.absolute() for path in files)
    )

    def agree(steps: Sequence[PublishStep]) -> bool:
        return _agree(steps, "Publish this?", is_agreed=is_agreed, is_json=is_json)

    done = publishing.publish(here.world, request, agree, is_dry_run=is_dry_run)
    _report(done, "Published.", is_json=is_json, is_dry_run=is_dry_run)


@command(
    examples=(
        "afterwit patterns unpublish 3fa9c1",
        "afterwit patterns unpublish 3fa9c1 --as skill --yes",
        "afterwit patterns unpublish --all --dry-run",
    ),
    exits=_PUBLISH_EXITS,
)
@click.argument("names", nargs=-1, metavar="[PATTERN]...")
@click.option("--all", "is_all", is_flag=True, help="Everything that is published.")
@_FORMS
@_DRY_RUN
@agreed
@reporting
def unpublish(
    here: Here,
    names: tuple[str, ...],
    is_all: bool,
    forms: tuple[str, ...],
    is_dry_run: bool,
    is_agreed: bool,
    is_json: bool,
) -> None:
    """Take patterns back from everywhere they were published, or as one form.

    Files are left byte for byte as they were before. One that somebody changed by hand is refused and stays. PATTERN is
    an id or the beginning of one.
    """

    if bool(names) == is_all:
        raise click.UsageError("Name the patterns to take back, or say --all.")

    def agree(steps: Sequence[PublishStep]) -> bool:
        return _agree(steps, "Take this back?", is_agreed=is_agreed, is_json=is_json)

    chosen = tuple(map(PublishedForm, forms))
    done = publishing.unpublish(here.world, names or None, agree, chosen, is_dry_run=is_dry_run)
    _report(done, "Taken back.", is_json=is_json, is_dry_run=is_dry_run)


def _agree(steps: Sequence[PublishStep], question: str, *, is_agreed: bool, is_json: bool) -> bool:
    if not is_json:
        _show_steps(steps)
    return is_confirmed(question, is_agreed=is_agreed)


def _report(done: PublishOutcome | None, words: str, *, is_json: bool, is_dry_run: bool) -> None:
    if done is None:
        talk("Nothing was changed.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    if is_json:
        print_json({"is_dry_run": is_dry_run, "steps": [_shape(step) for step in done.steps]})
    elif is_dry_run:
        _show_steps(done.steps)
    if not done.needed_steps:
        talk("It is so already. Nothing was changed.")
    elif is_dry_run:
        talk("Nothing was changed.")
    else:
        talk(words)


def _show_steps(steps: Sequence[PublishStep]) -> None:
    for step in steps:
        if step.is_needed:
            print_text(step.what, rest="  ")
            for line in _lines(step):
                print_line(line)


def _lines(step: PublishStep) -> list[str]:
    change = step.change
    return list(differences(change.file.path, change.file.content, change.wanted)) if change else []


def _shape(step: PublishStep) -> dict[str, Any]:
    return {
        "form": step.placed.form,
        "what": step.what,
        "patterns": step.placed.patterns,
        "name": step.placed.name,
        "path": str(step.change.file.path) if step.change else "",
        "agents": step.placed.agents,
        "is_removal": step.is_removal,
        "is_needed": step.is_needed,
        "lines": _lines(step) if step.is_needed else [],
    }


_FILE = click.argument("path", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
_DRY_RUN_PACK = click.option(
    "--dry-run", "is_dry_run", is_flag=True, help="Show what would happen, and change nothing."
)


@command(
    examples=("afterwit patterns pack orchard.json", "afterwit patterns pack orchard.json 3fa9c1 0b7d22"),
    exits={
        ExitCode.FAILED: "There is no store yet, or the file cannot be written.",
        ExitCode.WRONG_USE: "A pattern is not approved or holds a secret, or the file is no pack. Nothing is written.",
    },
)
@_FILE
@click.argument("names", nargs=-1, metavar="[PATTERN]...")
@_DRY_RUN_PACK
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
@_DRY_RUN_PACK
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
            _show_pack(planned)
        return is_confirmed(f"Install {human_count(len(planned.new), 'pattern')}?", is_agreed=is_agreed)

    done = packing.install(here.world, path, agree, folder, is_dry_run=is_dry_run)
    if done is None:
        talk("Nothing was installed.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    if is_json:
        print_json(done)
    elif is_dry_run or not done.new:
        _show_pack(done)
    if not done.new:
        talk("There is nothing new in it.")
    elif is_dry_run:
        talk("Nothing was installed.")
    else:
        talk(
            f"Installed {human_count(len(done.new), 'pattern')}. Each needs your approval: `afterwit patterns list"
            " --status needs-your-approval` shows them, `afterwit patterns approve PATTERN` takes one over."
        )


def _show_pack(planned: InstalledPack) -> None:
    for pattern in planned.new:
        print_text(f"{pattern.id} {pattern.version}: {pattern.title}", rest="  ")
        print_text(pattern.text, "  ", "  ")
    for own in planned.known:
        print_text(f"{own} is in the catalog, and stays as it is.")
    for refused in planned.refused:
        print_text(f"number {refused.number} is refused: {refused.why}", rest="  ")
