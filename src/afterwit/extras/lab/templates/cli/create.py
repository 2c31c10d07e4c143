"""`afterwit templates create`: makes a template of a session."""

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.completion import session_ids
from afterwit.cli.terminal.options import Here, many, reporting
from afterwit.cli.terminal.output import print_json, print_line, talk
from afterwit.extras.lab.templates.cli.list import TYPES
from afterwit.extras.lab.templates.create import WantedTemplate
from afterwit.extras.lab.templates.create import create as run
from afterwit.model.kinds import Outcome, TaskType
from afterwit.model.templates import DEFAULT_EXAMPLES, LEAST_EXAMPLES, MOST_EXAMPLES
from afterwit.model.text.amounts import human_count

_ADVISED = range(5, 11)
max_examples = click.option(
    "--max-examples",
    "most_examples",
    type=click.IntRange(LEAST_EXAMPLES, MOST_EXAMPLES),
    default=DEFAULT_EXAMPLES,
    show_default=True,
    help="At most so many calls; 5 to 10 are advised.",
)


@command(
    examples=(
        "afterwit templates create 5ea50002",
        "afterwit templates create 5ea50002 --type code --tags tests,go --max-examples 6",
    )
)
@click.argument("session", metavar="SESSION", shell_complete=session_ids)
@click.option("--type", "task_type", type=TYPES, help="For which type of task. Default: that of the session.")
@many("--tags", "tags", "TAG,TAG…", "Words to find it by.")
@click.option("--description", default="", metavar="TEXT", help="What it shows. Default: the session's title or task.")
@max_examples
@reporting
def create(
    here: Here,
    session: str,
    task_type: str | None,
    tags: tuple[str, ...],
    description: str,
    most_examples: int,
    is_json: bool,
) -> None:
    """Make a template of a session: the tool calls that led to what it achieved.

    Only calls that certainly worked are taken, without repetitions and dead ends. Arguments and results are redacted
    and shortened. Made again of the same session, it is the next version of the same template. It is a readable file
    below `templates` in the data folder.
    """
    wanted = WantedTemplate(
        type=TaskType(task_type) if task_type else None,
        tags=tuple(tag for words in tags for tag in words.split(",")),
        description=description,
        most_examples=most_examples,
    )
    created = run(here.world, session, wanted)
    if is_json:
        print_json(created)
        return
    template = created.template
    calls = human_count(len(template.examples), "call")
    if created.is_new:
        print_line(f"Template {template.id}, version {template.version}: {calls} for {template.type} tasks.")
    else:
        print_line(f"Template {template.id}, version {template.version}, is as it was: {calls}.")
    if created.outcome != Outcome.SUCCESS:
        talk(f"The session did not end well for certain (outcome: {created.outcome or Outcome.UNKNOWN}).")
    if most_examples not in _ADVISED:
        talk("5 to 10 calls are advised: fewer show little, more cost tokens in every session.")
    talk(f"`afterwit templates show {template.id}` shows it; look through it before you use it.")
