from pathlib import Path

import pytest
from tests.sources.repositories import BRANCH, commit, git, repository

from afterwit.sources.gathering import SourceError
from afterwit.sources.git import beginnings, blobs, contents, refs


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    return repository(tmp_path)


def test_refs_trees_and_blobs_are_read(git_dir: Path) -> None:
    made = commit(git_dir, {"a/b.txt": b"one\n\ntwo", "ü.txt": b""})
    found = refs(git_dir, ["refs/heads/entire/checkpoints"])
    assert [(ref.name, ref.object, ref.at_ms) for ref in found] == [(BRANCH, made, 1_777_888_800_000)]
    files = {blob.path: blob for blob in blobs(git_dir, made)}
    assert {path: blob.size_bytes for path, blob in files.items()} == {"a/b.txt": 8, "ü.txt": 0}
    assert contents(git_dir, [files["ü.txt"].object, files["a/b.txt"].object]) == [b"", b"one\n\ntwo"]
    assert contents(git_dir, []) == []


def test_beginnings_come_in_order_and_without_the_rest_of_large_blobs(
    git_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("afterwit.sources.git._TOGETHER", 4)
    commit(git_dir, {f"{number:03d}": f"{number} ".encode() * (1 + number % 3 * 1000) for number in range(30)})
    wanted = list(blobs(git_dir, BRANCH))
    found = list(beginnings(git_dir, wanted, 100))
    assert found == [whole[:100] for whole in contents(git_dir, [blob.object for blob in wanted])]
    assert len(found) == 30
    assert len(found[1]) == 100


def test_what_is_no_repository_is_an_error_of_the_source(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="git for-each-ref failed"):
        refs(tmp_path, ["refs/heads"])


def test_an_object_that_is_missing_is_an_error_of_the_source(git_dir: Path) -> None:
    with pytest.raises(SourceError, match="is missing"):
        contents(git_dir, ["0" * 40])


def test_without_git_it_is_said_what_is_needed(git_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SourceError, match="cannot run git"):
        refs(git_dir, ["refs/heads"])


def test_nothing_in_the_repository_is_changed_and_no_hook_runs(git_dir: Path, tmp_path: Path) -> None:
    made = commit(git_dir, {"a": b"1"})
    git(git_dir, "config", "core.fsmonitor", f"touch {tmp_path / 'ran'}")
    before = {path: path.stat().st_mtime_ns for path in git_dir.rglob("*")}
    refs(git_dir, ["refs/heads"])
    contents(git_dir, [blob.object for blob in blobs(git_dir, made)])
    assert {path: path.stat().st_mtime_ns for path in git_dir.rglob("*")} == before
    assert not (tmp_path / "ran").exists()
