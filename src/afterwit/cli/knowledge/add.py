"""`afterwit knowledge add`: an item in a person's own words."""

import click

from afterwit.actions.shell import parse
from afterwit.cli.agent_names import refuse_unknown
from afterwit.cli.commands import Command
from afterwit.cli.knowledge.judge import said
from afterwit.cli.knowledge.shapes import EXITS
from afterwit.cli.options import Here, as_json, in_place
from afterwit.cli.output import print_json, talk
from afterwit.digest.words import words_of
from afterwit.model.knowledge import EVERYWHERE, Category, Scope, ScopeKind, Trigger
from afterwit.usecases import curating
from afterwit.usecases.curating import Words
from afterwit.usecases.forgetting import known_repo


@click.command(
    cls=Command,
    examples=(
        'afterwit knowledge add "Prune in March, never after the first blossom." --repo orchard',
        'afterwit knowledge add "`make count` needs the tree index: run `make index` first." --on-command "make count"'
        ' --advice "make index"',
    ),
    exits=EXITS,
)
@click.argument("sentence")
@click.option("--repo", metavar="NAME", help="It holds in this repository: its name, or the last part of it.")
@click.option("--agent", metavar="AGENT", help="It holds for this agent.")
@click.option(
    "--category",
    type=click.Choice([category.value for category in Category]),
    default=Category.FACT.value,
    show_default=True,
    help="What it is.",
)
@click.option("--advice", default="", metavar="COMMAND", help="The command line to use.")
@click.option("--file", "files", multiple=True, metavar="PATH", help="It speaks of this file; repeat for more.")
@click.option("--on-command", "commands", multiple=True, metavar="COMMAND", help="It fires on commands that begin so.")
@click.option("--on-path", "paths", multiple=True, metavar="PATTERN", help="It fires on files like src/**/*.py.")
@click.option("--on-rule", "rules", multiple=True, metavar="RULE", help="It fires on this lint or compiler rule.")
@click.option("--on-topic", "topics", multiple=True, metavar="WORDS", help="It fires on tasks with all these words.")
@as_json
@in_place
def add(
    here: Here,
    sentence: str,
    repo: str | None,
    agent: str | None,
    category: str,
    advice: str,
    files: tuple[str, ...],
    commands: tuple[str, ...],
    paths: tuple[str, ...],
    rules: tuple[str, ...],
    topics: tuple[str, ...],
    is_json: bool,
) -> None:
    """Write an item yourself: one sentence of at most 240 characters that says when and what to do.

    It is approved with that. Without --repo or --agent it holds everywhere.
    """
    words = Words(
        sentence=sentence,
        category=Category(category),
        scope=_scope(here, repo, agent),
        advice=advice,
        files=files,
        triggers=(
            *map(_on_command, commands),
            *(Trigger(path=path) for path in paths),
            *(Trigger(rule=rule) for rule in rules),
            *(Trigger(topic=tuple(words_of(topic))) for topic in topics),
        ),
    )
    done = curating.add(here.world, words)
    if is_json:
        print_json(done)
    else:
        talk(said(done))


def _scope(here: Here, repo: str | None, agent: str | None) -> Scope:
    if repo is not None and agent is not None:
        raise click.UsageError("--repo or --agent, one of them.")
    if repo is not None:
        return Scope(ScopeKind.REPO, known_repo(here.world, repo))
    if agent is not None:
        refuse_unknown([agent], here.world.declared, "--agent")
        return Scope(ScopeKind.AGENT, agent)
    return EVERYWHERE


def _on_command(line: str) -> Trigger:
    found = parse(line).commands
    if len(found) != 1 or not found[0].program:
        raise click.BadParameter(f"{line!r} is not one simple command.", param_hint="--on-command")
    return Trigger(program=found[0].program, words=tuple(found[0].arguments))
