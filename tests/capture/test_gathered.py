"""Sessions that are no files of their own, learned beside the program that writes them."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from tests.agents.contract_cases import make_database
from tests.homes import Silent, hash_of, learned, rows, world_of

from afterwit.capture.logs import Home
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.doctor.agent_health import NOTHING, look, units_waiting
from afterwit.model.errors import UsageError
from afterwit.sessions.filters import find_session
from afterwit.sessions.originals import source_of
from afterwit.sessions.restore import RestoreChoice, plan_restore, restore_file
from afterwit.store.layout import Layout
from afterwit.store.rows.health import TranscriptRow, transcript_rows
from afterwit.store.store import open_store

FIXTURES = Path(__file__).parents[1] / "agents" / "opencode" / "fixtures"
PART = """INSERT INTO part VALUES ('prt_z{0}', 'msg_a4', 'ses_a1', 1790000030000, 1790000030000,
          '{{"type":"text","text":"More trees {0}.","time":{{"start":1790000030000}}}}')"""
FILES = "SELECT path, generation, state, held_bytes, error FROM files WHERE is_live ORDER BY path"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    make_database(FIXTURES / "basic.sql", database(home))
    return home


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def writer(home: Path) -> Iterator[apsw.Connection]:
    with closing(apsw.Connection(str(database(home)))) as db:
        db.execute("PRAGMA journal_mode = wal")
        db.execute("PRAGMA wal_autocheckpoint = 0")
        yield db


def database(home: Path) -> Path:
    return home / ".local/share/opencode/opencode.db"


def held(store: Path) -> dict[str, tuple[int, str, int]]:
    return {row[0]: (row[1], row[2], row[3]) for row in rows(store, FILES)}


def test_sessions_of_a_database_are_learned_rebuilt_and_unchanged_afterwards(home: Path, store: Path) -> None:
    report = learned(home, store).agents[0]
    assert (report.agent, report.read, report.failed) == ("opencode", 2, 0)
    before = hash_of(store)
    again = learned(home, store).agents[0]
    assert (again.discovered, again.read, again.unchanged) == (2, 0, 2)
    done = rebuild(world_of(home, store), Silent())
    assert (done.after, done.faults) == (before, [])
    assert learned(home, store).agents[0].read == 0
    assert hash_of(store) == before


def test_what_a_running_agent_appends_is_read_from_its_log_and_appended(
    home: Path, store: Path, writer: apsw.Connection
) -> None:
    learned(home, store)
    before = held(store)["opencode.db/ses_a1.jsonl"]
    for number in range(3):
        writer.execute(PART.format(number))
        assert learned(home, store).agents[0].read == 1
    generation, state, size = held(store)["opencode.db/ses_a1.jsonl"]
    assert (generation, state) == (0, "read")
    assert size > before[2]
    assert rows(store, "SELECT replies FROM sessions WHERE native_id = 'ses_a1'") == [(4,)]
    assert rebuild(world_of(home, store), Silent()).after == hash_of(store)


def test_a_row_that_changed_is_a_new_generation_and_nothing_is_counted_twice(
    home: Path, store: Path, writer: apsw.Connection
) -> None:
    learned(home, store)
    before = rows(store, "SELECT prompts, replies, actions, tokens_input FROM sessions ORDER BY native_id")
    writer.execute("UPDATE part SET data = replace(data, 'running', 'completed'), time_updated = 1790000099000")
    learned(home, store)
    assert held(store)["opencode.db/ses_a1.jsonl"][0] == 1
    assert rows(store, "SELECT prompts, replies, actions, tokens_input FROM sessions ORDER BY native_id") == before
    assert rows(store, "SELECT count(*) FROM files WHERE NOT is_live") == [(0,)]
    assert rebuild(world_of(home, store), Silent()).after == hash_of(store)


def test_an_open_transaction_of_the_agent_neither_blocks_nor_shows(
    home: Path, store: Path, writer: apsw.Connection
) -> None:
    writer.execute("BEGIN IMMEDIATE")
    writer.execute(PART.format(1))
    assert learned(home, store).agents[0].failed == 0
    assert rows(store, "SELECT replies FROM sessions WHERE native_id = 'ses_a1'") == [(1,)]
    writer.execute("COMMIT")
    learned(home, store)
    assert rows(store, "SELECT replies FROM sessions WHERE native_id = 'ses_a1'") == [(2,)]


def test_reading_leaves_nothing_beside_a_database_that_nobody_has_open(
    home: Path, store: Path, writer: apsw.Connection
) -> None:
    writer.close()
    before = sorted(path.name for path in database(home).parent.iterdir())
    assert learned(home, store).agents[0].read == 2
    assert sorted(path.name for path in database(home).parent.iterdir()) == before == ["opencode.db"]


def test_a_locked_database_is_an_error_and_read_the_next_time(home: Path, store: Path) -> None:
    with closing(apsw.Connection(str(database(home)))) as db:
        db.execute("BEGIN EXCLUSIVE")
        report = learned(home, store).agents[0]
        assert (report.failed, report.read) == (1, 0)
        assert "locked" in report.errors[0]
    assert [(row[0], row[2]) for row in rows(store, FILES)] == [("opencode.db", "failed")]
    assert learned(home, store).agents[0].read == 2
    assert {row[2] for row in rows(store, FILES)} == {"read"}


@pytest.mark.parametrize(
    "content",
    [b"", b"this is no database" * 500, b"SQLite format 3\0" + b"\x01" * 5000],
    ids=["empty", "text", "damaged"],
)
def test_what_is_no_database_is_an_error_row(home: Path, store: Path, content: bytes) -> None:
    database(home).write_bytes(content)
    report = learned(home, store).agents[0]
    assert (report.failed, report.read) == (1, 0)
    assert rows(store, "SELECT count(*) FROM sessions") == [(0,)]
    assert rows(store, FILES)[0][2] == "failed"


def test_a_database_of_another_program_is_an_error_row(home: Path, store: Path) -> None:
    database(home).unlink()
    with closing(apsw.Connection(str(database(home)))) as db:
        db.execute("CREATE TABLE session (name TEXT)")
    assert "another kind" in learned(home, store).agents[0].errors[0]


def test_text_that_is_no_utf8_is_mended(home: Path, store: Path, writer: apsw.Connection) -> None:
    writer.execute("UPDATE session SET title = CAST(x'54726565ff73' AS TEXT) WHERE id = 'ses_a1'")
    assert learned(home, store).agents[0].read == 2
    assert rows(store, "SELECT title FROM sessions WHERE native_id = 'ses_a1'") == [("Tree\ufffds",)]


def test_a_session_that_moved_from_files_to_the_database_is_counted_once(home: Path, store: Path) -> None:
    shutil.copytree(FIXTURES / "tree.home" / "storage", database(home).parent / "storage")
    assert learned(home, store).agents[0].read == 3
    assert learned(home, store).agents[0].unchanged == 3
    (database(home).parent / "storage/part/msg_d2/prt_d4.json").write_text(
        '{"id": "prt_d4", "messageID": "msg_d2", "type": "text", "text": "It turns.", "time": {"start": 1760000007000}}'
    )
    assert learned(home, store).agents[0].read == 1
    assert held(store)["storage/ses_d1.jsonl"][0] == 0
    assert rows(store, "SELECT replies FROM sessions WHERE native_id = 'ses_d1'") == [(2,)]


def test_a_restored_session_is_what_was_read_and_can_be_read_again(home: Path, store: Path, tmp_path: Path) -> None:
    learned(home, store)
    world = world_of(home, store)
    with source_of(world) as source:
        session = find_session(source.store.db, "ses_a1")
        with pytest.raises(UsageError, match="--to FOLDER"):
            plan_restore(source, world, [session], None, RestoreChoice())
        plan = plan_restore(source, world, [session], tmp_path / "out", RestoreChoice())
        assert plan.renderings == plan.steps
        for step in plan.steps:
            restore_file(source, step)
    restored = tmp_path / "out/opencode.db/ses_a1.jsonl"
    assert restored.read_bytes().startswith(b'{"table":"session"')
    report = learned(home, tmp_path / "other", folder=tmp_path / "out")
    assert [(one.agent, one.read) for one in report.agents] == [("opencode", 1)]
    assert rows(tmp_path / "other", "SELECT actions FROM sessions") == [(4,)]


def test_a_dry_run_reads_and_writes_nothing(home: Path, store: Path) -> None:
    assert learned(home, store, is_dry_run=True).agents[0].read == 2
    assert learned(home, store).agents[0].read == 2
    assert learned(home, store, is_dry_run=True).agents[0].unchanged == 2


def test_what_is_asked_for_since_a_day_leaves_the_rest_for_later(home: Path, store: Path) -> None:
    assert learned(home, store, since_ms=1_790_000_070_000).agents[0].read == 1
    assert learned(home, store).agents[0].read == 1


def test_the_doctor_sees_sessions_and_what_is_pending(home: Path, store: Path, writer: apsw.Connection) -> None:
    learned(home, store)
    place = Home("opencode", database(home).parent)
    known = NOTHING._replace(rows=all_rows(store))
    seen = look(place, world_of(home, store).settings)
    assert (len(seen.units), units_waiting([seen], known)) == (2, [])
    writer.execute(PART.format(1))
    seen = look(place, world_of(home, store).settings)
    assert len(units_waiting([seen], known)) == 1


def all_rows(store: Path) -> list[TranscriptRow]:
    with open_store(Layout(store)) as one:
        return list(transcript_rows(one.db))


def test_a_folder_with_a_database_is_read_by_hand(home: Path, store: Path) -> None:
    report = learned(home, store, folder=home)
    assert [(one.agent, one.read) for one in report.agents] == [("opencode", 2)]
