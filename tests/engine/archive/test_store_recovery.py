"""What is archived and decided survives emptied, older and damaged databases, and journals that lost entries."""

import shutil
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from tests.engine.archive.store_faults import FIRST, SECOND, copied, empty_database, later, lost, originals, prepared
from tests.homes import CLAUDE, Silent, claude_records, hash_of, learned, put, rows, world_of

from afterwit.engine.archive import upkeep
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.archive.upkeep import problems, verify
from afterwit.engine.doctor.doctor import examine
from afterwit.engine.unchanged import nothing_new
from afterwit.model.errors import BusyError, DamagedError, PartlyDoneError, StoreError, StoreFullError
from afterwit.sessions import identities
from afterwit.sessions import pin as pinning
from afterwit.store.checks import content_hash
from afterwit.store.database import connect, migrations
from afterwit.store.journal import Journal
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

DAY_MS = 86_400_000


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return prepared(tmp_path_factory.mktemp("made"))


@pytest.fixture
def home(made: tuple[Path, Path], tmp_path: Path) -> Path:
    return copied(made[0], tmp_path / "home")


@pytest.fixture
def store(made: tuple[Path, Path], tmp_path: Path) -> Path:
    return copied(made[1], tmp_path / "store")


def serious(store: Path) -> list[str]:
    return [f"{one.where}: {one.what}" for one in verify(Layout(store)) if not one.is_harmless]


def alarms(home: Path, store: Path) -> list[str]:
    return [finding.what for finding in examine(world_of(home, store)).findings if finding.code == "damaged"]


def pins(store: Path) -> list[tuple[str, str]]:
    return rows(store, "SELECT agent, native_id FROM pins")


def older_database(home: Path, store: Path, tmp_path: Path) -> None:
    """Puts back a database from before the last files came."""
    shutil.copy(store / "afterwit.db", tmp_path / "older.db")
    for number in range(3):
        put(home / CLAUDE / f"later{number}.jsonl", claude_records(f"later{number}", 2))
        put(home / CLAUDE / "grown.jsonl", claude_records("grown", 6 + number))
        learned(home, store)
    shutil.copy(tmp_path / "older.db", store / "afterwit.db")


@pytest.mark.parametrize("what", ["empty", "older"])
def test_a_database_that_knows_less_than_the_archive_is_an_alarm_and_stops_learning(
    home: Path, store: Path, tmp_path: Path, what: str
) -> None:
    empty_database(store) if what == "empty" else older_database(home, store, tmp_path)
    before = originals(store)
    put(home / CLAUDE / "grown.jsonl", claude_records("other", 1))
    with pytest.raises(DamagedError, match=r"store rebuild.*--accept-database"):
        learned(home, store)
    with pytest.raises(DamagedError, match="--accept-database"):
        nothing_new(world_of(home, store))
    with pytest.raises(DamagedError, match="--accept-database"):
        upkeep.compact(Layout(store))
    assert any("was emptied, or is an older one" in line for line in serious(store))
    assert any("was emptied, or is an older one" in line for line in alarms(home, store))
    assert originals(store) == before
    rebuild(world_of(home, store), Silent())
    learned(home, store)
    assert lost(before, store) == []
    assert serious(store) == []


def test_an_emptied_database_raises_a_few_alarms_and_counts_the_rest(home: Path, store: Path) -> None:
    for number in range(6):
        put(home / CLAUDE / f"more-{number}.jsonl", claude_records(f"more-{number}", 2))
    learned(home, store)
    empty_database(store)
    said = alarms(home, store)
    assert sum("does not know it" in line for line in said) == 5
    assert sum("more files that the database does not know" in line for line in said) == 1


@pytest.mark.parametrize("what", ["empty", "older"])
def test_who_goes_on_with_such_a_database_loses_nothing_that_is_archived(
    home: Path, store: Path, tmp_path: Path, what: str
) -> None:
    empty_database(store) if what == "empty" else older_database(home, store, tmp_path)
    before = originals(store)
    put(home / CLAUDE / "grown.jsonl", claude_records("grown", 1))  # shorter than what is archived of it
    large = home / CLAUDE / "22222222-bbbb-4bbb-8bbb-000000000001" / "tool-results" / "toolu_large.txt"
    large.write_bytes(b"a very")
    learned(home, store, accepts_database=True)
    assert lost(before, store) == []
    assert all("the database does not know it; `afterwit store rebuild`" in said for said in serious(store))
    learned(home, store)
    rebuild(world_of(home, store), Silent())
    assert lost(before, store) == []
    assert serious(store) == []


def test_a_store_from_before_there_were_marks_is_told_from_an_empty_database(home: Path, store: Path) -> None:
    (store / "archive.mark").unlink()
    with open_store(Layout(store)) as one:
        one.db.execute("DELETE FROM archive_mark; DELETE FROM standing")
    learned(home, store)
    assert (store / "archive.mark").exists()
    (store / "archive.mark").unlink()
    empty_database(store)
    with pytest.raises(DamagedError, match="files that the database does not know"):
        learned(home, store)


@pytest.mark.parametrize("what", ["missing", "empty", "cut", "older", "another"])
def test_a_journal_that_lost_decisions_is_refused_until_that_is_accepted(
    home: Path, store: Path, tmp_path: Path, what: str
) -> None:
    world = world_of(home, store)
    kept = tmp_path / "kept.db"
    shutil.copy(store / "journal.db", kept)
    identities.merge(later(world, DAY_MS), "repo", "orchard", "git.example/fruit/garden")
    whole = copied(store, tmp_path / "whole")
    if what == "cut":
        with connect(store / "journal.db") as db:
            db.execute("DELETE FROM entries WHERE number = (SELECT max(number) FROM entries)")
    else:
        for path in store.glob("journal.db*"):
            path.unlink()
        if what == "empty":
            (store / "journal.db").touch(0o600)
        elif what != "missing":
            shutil.copy(kept, store / "journal.db")
    if what == "another":
        with closing(Journal(store / "journal.db", store / "backups")) as journal:
            journal.append("checkouts-seen", {"remotes": {}}, world.now_ms)
    for call in (
        lambda: rebuild(world, Silent()),
        lambda: learned(home, store),
        lambda: pinning.pin(world, [SECOND]),
        lambda: identities.merge(world, "repo", "barn", "git.example/fruit/garden"),
    ):
        with pytest.raises(DamagedError, match=r"lacks decisions that were made: .*--accept-journal"):
            call()
    assert hash_of_database(store) == hash_of(whole)
    assert alarms(home, store)
    done = rebuild(world, Silent(), accepts_journal=True)
    assert done.after != hash_of(whole)
    pinning.pin(world, [SECOND])
    assert ("claude-code", SECOND) in pins(store)
    assert rebuild(world, Silent()).faults == []
    assert ("claude-code", SECOND) in pins(store)


def hash_of_database(store: Path) -> str:
    with closing(connect(store / "afterwit.db")) as db:
        return content_hash(db)


def test_losing_the_database_and_the_end_of_the_journal_is_noticed_too(home: Path, store: Path) -> None:
    with connect(store / "journal.db") as db:
        db.execute("DELETE FROM entries WHERE number = (SELECT max(number) FROM entries)")
    for path in store.glob("afterwit.db*"):
        path.unlink()
    with pytest.raises(DamagedError, match="cannot be found"):
        rebuild(world_of(home, store), Silent())


def test_a_clock_that_goes_back_does_not_bring_an_earlier_decision_back(home: Path, store: Path) -> None:
    world = later(world_of(home, store), -2 * DAY_MS)
    assert pins(store)
    pinning.pin(world, [FIRST], is_wanted=False)
    assert pins(store) == []
    rebuild(world, Silent())
    assert pins(store) == []
    assert serious(store) == []


def test_one_damaged_archived_file_does_not_keep_others_from_being_learned(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = world_of(home, store)
    (key, generation, path), *_ = rows(store, "SELECT key, generation, path FROM files WHERE path LIKE '%grown%'")
    place = store / "archive" / key.hex()[:2] / f"{key.hex()}-{generation}.zst"
    place.write_bytes(place.read_bytes()[:-5])
    put(home / CLAUDE / "grown.jsonl", claude_records("grown", 7))
    put(home / CLAUDE / "new.jsonl", claude_records("new", 2))
    with monkeypatch.context() as patch:
        patch.setattr("afterwit.engine.sweep.check_some", lambda *_: False)  # it is not the turn of this file
        report = learned(home, store)
    assert sum(agent.failed for agent in report.agents) == 1
    assert "next `afterwit learn` reads it again" in str([agent.errors for agent in report.agents])
    assert rows(store, "SELECT count(*) FROM sessions WHERE native_id = 'new' AND is_digested") == [(1,)]
    assert rows(store, "SELECT count(*) FROM files WHERE state = 'damaged'") == [(1,)]
    assert [line for line in alarms(home, store) if path in line]
    assert len(serious(store)) == 1
    upkeep.compact(Layout(store))
    learned(home, store)
    assert rows(store, "SELECT actions FROM sessions WHERE native_id = 'grown'") == [(7,)]
    assert (serious(store), alarms(home, store)) == ([], [])
    assert rebuild(world, Silent()).faults == []


def test_a_damaged_file_whose_records_others_share_is_left_as_it_is(home: Path, store: Path) -> None:
    (file_id, key, generation), *_ = rows(
        store, "SELECT id, key, generation FROM files WHERE path LIKE '%grown%' AND is_live"
    )
    place = store / "archive" / key.hex()[:2] / f"{key.hex()}-{generation}.zst"
    content = bytearray(place.read_bytes())
    content[-20] ^= 0xFF
    place.write_bytes(content)
    earlier = [record | {"sessionId": "before"} for record in claude_records("grown", 5)]
    put(home / CLAUDE / "before.jsonl", earlier)
    (home / CLAUDE / "grown.jsonl").unlink()
    learned(home, store)
    assert rows(store, "SELECT count(*) FROM sessions WHERE native_id = 'before'") == [(1,)]
    assert rows(store, "SELECT state FROM files WHERE id = ?", file_id)[0][0] in ("damaged", "read")


def test_rebuild_refuses_a_database_that_a_newer_version_wrote(home: Path, store: Path) -> None:
    with connect(store / "afterwit.db") as db:
        db.pragma("user_version", migrations()[-1].number + 1)
    with pytest.raises(StoreError, match="newer afterwit"):
        rebuild(world_of(home, store), Silent())
    assert not list(store.glob("*.damaged"))


@pytest.mark.parametrize("error", [apsw.FullError("full"), apsw.IOError("EIO"), OSError(13, "Permission denied")])
def test_rebuild_sets_nothing_aside_because_of_the_disk(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    before = hash_of(store)

    def failing(*_: object) -> str:
        raise error

    monkeypatch.setattr("afterwit.engine.archive.rebuild.content_hash", failing)
    with pytest.raises((StoreError, apsw.Error, OSError)) as caught:
        rebuild(world_of(home, store), Silent())
    assert not isinstance(caught.value, DamagedError)
    monkeypatch.undo()
    assert not list(store.glob("*.damaged"))
    assert hash_of(store) == before


def test_rebuild_waits_for_whoever_has_the_database_open_and_leaves_it_alone(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("afterwit.store.database._WAIT_SECONDS", 0.0)
    before = hash_of(store)
    with open_store(Layout(store)) as one:
        list(one.db.execute("SELECT 1 FROM files"))
        with pytest.raises(BusyError, match="Another program has"):
            rebuild(world_of(home, store), Silent())
    assert hash_of(store) == before
    assert not (store / "rebuilding.db").exists()
    assert rebuild(world_of(home, store), Silent()).after == before


@pytest.mark.parametrize("cut_bytes", [1, 40])
@pytest.mark.parametrize("has_database", [True, False])
def test_rebuild_says_that_an_archived_file_lost_its_end(
    home: Path, store: Path, has_database: bool, cut_bytes: int
) -> None:
    place = max((store / "archive").rglob("*.zst"), key=lambda path: path.stat().st_size)
    place.write_bytes(place.read_bytes()[:-cut_bytes])
    if has_database:
        with pytest.raises(DamagedError, match=f"{place.stem}.*--accept-archive"):
            rebuild(world_of(home, store), Silent())
    else:
        empty_database(store)
    done = rebuild(world_of(home, store), Silent(), accepts_archive=has_database)
    assert len(done.faults) == 1
    assert place.stem in done.faults[0]


def test_rebuild_says_that_something_is_missing_where_only_the_archive_can_tell(home: Path, store: Path) -> None:
    max((store / "archive").rglob("*.zst")).unlink()
    empty_database(store)
    with pytest.raises(DamagedError, match=r"should be here.*--accept-archive"):
        rebuild(world_of(home, store), Silent())
    (fault,) = rebuild(world_of(home, store), Silent(), accepts_archive=True).faults
    assert "should be here" in fault


def test_a_byte_that_flipped_is_an_error_for_whoever_reads_it(store: Path) -> None:
    with pytest.raises(ValueError, match="a mistake of ours"), open_store(Layout(store)):
        raise ValueError("a mistake of ours")
    with closing(connect(store / "afterwit.db")) as db:
        db.execute("UPDATE events SET kind = 'nonsense' WHERE id = (SELECT max(id) FROM events)")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = (store / "afterwit.db").read_bytes()
    (store / "afterwit.db").write_bytes(content.replace(b"nonsense", b"nonsence"))
    with pytest.raises(DamagedError, match="store rebuild"), open_store(Layout(store)) as one:
        one.db.execute("SELECT kind FROM events ORDER BY id").fetchall()


def test_a_full_disk_while_decisions_are_applied_is_no_damage_and_loses_no_decision(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise apsw.FullError("database or disk is full")

    monkeypatch.setattr("afterwit.store.rows.files.put_pin", full)
    with pytest.raises(PartlyDoneError, match="recorded") as stopped:
        pinning.pin(world_of(home, store), [SECOND])
    assert isinstance(stopped.value.__cause__, StoreFullError)
    assert "again" not in str(stopped.value)


@pytest.mark.parametrize("what", ["gone", "garbled"])
def test_without_the_mark_of_the_archive_the_names_in_it_are_compared(
    home: Path, store: Path, tmp_path: Path, what: str
) -> None:
    mark = store / "archive.mark"
    whole = copied(store, tmp_path / "whole")
    older_database(home, store, tmp_path)
    for each in (store, whole):
        (each / mark.name).unlink() if what == "gone" else (each / mark.name).write_bytes(b"\xff{")
    with pytest.raises(DamagedError, match="files that the database does not know"):
        learned(home, store)
    (said,) = serious(whole)
    assert f"archive.mark) {'is gone' if what == 'gone' else 'cannot be read'}" in said
    assert "older" not in said
    learned(home, whole)
    assert serious(whole) == []


def test_verify_does_not_blame_the_database_for_a_journal_that_lost_entries(home: Path, store: Path) -> None:
    with connect(store / "journal.db") as db:
        db.execute("DELETE FROM entries WHERE number = (SELECT max(number) FROM entries)")
    (said,) = serious(store)
    assert said.startswith("journal: entry ")
    (told,) = alarms(home, store)
    assert told.startswith("journal: entry ")


@pytest.mark.parametrize("is_damaged", [False, True])
def test_rebuild_does_not_take_an_archive_that_is_away_for_an_empty_one(
    home: Path, store: Path, tmp_path: Path, is_damaged: bool
) -> None:
    if is_damaged:
        (store / "afterwit.db").write_bytes(b"nothing of a database" * 500)
    before = (store / "afterwit.db").read_bytes()
    (store / "archive").rename(tmp_path / "away")
    (store / "archive").mkdir(0o700)
    with pytest.raises(DamagedError, match=r"Restore what is missing from a backup.*--accept-archive"):
        rebuild(world_of(home, store), Silent())
    assert (store / "afterwit.db").read_bytes() == before
    assert rebuild(world_of(home, store), Silent(), accepts_archive=True).faults
    (store / "archive").rmdir()
    (tmp_path / "away").rename(store / "archive")
    assert any("the database does not know it" in line for line in serious(store))
    assert any("the database does not know it" in line for line in alarms(home, store))
    rebuild(world_of(home, store), Silent())
    assert serious(store) == []


@pytest.mark.parametrize("has_database", [True, False])
@pytest.mark.parametrize("what", ["cut", "header", "middle"])
def test_what_a_rebuild_could_not_read_stays_an_alarm_until_it_is_restored_or_read_again(
    home: Path, store: Path, tmp_path: Path, what: str, has_database: bool
) -> None:
    whole, world = hash_of(store), world_of(home, store)
    (path, key, generation), *_ = rows(store, "SELECT path, key, generation FROM files WHERE path LIKE '%grown%'")
    place = store / "archive" / key.hex()[:2] / f"{key.hex()}-{generation}.zst"
    sound = place.read_bytes()
    harmed = bytearray(sound[:-7] if what == "cut" else sound)
    if what != "cut":
        harmed[3 if what == "header" else len(harmed) // 2] ^= 0xFF
    place.write_bytes(harmed)
    if has_database:
        with pytest.raises(DamagedError, match=r"The database was left as it is.*--accept-archive"):
            rebuild(world, Silent())
        assert hash_of(store) == whole
    else:
        (store / "afterwit.db").write_bytes(b"nothing of a database" * 500)
    for is_accepted in (has_database, False):
        assert len(rebuild(world, Silent(), accepts_archive=is_accepted).faults) == 1
        for said in (serious(store), alarms(home, store), [one.reason for one in problems(Layout(store))]):
            (line,) = said
            assert place.stem in line or path in line
            assert "restore" in line
    again = copied(store, tmp_path / "again")
    learned(home, again)
    assert (serious(again), alarms(home, again)) == ([], [])
    assert rows(again, "SELECT agent, actions FROM sessions WHERE native_id = 'grown'") == [("claude-code", 5)]
    place.write_bytes(sound)
    assert rebuild(world, Silent()).after == whole
    assert (serious(store), alarms(home, store)) == ([], [])


def test_an_unreadable_object_that_somebody_removed_is_no_alarm_any_more(home: Path, store: Path) -> None:
    place = max((store / "archive").rglob("*.zst"), key=lambda path: path.stat().st_size)
    place.write_bytes(b"nothing of an object")
    rebuild(world_of(home, store), Silent(), accepts_archive=True)
    assert len(serious(store)) == 1
    place.unlink()
    assert (serious(store), alarms(home, store)) == ([], [])


def test_what_lies_in_the_place_of_an_object_is_said_in_plain_words(store: Path) -> None:
    place = max((store / "archive").rglob("*.zst"))
    place.unlink()
    place.mkdir()
    assert any("cannot be read: it is a folder, not a file" in line for line in serious(store))
