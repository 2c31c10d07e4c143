"""Git, asked to carry a share: commits of its folder alone, and the way to others and back.

Runs as the user would run it, with their configuration and credentials, but never waits for anybody to type. Of a
project's checkout nothing is touched beside the folder: what is staged stays staged, and no branch is changed but by
the commit itself. What git says goes into the error.
"""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from afterwit.model.errors import AfterwitError, UsageError

_SECONDS = 300
_TRIES = 8
_SAID = 400
_MESSAGE = "Share what was learned here"


class GitError(AfterwitError):
    """Git could not do it."""


class ShareGit:
    """Git in one work tree."""

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self._root = root
        self._environ = {**environ, "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", "LC_ALL": "C"}

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
            self._asked("merge", "--quiet", "--no-edit", "--allow-unrelated-histories", f"origin/{branch}")

    def send(self, folder: str) -> None:
        """Sends what was committed; where others were faster, takes theirs first."""
        for _ in range(_TRIES):
            done = self._run("push", "--quiet", "origin", f"HEAD:refs/heads/{self._branch()}")
            if done.returncode == 0:
                return
            if "rejected" not in done.stderr and "cannot lock ref" not in done.stderr:
                raise GitError(f"git push failed in {self._root}: {_said(done)}")
            self.fetch(folder)
        raise GitError(f"Others kept sending to the share of {self._root}. Try again in a moment.")

    def _branch(self) -> str:
        done = self._run("symbolic-ref", "--short", "HEAD")
        if done.returncode != 0:
            raise UsageError(f"{self._root} is on no branch. `git switch` to one, then try again.")
        return done.stdout.strip()

    def _asked(self, *words: str) -> str:
        done = self._run(*words)
        if done.returncode != 0:
            raise GitError(f"git {words[0]} failed in {self._root}: {_said(done)}")
        return done.stdout

    def _run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return _run(("-C", str(self._root), *words), self._environ)


def clone(url: str, root: Path, environ: Mapping[str, str]) -> None:
    """Clones a repository of shares. A remote without commits gives one without any, on its first branch."""
    if url.startswith("-"):
        raise UsageError(f"{url!r} is no address of a repository.")
    root.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    words = ("clone", "--quiet", "--", url, str(root))
    done = _run(words, {**environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"})
    if done.returncode != 0:
        raise GitError(f"{url} could not be cloned: {_said(done)}")


def _run(words: tuple[str, ...], environ: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(
            ("git", *words),
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise GitError("git is not installed, or not on the PATH.") from None
    except subprocess.TimeoutExpired:
        raise GitError(f"git {words[0]} took longer than {_SECONDS} seconds and was stopped.") from None


def _said(done: "subprocess.CompletedProcess[str]") -> str:
    return " ".join((done.stderr or done.stdout).split())[:_SAID] or f"exit code {done.returncode}"
