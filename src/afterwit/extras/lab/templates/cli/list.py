"""`afterwit templates list`: the templates of this store."""

from typing import Any

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.extras.lab.templates.files import list_templates
from afterwit.model.kinds import TaskType
from afterwit.model.templates import Template
from afterwit.repos.remotes import short_names

NOTHING_YET = "No templates yet. `afterwit templates auto` proposes some from your best sessions."
TYPES = click.Choice([str(task_type) for task_type in TaskType])
_COLUMNS = (
    Column("template"),
    Column("type"),
    Column("calls", is_number=True, gives_way=1),
    Column("repository", gives_way=2),
    Column("status", gives_way=3),
    Column("description", takes_rest=True),
)


@command(
    "list",
    examples=("afterwit templates list", "afterwit templates list --type code", "afterwit templates list --json"),
)
@click.option("--type", "task_type", type=TYPES, help="Only templates for this type of task.")
@click.option("--tag", default="", metavar="TAG", help="Only templates with this tag.")
@reporting
def list_(here: Here, task_type: str | None, tag: str, is_json: bool) -> None:
    """List the templates.

    A template holds tool calls of one session that went well, each with its result. `afterwit templates create` makes
    one.
    """
    listed = list_templates(here.world)
    fitting = [
        template
        for template in listed.templates
        if (task_type is None or template.type == task_type) and (not tag or tag in template.tags)
    ]
    if is_json:
        print_json({"templates": [brief(template) for template in fitting], "problems": listed.problems})
        return
    for problem in listed.problems:
        talk(problem)
    if fitting:
        _show(fitting)
    else:
        talk("No templates match. `afterwit templates list` shows all." if listed.templates else NOTHING_YET)


def brief(template: Template) -> dict[str, Any]:
    """A template as lists show it: without its calls."""
    names = ("id", "version", "status", "type", "tags", "description", "source", "created_at")
    return {**{name: getattr(template, name) for name in names}, "examples": len(template.examples)}


def _show(templates: list[Template]) -> None:
    repos = short_names({template.source.repo for template in templates})
    print_table(
        _COLUMNS,
        [
            (
                template.id,
                template.type,
                len(template.examples),
                repos.get(template.source.repo, template.source.repo) or "–",
                template.status.in_words,
                _described(template),
            )
            for template in templates
        ],
    )


def _described(template: Template) -> str:
    return f"{template.description} [{', '.join(template.tags)}]" if template.tags else template.description
