"""`afterwit templates show`: one template with its calls and their results."""

from collections.abc import Iterator

import click
import msgspec

from afterwit.cli.commands import command
from afterwit.cli.terminal.completion import template_ids
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import page, print_json
from afterwit.extras.lab.templates.files import find_template
from afterwit.model.templates import Template
from afterwit.model.text.amounts import human_count
from afterwit.redaction.hygiene import clean

_MOST_LINES = 6
_LONGEST = 300


@command(
    examples=("afterwit templates show 3fa9c1d2", "afterwit templates show 3fa9c1d2 --full"),
)
@click.argument("template", metavar="TEMPLATE", shell_complete=template_ids)
@click.option("--full", "is_full", is_flag=True, help="Show arguments and results as long as they are kept.")
@reporting
def show(here: Here, template: str, is_full: bool, is_json: bool) -> None:
    """Show one template: where it comes from, its calls, and what they gave.

    TEMPLATE is its id or the beginning of it, as `afterwit templates list` shows it. --json prints its file.
    """
    shown = find_template(here.world, template)
    if is_json:
        print_json(shown)
    else:
        page(clean(line) for line in drawn(shown, is_full=is_full))


def drawn(template: Template, *, is_full: bool = False) -> Iterator[str]:
    """A template as people read it."""
    source = template.source
    yield f"{template.id}  version {template.version}, {template.type}, {template.status.in_words}"
    yield f"  {template.description}"
    yield f"  from {' '.join(filter(None, (source.agent, source.session, source.repo, source.day)))}"
    if template.tags:
        yield f"  tags {', '.join(template.tags)}"
    for number, example in enumerate(template.examples, 1):
        arguments = msgspec.json.encode(example.arguments).decode()
        yield ""
        yield f"{number}. {example.tool}  {example.target if not is_full else arguments}"[
            : None if is_full else _LONGEST
        ]
        lines = example.result.splitlines()
        for line in lines if is_full else lines[:_MOST_LINES]:
            yield f"   {line if is_full else line[:_LONGEST]}"
        if len(lines) > _MOST_LINES and not is_full:
            yield f"   … {human_count(len(lines) - _MOST_LINES, 'more line')}; --full shows them"
