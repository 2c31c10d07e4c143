"""Where a full `learn` spends its CPU, part by part, beside one `orjson.loads` per line, and the size of what it keeps.

Run as `python -m bench.learn [--sessions N] [--home FOLDER] [--keep]`. Everything is measured in one run on the same
home, in one process. What the whole command costs, and how that grows, is in `bench.growth`.
"""

import os
import shutil
import tempfile
from pathlib import Path

import msgspec

from afterwit.actions import steps
from afterwit.actions.shell import parse
from afterwit.agents.claude_code.reader import ClaudeCodeReading
from afterwit.agents.codex.reader import CodexReading
from afterwit.capture.assembly import calls, notes, texts
from afterwit.capture.assembly.assemble import Assembler
from afterwit.capture.commit import Committer
from afterwit.engine import sweep as learning
from afterwit.engine.sweep import sweep
from afterwit.model.learn_run import Options
from afterwit.redaction.redaction import Redactor
from afterwit.sources.framing import Framing
from afterwit.sources.places import Tap
from afterwit.store import database
from afterwit.store.archive import Archive
from afterwit.store.frames import Packer
from afterwit.store.layout import Layout
from afterwit.store.rows import parts
from afterwit.store.store import open_store
from bench.floors import decode_lines, timed
from bench.homes import logs_of, write_home
from bench.results import command_line, report
from bench.stopwatch import Seam, watching
from bench.worlds import Silent, world_of

DEFAULT_SESSIONS = 300
_REPEATS = 5
_REST = "rest: plan, hand over between processes"
_DIGEST, _NOTES = "digest", "notes for the digest"
_READ, _FRAME, _DECODE = _PARSE = ("read, hash", "frame lines", "decode (reader)")
_SEAMS = [
    Seam(Tap, "readinto", _READ),
    Seam(Packer, "add", "pack (zstd)"),
    Seam(Packer, "finish", "pack (zstd)"),
    Seam(Framing, "read", _FRAME),
    Seam(ClaudeCodeReading, "feed", _DECODE),
    Seam(CodexReading, "feed", _DECODE),
    Seam(Assembler, "take", "assemble"),
    Seam(Assembler, "captured", "assemble"),
    Seam(Redactor, "text", "redact"),
    Seam(Redactor, "texts", "redact"),
    Seam(Redactor, "path", "redact"),
    Seam(texts, "clean", "clean text"),
    Seam(parse, "parse", "parse command lines"),
    Seam(steps, "judge", "judge outcomes"),
    Seam(calls, "excerpt_of_error", "judge outcomes"),
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
    orjson_s: float
    parts: list[Part]
    database_of_input: float
    archive_of_input: float
    digest_of_parse: float  # CPU of digesting, beside reading, framing and decoding in the same run
    notes_of_parse: float  # the same for what capture keeps for the digest
    digests_of_input: float


def measure(home: Path, scratch: Path) -> Learned:
    """All figures of one home. A store is written to `scratch` and removed."""
    logs = logs_of(home)
    input_bytes = sum(path.stat().st_size for path in logs)
    orjson_s = min(timed(lambda: decode_lines(logs)).cpu_s for _ in range(_REPEATS))
    split = _split(home, scratch, orjson_s)
    figures = Learned(
        sessions=len(logs),
        input_mb=input_bytes / 1e6,
        orjson_s=orjson_s,
        parts=split,
        database_of_input=_size(scratch, "*.db*") / input_bytes,
        archive_of_input=_size(scratch / "archive", "**/*") / input_bytes,
        digest_of_parse=_of_parse(split, _DIGEST),
        notes_of_parse=_of_parse(split, _NOTES),
        digests_of_input=_digest_bytes(scratch) / input_bytes,
    )
    shutil.rmtree(scratch)
    return figures


def _split(home: Path, store: Path, orjson_s: float) -> list[Part]:
    """The parts of a run under the stopwatch, dearest first."""
    with watching(_SEAMS, _REST) as watch:
        sweep(world_of(home, store), Options(jobs=1), Silent())
    whole = sum(watch.seconds.values())
    dearest = sorted(watch.seconds.items(), key=lambda item: -item[1])
    return [Part(part, seconds, seconds / orjson_s, seconds / whole) for part, seconds in dearest]


def _of_parse(split: list[Part], part: str) -> float:
    seconds = {part.part: part.cpu_s for part in split}
    return seconds[part] / sum(seconds[name] for name in _PARSE)


def _digest_bytes(store: Path) -> int:
    with open_store(Layout(store)) as one:
        return int(one.db.execute("SELECT ifnull(sum(length(body)), 0) FROM digests").get)


def _size(folder: Path, pattern: str) -> int:
    return sum(path.stat().st_size for path in folder.glob(pattern) if path.is_file())


def table(home: Path) -> list[Learned]:
    with tempfile.TemporaryDirectory(prefix="afterwit-bench-") as folder:
        return [measure(home, Path(folder, "store"))]


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--sessions", type=int, default=DEFAULT_SESSIONS)
    parser.add_argument("--home", type=Path, help="measure this home instead of a generated one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="afterwit-bench-") as folder:
        home = options.home or Path(folder, "home")
        if options.home is None:
            write_home(home, options.sessions)
        report("learn", table(home), keep=options.keep)


if __name__ == "__main__":
    main()
