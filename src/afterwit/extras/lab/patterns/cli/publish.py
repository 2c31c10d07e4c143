"""`afterwit patterns publish` and `unpublish`: approved patterns go to agents, and back."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.options import Here, agreed, many, reporting
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, print_text, talk
from afterwit.connect.foreign_files import differences
from afterwit.extras.lab.patterns import publish as publishing
from afterwit.extras.lab.patterns.publish import PublishRequest, PublishStep
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

    agree = _agreement("Publish this?", is_agreed=is_agreed, is_json=is_json)
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
    agree = _agreement("Take this back?", is_agreed=is_agreed, is_json=is_json)
    chosen = tuple(map(PublishedForm, forms))
    done = publishing.unpublish(here.world, names or None, agree, chosen, is_dry_run=is_dry_run)
    _report(done, "Taken back.", is_json=is_json, is_dry_run=is_dry_run)


def _agreement(question: str, *, is_agreed: bool, is_json: bool) -> publishing.Agree:
    def agree(steps: Sequence[PublishStep]) -> bool:
        if not is_json:
            _show_steps(steps)
        return is_confirmed(question, is_agreed=is_agreed)

    return agree


def _report(done: list[PublishStep] | None, words: str, *, is_json: bool, is_dry_run: bool) -> None:
    if done is None:
        talk("Nothing was changed.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    if is_json:
        print_json({"is_dry_run": is_dry_run, "steps": [_shape(step) for step in done]})
    elif is_dry_run:
        _show_steps(done)
    if not any(step.is_needed for step in done):
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
