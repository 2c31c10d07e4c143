"""The `afterwit` command: finds the subcommand, loads only that, and turns errors into messages and exit codes.

Exit codes: 0 fine, 1 failed, 2 wrong use, 3 partly done (also after Ctrl-C). A reader that goes away (`| head`) is no
error. Every error that we know ends in a message without a traceback.
"""

import os
import sys
from importlib import import_module
from typing import Any, NamedTuple

import click

from afterwit import __version__
from afterwit.cli.commands import ExitCode, Group
from afterwit.model.errors import AfterwitError, ConfigError, UsageError


class Entry(NamedTuple):
    """Where a subcommand is, and the line that the overview shows of it without loading it."""

    place: str
    line: str


COMMANDS = {
    "learn": Entry("afterwit.cli.learn:learn", "Read what your agents have logged since the last time."),
    "sessions": Entry("afterwit.cli.sessions:sessions", "What was captured, and whose it is."),
    "store": Entry("afterwit.cli.store:store", "Sizes, checks, rebuilding, giving space back."),
    "config": Entry("afterwit.cli.config:config", "What is set, and where it comes from."),
}


class LazyGroup(Group):
    """Imports a subcommand when it is called, not before."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].place.partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.line) for name, entry in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _leave_the_pipe()
            raise click.exceptions.Exit(ExitCode.FINE) from None


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="afterwit", message="%(prog)s %(version)s")
def afterwit() -> None:
    """Reads the finished sessions of your coding agents and keeps what is worth keeping.

    Start with `afterwit learn`.
    """


def main() -> None:
    """The entry point."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    sys.exit(_code())


def _code() -> int:
    try:
        code = afterwit.main(prog_name="afterwit", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (ConfigError, UsageError) as error:
        code = _say(str(error), ExitCode.WRONG_USE)
    except AfterwitError as error:
        code = _say(str(error), ExitCode.FAILED)
    except OSError as error:
        code = _say(f"{error.strerror or error}: {error.filename or 'no file named'}.", ExitCode.FAILED)
    except (KeyboardInterrupt, click.Abort):
        code = _say("Stopped. What was done so far is kept; run the command again to go on.", ExitCode.PARTLY_DONE)
    return code if isinstance(code, int) else ExitCode.FINE


def _say(message: str, code: ExitCode) -> int:
    click.echo(f"afterwit: {message}", err=True)
    return code


def _leave_the_pipe() -> None:
    """Sends what is still buffered nowhere, so that the interpreter does not complain about it at its end."""
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
