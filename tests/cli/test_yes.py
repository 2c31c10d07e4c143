"""Whatever asks can be told beforehand: every command that asks takes `--yes`."""

import ast
import inspect
import sys
from collections.abc import Iterator

import click
from tests.every import for_every

from afterwit.cli.main import afterwit

_ASKING = {"is_confirmed", "ask_or_leave"}


def _commands(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, f"{path}{name} ")
        yield f"{path}{name}", command


COMMANDS = dict(_commands(afterwit))


def _asks(module: str, name: str, seen: set[tuple[str, str]]) -> bool:
    """Whether a function asks, or one that it names: of its module, or of another one of the command line."""
    if name in _ASKING:
        return True
    function = vars(sys.modules[module]).get(name)
    if isinstance(function, click.Command) and function.callback is not None:
        function = inspect.unwrap(function.callback)
    where = getattr(function, "__module__", "") or ""
    if (where, name) in seen or ".cli" not in where or not inspect.isfunction(function):
        return False
    seen.add((where, name))
    tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(function)))
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return any(_asks(where, other, seen) for other in names)


def _asking() -> list[str]:
    found = []
    for name, command in COMMANDS.items():
        function = inspect.unwrap(command.callback) if command.callback else None
        if inspect.isfunction(function) and _asks(function.__module__, function.__name__, set()):
            found.append(name)
    return found


ASKING = _asking()


def test_commands_that_ask_are_found() -> None:
    assert {"store evict", "templates auto", "memory delete", "connect agents"} <= set(ASKING)


@for_every("name", ASKING)
def test_a_command_that_asks_takes_yes(name: str) -> None:
    assert any("--yes" in parameter.opts for parameter in COMMANDS[name].params)
