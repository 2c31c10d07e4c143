"""What commands print, in pipes and on terminals."""

import os
import re
import subprocess

import pytest
from tests.cli.conftest import Run, command

from afterwit.cli.terminal.output import print_text
from afterwit.model.figures import human_bytes, human_count

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
@pytest.mark.usefixtures("learned")
def test_tables_fit_a_terminal_of_80_columns(run: Run, environ: dict[str, str], name: str) -> None:
    lines = ESCAPE.sub("", on_terminal(["sessions", name], environ)).splitlines()
    assert max(len(line) for line in lines) <= 80
    assert not any("…" in line for line in lines)


@posix_only
@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.usefixtures("learned")
def test_the_doctor_cuts_no_number_on_a_narrow_terminal(run: Run, environ: dict[str, str], columns: int) -> None:
    lines = ESCAPE.sub("", on_terminal(["doctor"], environ, columns)).splitlines()
    tables = [line.split() for line in lines if line.startswith("version")]
    assert tables
    assert all({"sessions", "actions", "last", "session"} <= set(heading) for heading in tables)
    assert not any("…" in line for line in lines)
    assert max(len(line) for line in lines if not line.startswith("store")) <= columns


@posix_only
@pytest.mark.usefixtures("learned")
def test_tables_without_room_lose_nothing(run: Run, environ: dict[str, str]) -> None:
    lines = ESCAPE.sub("", on_terminal(["sessions", "tools"], environ, 40)).splitlines()
    agents = "".join(line.split("  ")[0].strip() for line in lines)
    assert "claude-code" in agents
    assert max(len(line) for line in lines) <= 40


@posix_only
@pytest.mark.usefixtures("learned")
def test_a_terminal_gets_escapes_and_no_color_takes_them_away(run: Run, environ: dict[str, str]) -> None:
    assert "\x1b" in on_terminal(["sessions", "tools"], environ)
    assert "\x1b" not in on_terminal(["sessions", "tools"], environ | {"NO_COLOR": "1"})


@posix_only
def test_a_terminal_sees_how_far_how_fast_and_how_much_longer(environ: dict[str, str]) -> None:
    sent = ESCAPE.sub("", on_terminal(["learn"], environ))
    assert re.search(r"learning .* (?:kB|bytes) .*\d+:\d\d.* \d/5 files", sent)


@pytest.mark.usefixtures("learned")
def test_a_pipe_gets_whole_lines_without_escapes(run: Run) -> None:
    done = run("sessions", "repos", COLUMNS="40")
    assert "\x1b" not in done.stdout
    assert all(line == line.rstrip() for line in done.stdout.splitlines())
    assert any("/src/old-orchard" in line and line.endswith("folder name") for line in done.stdout.splitlines())


@pytest.mark.usefixtures("learned")
def test_output_that_the_encoding_lacks_does_not_stop_the_command(run: Run) -> None:
    done = run("sessions", "users", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert "user:" in done.stdout


def test_text_begins_as_asked_and_is_one_line_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    print_text("apples " * 40, first="in   ", rest="     ")
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("in   apples apples")


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
