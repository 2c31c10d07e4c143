"""The options that say what a note is: what it applies to, its category, the command to use, when it is shown.

The same for `add` and `edit`. What is not given is None; an edit leaves that as it is.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import click

from afterwit.cli.terminal.completing import repo_names
from afterwit.cli.terminal.options import Here, Option, added, many, refuse_unknown
from afterwit.knowledge.trigger_words import trigger_from
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import EVERYWHERE, Category, Scope, ScopeKind, Trigger
from afterwit.sessions.filters import known_repo
from afterwit.store.decisions import ItemChanges

_NONE = "none"
_EVERYWHERE = ("everywhere", str(EVERYWHERE))
_OPTIONS = (
    click.option(
        "--applies-to",
        cls=Option,
        earlier=("--scope",),
        metavar="WHERE",
        help="What it applies to: everywhere, repo:NAME or agent:NAME, as `show` prints it.",
    ),
    click.option(
        "--repo",
        metavar="NAME",
        help="The same as --applies-to repo:NAME. The last part of a name is enough.",
        shell_complete=repo_names,
    ),
    click.option("--agent", metavar="AGENT", help="The same as --applies-to agent:NAME."),
    click.option(
        "--category",
        type=click.Choice([category.value for category in Category]),
        metavar="CATEGORY",
        help=f"What it is: {', '.join(Category)}.",
    ),
    click.option(
        "--use",
        "advice",
        cls=Option,
        earlier=("--advice",),
        metavar="COMMAND",
        help='The command line to use; "" for none.',
    ),
    many("--file", "files", "PATH", 'A file that it is about; "" for none. Repeat for more.'),
    many(
        *("--shown-when", "triggers", "WHEN"),
        "Show it when this comes up: command:LINE (and all lines that begin so), path:PATTERN (such as src/**/*.py),"
        " rule:NAME (of a linter or compiler), topic:WORDS (all of them, in a task), tool:NAME (of an agent); none:"
        " at the start of a session. Repeat for more.",
        earlier=("--trigger",),
    ),
)


def described(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options, and passes what they mean as `changes`. Goes below `in_place`, which brings the store."""

    @functools.wraps(command)
    def wrapped(
        *args: Any,
        here: Here,
        applies_to: str | None,
        repo: str | None,
        agent: str | None,
        category: str | None,
        advice: str | None,
        files: Sequence[str],
        triggers: Sequence[str],
        **options: Any,
    ) -> Any:
        changes = ItemChanges(
            category=Category(category) if category is not None else None,
            scope=_scope(here, applies_to, repo, agent),
            triggers=_triggers(triggers) if triggers else None,
            advice=advice,
            files=tuple(filter(None, files)) if files else None,
        )
        return command(*args, here=here, changes=changes, **options)

    return added(_OPTIONS, wrapped)


def _scope(here: Here, applies_to: str | None, repo: str | None, agent: str | None) -> Scope | None:
    if sum(option is not None for option in (applies_to, repo, agent)) > 1:
        raise click.UsageError("Give only one of --applies-to, --repo and --agent.")
    if repo is not None:
        return Scope(ScopeKind.REPO, known_repo(here.world, repo))
    if agent is not None:
        return _of_agent(here, agent, "--agent")
    if applies_to is None:
        return None
    kind, _, name = (part.strip() for part in applies_to.partition(":"))
    if kind == ScopeKind.REPO and name:
        return Scope(ScopeKind.REPO, known_repo(here.world, name))
    if kind == ScopeKind.AGENT and name:
        return _of_agent(here, name, "--applies-to")
    if applies_to.strip() in _EVERYWHERE:
        return EVERYWHERE
    raise click.BadParameter(
        f"{applies_to!r} is none of everywhere, repo:NAME and agent:NAME.", param_hint="'--applies-to'"
    )


def _of_agent(here: Here, agent: str, option: str) -> Scope:
    refuse_unknown([agent], here.world.declared, option)
    return Scope(ScopeKind.AGENT, agent)


def _triggers(texts: Sequence[str]) -> tuple[Trigger, ...]:
    if _NONE in texts:
        if len(texts) > 1:
            raise _unfit("`none` cannot be combined with others.")
        return ()
    return tuple(map(_trigger, texts))


def _trigger(text: str) -> Trigger:
    try:
        return trigger_from(text)
    except UsageError as error:
        raise _unfit(str(error)) from error


def _unfit(what: str) -> click.BadParameter:
    return click.BadParameter(what, param_hint="'--shown-when'")
