"""What a backup costs: the first, one where nothing changed, one with a session more, reading all of it, and a restore.

    python -m bench.backup [--home FOLDER] [--sessions N] [--keep]

Each command runs as a whole, in a new process, on a folder of this machine, once plain and once encrypted. Without
`--home`, a home of N sessions is generated. The session more is a copy of one that is there, under another name. Beside
the seconds stand the bytes that were sent, and their share of those of the first backup.
"""

import json
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from afterwit.extras.backup.keys import make_key
from bench.homes import home_in, logs_of
from bench.processes import afterwit
from bench.results import command_line, report

SESSIONS = 300


class BackupCost(NamedTuple):
    what: str
    cpu_s: float
    wall_s: float
    sent_bytes: int
    share_of_first: float


def table(home: Path, scratch: Path) -> list[BackupCost]:
    """For a plain and an encrypted backup of what is learned from this home."""
    store = scratch / "store"
    own = Path(shutil.copytree(home, scratch / "home", symlinks=True))
    afterwit(own, store, "learn")
    make_key(scratch / "backup.key", 0)
    figures = []
    for name, key in (("plain", ()), ("encrypted", ("--key-file", str(scratch / "backup.key")))):
        target = str(scratch / name)
        create = ("store", "backup", "create", target, *key)
        figures += _created(own, store, name, create)
        for verb in ("verify", "restore"):
            more = ("--to", str(scratch / f"{name}-restored")) if verb == "restore" else ()
            done = afterwit(own, store, "store", "backup", verb, target, *key, *more)
            figures.append(BackupCost(f"{name}: {verb}", done.cpu_s, done.wall_s, 0, 0.0))
    return figures


def _created(home: Path, store: Path, name: str, create: tuple[str, ...]) -> list[BackupCost]:
    figures: list[BackupCost] = []
    for what in ("first", "nothing changed", "one session more"):
        if what == "one session more":
            _add_session(home, name)
            afterwit(home, store, "learn")
        before = _stored(Path(create[3]))
        done = afterwit(home, store, *create)
        sent = _stored(Path(create[3])) - before
        first = figures[0].sent_bytes if figures else sent
        figures.append(BackupCost(f"{name}: {what}", done.cpu_s, done.wall_s, sent, sent / first))
    return figures


def _add_session(home: Path, name: str) -> None:
    """The median log of Claude Code once more, with other ids."""
    logs = sorted((path for path in logs_of(home) if ".claude" in path.parts), key=lambda path: path.stat().st_size)
    chosen = logs[len(logs) // 2]
    ids = {json.loads(line).get("sessionId", "") for line in chosen.read_text("utf-8").splitlines()} - {""}
    text = chosen.read_text("utf-8")
    for session in ids:
        text = text.replace(session, f"{name}-{session}")
    for word in ("toolu_", "msg_", '"uuid":"', '"parentUuid":"', '"uuid": "', '"parentUuid": "'):
        text = text.replace(word, f"{word}{name}")
    chosen.with_name(f"{name}-{chosen.name}").write_text(text, "utf-8")


def _stored(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder.exists() else 0


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="afterwit-bench-") as folder:
        home = options.home or home_in(Path(folder) / "homes", options.sessions)
        figures = [cost._asdict() for cost in table(home, Path(folder))]
        report("backup", {"commands": figures}, keep=options.keep)


if __name__ == "__main__":
    main()
