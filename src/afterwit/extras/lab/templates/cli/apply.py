"""`afterwit templates apply`: prints a template for a session that begins."""

import json

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.completion import repo_names, template_ids
from afterwit.cli.terminal.options import Here, in_place
from afterwit.cli.terminal.output import print_line, talk
from afterwit.extras.lab.templates.apply import FORMS, TEXT
from afterwit.extras.lab.templates.apply import apply as run
from afterwit.extras.lab.templates.cli.list import TYPES
from afterwit.model.kinds import TaskType


@command(
    examples=(
        "afterwit templates apply 3fa9c1d2",
        "afterwit templates apply 3fa9c1d2 --as anthropic > messages.json",
        "afterwit templates apply --type code --as chat",
    )
)
@click.argument("template", metavar="[TEMPLATE]", default="", shell_complete=template_ids)
@click.option(
    "--as",
    "form",
    type=click.Choice([str(form) for form in FORMS]),
    default=TEXT,
    show_default=True,
    help="Messages in the form of this interface, or a short text.",
)
@click.option("--type", "task_type", type=TYPES, help="Choose among templates for this type of task.")
@click.option("--repo", default="", metavar="NAME", shell_complete=repo_names, help="Choose among those from here.")
@in_place
def apply(here: Here, template: str, form: str, task_type: str | None, repo: str) -> None:
    """Print a template for a session that begins.

    With --as chat, responses, anthropic or gemini, messages with tool calls and their results as a JSON list: a program
    puts them after its system messages. With --as text, a short example for a prompt or a hook, made of plain paths and
    ordinary commands. Without TEMPLATE, the one is chosen that helped most, or else was used least. What is printed
    counts as used.
    """
    applied = run(here.world, template, form=form, task_type=TaskType(task_type) if task_type else None, repo=repo)
    if form == TEXT:
        for line in applied.text.splitlines():
            print_line(line)
    else:
        print_line(json.dumps(applied.messages, ensure_ascii=False, indent=2))
    talk(f"Template {applied.template.id}: {applied.template.description}")
