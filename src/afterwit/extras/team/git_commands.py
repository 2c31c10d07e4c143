"""Git, asked to carry a share: commits of its folder alone, and the way to others and back.

Runs as the user would run it, with their configuration and credentials, but never waits for anybody to type. Of a
project's checkout nothing is touched beside the folder: what is staged stays staged, and no branch is changed but by
the commit itself. What git says goes into the error.

A clone of ours, in the store, is used by whoever holds its lease. Git is started with it, so that a git which outlives
us keeps others out, and locks that lie there when the lease is free are of runs that were killed: they are removed.
What others put into the share decides nothing there: how lines are merged is said in the clone itself.
"""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from afterwit.model.errors import AfterwitError, UsageError
from afterwit.store.atomic import PRIVATE, replace_file, step
from afterwit.store.regular_files import read_regular

CLONING = ".cloning"  # beside the clones, while one is made
_SECONDS = 300
_TRIES = 8
_SAID = 400
_MESSAGE = "Share what was learned here"
_OWN_ATTRIBUTES = b".afterwit/** text eol=lf merge=union -filter -ident -working-tree-encoding\n"
_NO_MODULES = ("-c", "submodule.recurse=false")


class GitError(AfterwitError):
    """Git could not do it."""


class ShareGit:
    """Git in one work tree; with the lease of our clones, in one of these."""

    def __init__(self, root: Path, environ: Mapping[str, str], lease: int | None = None) -> None:
        self._root = root
        self._environ = {**environ, "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", "LC_ALL": "C"}
        self._lease = lease
        if lease is not None:
            self._tidy()

    def author(self) -> str:
        """As git calls the user; "" where it does not."""
        done = self._run("config", "user.name")
        return done.stdout.strip() if done.returncode == 0 else ""

    def commit(self, folder: str) -> bool:
        """Commits what changed in the folder and nothing else; False where nothing did."""
        self._asked("add", "--", folder)
        if self._run("diff", "--cached", "--quiet", "--", folder).returncode == 0:
            return False
        self._asked("commit", "--quiet", "--only", "-m", _MESSAGE, "--", folder)
        return True

    def fetch(self, folder: str) -> None:
        """Brings what others sent, and unites it with what is here; what a run that was killed left is kept."""
        self._asked("fetch", "--quiet", "origin")
        if self._run("rev-parse", "--verify", "--quiet", "MERGE_HEAD").returncode == 0:
            self._asked("merge", "--abort")
        self.commit(folder)
        branch = self._branch()
        if self._run("rev-parse", "--verify", "--quiet", f"origin/{branch}").returncode == 0:
            self._merge(folder, f"origin/{branch}")

    def send(self, folder: str) -> None:
        """Sends what was committed; where others were faster, takes theirs first."""
        for _ in range(_TRIES):
            done = self._run("push", "--quiet", "origin", f"HEAD:refs/heads/{self._branch()}")
            if done.returncode == 0:
                step("git push is done")
                return
            if "rejected" not in done.stderr and "cannot lock ref" not in done.stderr:
                raise GitError(f"git push failed in {self._root}: {_message_of(done)}")
            self.fetch(folder)
        raise GitError(f"Others kept sending to the share of {self._root}. Try again in a moment.")

    def _merge(self, folder: str, other: str) -> None:
        """Where one side has taken a file away and the other changed it, it stays: who took their lines back does so
        again. Marks of a conflict are passed over when a file is read."""
        done = self._run("merge", "--quiet", "--no-edit", "--allow-unrelated-histories", other)
        if done.returncode != 0:
            unmerged = self._asked("diff", "--name-only", "--diff-filter=U", "-z").split("\0")[:-1]
            if not unmerged or not all(path.startswith(f"{folder}/") for path in unmerged):
                self._run("merge", "--abort")
                raise GitError(f"git merge failed in {self._root}: {_message_of(done)}")
            self._asked("add", "--all", "--", folder)
            self._asked("commit", "--quiet", "--no-edit")
        step("git merge is done")

    def _tidy(self) -> None:
        """Removes what a git that was killed left, and says how files are merged here."""
        folder = self._root / ".git"
        for lock in (*folder.glob("*.lock"), *folder.glob("refs/**/*.lock")):
            lock.unlink(missing_ok=True)
        path = folder / "info" / "attributes"
        if not path.is_file() or read_regular(path) != _OWN_ATTRIBUTES:
            path.parent.mkdir(exist_ok=True)
            replace_file(path, _OWN_ATTRIBUTES, PRIVATE)

    def _branch(self) -> str:
        done = self._run("symbolic-ref", "--short", "HEAD")
        if done.returncode != 0:
            raise UsageError(f"{self._root} is on no branch. `git switch` to one, then try again.")
        return done.stdout.strip()

    def _asked(self, *words: str) -> str:
        done = self._run(*words)
        if done.returncode != 0:
            raise GitError(f"git {words[0]} failed in {self._root}: {_message_of(done)}")
        step(f"git {words[0]} is done")
        return done.stdout

    def _run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return _run(("-C", str(self._root), *_NO_MODULES, *words), self._environ, self._lease)


def clone(url: str, root: Path, environ: Mapping[str, str], lease: int) -> None:
    """Clones a repository of shares, whole or not at all. A remote without commits gives one without any, on its first
    branch."""
    if url.startswith("-"):
        raise UsageError(f"{url!r} is no address of a repository.")
    root.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = root.parent / CLONING
    shutil.rmtree(beside, ignore_errors=True)
    words = (*_NO_MODULES, "clone", "--quiet", "--no-recurse-submodules", "--", url, str(beside))
    done = _run(words, {**environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}, lease)
    if done.returncode != 0:
        raise GitError(f"{url} could not be cloned: {_message_of(done)}")
    step("a share is cloned, beside its place")
    beside.rename(root)


def _run(words: tuple[str, ...], environ: Mapping[str, str], lease: int | None) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(
            ("git", *words),
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            pass_fds=(lease,) if lease is not None and sys.platform != "win32" else (),
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise GitError("git is not installed, or not on the PATH.") from None
    except subprocess.TimeoutExpired:
        raise GitError(f"git took longer than {_SECONDS} seconds and was stopped.") from None


def _message_of(done: "subprocess.CompletedProcess[str]") -> str:
    return " ".join((done.stderr or done.stdout).split())[:_SAID] or f"exit code {done.returncode}"
