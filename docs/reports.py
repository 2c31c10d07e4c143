"""Writes the report of the demo, which the documentation shows, with its charts.

    python docs/reports.py            writes docs/reference/report/demo/
    python docs/reports.py --check    writes nothing; exits 1 if a file there is not what the demo gives

The demo of a fixed day is learned in a folder that is removed afterwards. What it gives depends on our own code only.
"""

import datetime as dt
import shutil
import sys
import tempfile
from pathlib import Path

from afterwit.extras.demo.run import DemoPlace, demo_of, learn_demo, write_demo
from afterwit.measure.report import DASHBOARD, report

PLACE = Path(__file__).parent / "reference" / "report" / "demo"
DAY = dt.date(2026, 5, 1)
NOON_MS = int(dt.datetime.combine(DAY, dt.time(12), dt.UTC).timestamp()) * 1000


class _Unwatched:
    """A progress that nobody looks at."""

    def begin(self, files: int, total_bytes: int) -> None: ...

    def advance(self, files: int, done_bytes: int) -> None: ...

    def stage(self, label: str, count: int, unit: str) -> None: ...


def demo_report(folder: Path) -> dict[str, bytes]:
    """The page and its charts, by name. The folder is for the demo."""
    place = DemoPlace(folder, sys.platform)
    write_demo(place, DAY, ("afterwit",))
    demo = demo_of(place, NOON_MS)
    learn_demo(demo, _Unwatched())
    written = report(demo.world._replace(zone=dt.UTC), folder / "report", 0, _Unwatched())
    files = sorted(path for path in written.page.parent.iterdir() if path.name == DASHBOARD or path.suffix == ".svg")
    return {path.name: path.read_bytes() for path in files}


def present() -> dict[str, bytes]:
    """What the documentation shows."""
    return {path.name: path.read_bytes() for path in sorted(PLACE.glob("*"))}


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: python docs/reports.py [--check]\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        files = demo_report(Path(folder) / "demo")
    if arguments:
        stale = sorted(name for name, _ in files.items() ^ present().items())
        if stale:
            sys.stderr.write(f"docs/reference/report/demo is not up to date ({stale[0]}). Run `make docs`.\n")
        return 1 if stale else 0
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir(parents=True)
    for name, content in files.items():
        (PLACE / name).write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
