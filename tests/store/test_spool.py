import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from afterwit.store import spool
from afterwit.store.layout import Layout

APPEND_FIFTY = """
import sys
from pathlib import Path
from afterwit.store import spool
for number in range(50):
    spool.append(Path(sys.argv[1]), "shared", {"by": sys.argv[2], "number": number, "text": "x" * 300})
"""


@pytest.fixture
def folder(layout: Layout) -> Path:
    return layout.spool


def drained(folder: Path) -> list[dict[str, Any]]:
    """All records that wait, acknowledged."""
    found: list[dict[str, Any]] = []
    for batch in spool.drain(folder):
        found.extend(batch.records)
        spool.acknowledge(batch)
    return found


def test_records_come_back_in_order_and_once(folder: Path) -> None:
    for number in range(3):
        spool.append(folder, "one", {"number": number, "text": "ü\n\ud800"})
    assert drained(folder) == [{"number": number, "text": "ü\n\ud800"} for number in range(3)]
    assert drained(folder) == []
    assert spool.backlog(folder) == (0, 0)


def test_what_was_not_acknowledged_comes_again(folder: Path) -> None:
    spool.append(folder, "one", {"number": 1})
    first = list(spool.drain(folder))
    spool.append(folder, "one", {"number": 2})
    assert [batch.records for batch in first] == [({"number": 1},)]
    assert drained(folder) == [{"number": 1}, {"number": 2}]


def test_a_write_during_a_drain_is_kept(folder: Path) -> None:
    spool.append(folder, "one", {"number": 1})
    for batch in spool.drain(folder):
        spool.append(folder, "one", {"number": 2})
        spool.acknowledge(batch)
    assert drained(folder) == [{"number": 2}]


@pytest.mark.skipif(os.name != "posix", reason="elsewhere an open file is not renamed")
def test_a_writer_that_opened_the_file_before_it_was_taken_writes_to_a_new_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool.append(folder, "one", {"number": 1})
    seen: list[Any] = []
    lock = spool._lock

    def taken_just_before(handle: int) -> None:
        monkeypatch.setattr(spool, "_lock", lock)
        seen.extend(drained(folder))
        lock(handle)

    monkeypatch.setattr(spool, "_lock", taken_just_before)
    spool.append(folder, "one", {"number": 2})
    assert seen == [{"number": 1}]
    assert drained(folder) == [{"number": 2}]


def test_processes_that_write_at_once_lose_and_mix_nothing(folder: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", APPEND_FIFTY, str(folder), str(name)]) for name in range(8)]
    found: list[dict[str, Any]] = []
    while any(writer.poll() is None for writer in writers):
        found += drained(folder)
    assert [writer.returncode for writer in writers] == [0] * 8
    found += drained(folder)
    assert sorted((record["by"], record["number"]) for record in found) == sorted(
        (str(name), number) for name in range(8) for number in range(50)
    )
    for name in range(8):
        numbers = [record["number"] for record in found if record["by"] == str(name)]
        assert numbers == sorted(numbers)


def test_unreadable_lines_are_counted_and_the_rest_is_read(folder: Path) -> None:
    spool.append(folder, "one", {"number": 1})
    with spool.file_of(folder, "one").open("ab") as file:
        file.write(b'{"torn": \n[1]\n\xff\xfe\n' + b'{"a":' * 100_000 + b"\n")
    spool.append(folder, "one", {"number": 2})
    (batch,) = spool.drain(folder)
    assert batch.records == ({"number": 1}, {"number": 2})
    assert batch.bad_lines == 4


def test_a_record_that_does_not_fit_on_the_disk_leaves_nothing_behind(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool.append(folder, "one", {"number": 1})
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda handle, data: write(handle, data[:5]))
        with pytest.raises(OSError, match="No space left"):
            spool.append(folder, "one", {"number": 2})
    spool.append(folder, "one", {"number": 3})
    assert drained(folder) == [{"number": 1}, {"number": 3}]


@pytest.mark.skipif(os.name != "posix", reason="links are POSIX's")
def test_a_link_is_neither_written_to_nor_read(folder: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text(json.dumps({"foreign": True}))
    for path in (spool.file_of(folder, "one"), spool.file_of(folder, "two").with_suffix(".taken")):
        path.symlink_to(victim)
    with pytest.raises(OSError, match="symbolic link"):
        spool.append(folder, "one", {})
    assert list(spool.drain(folder)) == []
    assert spool.read(folder, "one") == spool.read(folder, "two") == []
    assert victim.read_text() == '{"foreign": true}'


@pytest.mark.parametrize("session", ["../../etc/passwd", "a/b", "nul\0nul", "\ud800\udfff", "", "x" * 5_000, "."])
def test_a_session_may_be_named_anything(folder: Path, session: str) -> None:
    spool.append(folder, session, {"number": 1})
    assert [path.parent for path in folder.parent.rglob("*.jsonl")] == [folder]
    assert spool.read(folder, session) == [{"number": 1}]


def test_sessions_do_not_see_each_other(folder: Path) -> None:
    spool.append(folder, "one", {"number": 1})
    spool.append(folder, "two", {"number": 2})
    assert spool.read(folder, "one") == [{"number": 1}]
    assert spool.read(folder, "three") == []
    assert spool.backlog(folder)[0] == 2


def test_a_session_reads_what_is_being_drained(folder: Path) -> None:
    spool.append(folder, "one", {"number": 1})
    list(spool.drain(folder))
    spool.append(folder, "one", {"number": 2})
    assert spool.read(folder, "one") == [{"number": 1}, {"number": 2}]


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_only_the_user_can_read_the_spool(folder: Path) -> None:
    spool.append(folder, "one", {})
    assert stat.S_IMODE(spool.file_of(folder, "one").stat().st_mode) == 0o600
