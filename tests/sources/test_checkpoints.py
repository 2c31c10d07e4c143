import json
from pathlib import Path, PurePosixPath

import pytest
from tests.sources.repositories import BRANCH, commit, git, repository

from afterwit.agents.entire.reader import CheckpointGatherer, Native
from afterwit.sources.gathering import SourceError
from afterwit.sources.places import LogFile

GIT = PurePosixPath("repo/.git")
PACKED = LogFile(GIT / "packed-refs", 1, 1, 1)
LOOSE = LogFile(GIT / "refs/heads/entire/checkpoints/v1", 1, 1, 1)


def native(data: bytes, is_all: bool) -> Native | None:
    """Transcripts of the tests begin with the name of their agent."""
    if data.startswith(b"whole"):
        return Native("doc", ".json") if is_all else None
    return Native("lathe", ".jsonl") if data.startswith(b"lathe") else None


def checkpoint(folder: str, session: str, *chunks: bytes, created: str = "2026-05-01T10:00:00Z") -> dict[str, bytes]:
    metadata = {"session_id": session, "agent": "Agent", "created_at": created}
    names = ["full.jsonl", *(f"full.jsonl.{number:03d}" for number in range(1, len(chunks)))]
    files = {f"{folder}/{name}": chunk for name, chunk in zip(names, chunks, strict=True)}
    return files | {f"{folder}/metadata.json": json.dumps(metadata).encode(), f"{folder}/prompt.txt": b"Prune"}


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo")


@pytest.fixture
def gatherer() -> CheckpointGatherer:
    return CheckpointGatherer(native)


def listed(gatherer: CheckpointGatherer, tmp_path: Path) -> list[str]:
    return [str(found.path) for found in gatherer.sessions(tmp_path, GIT, [LOOSE])]


def rendered(gatherer: CheckpointGatherer, tmp_path: Path, name: str) -> bytes:
    return gatherer.render(tmp_path, GIT / name).data


def test_the_largest_checkpoint_of_each_session_is_taken(
    gatherer: CheckpointGatherer, git_dir: Path, tmp_path: Path
) -> None:
    commit(
        git_dir,
        {
            **checkpoint("0a/1b2c3d4e5f/0", "s-1", b"lathe one\n"),
            **checkpoint("0b/1b2c3d4e5f/0", "s-1", b"lathe one\nlathe two\n"),
            **checkpoint("0b/1b2c3d4e5f/1", "s-2", b"lathe other\n"),
            "0b/1b2c3d4e5f/metadata.json": b"{}",
        },
    )
    assert listed(gatherer, tmp_path) == ["repo/.git/lathe@s-1.jsonl", "repo/.git/lathe@s-2.jsonl"]
    assert rendered(gatherer, tmp_path, "lathe@s-1.jsonl") == b"lathe one\nlathe two\n"


def test_chunks_are_joined_in_order(gatherer: CheckpointGatherer, git_dir: Path, tmp_path: Path) -> None:
    chunks = [b"lathe ", *(f"{number} ".encode() for number in range(1, 12))]
    commit(git_dir, checkpoint("0a/1b2c3d4e5f/0", "s-1", *chunks))
    assert rendered(gatherer, tmp_path, "lathe@s-1.jsonl") == b"".join(chunks)


def test_marks_change_with_the_session_alone(gatherer: CheckpointGatherer, git_dir: Path, tmp_path: Path) -> None:
    other = checkpoint("0c/1b2c3d4e5f/0", "s-2", b"lathe other\n")
    commit(git_dir, {**checkpoint("0a/1b2c3d4e5f/0", "s-1", b"lathe one\n"), **other})
    before = gatherer.sessions(tmp_path, GIT, [LOOSE])
    assert before[0].mtime_ns == 1_777_629_600_000 * 1_000_000
    assert gatherer.render(tmp_path, before[0].path).file == before[0]
    commit(git_dir, {**checkpoint("0a/1b2c3d4e5f/0", "s-1", b"lathe one\nlathe two\n"), **other})
    after = gatherer.sessions(tmp_path, GIT, [LOOSE])
    assert (before[0] == after[0], before[1] == after[1]) == (False, True)


@pytest.mark.parametrize(
    "ref", ["refs/remotes/origin/entire/checkpoints/v1", "refs/entire/checkpoints/0a1b", "refs/entire/checkpoints/a/b"]
)
def test_checkpoints_are_found_below_other_refs_too(
    gatherer: CheckpointGatherer, git_dir: Path, tmp_path: Path, ref: str
) -> None:
    commit(git_dir, checkpoint("0a/1b2c3d4e5f/0", "s-1", b"lathe one\n"), ref)
    assert gatherer.collection(GIT / ref) == GIT
    assert listed(gatherer, tmp_path) == ["repo/.git/lathe@s-1.jsonl"]


def test_a_repository_without_checkpoints_is_not_even_asked(
    gatherer: CheckpointGatherer, git_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(git_dir, {"README": b"Pears"}, "refs/heads/main")
    git(git_dir, "pack-refs", "--all")
    assert gatherer.sessions(tmp_path, GIT, [PACKED]) == []
    commit(git_dir, checkpoint("0a/1b2c3d4e5f/0", "s-1", b"lathe one\n"))
    git(git_dir, "pack-refs", "--all")
    assert len(gatherer.sessions(tmp_path, GIT, [PACKED])) == 1
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SourceError, match="git"):
        gatherer.sessions(tmp_path, GIT, [PACKED])


def test_a_large_document_is_looked_at_whole(gatherer: CheckpointGatherer, git_dir: Path, tmp_path: Path) -> None:
    commit(git_dir, checkpoint("0a/1b2c3d4e5f/0", "s-1", b"whole" + b" " * 400_000, b"end"))
    assert listed(gatherer, tmp_path) == ["repo/.git/doc@s-1.json"]
    assert rendered(gatherer, tmp_path, "doc@s-1.json").endswith(b" end")


def test_what_nobody_recognises_is_listed_as_such(gatherer: CheckpointGatherer, git_dir: Path, tmp_path: Path) -> None:
    commit(git_dir, checkpoint("0a/1b2c3d4e5f/0", "s-1", b"odd"))
    assert listed(gatherer, tmp_path) == ["repo/.git/unrecognised@s-1.jsonl"]


@pytest.mark.parametrize("metadata", [b"{}", b"[]", b"no json", b'{"session_id": 7}'])
def test_a_checkpoint_without_a_session_is_named_after_its_folder(
    gatherer: CheckpointGatherer, git_dir: Path, tmp_path: Path, metadata: bytes
) -> None:
    folder = "0a/1b2c3d4e5f/0"
    commit(git_dir, {f"{folder}/full.jsonl": b"lathe", f"{folder}/metadata.json": metadata})
    assert listed(gatherer, tmp_path) == ["repo/.git/lathe@0a-1b2c3d4e5f-0.jsonl"]


def test_odd_session_ids_are_quoted_and_found_again(
    gatherer: CheckpointGatherer, git_dir: Path, tmp_path: Path
) -> None:
    commit(git_dir, checkpoint("0a/1b2c3d4e5f/0", "../a b@c/ü", b"lathe"))
    (name,) = listed(gatherer, tmp_path)
    assert name == "repo/.git/lathe@..%2Fa%20b%40c%2F%C3%BC.jsonl"
    assert gatherer.renders(PurePosixPath(name))
    assert rendered(gatherer, tmp_path, PurePosixPath(name).name) == b"lathe"


def test_a_session_that_is_gone_is_an_error_of_the_source(
    gatherer: CheckpointGatherer, git_dir: Path, tmp_path: Path
) -> None:
    commit(git_dir, checkpoint("0a/1b2c3d4e5f/0", "s-1", b"lathe"))
    with pytest.raises(SourceError, match="no checkpoint any more"):
        gatherer.render(tmp_path, GIT / "lathe@s-9.jsonl")


@pytest.mark.parametrize(
    ("path", "collection"),
    [
        (".git/packed-refs", ".git"),
        ("work/app/.git/refs/heads/entire/checkpoints/v1", "work/app/.git"),
        ("app.git/packed-refs", "app.git"),
        ("app.git/reftable/0x1-0x2.ref", "app.git"),
        (".git/refs/heads/main", None),
        (".git/logs/refs/heads/entire/checkpoints/v1", None),
        (".git/config", None),
        ("packed-refs", None),
        ("notes/refs/entire/checkpoints/a", None),
    ],
)
def test_only_files_of_refs_belong_to_the_source(
    gatherer: CheckpointGatherer, path: str, collection: str | None
) -> None:
    assert gatherer.collection(PurePosixPath(path)) == (PurePosixPath(collection) if collection else None)


def test_the_branch_is_the_one_that_is_documented() -> None:
    assert BRANCH == "refs/heads/entire/checkpoints/v1"
