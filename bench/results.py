"""Prints a table of figures, and keeps it as a run in the history of `bench/results/` if that is asked for.

Every run is written to `bench/data/<table>.json`, which belongs to this machine and holds the last one only. With
`--keep` it is also added to `bench/results/<table>.json`, one line for each run, the newest last: so a run on a busy
machine is not what later ones are compared with (`bench.compare`) unless somebody wants that. A run says when and at
which commit it was measured and on what kind of machine, but not on which.
"""

import argparse
import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

HISTORY = Path(__file__).with_name("results")
LAST = Path(__file__).with_name("data")
MOST_KEPT = 50
_DIGITS = 6  # that a figure is kept with
_ROOT = Path(__file__).parent.parent


class KeptRun(msgspec.Struct):
    """One run of a table."""

    date: str  # in UTC, to the second
    commit: str
    is_dirty: bool  # whether there were changes on top of the commit
    machine: dict[str, Any]
    figures: Any


def command_line(description: str | None) -> argparse.ArgumentParser:
    """The options that all tables have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true", help="add this run to the history that later ones are held to")
    return parser


def report(name: str, figures: Any, *, keep: bool) -> None:
    """Shows the figures of a run and notes them."""
    plain = msgspec.to_builtins(figures)
    this = KeptRun(_now(), *_commit(), _machine(), _rounded(plain))
    _write(LAST / f"{name}.json", [this])
    if keep:
        _write(HISTORY / f"{name}.json", [*history(name), this][-MOST_KEPT:])
    print(f"== {name}")
    _show(plain)


def history(name: str) -> list[KeptRun]:
    """The runs of a table that were kept, the oldest first."""
    return _read(HISTORY / f"{name}.json")


def last(name: str) -> KeptRun | None:
    """The last run of a table on this machine, kept or not."""
    return next(iter(_read(LAST / f"{name}.json")), None)


def tables() -> list[str]:
    """The tables that have a history."""
    return sorted(path.stem for path in HISTORY.glob("*.json"))


def _read(path: Path) -> list[KeptRun]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[KeptRun]) if path.exists() else []
    except msgspec.DecodeError as error:
        raise ValueError(f"{path.name} is no list of runs ({error}). Restore it from git.") from error


def _write(path: Path, runs: list[KeptRun]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"[\n%b\n]\n" % b",\n".join(map(msgspec.json.encode, runs)))


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _commit() -> tuple[str, bool]:
    """The commit at hand, and whether something else was measured. Kept runs themselves do not count."""
    commit = _git("rev-parse", "--short", "HEAD")
    changes = _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!bench/results")
    return commit or "unknown", bool(changes)


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=_ROOT, check=False, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip()


def _machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def _show(value: Any) -> None:
    """Figures by their names; rows as a table, if nothing hangs below them."""
    for one in value if isinstance(value, list) else [value]:
        for name, part in one.items():
            if not isinstance(part, list):
                print(f"{name:28s} {_cell(part)}")
            elif not part:
                continue
            elif any(isinstance(cell, list) for row in part for cell in row.values()):
                _show(part)
            else:
                print(name)
                _show_rows(part)


def _show_rows(rows: list[dict[str, Any]]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [names, *([_cell(row.get(name)) for name in names] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    is_text = [all(isinstance(row.get(name, ""), str) for row in rows) for name in names]
    for line in lines:
        cells = [
            cell.ljust(width) if text else cell.rjust(width)
            for cell, width, text in zip(line, widths, is_text, strict=True)
        ]
        print("  " + "  ".join(cells).rstrip())


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}" if abs(value) < 0.1 else f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else "" if value is None else str(value)
