"""Streams that nobody reads, or that are closed from the start: every command ends as it would otherwise."""

import os
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from tests.cli.conftest import Run, command
from tests.thoroughness import STRIDE

from afterwit.cli.main import afterwit

pytestmark = pytest.mark.skipif(os.name != "posix", reason="closes descriptors before the program starts")

# One interpreter for all commands: each runs in a child whose streams are as a shell's `>&-` leaves them.
FORKED = """
import importlib, os, pkgutil, sys
from afterwit import cli
from afterwit.cli import main as entry
for module in pkgutil.walk_packages(cli.__path__, "afterwit.cli."):
    importlib.import_module(module.name)
closed = [int(number) for number in sys.argv[1].split(",")]
for line in sys.stdin.read().splitlines():
    child = os.fork()
    if not child:
        for number in closed:
            os.close(number)
        sys.stdout = None if 1 in closed else sys.stdout
        sys.stderr = None if 2 in closed else sys.stderr
        sys.argv = ["afterwit", *line.split()]
        try:
            entry.main()
        except SystemExit as end:
            os._exit(end.code or 0)
        os._exit(99)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), line, flush=True)
"""
DATA = ("sessions list --json", "sessions tools", "store stat", "store verify", "doctor", "config show", "learn")


def commands(group: click.Group, path: str = "") -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        yield f"{path}{name}"
        if isinstance(found, click.Group):
            yield from commands(found, f"{path}{name} ")


def ended(environ: dict[str, str], closed: str, lines: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", FORKED, closed],
        input="\n".join(lines),
        env=environ,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["1,2", "1", "2"][::STRIDE])
def test_the_help_of_every_command_ends_well_with_closed_streams(environ: dict[str, str], closed: str) -> None:
    lines = ["--help", "--version", *(f"{name} --help" for name in commands(afterwit))]
    done = ended(environ, closed, lines)
    said = [line for line in done.stdout.splitlines() if line.endswith(("--help", "--version")) and line[0].isdigit()]
    assert [line for line in said if not line.startswith("0 ")] == []
    assert len(said) == len(lines)
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["<&- >&- 2>&-", ">&-", "2>&-"][::STRIDE])
@pytest.mark.usefixtures("learned")
def test_commands_that_print_data_end_well_with_closed_streams(run: Run, environ: dict[str, str], closed: str) -> None:
    for words in DATA:
        done = shell(environ, f"{words} {closed}")
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), words


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_wrong_use_keeps_its_exit_code_with_closed_streams(environ: dict[str, str], closed: str) -> None:
    done = shell(environ, f"lern {closed}")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_wrong_use_keeps_its_exit_code_when_nobody_reads_the_message(environ: dict[str, str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command(["lern"]), env=environ, stderr=writing, check=False, timeout=60)
    os.close(writing)
    assert done.returncode == 2


@pytest.mark.parametrize("words", ["--help", "sessions", "learn --help"])
def test_help_that_nobody_reads_is_no_error(environ: dict[str, str], words: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        command(words.split()), env=environ, stdout=writing, stderr=subprocess.PIPE, text=True, check=False, timeout=60
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("event", ["start", "after"])
@pytest.mark.usefixtures("learned")
def test_a_hook_ends_with_0_and_notes_no_fault_with_closed_streams(
    run: Run, environ: dict[str, str], closed: str, event: str
) -> None:
    done = shell(environ, f"hook claude-code {event} {closed}")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)


def test_what_is_printed_never_goes_into_a_file_that_took_the_place_of_a_closed_stream(
    run: Run, environ: dict[str, str]
) -> None:
    assert shell(environ, "learn >&- 2>&-").returncode == 0
    assert run("store", "verify").returncode == 0


def shell(environ: dict[str, str], line: str) -> "subprocess.CompletedProcess[str]":
    program = "from afterwit.cli.main import main; main()"
    script = f"exec '{sys.executable}' -c '{program}' {line}"
    return subprocess.run(
        ["/bin/sh", "-c", script],
        env=environ,
        input="{}",
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
