"""`afterwit templates`: tool calls that went well, to begin a session with."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from afterwit.cli.commands import ExitCode, LazyGroup, command
from afterwit.cli.terminal.options import Here, agreed, in_place, many, reporting, timed
from afterwit.cli.terminal.output import (
    STANDARD_OUTPUT,
    is_confirmed,
    page,
    print_json,
    print_line,
    print_text,
    refuse_existing,
    talk,
    write_whole,
)
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.extras import Subcommand
from afterwit.extras.lab.templates.apply import FORMS, TEXT, TemplateStats, apply, stats
from afterwit.extras.lab.templates.create import DEFAULT_COUNT, ProposedTemplate, WantedTemplate, create, keep, propose
from afterwit.extras.lab.templates.files import (
    delete,
    find_template,
    list_templates,
)
from afterwit.model.figures import human_count
from afterwit.model.kinds import Outcome, TaskType
from afterwit.model.templates import DEFAULT_EXAMPLES, LEAST_EXAMPLES, MOST_EXAMPLES, Template
from afterwit.model.times import ms_from_any
from afterwit.redaction.hygiene import clean
from afterwit.repos.remotes import short_names
from afterwit.store.template_files import template_bytes

COMMANDS = {
    "list": Subcommand(".cli:list_", "List the templates."),
    "show": Subcommand(".cli:show", "Show one template: its calls and their results."),
    "create": Subcommand(".cli:create_template", "Make a template of a session."),
    "auto": Subcommand(".cli:auto", "Propose templates from the best sessions of each type."),
    "stats": Subcommand(".cli:show_stats", "How often templates were used, and what came of it."),
    "apply": Subcommand(".cli:apply_template", "Print a template for a session that begins."),
    "delete": Subcommand(".cli:delete_template", "Delete a template."),
    "export": Subcommand(".cli:export_template", "Write a template into a file, for others."),
}


@click.group(cls=LazyGroup, package=__package__, entries=COMMANDS)
def templates() -> None:
    """Begin a session with tool calls that went well in an earlier one."""


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
@many("--tags", "tags", "TAG,TAG…", "Only templates with all of these tags.")
@reporting
def list_(here: Here, task_type: str | None, tags: tuple[str, ...], is_json: bool) -> None:
    """List the templates.

    A template holds tool calls of one session that went well, each with its result. `afterwit templates create` makes
    one.
    """
    listed, wanted = list_templates(here.world), {tag for words in tags for tag in words.split(",")}
    fitting = [
        template
        for template in listed.templates
        if (task_type is None or template.type == task_type) and wanted <= set(template.tags)
    ]
    if is_json:
        print_json({"templates": [brief(template) for template in fitting], "problems": listed.problems})
        return
    for problem in listed.problems:
        talk(problem)
    if fitting:
        _show_list(fitting)
    else:
        talk("No templates match. `afterwit templates list` shows all." if listed.templates else NOTHING_YET)


def brief(template: Template) -> dict[str, Any]:
    """A template as lists show it: without its calls."""
    names = ("id", "name", "version", "status", "type", "tags", "description", "source", "created_at")
    return {**{name: getattr(template, name) for name in names}, "examples": len(template.examples)}


def _show_list(templates: list[Template]) -> None:
    repos = short_names({template.source.repo for template in templates})
    print_table(
        _COLUMNS,
        [
            (
                template.name or template.id,
                template.type,
                len(template.examples),
                repos.get(template.source.repo, template.source.repo) or "–",
                template.status.in_words,
                _description(template),
            )
            for template in templates
        ],
    )


def _description(template: Template) -> str:
    return f"{template.description} [{', '.join(template.tags)}]" if template.tags else template.description


_MOST_LINES = 6
_LONGEST = 300


@command(
    examples=("afterwit templates show 3fa9c1d2", "afterwit templates show 3fa9c1d2 --full"),
)
@click.argument("template", metavar="TEMPLATE")
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
        page(clean(line) for line in draw_template(shown, is_full=is_full))


def draw_template(template: Template, *, is_full: bool = False) -> Iterator[str]:
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
    "create",
    examples=(
        "afterwit templates create 5ea50002",
        "afterwit templates create 5ea50002 --name pruning --type code --tags tests,go --max-examples 6",
    ),
)
@click.argument("session", metavar="SESSION")
@click.option("--name", default="", metavar="NAME", help="What to call it by, besides its id.")
@click.option("--type", "task_type", type=TYPES, help="For which type of task. Default: that of the session.")
@many("--tags", "tags", "TAG,TAG…", "Words to find it by.")
@click.option("--description", default="", metavar="TEXT", help="What it shows. Default: the session's title or task.")
@max_examples
@reporting
def create_template(
    here: Here,
    session: str,
    name: str,
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
        name=name,
        type=TaskType(task_type) if task_type else None,
        tags=tuple(tag for words in tags for tag in words.split(",")),
        description=description,
        most_examples=most_examples,
    )
    created = create(here.world, session, wanted)
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
        _show_proposal(proposal)
    question = f"Make {human_count(len(proposals), 'template')}?"
    if not is_confirmed(question, is_agreed=is_agreed, verb="make them"):
        talk("Nothing was written.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    keep(here.world, proposals)
    talk(f"Made {human_count(len(proposals), 'template')}. `afterwit templates list` shows them.")


def _show_proposal(proposal: ProposedTemplate) -> None:
    template = proposal.template
    source = template.source
    calls = human_count(len(template.examples), "call")
    print_line(f"{template.type}: {calls} of {source.agent} {source.session} in {source.repo or 'no repository'}")
    print_text(template.description, first="  ", rest="  ")
    failed = f"{proposal.failed} of {human_count(proposal.actions, 'action')} failed"
    print_text(f"{failed}; {'; '.join(proposal.reasons)}", first="  ", rest="  ")


_STATS = (
    Column("template"),
    Column("type", gives_way=2),
    Column("uses", is_number=True),
    Column("last printed", gives_way=1),
    Column("effect", takes_rest=True),
)


@command("stats", examples=("afterwit templates stats", "afterwit templates stats --json"))
@reporting
@timed
def show_stats(here: Here, is_json: bool) -> None:
    """Show how often templates were used, and whether that helped.

    A use is a template that was printed with `afterwit templates apply`, or told to a session of an experiment. Only
    an experiment can say what came of it: `afterwit measure experiment start --arm told --arm template`.
    """
    rows = stats(here.world)
    if is_json:
        print_json({"templates": [_stats_shape(row) for row in rows], "types": _totals(rows)})
    elif rows:
        print_table(_STATS, [_stats_row(here, row) for row in rows])
        for task_type, total in _totals(rows).items():
            used = human_count(total["uses"], "use")
            print_line(f"{task_type}: {human_count(total['templates'], 'template')}, {used}")
    else:
        talk(NOTHING_YET)


def _totals(rows: list[TemplateStats]) -> dict[str, dict[str, int]]:
    """By type of task."""
    totals: dict[str, dict[str, int]] = {}
    for row in rows:
        total = totals.setdefault(row.template.type, {"templates": 0, "uses": 0, "told": 0})
        for name, count in (("templates", 1), ("uses", row.uses), ("told", row.told)):
            total[name] += count
    return totals


def _stats_shape(row: TemplateStats) -> dict[str, Any]:
    return {
        **brief(row.template),
        "uses": row.uses,
        "told": row.told,
        "ways": row.ways,
        "last_used_at": row.last_used_at,
        "effect": row.effect,
    }


def _stats_row(here: Here, row: TemplateStats) -> tuple[Any, ...]:
    used_ms = ms_from_any(row.last_used_at)
    used = here.calendar.moment(used_ms) if used_ms else "–"
    return row.template.id, row.template.type, row.uses, used, row.effect_words


@command(
    "apply",
    examples=(
        "afterwit templates apply 3fa9c1d2",
        "afterwit templates apply 3fa9c1d2 --as anthropic > messages.json",
        "afterwit templates apply --type code --as chat",
    ),
)
@click.argument("template", metavar="[TEMPLATE]", default="")
@click.option(
    "--as",
    "form",
    type=click.Choice([str(form) for form in FORMS]),
    default=TEXT,
    show_default=True,
    help="Messages in the form of this interface, or a short text.",
)
@click.option("--type", "task_type", type=TYPES, help="Choose among templates for this type of task.")
@click.option("--repo", default="", metavar="NAME", help="Choose among those from here.")
@in_place
def apply_template(here: Here, template: str, form: str, task_type: str | None, repo: str) -> None:
    """Print a template for a session that begins.

    With --as chat, responses, anthropic or gemini, messages with tool calls and their results as a JSON list: a program
    puts them after its system messages. With --as text, a short example for a prompt or a hook, made of plain paths and
    ordinary commands. Without TEMPLATE, the one is chosen that helped most, or else was used least. What is printed
    counts as used.
    """
    applied = apply(here.world, template, form=form, task_type=TaskType(task_type) if task_type else None, repo=repo)
    if form == TEXT:
        for line in applied.text.splitlines():
            print_line(line)
    else:
        print_line(json.dumps(applied.messages, ensure_ascii=False, indent=2))
    talk(f"Template {applied.template.id}: {applied.template.description}")


@command(
    "delete",
    examples=("afterwit templates delete 3fa9c1d2", "afterwit templates delete 3fa9c1d2 --yes"),
    exits={ExitCode.FAILED: "The answer was no, or nobody answered: nothing was deleted."},
)
@click.argument("template", metavar="TEMPLATE")
@agreed
@reporting
def delete_template(here: Here, template: str, is_agreed: bool, is_json: bool) -> None:
    """Delete a template. Asks first; the session that it comes from stays."""
    shown = find_template(here.world, template)
    talk(f"{shown.id}  {shown.type}  {shown.description}")
    if not is_confirmed("Delete this template?", is_agreed=is_agreed, verb="delete it"):
        talk("Nothing was deleted.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    delete(here.world, shown)
    if is_json:
        print_json({"deleted": brief(shown)})
    else:
        talk(f"Deleted. `afterwit templates create {shown.source.session}` makes it again.")


@command(
    "export",
    examples=("afterwit templates export 3fa9c1d2", "afterwit templates export 3fa9c1d2 --output tests.json"),
)
@click.argument("template", metavar="TEMPLATE")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=STANDARD_OUTPUT,
    metavar="FILE",
    help="Default: standard output.",
)
@click.option("--force", "is_forced", is_flag=True, help="Replace the file if it is there.")
@in_place
def export_template(here: Here, template: str, output: Path, is_forced: bool) -> None:
    """Write a template as JSON, for others. It is redacted once more; read it before you send it."""
    text = template_bytes(find_template(here.world, template)).decode()
    if output == STANDARD_OUTPUT:
        for line in text.splitlines():
            print_line(line)
        return
    refuse_existing(output, is_forced=is_forced)
    write_whole(output, text)
    talk(f"Wrote {output}. Read it before you send it.")
