"""Damage in the archive is seen by `learn` while the agent still has the log, and mended from it."""

from pathlib import Path

import pytest
from tests.engine.archive.store_faults import prepared
from tests.homes import CLAUDE, Silent, claude_records, learned, put, rows, world_of

from afterwit.engine.archive import upkeep
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.archive.upkeep import verify
from afterwit.engine.doctor.doctor import examine
from afterwit.engine.unchanged import nothing_new
from afterwit.model.errors import DamagedError
from afterwit.store.layout import Layout
from afterwit.store.rows.files import FileRow
from afterwit.store.store import Store, open_store

DAY_MS = 86_400_000


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for number in range(3):
        put(tmp_path / "home" / CLAUDE / f"s{number}.jsonl", claude_records(f"s{number}"))
    return tmp_path / "home"


@pytest.fixture
def store(tmp_path: Path, home: Path) -> Path:
    learned(home, tmp_path / "store")
    learned(home, tmp_path / "store")
    return tmp_path / "store"


def place_of(store: Path, name: str) -> Path:
    [(key, generation)] = rows(
        store, "SELECT key, generation FROM files WHERE path LIKE ? AND is_live AND held_bytes", f"%{name}%"
    )
    return Path(store, "archive", key.hex()[:2], f"{key.hex()}-{generation}.zst")


def flipped(place: Path) -> None:
    content = bytearray(place.read_bytes())
    content[-20] ^= 1
    place.write_bytes(content)


def header_flipped(place: Path) -> None:
    content = place.read_bytes()
    place.write_bytes(content.replace(b'"role":', b'"role";', 1))


def cut(place: Path) -> None:
    place.write_bytes(place.read_bytes()[:-30])


def gone(place: Path) -> None:
    place.unlink()


def faults(store: Path) -> list[str]:
    return [fault.what for fault in verify(Layout(store)) if not fault.is_harmless]


@pytest.mark.parametrize("harm", [flipped, header_flipped, cut, gone])
def test_a_damaged_file_of_an_unchanged_log_is_read_again_by_the_next_learn_which_says_so(
    home: Path, store: Path, harm: object
) -> None:
    harm(place_of(store, "s1"))  # type: ignore[operator]
    assert nothing_new(world_of(home, store)) is None
    report = learned(home, store)
    assert report.has_failures
    assert ["s1.jsonl was damaged in the archive" in line and "read again" in line for line in report.damaged] == [True]
    assert faults(store) == []
    again = learned(home, store)
    assert (again.has_failures, again.damaged) == (False, [])
    assert nothing_new(world_of(home, store)) is not None
    assert rows(store, "SELECT count(*) FROM sessions") == [(3,)]


@pytest.mark.parametrize("harm", [flipped, header_flipped, gone])
def test_without_the_log_it_is_said_with_every_run_until_somebody_accepts_the_loss(
    home: Path, store: Path, harm: object
) -> None:
    harm(place_of(store, "s1"))  # type: ignore[operator]
    next(home.rglob("s1.jsonl")).unlink()
    for _ in range(2):
        report = learned(home, store)
        assert report.has_failures
        assert [line for line in report.damaged if "s1.jsonl is damaged" in line and "--accept-archive" in line]
    with pytest.raises(DamagedError, match="--accept-archive"):
        rebuild(world_of(home, store), Silent())
    rebuild(world_of(home, store), Silent(), accepts_archive=True)
    place = [path for path in store.glob("archive/*/*.zst") if path.stem in " ".join(faults(store))]
    for path in place:  # as it is said there
        path.unlink()
    assert not learned(home, store).has_failures
    assert faults(store) == []


def test_an_archived_file_that_was_restored_is_well_again_with_the_next_look(home: Path, store: Path) -> None:
    place = place_of(store, "s1")
    whole = place.read_bytes()
    next(home.rglob("s1.jsonl")).unlink()
    flipped(place)
    assert learned(home, store).has_failures
    place.write_bytes(whole)
    assert not learned(home, store).has_failures
    assert faults(store) == []


def test_what_verify_or_doctor_say_of_a_missing_file_helps(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "_MOST_BYTES", -1)  # so that a run does not come to it by itself
    gone(place_of(store, "s2"))
    [said] = [one.what for one in examine(world_of(home, store)).findings if one.code == "damaged"]
    assert "After `afterwit store verify` the next `afterwit learn` reads again" in said
    [fault] = faults(store)
    assert "the next `afterwit learn` reads it again" in fault
    assert nothing_new(world_of(home, store)) is None
    learned(home, store)
    assert faults(store) == []


def test_a_damaged_companion_is_read_again_with_its_transcript(tmp_path: Path) -> None:
    home, store = prepared(tmp_path)
    flipped(place_of(store, "toolu_large"))
    assert learned(home, store).has_failures
    assert faults(store) == []
    assert not learned(home, store).has_failures


def test_each_run_goes_on_where_the_last_one_ended_and_a_week_is_enough_for_all(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3, 21):
        put(home / CLAUDE / f"s{number}.jsonl", claude_records(f"s{number}"))
    learned(home, store)
    monkeypatch.setattr(upkeep, "_MOST_BYTES", 1)
    monkeypatch.setattr(upkeep, "_OPENING_BYTES", 1)
    looked: list[str] = []
    whole = upkeep.object_fault

    def noted(one: Store, row: FileRow) -> str:
        looked.append(row.path)
        return whole(one, row)

    monkeypatch.setattr(upkeep, "object_fault", noted)
    with open_store(Layout(store)) as one:
        for day in range(1, 9):
            count = len(looked)
            upkeep.check_some(one, world_of(home, store).now_ms + day * DAY_MS)
            assert len(looked) - count <= 21 // 7 + 2
        upkeep.check_some(one, world_of(home, store).now_ms + 8 * DAY_MS)
    assert len(set(looked)) == 21


@pytest.mark.parametrize(
    ("before", "after"),
    [(b'"transcript"', b'"transcripu"'), (b"s1.jsonl", b"s5.jsonl"), (b'"claude-code"', b'"claude-cope"')],
)
def test_a_header_that_was_hit_is_written_anew_also_without_the_log(
    home: Path, store: Path, before: bytes, after: bytes
) -> None:
    place = place_of(store, "s1")
    whole = place.read_bytes()
    place.write_bytes(whole.replace(before, after, 1))
    next(home.rglob("s1.jsonl")).unlink()
    assert not learned(home, store).has_failures
    assert place.read_bytes() == whole
    assert faults(store) == []
