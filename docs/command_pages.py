"""What a page about a command says, as data: read from the commands themselves, in the order of the overview.

`generate.py` makes Markdown of it, `man.py` makes manual pages of it.
"""

import inspect
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import click

from afterwit.cli.commands import CliCommand, LazyGroup
from afterwit.cli.main import afterwit


class OptionText(NamedTuple):
    names: tuple[str, ...]  # with what they take
    meaning: str
    default: str


class ChildText(NamedTuple):
    name: str  # whole, such as `afterwit store stat`
    first: str  # its first paragraph


class CommandText(NamedTuple):
    """One command, or one group."""

    name: str
    usage: str
    paragraphs: tuple[str, ...]
    children: tuple[ChildText, ...]
    short_names: Mapping[str, str]  # of other commands, whole names both
    short_name: str  # its own, whole; "" for most
    options: tuple[OptionText, ...]
    exits: tuple[tuple[int, str], ...]
    examples: tuple[str, ...]


def command_texts() -> Iterator[CommandText]:
    """All commands. One that has a short name is told once."""
    context = click.Context(afterwit, info_name="afterwit", **afterwit.context_settings)
    short = {long: name for name, long in _whole(afterwit).items()}
    for own, name in _walk(afterwit, context):
        yield _text(own, name, short.get(name, ""))


def _whole(command: click.Command) -> dict[str, str]:
    names = command.short_names if isinstance(command, LazyGroup) else {}
    return {f"afterwit {name}": f"afterwit {long}" for name, long in names.items()}


def _walk(command: click.Command, context: click.Context) -> Iterator[tuple[click.Context, str]]:
    yield context, context.command_path
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from _walk(child, click.Context(child, parent=context, info_name=name))


def _text(context: click.Context, name: str, short_name: str) -> CommandText:
    command = context.command
    own = command if isinstance(command, CliCommand) else None
    return CommandText(
        name=name,
        usage=" ".join([name, *command.collect_usage_pieces(context)]),
        paragraphs=_paragraphs(command.help or ""),
        children=tuple(_children(command, context, name)) if isinstance(command, click.Group) else (),
        short_names=_whole(command),
        short_name=short_name,
        options=tuple(
            OptionText(_declared(option), _meaning(option), _default(option))
            for option in command.get_params(context)
            if isinstance(option, click.Option)
        ),
        exits=tuple((int(code), text) for code, text in sorted(own.exits.items())) if own else (),
        examples=own.examples if own else (),
    )


def _children(group: click.Group, context: click.Context, name: str) -> Iterator[ChildText]:
    for child in group.list_commands(context):
        command = group.get_command(context, child)
        assert command is not None
        yield ChildText(f"{name} {child}", _paragraphs(command.help or "")[0])


def _declared(option: click.Option) -> tuple[str, ...]:
    value = "" if option.is_flag else f" {option.metavar or option.type.name.upper()}"
    return tuple(f"{name}{value}" for name in sorted(option.opts, key=len))


def _meaning(option: click.Option) -> str:
    text = option.help or ""
    if isinstance(option.type, click.Choice):
        text += f" One of: {', '.join(str(choice) for choice in option.type.choices)}."
    return text


def _default(option: click.Option) -> str:
    is_value = isinstance(option.default, int | float | str) and not option.is_flag
    return str(option.default) if is_value else ""


def _paragraphs(text: str) -> tuple[str, ...]:
    """A docstring with one line per paragraph."""
    return tuple(" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))
