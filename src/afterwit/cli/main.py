"""The `afterwit` command: finds the subcommand, loads only that, and turns errors into messages and exit codes.

Exit codes: 0 fine, 1 failed, 2 wrong use, 3 partly done (also after Ctrl-C). A reader that goes away (`| head`) or was
never there (`>&-`) is no error. Every error that we know ends in a message; any other is a fault of ours, said so and
reported in a file. Never a traceback.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

import click

from afterwit import __version__
from afterwit.cli.commands import CliGroup, ExitCode, LazyGroup
from afterwit.config.extras import Subcommand
from afterwit.model.errors import AfterwitError, ConfigError, PartlyDoneError, UsageError
from afterwit.model.standard_streams import open_closed_streams

COMMANDS = {
    "learn": Subcommand(".learn:learn", "Read what your agents have logged since the last time."),
    "status": Subcommand(".status:status", "Show whether it works, whether it pays, and what waits."),
    "brief": Subcommand(".brief:brief", "The page that every session of a repository begins with."),
    "checks": Subcommand(".checks:checks", "What agents are kept from doing again."),
    "sessions": Subcommand(".sessions:sessions", "What was captured, and whose it is."),
    "knowledge": Subcommand(".knowledge:knowledge", "What was learned, and what people decide about it."),
    "recall": Subcommand(".recall:recall", "Show what a session would be told here."),
    "places": Subcommand(".recall:places", "Guess the files where the work of a task is, with reasons."),
    "blame": Subcommand(".blame:blame", "Show which session wrote each line, and what you had asked for."),
    "read": Subcommand(".read:read", "Let a model read sessions, and keep what the checks let pass."),
    "measure": Subcommand(".measure:measure", "Measure whether any of it helps."),
    "store": Subcommand(".store:store", "Sizes, checks, rebuilding, giving space back, backups; a hub."),
    "connect": Subcommand(".connect:connect", "Let agents hear from Afterwit, and see which do."),
    "disconnect": Subcommand(".connect.agents:disconnect", "Take out of agents' files what `connect` has put in."),
    "pause": Subcommand(".pause:pause", "Tell agents nothing for a while: here, one agent, or everywhere."),
    "resume": Subcommand(".pause:resume", "End all pauses."),
    "web": Subcommand(".servers:web", "Open a page in the browser: today, notes, sessions, search, proof."),
    "mcp": Subcommand(".servers:mcp", "Serve the notes to one agent, over standard input and output."),
    "hook": Subcommand(".servers:hook", "Answer one call of an agent's hook."),
    "doctor": Subcommand(".doctor:doctor", "Check that nothing is missed and that the store is sound."),
    "config": Subcommand(".config:config", "What is set, and where it comes from."),
    "help": Subcommand(".help:help_", "List all commands, or show the help of one."),
}
SHORT_NAMES = {
    "search": "sessions search",
    "show": "sessions show",
    "cost": "sessions cost",
    "review": "knowledge review",
    "why": "knowledge why",
    "undo": "knowledge undo",
    "exclude": "config exclude",
    "delete": "sessions delete",
}
# in the order of a life with it
FIRST = (
    *("learn", "brief", "review", "connect", "status", "search", "show", "cost", "blame", "checks", "web", "undo"),
    "pause",
)
_ALONE = "afterwit.alone"
_COMPLETING = "_AFTERWIT_COMPLETE"  # set by a shell that asks how a line goes on: any talk would land in that line


class _ReaderGoneError(Exception):
    """Nobody reads what we print. click would make exit code 1 of a broken pipe, so it travels under another name."""


@contextmanager
def _notice_the_reader() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise _ReaderGoneError from error


class _Top(LazyGroup):
    """Stays silent when its reader goes away, while it reads its arguments (help) and while it works. Called alone, it
    shows how things stand, once there is a store."""

    def make_context(self, *args: Any, **more: Any) -> click.Context:
        with _notice_the_reader():
            return super().make_context(*args, **more)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_ALONE] = not args and not ctx.resilient_parsing and _has_store()
        return super().parse_args(ctx, ["status"] if ctx.meta[_ALONE] else args)

    def invoke(self, ctx: click.Context) -> Any:
        with _notice_the_reader():
            result = super().invoke(ctx)
            if ctx.meta.get(_ALONE):
                click.echo("\n`afterwit --help` shows what else there is.")
            return result

    def overview(self, ctx: click.Context) -> str:
        return f"`{ctx.command_path} help` lists what there is."


def _has_store() -> bool:
    """Whether anything was ever learned here. A configuration that cannot be used is told by every other command."""
    from afterwit.config.show import load
    from afterwit.store.layout import Layout

    try:
        return Layout(load(os.environ, sys.platform).place.store).database.exists()
    except (AfterwitError, OSError):
        return False


@click.group(
    cls=_Top,
    package="afterwit.cli",
    entries=COMMANDS,
    short_names=SHORT_NAMES,
    first=FIRST,
    epilog="`afterwit help` lists all other commands; `afterwit COMMAND --help` says more about one.",
    extras_below="",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="afterwit", message="%(prog)s %(version)s")
def afterwit() -> None:
    """Reads the finished sessions of your coding agents and keeps what is worth keeping.

    Start with `afterwit learn`.
    """


def main() -> None:
    """The entry point."""
    open_closed_streams()
    sys.stdout, sys.stderr = sys.stdout or _stream(1), sys.stderr or _stream(2)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        code = _code()
        sys.stdout.flush()
    except (_ReaderGoneError, BrokenPipeError):
        code = ExitCode.FINE
        _leave_the_pipe()
    except Exception as error:  # noqa: BLE001 - the last resort: what gets here is a fault of ours
        code = ExitCode.FAILED if _COMPLETING in os.environ else _fault(error)
    sys.exit(code)


def _stream(descriptor: int) -> TextIO:
    return open(descriptor, "w", encoding="utf-8", closefd=False)


def _code() -> int:
    try:
        code = afterwit.main(prog_name="afterwit", standalone_mode=False)
    except click.ClickException as error:
        with _last_words():
            error.show()
        code = error.exit_code
    except (ConfigError, UsageError) as error:
        code = _say(str(error), ExitCode.WRONG_USE)
    except PartlyDoneError as error:
        code = _say(str(error), ExitCode.PARTLY_DONE)
    except AfterwitError as error:
        code = _say(str(error), ExitCode.FAILED)
    except BrokenPipeError:
        raise
    except OSError as error:
        code = _say(f"{error.strerror or error}: {error.filename or 'no file named'}.", ExitCode.FAILED)
    except (KeyboardInterrupt, click.Abort):
        code = _say("Stopped. What was done so far is kept; run the command again to go on.", ExitCode.PARTLY_DONE)
    return code if isinstance(code, int) else ExitCode.FINE


def _say(message: str, code: ExitCode) -> ExitCode:
    from afterwit.cli.terminal.output import talk

    with _last_words():
        talk(f"afterwit: {message}")
    return code


@contextmanager
def _last_words() -> Iterator[None]:
    """For the last words of a command: how it ended counts, whether anybody hears them or not."""
    try:
        yield
    except OSError:
        _leave_the_pipe()


def _fault(error: Exception) -> ExitCode:
    """Says that it is our fault, and where the report is."""
    from afterwit.engine.faults import describe_fault

    return _say(describe_fault(error, _name_command(sys.argv[1:])), ExitCode.FAILED)


def _name_command(words: Sequence[str]) -> str:
    """The command as it was called, without what was given to it: that can be anything."""
    kept: list[str] = []
    group: click.Command | None = afterwit
    for word in words:
        if isinstance(group, click.Group) and word in _names(group):
            kept.append(word)
            group = group.loaded_command(word) if isinstance(group, LazyGroup) else group.commands.get(word)
        else:
            name = word.partition("=")[0]
            is_option = group is not None and any(name in option.opts for option in group.params)
            kept.append(name if is_option else "…")
    return " ".join(["afterwit", *kept])


def _names(group: click.Group) -> list[str]:
    context = click.Context(group)
    return group.names(context) if isinstance(group, CliGroup) else group.list_commands(context)


def _leave_the_pipe() -> None:
    """Sends what is still buffered nowhere, so that the interpreter does not complain about it at its end."""
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        for descriptor in (1, 2):
            os.dup2(nowhere.fileno(), descriptor)
