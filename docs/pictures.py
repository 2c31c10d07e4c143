"""Draws the terminals that README and documentation show: the demo of a fixed day, in a real terminal.

    python docs/pictures.py            writes docs/pictures/*.svg
    python docs/pictures.py --check    writes nothing; exits 1 if a picture is not what the commands print

Each command runs in a process of its own, on a terminal of a fixed width, at noon of the day. Sizes of logs follow from
the length of their home's path, so that this is always the same. No picture may hold that path.
"""

import datetime as dt
import fcntl
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path
from typing import NamedTuple

from terminal_svg import Typed, terminal_svg

from afterwit.extras.demo.run import DemoPlace, demo_of, write_demo

PLACE = Path(__file__).parent / "pictures"
DAY = dt.date(2026, 5, 1)
NOON_MS = int(dt.datetime.combine(DAY, dt.time(12), dt.UTC).timestamp()) * 1000
_COLUMNS, _ROWS = 100, 200
_PATH_LENGTH = 160
_AT_NOON = """
import sys, time
noon_ns = int(sys.argv.pop(1))
time.time_ns = lambda: noon_ns
sys.argv[0] = "afterwit"
from afterwit.__main__ import main
main()
"""


class Picture(NamedTuple):
    name: str
    title: str
    commands: tuple[str, ...]


PICTURES = (
    Picture("learn", "What one command gives, on the invented sessions of the demo", ("afterwit learn",)),
    Picture("recall", "What a session is told at its start", ("afterwit recall --repo orchard",)),
    Picture("why", "What stands behind a note", ("afterwit knowledge why 79f4ed",)),
)


class PictureError(Exception):
    """A picture that cannot be drawn; the message says why."""


def drawn(folder: Path) -> dict[str, str]:
    """All pictures by the names of their files. The folder is for the demo."""
    place = DemoPlace(_of_fixed_length(folder), sys.platform)
    write_demo(place, DAY, ("afterwit",))
    return {
        f"{picture.name}.svg": terminal_svg(
            picture.title, [Typed(command, _printed(place, command)) for command in picture.commands], _COLUMNS
        )
        for picture in PICTURES
    }


def _of_fixed_length(folder: Path) -> Path:
    missing = _PATH_LENGTH - len(str(folder)) - 1
    if missing < 1:
        raise PictureError(f"{folder} is too long a path to draw pictures in; TMPDIR can name another folder.")
    return folder / ("d" * missing)


def _printed(place: DemoPlace, command: str) -> list[str]:
    """The lines that a terminal shows of a command on the demo."""
    words = [sys.executable, "-I", "-c", _AT_NOON, str(NOON_MS * 1_000_000), *command.split()[1:]]
    own = {"TERM": "dumb", "TZ": "UTC", "PATH": os.defpath, "LC_ALL": "C.UTF-8", "COLUMNS": str(_COLUMNS)}
    code, shown = _on_a_terminal(words, {**demo_of(place, NOON_MS).world.environ, **own})
    if code:
        raise PictureError(f"`{command}` ended with exit code {code}:\n{shown}")
    if str(place.folder) in shown.replace("\n", ""):
        raise PictureError(f"`{command}` prints where the demo lies, which differs from machine to machine.")
    return shown.strip("\n").split("\n")  # a progress bar leaves empty lines where no cursor can move


def _on_a_terminal(words: list[str], environ: dict[str, str]) -> tuple[int, str]:
    """Runs a program on a terminal of its own; its exit code, and all that it wrote there."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    with subprocess.Popen(
        words, env=environ, stdin=subprocess.DEVNULL, stdout=its, stderr=its, start_new_session=True
    ) as program:
        os.close(its)
        written = b"".join(iter(lambda: _read(ours), b""))
        os.close(ours)
    return program.returncode, written.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that nobody writes any more
        return b""


def present() -> dict[str, str]:
    """The pictures that are kept."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(PLACE.glob("*.svg"))}


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: python docs/pictures.py [--check]\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        pictures = drawn(Path(folder))
    if arguments:
        stale = sorted(name for name, _ in pictures.items() ^ present().items())
        if stale:
            sys.stderr.write(f"docs/pictures/{stale[0]} is not what the commands print. Run `make pictures`.\n")
        return 1 if stale else 0
    PLACE.mkdir(exist_ok=True)
    for left_over in present().keys() - pictures.keys():
        (PLACE / left_over).unlink()
    for name, picture in pictures.items():
        (PLACE / name).write_text(picture, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
