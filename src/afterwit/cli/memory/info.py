"""`afterwit memory info`: which backend is in use, who sees the data, what waits."""

import click

from afterwit.cli.commands import Command
from afterwit.cli.memory.user import as_user
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import human_count, print_json, print_line, talk
from afterwit.memory import api as memory
from afterwit.memory.api import Info


@click.command(cls=Command, examples=("afterwit memory info", "afterwit memory info --json"))
@as_user
@as_json
@in_place
def info(here: Here, user: str | None, is_json: bool) -> None:
    """Show which backend is in use, who sees the data, what waits.

    Tries to deliver what waits.
    """
    found = memory.info(here.world, user)
    if is_json:
        print_json(found)
    else:
        _show(found)


def _show(found: Info) -> None:
    state = "available" if found.is_available else "not available"
    print_line(f"backend  {found.backend} ({found.source}), {state}")
    print_line(f"user     {found.user}")
    print_line(f"privacy  {'Data leave this machine. ' if found.leaves_machine else ''}{found.privacy}")
    for operation, why in found.unsupported.items():
        print_line(f"cannot   {operation}: {why}")
    for backend, count in found.waiting.items():
        print_line(f"waiting  {human_count(count, 'write')} for {backend}")
    for one in found.set_aside:
        print_line(f"refused  {one.key} of {one.user}: {one.reason}")
    if found.reason:
        talk(found.reason)
