"""What a shell is offered while somebody types (repositories, sessions, agents), and `afterwit completion`, the script
that makes it ask.

Called at every press of the tab key, so it only reads, loads the store's modules only then, and says nothing about any
fault: without a store, or with one that cannot be read, there is nothing to offer. Names come from logs and land on a
command line, so only those are offered that no shell takes for anything but a word.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from afterwit.model.errors import AfterwitError

if TYPE_CHECKING:
    import apsw
from click.shell_completion import ShellComplete, get_completion_class

from afterwit.cli.commands import command

Completing = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

_PLAIN = re.compile(r"[A-Za-z0-9_./@+][A-Za-z0-9_./@+-]*")
_MOST_SESSIONS = 50
_TITLE = 60


def plain_items(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """The names that begin so, and that are plain words."""
    return [CompletionItem(name) for name in names if name.startswith(incomplete) and _PLAIN.fullmatch(name)]


def repo_names(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Repositories, by as little of their names as tells them apart; else by the whole."""
    from afterwit.repos.remotes import short_names
    from afterwit.sessions.filters import known_repos

    with suppress(AfterwitError, OSError), _store(ctx) as db:
        names = short_names(known_repos(db))
        return plain_items(sorted({*names.values()}), incomplete) or plain_items(names, incomplete)
    return []


def session_ids(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The latest sessions whose id begins so, with their titles where the shell shows such."""
    from afterwit.redaction.hygiene import clean
    from afterwit.sessions.filters import one_line
    from afterwit.store.rows.session_list import latest_beginning

    with suppress(AfterwitError, OSError), _store(ctx) as db:
        rows = latest_beginning(db, incomplete, _MOST_SESSIONS)
        titles = {row.native_id: one_line(clean(row.title or row.task), _TITLE) for row in rows}
        return [CompletionItem(item.value, help=titles[item.value]) for item in plain_items(titles, incomplete)]
    return []


def template_ids(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The templates of the store."""
    from afterwit.cli.terminal.options import here_from
    from afterwit.store.template_files import read_templates

    with suppress(AfterwitError, OSError):
        layout = here_from(ctx.params.get("config"), ctx.params.get("profile")).world.layout
        return plain_items((template.id for template in read_templates(layout).templates), incomplete)
    return []


def reading_ways(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ways to a model that reads."""
    from afterwit.reader.ways.way import way_names

    return plain_items(way_names(), incomplete)


def connectable_agents(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The agents that can be connected."""
    from afterwit.agents.registry import connectable

    return plain_items(connectable(), incomplete)


@contextmanager
def _store(ctx: click.Context) -> "Iterator[apsw.Connection]":
    """The store that the options typed so far lead to."""
    from afterwit.cli.terminal.options import here_from
    from afterwit.store.store import readonly_database

    here = here_from(ctx.params.get("config"), ctx.params.get("profile"))
    with readonly_database(here.world.layout) as db:
        yield db


VARIABLE = "_AFTERWIT_COMPLETE"  # with which a shell asks; click looks for this name
_SHELLS = ("bash", "zsh", "fish")


@command(
    examples=(
        'eval "$(afterwit completion bash)"',
        'eval "$(afterwit completion zsh)"',
        "afterwit completion fish | source",
    )
)
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print what lets your shell complete commands.

    Put the line for your shell (see below) into ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish. Then the tab key
    completes commands, options, agents, repositories and session ids.
    """
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(ShellComplete.source(kind(ctx.find_root().command, {}, "afterwit", VARIABLE)))
