"""Looks for secrets in what is stored, with an independent program: `kingfisher`, offline.

    python -m bench.audit_secrets      the store that `afterwit` uses here; exits 1 where something is found

The archive holds the agents' logs as they are, and is left out; so are copies of the settings of connected agents,
which are other programs' files. Everything else should be redacted: the databases, the journal, the spool, the
configuration. Their texts are written out into a private folder beside the store, row by row and unpacked, scanned
there, and removed. A finding says where it is and which rule found it, never what it is.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import closing
from itertools import groupby, islice
from pathlib import Path, PurePath

import msgspec

from afterwit.cli.terminal.options import here_from
from afterwit.config.world import World
from afterwit.engine.doctor.findings import DoctorFinding, alarm
from afterwit.model.errors import AfterwitError
from afterwit.store.checks import rows_with_texts
from afterwit.store.database import connect_readonly
from afterwit.store.layout import Layout
from afterwit.store.regular_files import read_regular
from afterwit.store.store import require

PROGRAM = "kingfisher"
_OFFLINE = ("--no-validate", "--no-update-check")
_FOUND = (200, 205)  # exit codes: something was found; found and valid
_SQLITE = b"SQLite format 3\x00"
_SIDE_FILES = ("-wal", "-shm", "-journal")
_ROW = "── "
_PASSED_ON = ("PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "TEMP", "TMPDIR", "XDG_CACHE_HOME")


class _Rule(msgspec.Struct):
    id: str = ""
    name: str = ""


class _Place(msgspec.Struct):
    path: str = ""
    line: int = 0


class _Hit(msgspec.Struct):
    rule: _Rule
    finding: _Place


class _Report(msgspec.Struct):
    findings: list[_Hit]


def audit_secrets(world: World) -> list[DoctorFinding]:
    """One alarm for each thing that looks like a secret. Raises where the program is not installed or fails."""
    require(world.layout)
    program = _program(world.environ)
    with tempfile.TemporaryDirectory(prefix=".audit-", dir=world.layout.root) as folder:
        stage = Path(folder) / "texts"
        _write_out(world.layout, stage)
        report = _scan(program, stage, Path(folder) / "report.json", world.environ)
        return [_finding(hit, stage) for hit in report.findings]


def _program(environ: Mapping[str, str]) -> str:
    beside = Path(sys.executable).parent
    program = shutil.which(PROGRAM, path=environ.get("PATH", "")) or shutil.which(PROGRAM, path=str(beside))
    if program is None:
        raise AfterwitError(
            f"The audit needs {PROGRAM}, which is not installed. Install it with `uv tool install kingfisher-bin` or"
            f" `pipx install kingfisher-bin`, and run this again."
        )
    return program


def _write_out(layout: Layout, stage: Path) -> None:
    """Everything in the store but the archive, the copies of others' files and the key, as text."""
    stage.mkdir(mode=0o700)
    for path in sorted(layout.root.rglob("*")):
        inside = path.relative_to(layout.root)
        if path.is_symlink() or not path.is_file() or not _is_audited(layout, path):
            continue
        if _is_database(path):
            _write_database(path, stage / inside)
        else:
            (stage / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, stage / inside)


def _is_audited(layout: Layout, path: Path) -> bool:
    first = path.relative_to(layout.root).parts[0]
    copies = (layout.connect_copies, layout.published_copies)  # of files that others wrote
    if first == layout.archive.name or first.startswith(".audit-") or any(map(path.is_relative_to, copies)):
        return False
    return path not in (layout.key, layout.lease) and not path.name.endswith(_SIDE_FILES)


def _is_database(path: Path) -> bool:
    """Looks at the beginning only. No connection of this process is open, so nobody loses a lock by it."""
    return read_regular(path, len(_SQLITE)) == _SQLITE


def _write_database(path: Path, folder: Path) -> None:
    """One file per table."""
    folder.mkdir(parents=True)
    with closing(connect_readonly(path)) as db:
        for table, rows in groupby(rows_with_texts(db), key=lambda row: row.table):
            with (folder / f"{table}.txt").open("w", encoding="utf-8", errors="replace") as sink:
                for row in rows:
                    sink.write(f"{_ROW}{row.place}\n" + "".join(f"{text}\n" for text in row.texts))


def _scan(program: str, stage: Path, output: Path, environ: Mapping[str, str]) -> _Report:
    options = ("--format", "json", "--redact", "--git-history", "none", "--output", str(output))
    passed = {name: environ[name] for name in _PASSED_ON if name in environ}
    done = subprocess.run(
        [program, "scan", *_OFFLINE, *options, str(stage)],
        env=passed,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode == 0:
        return _Report([])
    if done.returncode not in _FOUND:
        raise AfterwitError(
            f"{program} ended with exit code {done.returncode}, and nothing was audited. `{PROGRAM} --version` should"
            " say 1.60 or later."
        )
    try:
        return msgspec.json.decode(output.read_bytes(), type=_Report)
    except (OSError, msgspec.DecodeError) as error:
        raise AfterwitError(
            f"{program} found something, but its report cannot be read ({error}). Try another version of {PROGRAM}."
        ) from error


def _finding(hit: _Hit, stage: Path) -> DoctorFinding:
    rule = hit.rule.id or hit.rule.name or "a rule without a name"
    return alarm(
        "secret-stored",
        f"{_where(hit.finding, stage)}: something looks like a secret ({PROGRAM}'s rule {rule}). If it is one, change"
        " it where it is in use, and report the format so that redaction learns it.",
    )


def _where(place: _Place, stage: Path) -> str:
    """The file of the store, and of a database the table and the row."""
    try:
        inside = PurePath(place.path).relative_to(stage)
    except ValueError:
        return "A place that is not told"
    written = stage / inside
    if inside.parent.suffix != ".db" or not written.is_file():
        return f"{inside}, line {place.line}"
    return f"{inside.parent}, table {inside.stem}, {_row(written, place.line)}"


def _row(written: Path, line: int) -> str:
    """The row that a line of a written table belongs to."""
    row = "no row"
    with written.open(encoding="utf-8") as file:
        for text in islice(file, line):
            if text.startswith(_ROW):
                row = text.removeprefix(_ROW).strip()
    return row


def main() -> int:
    found = audit_secrets(here_from(None, None).world)
    print(*(finding.what for finding in found), f"{len(found)} found.", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
