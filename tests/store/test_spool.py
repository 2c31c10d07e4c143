import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from afterwit.store import spool, spool_file
from afterwit.store.layout import Layout
from afterwit.store.spool_file import SpoolFile, file_of

AGENT = "claude-code"
APPEND_FIFTY = """
import sys
from pathlib import Path
from afterwit.store import spool
for number in range(50):
    record = {"by": sys.argv[2], "number": number, "text": "x" * 300}
    spool.append(Path(sys.argv[1]), "codex", "shared", record)
"""


@pytest.fixture
def folder(layout: Layout) -> Path:
    return layout.spool


def append(folder: Path, session: str, record: dict[str, Any]) -> None:
    spool.append(folder, AGENT, session, record)


def read(folder: Path, session: str) -> list[dict[str, object]]:
    with SpoolFile(str(folder), AGENT, session) as file:
        return file.records()


def drained(folder: Path) -> list[dict[str, Any]]:
    """All records that wait, acknowledged."""
    found: list[dict[str, Any]] = []
    for batch in spool.drain(folder):
        found.extend(record.body for record in batch.records)
        spool.acknowledge(batch)
    return found


def test_records_come_back_in_order_and_once(folder: Path) -> None:
    for number in range(3):
        append(folder, "one", {"number": number, "text": "ü\n\ud800"})
    assert spool.backlog(folder)[0] == 1
    assert drained(folder) == [{"number": number, "text": "ü\n\ud800"} for number in range(3)]
    assert drained(folder) == []
    assert spool.backlog(folder) == (0, 0)


def test_what_was_not_acknowledged_comes_again_with_the_same_key(folder: Path) -> None:
    append(folder, "one", {"number": 1})
    (first,) = spool.drain(folder)
    append(folder, "one", {"number": 2})
    (second,) = spool.drain(folder)
    assert [record.body for record in second.records] == [{"number": 1}, {"number": 2}]
    assert second.records[0] == first.records[0]
    assert second.records[0].key != second.records[1].key


def test_equal_records_have_different_keys(folder: Path) -> None:
    for session in ("one", "one", "two"):
        append(folder, session, {"number": 1})
    assert len({record.key for batch in spool.drain(folder) for record in batch.records}) == 3


def test_a_write_during_a_drain_is_kept(folder: Path) -> None:
    append(folder, "one", {"number": 1})
    for batch in spool.drain(folder):
        append(folder, "one", {"number": 2})
        spool.acknowledge(batch)
    assert drained(folder) == [{"number": 2}]


def test_a_session_still_knows_what_was_taken_in(folder: Path) -> None:
    append(folder, "one", {"number": 1})
    drained(folder)
    append(folder, "one", {"number": 2})
    assert read(folder, "one") == [{"number": 1}, {"number": 2}]


def test_a_line_that_is_still_being_written_is_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append(folder, "one", {"number": 1})
    path = Path(file_of(str(folder), AGENT, "one"))
    with path.open("ab") as file:
        file.write(b'{"number":')

    def written_meanwhile(_: int) -> None:
        with path.open("ab") as file:
            file.write(b"2}\n")

    monkeypatch.setattr(spool, "lock", written_meanwhile)
    assert drained(folder) == [{"number": 1}, {"number": 2}]


@pytest.mark.parametrize("kept", [1, 8, 20, -2])
def test_what_a_killed_hook_left_of_a_record_does_not_swallow_the_next(folder: Path, kept: int) -> None:
    path = Path(file_of(str(folder), AGENT, "one"))
    append(folder, "one", {"kind": "tool", "number": 1, "target": "prune the apples"})
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:kept])
    append(folder, "one", {"kind": "started", "number": 2})
    (batch,) = spool.drain(folder)
    assert [record.body["number"] for record in batch.records] == [1, 2]
    assert batch.bad_lines == 1
    assert [record["number"] for record in read(folder, "one")] == [2]  # tool events are not read again


def test_a_record_that_lacks_nothing_but_its_end_of_line_counts(folder: Path) -> None:
    path = Path(file_of(str(folder), AGENT, "one"))
    append(folder, "one", {"kind": "started", "number": 1})
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert drained(folder) == [{"kind": "started", "number": 1}]
    append(folder, "one", {"kind": "started", "number": 2})
    (batch,) = spool.drain(folder)
    assert ([record.body["number"] for record in batch.records], batch.bad_lines) == ([2], 0)


def test_what_is_left_of_a_record_is_taken_in_once_and_the_file_can_be_removed(folder: Path) -> None:
    path = Path(file_of(str(folder), AGENT, "one"))
    append(folder, "one", {"kind": "started", "number": 1})
    with path.open("ab") as file:
        file.write(b'{"kind":"to')
    assert len(drained(folder)) == 1
    assert spool.backlog(folder) == (0, 0)
    assert spool.prune(folder, 1e12) == 1


def test_a_record_behind_a_cut_one_on_the_same_line_is_read(folder: Path) -> None:
    path = Path(file_of(str(folder), AGENT, "one"))
    append(folder, "one", {"kind": "tool", "target": 'says {"kind":"ended"} in a text'})
    path.write_bytes(path.read_bytes()[:20] + path.read_bytes())
    assert drained(folder) == [{"kind": "tool", "target": 'says {"kind":"ended"} in a text'}]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for(folder: Path) -> None:
    os.mkfifo(file_of(str(folder), AGENT, "one"))
    with pytest.raises(OSError, match="Not a regular file"):
        append(folder, "one", {"number": 1})
    assert list(spool.drain(folder)) == []


@pytest.mark.parametrize("mark", ["", "x", "-1", "99999"])
def test_a_damaged_mark_means_that_all_comes_again(folder: Path, mark: str) -> None:
    append(folder, "one", {"number": 1})
    drained(folder)
    Path(file_of(str(folder), AGENT, "one")).with_suffix(".taken").write_text(mark)
    assert drained(folder) == [{"number": 1}]


def test_tool_events_are_drained_but_not_read_again_by_hooks(folder: Path) -> None:
    append(folder, "one", {"kind": "tool", "tool": "Bash"})
    append(folder, "one", {"kind": "draw"})
    assert read(folder, "one") == [{"kind": "draw"}]
    assert len(drained(folder)) == 2


def test_only_files_that_were_taken_in_and_are_old_are_pruned(folder: Path) -> None:
    for session in ("old", "waiting", "young"):
        append(folder, session, {"number": 1})
    drained(folder)
    append(folder, "waiting", {"number": 2})
    for session in ("old", "waiting"):
        os.utime(file_of(str(folder), AGENT, session), (1_000, 1_000))
    assert spool.prune(folder, before_s=2_000) == 1
    assert read(folder, "waiting") == [{"number": 1}, {"number": 2}]
    assert read(folder, "young") == [{"number": 1}]
    assert read(folder, "old") == []


@pytest.mark.skipif(os.name != "posix", reason="elsewhere an open file is not removed")
def test_a_writer_that_opened_the_file_before_it_was_pruned_writes_to_a_new_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(folder, "one", {"number": 1})
    drained(folder)
    lock = spool_file.lock

    def pruned_just_before(handle: int) -> None:
        monkeypatch.setattr(spool_file, "lock", lock)
        assert spool.prune(folder, before_s=1e12) == 1
        lock(handle)

    monkeypatch.setattr(spool_file, "lock", pruned_just_before)
    append(folder, "one", {"number": 2})
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
    append(folder, "one", {"number": 1})
    with Path(file_of(str(folder), AGENT, "one")).open("ab") as file:
        file.write(b'{"torn": \n[1]\n\xff\xfe\n' + b'{"a":' * 100_000 + b"\n")
    append(folder, "one", {"number": 2})
    (batch,) = spool.drain(folder)
    assert [record.body for record in batch.records] == [{"number": 1}, {"number": 2}]
    assert batch.bad_lines == 4
    assert read(folder, "one") == [{"number": 1}, {"number": 2}]


def test_a_record_that_does_not_fit_on_the_disk_leaves_nothing_behind(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(folder, "one", {"number": 1})
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda handle, data: write(handle, data[:5]))
        with pytest.raises(OSError, match="No space left"):
            append(folder, "one", {"number": 2})
    append(folder, "one", {"number": 3})
    assert drained(folder) == [{"number": 1}, {"number": 3}]


@pytest.mark.skipif(os.name != "posix", reason="links are POSIX's")
def test_a_link_is_neither_written_to_nor_read(folder: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text(json.dumps({"foreign": True}))
    Path(file_of(str(folder), AGENT, "one")).symlink_to(victim)
    with pytest.raises(OSError, match="symbolic link"):
        append(folder, "one", {})
    assert list(spool.drain(folder)) == []
    assert victim.read_text() == '{"foreign": true}'


@pytest.mark.parametrize("session", ["../../etc/passwd", "a/b", "nul\0nul", "\ud800\udfff", "", "x" * 5_000, "."])
def test_a_session_may_be_named_anything(folder: Path, session: str) -> None:
    append(folder, session, {"number": 1})
    assert [path.parent for path in folder.parent.rglob("*.jsonl")] == [folder]
    assert read(folder, session) == [{"number": 1}]


def test_sessions_and_agents_do_not_see_each_other(folder: Path) -> None:
    append(folder, "one", {"number": 1})
    append(folder, "two", {"number": 2})
    spool.append(folder, "codex", "one", {"number": 3})
    assert read(folder, "one") == [{"number": 1}]
    assert read(folder, "three") == []
    assert spool.backlog(folder)[0] == 3


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_only_the_user_can_read_the_spool(folder: Path) -> None:
    append(folder, "one", {})
    drained(folder)
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_sessions_under_way_are_those_that_spoke_lately_and_did_not_end(folder: Path) -> None:
    for session, kinds in (("on", ("started", "tool")), ("over", ("started", "ended")), ("back", ("ended", "tool"))):
        for kind in kinds:
            record = {"kind": kind, "agent": "codex", "session": session}
            spool.append(folder, "codex", session, record | ({"repo": "orchard"} if kind == "started" else {}))
    spool.append(folder, "pi", "on", {"kind": "started", "agent": "pi", "session": "on"})
    spool.append(folder, "codex", "", {"kind": "fault", "agent": "codex", "session": ""})
    assert spool.under_way(folder, "codex", 0) == {"on": frozenset({"orchard"}), "back": frozenset()}
    assert spool.under_way(folder, "codex", 1e12) == {}


def test_a_file_that_is_removed_meanwhile_is_of_no_session_under_way(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for session in ("gone", "on"):
        append(folder, session, {"kind": "started", "agent": AGENT, "session": session})
    listed = spool._files

    def late(*given: Any) -> list[Path]:
        found = listed(*given)
        Path(file_of(str(folder), AGENT, "gone")).unlink()
        return found

    monkeypatch.setattr(spool, "_files", late)
    assert spool.under_way(folder, AGENT, 0) == {"on": frozenset()}


def test_who_is_under_way_is_asked_of_the_agents_own_files_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for agent in (AGENT, "pi"):
        spool.append(folder, agent, "on", {"kind": "started", "agent": agent, "session": "on"})
    read: list[str] = []
    batch = spool._batch

    def watched(path: Path, start: int) -> spool.Batch:
        read.append(path.name)
        return batch(path, start)

    monkeypatch.setattr(spool, "_batch", watched)
    assert spool.under_way(folder, "pi", 0) == {"on": frozenset()}
    assert read == [Path(file_of(str(folder), "pi", "on")).name]


def test_after_an_erasure_no_record_holds_words_that_were_shown_or_held_out(folder: Path) -> None:
    append(folder, "gone", {"agent": AGENT, "session": "gone", "text": "- prune"})
    append(folder, "held", {"agent": AGENT, "session": "held", "held": 1, "text": "", "would": "- prune in March"})
    append(folder, "told", {"agent": AGENT, "session": "told", "held": 0, "text": "- prune in March"})
    spool.scrub(folder, lambda agent, session: (agent, session) == (AGENT, "gone"))
    assert {record.pop("session"): record for record in drained(folder)} == {
        "held": {"agent": AGENT, "held": 1},
        "told": {"agent": AGENT, "held": 0},
    }
    assert not any(b"prune" in file.read_bytes() for file in folder.iterdir())
