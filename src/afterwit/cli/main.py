"""The `afterwit` command: finds the subcommand, loads only that, and turns errors into messages and exit codes.

Exit codes: 0 fine, 1 failed, 2 wrong use, 3 partly done (also after Ctrl-C). A reader that goes away (`| head`) is no
error. Every error that we know ends in a message without a traceback.
"""

import os
import sys
from typing import Any

import click

from afterwit import __version__
from afterwit.cli.commands import ExitCode
from afterwit.cli.lazy import Entry, LazyGroup
from afterwit.model.errors import AfterwitError, ConfigError, UsageError

COMMANDS = {
    "learn": Entry("afterwit.cli.learn:learn", "Read what your agents have logged since the last time."),
    "sessions": Entry("afterwit.cli.sessions:sessions", "What was captured, and whose it is."),
    "knowledge": Entry("afterwit.cli.knowledge:knowledge", "What was learned, and what people decide about it."),
    "recall": Entry("afterwit.cli.recall:recall", "Show what a session would be told here."),
    "sample": Entry("afterwit.cli.sample:sample", "Say which sessions to read or harvest first, and why."),
    "memory": Entry("afterwit.cli.memory:memory", "Remember what users and agents prefer, across sessions."),
    "measure": Entry("afterwit.cli.measure:measure", "Measure whether any of it helps."),
    "store": Entry("afterwit.cli.store:store", "Sizes, checks, rebuilding, giving space back."),
    "connect": Entry(
        "afterwit.cli.connect:connect", "Connect Afterwit with other programs, and see what is connected."
    ),
    "disconnect": Entry("afterwit.cli.disconnect:disconnect", "Take out of agents' files what `connect` has put in."),
    "mcp": Entry("afterwit.cli.mcp:mcp", "Serve what is known to one agent, over standard input and output."),
    "hook": Entry("afterwit.cli.hook:hook", "Answer one call of an agent's hook."),
    "demo": Entry("afterwit.cli.demo:demo", "Show what Afterwit does, on invented sessions."),
    "doctor": Entry("afterwit.cli.doctor:doctor", "Check that nothing is missed and that the store is sound."),
    "config": Entry("afterwit.cli.config:config", "What is set, and where it comes from."),
}


class _Top(LazyGroup):
    """Stays silent when its reader goes away."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _leave_the_pipe()
            raise click.exceptions.Exit(ExitCode.FINE) from None


@click.group(
    cls=_Top,
    entries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
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
