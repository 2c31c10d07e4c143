"""`afterwit completion`: the script that lets a shell complete our commands.

What is offered then is in `terminal.completing`.
"""

import click
from click.shell_completion import ShellComplete, get_completion_class

from afterwit.cli.commands import command

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
