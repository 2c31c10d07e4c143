"""What shells offer where a pattern is to be named."""

from contextlib import suppress

import click
from click.shell_completion import CompletionItem

from afterwit.cli.terminal.completion import plain_items
from afterwit.model.errors import AfterwitError


def pattern_ids(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The patterns that recur, and those of the catalog."""
    from afterwit.cli.terminal.options import here_from
    from afterwit.extras.lab.patterns.show import all_ids

    with suppress(AfterwitError, OSError):
        world = here_from(ctx.params.get("config"), ctx.params.get("profile")).world
        return plain_items(all_ids(world), incomplete)
    return []
