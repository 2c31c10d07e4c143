"""Git repositories with checkpoints, made with plumbing commands alone."""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

BRANCH = "refs/heads/entire/checkpoints/v1"
_IDENTITY = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.com"), ("DATE", "2026-05-04T10:00:00Z"))
}


def git(git_dir: Path, *arguments: str, given: bytes = b"", **variables: str) -> str:
    environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(git_dir.parent)}
    done = subprocess.run(
        ["git", f"--git-dir={git_dir}", *arguments],
        input=given,
        capture_output=True,
        check=True,
        env=environ | _IDENTITY | variables,
    )
    return done.stdout.decode().strip()


def repository(folder: Path, name: str = ".git") -> Path:
    git_dir = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    git(git_dir, "init", "--quiet", "--bare", str(git_dir))
    return git_dir


def commit(git_dir: Path, files: Mapping[str, bytes], ref: str = BRANCH) -> str:
    """A commit that holds these files and nothing else."""
    return _put(git_dir, files, ref, "Checkpoint", [])


def commit_on_top(
    git_dir: Path,
    files: Mapping[str, bytes],
    message: str = "Work",
    at: str = "2026-05-04T10:00:00Z",
    ref: str = "refs/heads/main",
) -> str:
    """A commit after the last one of the branch, with these files and nothing else."""
    before = git(git_dir, "for-each-ref", "--format=%(objectname)", ref)
    return _put(git_dir, files, ref, message, ["-p", before] if before else [], GIT_COMMITTER_DATE=at)


def _put(
    git_dir: Path, files: Mapping[str, bytes], ref: str, message: str, parents: list[str], **variables: str
) -> str:
    index = str(git_dir / "index-of-the-test")
    Path(index).unlink(missing_ok=True)
    entries = "".join(
        f"100644 {git(git_dir, 'hash-object', '-w', '--stdin', given=content)}\t{path}\0"
        for path, content in files.items()
    )
    git(git_dir, "update-index", "-z", "--add", "--index-info", given=entries.encode(), GIT_INDEX_FILE=index)
    tree = git(git_dir, "write-tree", GIT_INDEX_FILE=index)
    made = git(git_dir, "commit-tree", tree, *parents, given=message.encode(), **variables)
    git(git_dir, "update-ref", ref, made)
    return made


def commit_row(
    git_dir: Path, trees: Sequence[Mapping[str, bytes]], ref: str = "refs/heads/main", start_s: int = 1_777_888_800
) -> list[str]:
    """A commit for each of the trees, one after the other, a minute apart; made by one process, however many."""
    before = git(git_dir, "for-each-ref", "--format=%(objectname)", ref)
    stream = [b"".join(_imported(files, ref, start_s + 60 * at, at == 0 and before)) for at, files in enumerate(trees)]
    git(git_dir, "fast-import", "--quiet", "--force", given=b"".join(stream))
    return git(git_dir, "rev-list", "--reverse", ref, *([f"^{before}"] if before else [])).split()


def _imported(files: Mapping[str, bytes], ref: str, at_s: int, before: str | bool) -> Iterator[bytes]:
    message = f"Work {at_s}".encode()
    yield f"commit {ref}\ncommitter Ada <ada@example.com> {at_s} +0000\ndata {len(message)}\n".encode()
    yield message + (f"\nfrom {before}".encode() if before else b"") + b"\ndeleteall\n"
    for path, content in files.items():
        yield f"M 100644 inline {path}\ndata {len(content)}\n".encode() + content + b"\n"
