"""`afterwit templates auto`: proposes templates from the best sessions of each type, and makes them if told to."""

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.options import Here, agreed, many, reporting
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, print_text, talk
from afterwit.extras.lab.templates.auto import DEFAULT_COUNT, ProposedTemplate, keep, propose
from afterwit.extras.lab.templates.cli.create import max_examples
from afterwit.extras.lab.templates.cli.list import TYPES
from afterwit.model.kinds import TaskType
from afterwit.model.text.amounts import human_count

_MOST_COUNT = 10


@command(
    examples=("afterwit templates auto", "afterwit templates auto --type code --count 1 --yes"),
    exits={ExitCode.FAILED: "The answer was no, or nobody answered: nothing was written."},
)
@many("--type", "types", "TYPE", f"Only for this type of task: {', '.join(TaskType)}.", TYPES)
@click.option(
    "--count",
    type=click.IntRange(1, _MOST_COUNT),
    default=DEFAULT_COUNT,
    show_default=True,
    help="At most so many for each type.",
)
@max_examples
@agreed
@reporting
def auto(here: Here, types: tuple[str, ...], count: int, most_examples: int, is_agreed: bool, is_json: bool) -> None:
    """Propose templates from the best sessions of each type of task.

    Best are sessions that ended well for certain, whose work was checked after the last change, and in which little
    failed; for each type one of a repository. Shows them and asks before anything is written. With --json it proposes
    only, unless --yes is given.
    """
    wanted = tuple(map(TaskType, dict.fromkeys(types))) or tuple(TaskType)
    proposals = propose(here.world, wanted, count, most_examples)
    if is_json:
        if is_agreed:
            keep(here.world, proposals)
        print_json({"proposals": proposals, "is_written": is_agreed})
        return
    if not proposals:
        talk("No session qualifies that has no template yet. `afterwit templates create SESSION` makes one of any.")
        return
    for proposal in proposals:
        _show(proposal)
    question = f"Make {human_count(len(proposals), 'template')}?"
    if not is_confirmed(question, is_agreed=is_agreed, verb="make them"):
        talk("Nothing was written.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    keep(here.world, proposals)
    talk(f"Made {human_count(len(proposals), 'template')}. `afterwit templates list` shows them.")


def _show(proposal: ProposedTemplate) -> None:
    template = proposal.template
    source = template.source
    calls = human_count(len(template.examples), "call")
    print_line(f"{template.type}: {calls} of {source.agent} {source.session} in {source.repo or 'no repository'}")
    print_text(template.description, first="  ", rest="  ")
    failed = f"{proposal.failed} of {human_count(proposal.actions, 'action')} failed"
    print_text(f"{failed}; {'; '.join(proposal.reasons)}", first="  ", rest="  ")
