"""Tables and numbers, in pipes and on terminals."""

import os
import re
import subprocess

import pytest
from tests.cli.conftest import Run, command

from afterwit.cli.output import human_bytes, human_count, print_table

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
posix_only = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")


def on_terminal(arguments: list[str], environ: dict[str, str], columns: int = 80) -> str:
    """What a terminal of this width is sent."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    done = subprocess.Popen(
        command(arguments), env=environ | {"TERM": "xterm"}, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    sent = bytearray()
    try:
        while piece := os.read(ours, 65536):
            sent += piece
    except OSError:
        pass  # how Linux says that the other end was closed
    os.close(ours)
    assert done.wait() == 0
    return sent.decode()


@posix_only
@pytest.mark.parametrize("name", ["repos", "tools", "users"])
def test_tables_fit_a_terminal_of_80_columns(run: Run, environ: dict[str, str], name: str) -> None:
    run("learn")
    lines = ESCAPE.sub("", on_terminal(["sessions", name], environ)).splitlines()
    assert max(len(line) for line in lines) <= 80
    assert not any("…" in line for line in lines)


@posix_only
def test_a_terminal_gets_escapes_and_no_color_takes_them_away(run: Run, environ: dict[str, str]) -> None:
    run("learn")
    assert "\x1b" in on_terminal(["sessions", "tools"], environ)
    assert "\x1b" not in on_terminal(["sessions", "tools"], environ | {"NO_COLOR": "1"})


@posix_only
def test_a_terminal_sees_how_far_how_fast_and_how_much_longer(environ: dict[str, str]) -> None:
    sent = ESCAPE.sub("", on_terminal(["learn"], environ))
    assert re.search(r"learning .* (?:kB|bytes) .*\d+:\d\d.* \d/5 files", sent)


def test_a_pipe_gets_whole_lines_without_escapes(run: Run) -> None:
    run("learn")
    done = run("sessions", "repos", COLUMNS="40")
    assert "\x1b" not in done.stdout
    assert all(line == line.rstrip() for line in done.stdout.splitlines())
    assert any("/src/old-orchard" in line and line.endswith("folder name") for line in done.stdout.splitlines())


def test_output_that_the_encoding_lacks_does_not_stop_the_command(run: Run) -> None:
    run("learn")
    done = run("sessions", "users", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert "user:" in done.stdout


def test_columns_that_say_nothing_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name", "failed", "note"), [("a", 0, ""), ("b", 0, "")], optional=frozenset({"failed", "note"}))
    assert capsys.readouterr().out.splitlines()[0] == "name"


def test_markup_in_a_cell_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name",), [("[red]:apple:[/red]",)])
    assert "[red]:apple:[/red]" in capsys.readouterr().out


def test_long_cells_are_whole_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name", "note"), [("a", "x" * 5000)])
    assert "x" * 5000 in capsys.readouterr().out


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (999, "999 B"), (1234567, "1.2 MB"), (123_456_789, "123 MB"), (5e15, "5000 TB")]
)
def test_sizes_are_readable(size: float, text: str) -> None:
    assert human_bytes(size) == text


def test_numbers_have_nouns() -> None:
    assert human_count(1, "session") == "1 session"
    assert human_count(1200, "session") == "1,200 sessions"
    assert human_count(2, "entry", "entries") == "2 entries"
    assert human_count(1200) == "1,200"
