from itertools import islice
from pathlib import Path

import pytest
from tests.sources.repositories import commit_on_top, git, repository

from afterwit.sources.gathering import SourceError
from afterwit.sources.git import commits, refs


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    return repository(tmp_path)


def tip(git_dir: Path) -> str:
    return refs(git_dir, ["refs/heads/main"])[0].object


def test_commits_come_newest_first_with_their_files(git_dir: Path) -> None:
    first = commit_on_top(git_dir, {"a/b.txt": b"one", "ü\n.txt": b""})
    second = commit_on_top(git_dir, {"a/b.txt": b"two", "ü\n.txt": b""})
    newer, older = commits(git_dir, [tip(git_dir)])
    assert (newer.id, newer.parents, older.id, older.parents) == (second, (first,), first, ())
    assert {change.path: change.status for change in older.changes} == {"a/b.txt": "A", "ü\n.txt": "A"}
    assert [(change.path, change.status) for change in newer.changes] == [("a/b.txt", "M")]
    assert newer.changes[0].before == older.changes[0].after
    assert newer.at_ms > 1_700_000_000_000


def test_what_is_known_already_is_left_out(git_dir: Path) -> None:
    first = commit_on_top(git_dir, {"a": b"1"})
    second = commit_on_top(git_dir, {"a": b"2"})
    assert [made.id for made in commits(git_dir, [second], [first])] == [second]
    assert [made.id for made in commits(git_dir, [second], most=1)] == [second]


def test_a_message_that_looks_like_output_of_git_is_a_message(git_dir: Path) -> None:
    said = f":100644 100644 {'a' * 40} {'b' * 40} M\n\n{'c' * 40}"
    commit_on_top(git_dir, {"a": b"1"}, said)
    (made,) = commits(git_dir, [tip(git_dir)])
    assert made.message.strip() == said
    assert [change.path for change in made.changes] == ["a"]


def test_whoever_stops_early_ends_git(git_dir: Path) -> None:
    for number in range(20):
        commit_on_top(git_dir, {"a": f"{number}".encode()})
    assert len(list(islice(commits(git_dir, [tip(git_dir)]), 2))) == 2


def test_only_ids_of_commits_are_asked_for(git_dir: Path) -> None:
    with pytest.raises(SourceError, match="not the id of a commit"):
        next(commits(git_dir, ["--output=/tmp/x"]))


def test_what_git_cannot_find_is_an_error_of_the_source(git_dir: Path) -> None:
    with pytest.raises(SourceError, match="git log failed"):
        next(commits(git_dir, ["0" * 39 + "1"]))


def test_settings_of_a_repository_start_no_program(git_dir: Path, tmp_path: Path) -> None:
    commit_on_top(git_dir, {"a": b"1", ".gitattributes": b"* diff=evil filter=evil\n"})
    ran = tmp_path / "ran"
    for name in ("core.fsmonitor", "gpg.program", "diff.external", "diff.evil.textconv", "diff.evil.command"):
        git(git_dir, "config", name, f"touch {ran}")
    git(git_dir, "config", "log.showSignature", "true")
    assert len(list(commits(git_dir, [tip(git_dir)]))) == 1
    assert not ran.exists()
