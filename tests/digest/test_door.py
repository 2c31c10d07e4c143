"""From logs to digests: what a run digests, what it digests again, and that a kill in between loses nothing."""

import datetime as dt
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.homes import ORCHARD, claude_records, hash_of, learned, mixed_home, put, rows, world_of

from afterwit.digest import door as digesting
from afterwit.digest.door import as_document, digest_pending, load_digest, pack, unpack
from afterwit.engine import sweep as learning
from afterwit.extras.demo.run import home_files
from afterwit.model.digest import VERSION, Digest
from afterwit.model.kinds import FailureClass, Outcome, ResolutionKind
from afterwit.model.prices import price_list
from afterwit.sessions.filters import find_session
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

FIRST, SECOND, BETWEEN = (f"11111111-aaaa-4aaa-8aaa-00000000000{number}" for number in (1, 2, 3))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return mixed_home(tmp_path / "home")


@pytest.fixture
def store(home: Path, tmp_path: Path) -> Path:
    place = tmp_path / "store"
    learned(home, place)
    return place


def digest_of(store: Path, session: str) -> Digest:
    with open_store(Layout(store)) as one:
        found = load_digest(one.db, find_session(one.db, session))
    assert found is not None
    return found


def digests(store: Path) -> list[tuple[str, int, bytes]]:
    query = "SELECT native_id, version, body FROM digests JOIN sessions ON sessions.id = session_id ORDER BY native_id"
    return rows(store, query)


def test_a_run_digests_every_session_once(home: Path, tmp_path: Path) -> None:
    report = learned(home, tmp_path / "store")
    assert (report.digested.digested, report.digested.redone) == (report.sessions, 0)
    again = learned(home, tmp_path / "store")
    assert again.digested.digested == 0


def test_a_digest_holds_what_the_session_did(store: Path) -> None:
    made = digest_of(store, FIRST)
    assert (made.agent, made.kinds) == ("claude-code", {"shell": 3})
    assert [prompt.text for prompt in made.prompts] == [f"Prune row {turn} of the orchard" for turn in range(3)]
    assert made.failures[0].failure is FailureClass.INVOCATION
    assert made.failures[0].resolution is ResolutionKind.CHANGED
    assert made.ending == "Done."
    assert made.verdict.outcome in Outcome


def test_repository_and_user_come_from_the_row_of_now(store: Path) -> None:
    rows(store, "UPDATE sessions SET repo = 'git.example/new/orchard' WHERE native_id LIKE '%0001'")
    assert digest_of(store, FIRST).repo == "git.example/new/orchard"


def test_lists_show_the_outcome(store: Path) -> None:
    found = dict(rows(store, "SELECT native_id, outcome FROM sessions"))
    assert set(found.values()) <= {outcome.value for outcome in Outcome}
    assert found[FIRST] == digest_of(store, FIRST).verdict.outcome


def test_the_demo_home_is_digested_with_failures_and_what_mended_them(tmp_path: Path) -> None:
    home, place = tmp_path / "home", tmp_path / "store"
    for path, file in home_files(dt.date(2026, 5, 1), home.as_posix()).items():
        put(home / path, file.content)
    report = learned(home, place)
    made = [unpack(body) for _, _, body in digests(place)]
    assert report.digested.digested == len(made) == report.sessions
    assert any(failure.by is not None for one in made for failure in one.failures)


def test_a_growing_session_is_digested_again_and_only_it(home: Path, store: Path) -> None:
    path = next((home / ".claude/projects/-srv-orchard").glob("*1.jsonl"))
    with path.open("ab") as file:
        file.write(path.read_bytes().splitlines(keepends=True)[0].replace(b"s1-0-p", b"s1-9-p"))
    report = learned(home, store)
    assert (report.digested.digested, report.digested.redone) == (1, 0)


def complaining(session: str, *, start: int) -> list[dict[str, Any]]:
    records = claude_records(session, 1, start=start)
    records[0]["message"]["content"] = "It still fails, the ladder is too short"
    return records


def test_a_next_session_that_complains_changes_how_the_one_before_ended(tmp_path: Path) -> None:
    home, place = tmp_path / "home", tmp_path / "store"
    folder = home / ".claude/projects/-srv-orchard"
    put(folder / f"{FIRST}.jsonl", claude_records(FIRST, 2))
    learned(home, place)
    assert digest_of(place, FIRST).verdict.outcome is Outcome.SUCCESS
    put(folder / f"{SECOND}.jsonl", complaining(SECOND, start=3_600))
    assert learned(home, place).digested.digested == 2
    assert digest_of(place, FIRST).verdict.outcome is Outcome.FAILURE
    learned(home, tmp_path / "whole")
    assert hash_of(place) == hash_of(tmp_path / "whole")


def test_a_session_between_the_two_takes_the_complaint_to_itself(tmp_path: Path) -> None:
    home, place = tmp_path / "home", tmp_path / "store"
    folder = home / ".claude/projects/-srv-orchard"
    put(folder / f"{FIRST}.jsonl", claude_records(FIRST, 2))
    put(folder / f"{SECOND}.jsonl", complaining(SECOND, start=7_200))
    learned(home, place)
    put(folder / f"{BETWEEN}.jsonl", claude_records(BETWEEN, 2, start=3_600))
    learned(home, place)
    assert digest_of(place, FIRST).verdict.outcome is Outcome.SUCCESS
    assert digest_of(place, BETWEEN).verdict.outcome is Outcome.FAILURE
    learned(home, tmp_path / "whole")
    assert hash_of(place) == hash_of(tmp_path / "whole")


@pytest.mark.parametrize(("cwd", "start"), [("/srv/garden", 3_600), (ORCHARD, 200_000)])
def test_a_complaint_elsewhere_or_days_later_says_nothing(tmp_path: Path, cwd: str, start: int) -> None:
    home, place = tmp_path / "home", tmp_path / "store"
    later = [{**record, "cwd": cwd} for record in complaining(SECOND, start=start)]
    put(home / f".claude/projects/-srv-orchard/{FIRST}.jsonl", claude_records(FIRST, 2))
    put(home / f".claude/projects/-srv-other/{SECOND}.jsonl", later)
    learned(home, place)
    assert digest_of(place, FIRST).verdict.outcome is Outcome.SUCCESS


def stopped(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(("module", "name"), [(learning, "digest_pending"), (digesting, "step")])
def test_a_run_stopped_before_its_digests_are_committed_is_completed_by_the_next(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str
) -> None:
    place = tmp_path / "stopped"
    with monkeypatch.context() as patched:
        patched.setattr(module, name, stopped)
        with pytest.raises(KeyboardInterrupt):
            learned(home, place)
    assert digests(place) == []
    assert rows(place, "SELECT count(*) FROM sessions WHERE is_digested = 0") == [(4,)]
    report = learned(home, place)
    assert report.digested.digested == report.sessions == 4
    learned(home, tmp_path / "whole")
    assert hash_of(place) == hash_of(tmp_path / "whole")


def test_a_better_digester_digests_again_and_says_what_changed(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows(store, "UPDATE sessions SET outcome = 'failure' WHERE native_id LIKE '%0002'")
    monkeypatch.setattr(digesting, "VERSION", VERSION + 1)
    done = learned(home, store).digested
    assert done.digested == done.redone == len(digests(store))
    assert done.changed == [f"{SECOND}: outcome was failure, is {digest_of(store, SECOND).verdict.outcome}"]
    assert {version for _, version, _ in digests(store)} == {VERSION + 1}


def test_files_of_an_older_capture_are_derived_again_from_the_archive(home: Path, store: Path) -> None:
    fresh, expected = hash_of(store), digests(store)
    rows(store, "DELETE FROM notes")
    rows(store, "UPDATE files SET capture_version = 0")
    for path in sorted(home.rglob("*.jsonl")):
        path.unlink()
    report = learned(home, store)
    assert report.digested.digested == len(expected)
    assert hash_of(store) == fresh
    assert digests(store) == expected


def test_a_digest_survives_packing(store: Path) -> None:
    made = digest_of(store, FIRST)
    assert unpack(pack(made)) == made


def test_a_document_names_every_field(store: Path) -> None:
    document = as_document(digest_of(store, FIRST))
    assert document["steps"][0]["target"] == "make prune-0"
    assert {"verdict", "failures", "measures", "files", "stated"} <= set(document)


def test_a_session_without_a_digest_has_none(store: Path) -> None:
    rows(store, "DELETE FROM digests")
    rows(store, "UPDATE sessions SET is_digested = 0")
    with open_store(Layout(store)) as one:
        assert load_digest(one.db, find_session(one.db, FIRST)) is None
        assert digest_pending(one, price_list(world_of(store, store).settings.prices)).digested == 4
        assert load_digest(one.db, find_session(one.db, FIRST)) is not None
