"""`afterwit sessions pin` and `unpin`: whose originals stay, whatever the storage budget says."""

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.completing import session_ids
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, talk
from afterwit.sessions.pin import Pinned
from afterwit.sessions.pin import pin as run

_EXITS = {
    ExitCode.FAILED: "There is no store yet, or it cannot be used.",
    ExitCode.WRONG_USE: "No such session. Nothing is decided.",
}


@command(examples=("afterwit sessions pin 5ea50001", "afterwit sessions pin 5ea50001 0c0de001"), exits=_EXITS)
@click.argument("sessions", nargs=-1, required=True, metavar="SESSION...", shell_complete=session_ids)
@reporting
def pin(here: Here, sessions: tuple[str, ...], is_json: bool) -> None:
    """Keep the originals of sessions, whatever the storage budget says.

    SESSION is an id or the beginning of one. `afterwit sessions unpin` takes it back.
    """
    _show(run(here.world, sessions), is_json=is_json)


@command(examples=("afterwit sessions unpin 5ea50001",), exits=_EXITS)
@click.argument("sessions", nargs=-1, required=True, metavar="SESSION...", shell_complete=session_ids)
@reporting
def unpin(here: Here, sessions: tuple[str, ...], is_json: bool) -> None:
    """Let the storage budget decide again about the originals of sessions.

    SESSION is an id or the beginning of one.
    """
    _show(run(here.world, sessions, is_wanted=False), is_json=is_json)


def _show(done: list[Pinned], *, is_json: bool) -> None:
    if is_json:
        print_json(done)
        return
    for session in done:
        when = "now" if session.has_changed else "already"
        talk(f"{session.session} is {'pinned' if session.is_pinned else 'not pinned'} {when}.")
        if session.is_pinned and session.is_dropped:
            talk(f"An original of {session.session} was dropped before: `afterwit store dropped` lists it.")
