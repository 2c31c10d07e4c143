"""`afterwit templates delete`: deletes a template, after showing it and asking."""

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.completion import template_ids
from afterwit.cli.terminal.options import Here, agreed, reporting
from afterwit.cli.terminal.output import is_confirmed, print_json, talk
from afterwit.extras.lab.templates.cli.list import brief
from afterwit.extras.lab.templates.files import delete as run
from afterwit.extras.lab.templates.files import find_template


@command(
    examples=("afterwit templates delete 3fa9c1d2", "afterwit templates delete 3fa9c1d2 --yes"),
    exits={ExitCode.FAILED: "The answer was no, or nobody answered: nothing was deleted."},
)
@click.argument("template", metavar="TEMPLATE", shell_complete=template_ids)
@agreed
@reporting
def delete(here: Here, template: str, is_agreed: bool, is_json: bool) -> None:
    """Delete a template. Asks first; the session that it comes from stays."""
    shown = find_template(here.world, template)
    talk(f"{shown.id}  {shown.type}  {shown.description}")
    if not is_confirmed("Delete this template?", is_agreed=is_agreed, verb="delete it"):
        talk("Nothing was deleted.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    run(here.world, shown)
    if is_json:
        print_json({"deleted": brief(shown)})
    else:
        talk(f"Deleted. `afterwit templates create {shown.source.session}` makes it again.")
