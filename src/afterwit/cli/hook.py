"""`afterwit hook`: the same as `afterwit-hook`, which agents call because it starts faster."""

import sys

import click

from afterwit.cli.commands import command


@command(
    context_settings={"ignore_unknown_options": True},
    examples=["afterwit hook claude-code start < input.json"],
)
@click.argument("agent")
@click.argument("event")
@click.argument("flags", nargs=-1)
def hook(agent: str, event: str, flags: tuple[str, ...]) -> None:
    """Answer one call of an agent's hook.

    Reads what the agent says on standard input, and prints what this agent accepts, mostly nothing. EVENT is start,
    prompt, before, after, compact or end; --refuse and --rewrite allow what `afterwit connect` was asked for. Always
    exits 0.
    """
    from afterwit.recall.hook.entry import main

    sys.argv = ["afterwit-hook", agent, event, *flags]
    main()
