"""`afterwit help`: all commands, where `--help` shows those of every day; with words, what that command says."""

import click

from afterwit.cli.commands import LazyGroup, command


@command("help", examples=("afterwit help", "afterwit help sessions list"))
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def help_(context: click.Context, words: tuple[str, ...]) -> None:
    """List all commands, or show the help of one."""
    place = context.find_root()
    for word in words:
        if not isinstance(place.command, click.Group):
            context.fail(f"`{place.command_path}` has no commands of its own.")
        name, subcommand, _ = place.command.resolve_command(place, [word])
        assert subcommand is not None
        place = click.Context(subcommand, parent=place, info_name=name)
    if words:
        click.echo(place.get_help())
        return
    assert isinstance(place.command, LazyGroup)
    formatter = place.make_formatter()
    place.command.format_all(place, formatter)
    click.echo(formatter.getvalue())
