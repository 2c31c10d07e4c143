"""`afterwit templates export` and `import`: templates as files, for others and from others."""

from pathlib import Path

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.completion import template_ids
from afterwit.cli.terminal.options import Here, in_place, reporting
from afterwit.cli.terminal.output import (
    STANDARD_OUTPUT,
    is_confirmed,
    print_json,
    print_line,
    refuse_existing,
    talk,
    write_whole,
)
from afterwit.extras.lab.templates.cli.list import brief
from afterwit.extras.lab.templates.cli.show import drawn
from afterwit.extras.lab.templates.files import approve, exported, find_template, import_template
from afterwit.model.errors import UsageError
from afterwit.model.templates import Template


@command(
    examples=("afterwit templates export 3fa9c1d2", "afterwit templates export 3fa9c1d2 --output tests.json"),
)
@click.argument("template", metavar="TEMPLATE", shell_complete=template_ids)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=STANDARD_OUTPUT,
    metavar="FILE",
    help="Default: standard output.",
)
@click.option("--force", "is_forced", is_flag=True, help="Replace the file if it is there.")
@in_place
def export(here: Here, template: str, output: Path, is_forced: bool) -> None:
    """Write a template as JSON, for others. It is redacted once more; read it before you send it."""
    text = exported(find_template(here.world, template)).decode()
    if output == STANDARD_OUTPUT:
        for line in text.splitlines():
            print_line(line)
        return
    refuse_existing(output, is_forced=is_forced)
    write_whole(output, text)
    talk(f"Wrote {output}. Read it before you send it.")


@command(
    "import",
    examples=(
        "afterwit templates import tests.json",
        "afterwit templates import tests.json --approve",
        "afterwit templates import --approve 3fa9c1d2",
    ),
)
@click.argument("file", metavar="FILE")
@click.option("--approve", "is_approved", is_flag=True, help="Let it be used, without being asked.")
@reporting
def import_(here: Here, file: str, is_approved: bool, is_json: bool) -> None:
    """Take in a template that somebody else exported, or approve one that was imported before.

    It is redacted, cleaned and shortened, and used only when you have approved it: this asks, and --approve does not.
    What is not approved is kept, and waits. FILE is a file, or the id of a template that waits.
    """
    path = Path(file)
    if not path.exists():
        _approve_waiting(here, file, is_approved=is_approved, is_json=is_json)
        return

    def agree(template: Template) -> bool:
        return _is_agreed(template, is_json=is_json)

    done = import_template(here.world, path, agree, is_approved=is_approved)
    if is_json:
        print_json({"template": brief(done.template), "is_new": done.is_new, "is_approved": done.is_approved})
        return
    if not done.is_new and done.is_approved:
        talk(f"Template {done.template.id} is in use.")
    _say(done.template)


def _approve_waiting(here: Here, name: str, *, is_approved: bool, is_json: bool) -> None:
    try:
        template = find_template(here.world, name)
    except UsageError:
        raise UsageError(f"There is no file {name}, and no template with that id.") from None
    if not template.is_in_use and (is_approved or _is_agreed(template, is_json=is_json)):
        template = approve(here.world.layout, template)
    if is_json:
        print_json({"template": brief(template), "is_new": False, "is_approved": template.is_in_use})
    else:
        _say(template)


def _is_agreed(template: Template, *, is_json: bool) -> bool:
    if is_json:
        return False
    for line in drawn(template):
        print_line(line)
    return is_confirmed("Let this template be used?", is_agreed=False, verb="approve it")


def _say(template: Template) -> None:
    if template.is_in_use:
        talk(f"Template {template.id} may be used. `afterwit templates apply {template.id}` prints it.")
    else:
        talk(f"Template {template.id} waits. `afterwit templates import --approve {template.id}` lets it be used.")
