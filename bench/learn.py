"""What `learn` costs: CPU beside one `orjson.loads` per line, part by part, memory, and the size of what it keeps.

Run as `python -m bench.learn [--sessions N] [--home FOLDER] [--full]`. Everything is measured in one run on the same
generated home. `--full` adds 2,000 and 21,000 sessions (some 7 GB on disk, an hour).
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import orjson

from afterwit.actions import steps
from afterwit.actions.shell import parse
from afterwit.agents.claude_code.reader import ClaudeCodeReading
from afterwit.agents.codex.reader import CodexReading
from afterwit.capture import derive
from afterwit.capture.assembly import calls, notes, texts
from afterwit.capture.assembly.assemble import Assembler
from afterwit.capture.commit import Committer
from afterwit.config.show import load
from afterwit.config.world import World
from afterwit.guard.redaction import Redactor
from afterwit.learn import learn as learning
from afterwit.learn.learn import learn
from afterwit.learn.unchanged import nothing_new
from afterwit.model.learn_run import Options
from afterwit.sources.lines import Tap
from afterwit.store import database
from afterwit.store.archive import Archive
from afterwit.store.frames import Packer
from afterwit.store.layout import Layout
from afterwit.store.rows import parts
from afterwit.store.rows.items import all_items
from afterwit.store.rows.sessions import count_sessions
from afterwit.store.store import opened
from bench.homes import LENGTH, write_home
from bench.processes import afterwit
from bench.results import report
from bench.shape import AGENTS
from bench.stopwatch import Seam, watching

DEFAULT_SESSIONS = 300
_REPEATS = 5
_NOW_MS = 1_800_000_000_000
_REST = "rest: plan, hand over between processes"
_DIGEST, _NOTES = "digest", "notes for the digest"
_READ, _FRAME, _DECODE = _PARSE = ("read, hash", "frame lines", "decode (reader)")
_SEAMS = [
    Seam(Tap, "readinto", _READ),
    Seam(Packer, "add", "pack (zstd)"),
    Seam(Packer, "finish", "pack (zstd)"),
    Seam(getattr(derive, "_Reading"), "run", _FRAME),  # noqa: B009
    Seam(ClaudeCodeReading, "feed", _DECODE),
    Seam(CodexReading, "feed", _DECODE),
    Seam(Assembler, "take", "assemble"),
    Seam(Assembler, "captured", "assemble"),
    Seam(Redactor, "text", "redact"),
    Seam(Redactor, "path", "redact"),
    Seam(texts, "clean", "clean text"),
    Seam(parse, "parse", "parse command lines"),
    Seam(steps, "judge", "judge outcomes"),
    Seam(calls, "telling_part", "judge outcomes"),
    Seam(Committer, "put", "rows (SQLite)"),
    Seam(Committer, "settle", "rows (SQLite)"),
    Seam(parts, "put_rows", "rows (SQLite)"),
    Seam(parts, "put_texts", "index (full text)"),
    Seam(Archive, "append", "archive: write"),
    Seam(Archive, "flush", "archive: write"),
    Seam(notes, "of_text", _NOTES),
    Seam(notes, "of_call", _NOTES),
    Seam(notes, "of_result", _NOTES),
    Seam(learning, "digest_pending", _DIGEST),
    Seam(learning, "harvest", "harvest"),
    Seam(os, "fsync", "fsync"),
    Seam(database, "_complete", "commit (SQLite, index merges)"),
]


class Part(msgspec.Struct):
    part: str
    cpu_s: float
    of_orjson: float
    share: float


class Learned(msgspec.Struct, kw_only=True):
    """One home."""

    sessions: int
    input_mb: float
    lines: int
    orjson_s: float
    learn_cpu_s: float
    learn_of_orjson: float
    parts: list[Part]
    one_core_wall_s: float
    two_cores_wall_s: float
    two_cores_speedup: float
    two_cores_cpu_s: float
    peak_mb_one_job: float
    peak_mb_two_jobs: float
    stat_s: float
    sweep_s: float
    sweep_of_stat: float
    sweep_command_cpu_s: float
    stored_sessions: int  # with subagents
    sightings: int
    items: int
    reharvest_command_cpu_s: float
    reharvest_wall_s: float
    reharvest_peak_mb: float
    database_of_input: float
    archive_of_input: float
    digest_of_parse: float  # CPU of digesting, beside reading, framing and decoding in the same run
    notes_of_parse: float  # the same for what capture keeps for the digest
    digests_of_input: float


class Silent:
    """A progress that nobody watches."""

    def begin(self, files: int, total_bytes: int) -> None: ...

    def advance(self, files: int, done_bytes: int) -> None: ...
    def stage(self, label: str, count: int, unit: str) -> None: ...


def measure(home: Path, scratch: Path) -> Learned:
    """All figures of one home. Stores are written below `scratch` and removed."""
    logs = _logs(home)
    input_bytes = sum(path.stat().st_size for path in logs)
    lines, orjson_s = min((_orjson(logs) for _ in range(_REPEATS)), key=lambda found: found[1])
    learn_cpu_s = _cpu(lambda: _learn(home, scratch / "plain"))
    split = _split(home, scratch / "watched", orjson_s)
    one = afterwit(home, scratch / "one", "learn", "--jobs", "1")
    two = afterwit(home, scratch / "two", "learn", "--jobs", "2")
    stat_s = min(_cpu(lambda: [os.stat(path) for path in logs]) for _ in range(_REPEATS))  # noqa: PTH116
    sweep_s = min(_cpu(lambda: _glance(home, scratch / "plain")) for _ in range(_REPEATS))
    sweep = min(afterwit(home, scratch / "plain", "learn").cpu_s for _ in range(_REPEATS))
    again = afterwit(home, scratch / "plain", "learn", "--reharvest")
    figures = Learned(
        sessions=len(logs),
        input_mb=input_bytes / 1e6,
        lines=lines,
        orjson_s=orjson_s,
        learn_cpu_s=learn_cpu_s,
        learn_of_orjson=learn_cpu_s / orjson_s,
        parts=split,
        one_core_wall_s=one.wall_s,
        two_cores_wall_s=two.wall_s,
        two_cores_speedup=one.wall_s / two.wall_s,
        two_cores_cpu_s=two.cpu_s,
        peak_mb_one_job=one.peak_mb,
        peak_mb_two_jobs=two.peak_mb,
        stat_s=stat_s,
        sweep_s=sweep_s,
        sweep_of_stat=sweep_s / stat_s,
        sweep_command_cpu_s=sweep,
        **_counts(scratch / "plain"),
        reharvest_command_cpu_s=again.cpu_s,
        reharvest_wall_s=again.wall_s,
        reharvest_peak_mb=again.peak_mb,
        database_of_input=_size(scratch / "plain", "*.db*") / input_bytes,
        archive_of_input=_size(scratch / "plain" / "archive", "**/*") / input_bytes,
        digest_of_parse=_of_parse(split, _DIGEST),
        notes_of_parse=_of_parse(split, _NOTES),
        digests_of_input=_digest_bytes(scratch / "plain") / input_bytes,
    )
    shutil.rmtree(scratch)
    return figures


def world_of(home: Path, store: Path) -> World:
    """A home of its own, so that nothing of this machine is read."""
    surroundings = {"HOME": str(home), "AFTERWIT_HOME": str(store)}
    configured = load(surroundings, sys.platform)
    return World(
        layout=Layout(configured.place.store),
        settings=configured.settings,
        user_home=home,
        environ=surroundings,
        now_ms=_NOW_MS,
    )


def _logs(home: Path) -> list[Path]:
    return sorted(path for pattern in AGENTS.values() for path in home.glob(pattern))


def _learn(home: Path, store: Path) -> None:
    learn(world_of(home, store), Options(jobs=1), Silent())


def _glance(home: Path, store: Path) -> None:
    """What `learn` does where nothing has changed."""
    if nothing_new(world_of(home, store)) is None:
        raise RuntimeError("Something changed while it was measured.")


def _counts(store: Path) -> dict[str, int]:
    with opened(Layout(store)) as one:
        return {
            "stored_sessions": count_sessions(one.db),
            "sightings": one.db.execute("SELECT count(*) FROM sightings").get,
            "items": sum(1 for _ in all_items(one.db)),
        }


def _orjson(logs: list[Path]) -> tuple[int, float]:
    """The floor: one pass over all files that decodes every line once and keeps nothing."""
    count, started = 0, time.process_time()
    for path in logs:
        with path.open("rb") as file:
            for line in file:
                count += orjson.loads(line) is not None
    return count, time.process_time() - started


def _split(home: Path, store: Path, orjson_s: float) -> list[Part]:
    """The parts of a run under the stopwatch, dearest first."""
    with watching(_SEAMS, _REST) as watch:
        _learn(home, store)
    whole = sum(watch.seconds.values())
    dearest = sorted(watch.seconds.items(), key=lambda item: -item[1])
    return [Part(part, seconds, seconds / orjson_s, seconds / whole) for part, seconds in dearest]


def _of_parse(split: list[Part], part: str) -> float:
    seconds = {part.part: part.cpu_s for part in split}
    return seconds[part] / sum(seconds[name] for name in _PARSE)


def _digest_bytes(store: Path) -> int:
    with opened(Layout(store)) as one:
        return int(one.db.execute("SELECT ifnull(sum(length(body)), 0) FROM digests").get)


def _cpu(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _size(folder: Path, pattern: str) -> int:
    return sum(path.stat().st_size for path in folder.glob(pattern) if path.is_file())


def table(sessions: int = DEFAULT_SESSIONS, home: Path | None = None, *, full: bool = False) -> list[Learned]:
    """Measures a generated home of this many sessions, or the given one; with `full` both large ones."""
    with tempfile.TemporaryDirectory(prefix="afterwit-bench-") as folder:
        if home is not None:
            return [measure(home, Path(folder, "stores"))]
        found = []
        for count in (2_000, 21_000) if full else (sessions,):
            generated = Path(folder, "home")
            write_home(generated, count, length=LENGTH)
            found.append(measure(generated, Path(folder, "stores")))
            shutil.rmtree(generated)
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description="What learn costs.")
    parser.add_argument("--sessions", type=int, default=DEFAULT_SESSIONS)
    parser.add_argument("--home", type=Path, help="measure this home instead of a generated one")
    parser.add_argument("--full", action="store_true", help="2,000 and 21,000 sessions")
    arguments = parser.parse_args()
    report("learn", table(arguments.sessions, arguments.home, full=arguments.full))


if __name__ == "__main__":
    main()
