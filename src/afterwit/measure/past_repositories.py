"""Checkouts of repositories as they were when a session began, for a replay: folders that stand at a moment.

A session sees the last commit before its start on the default branch, and what was on its own branch by then, where
that is still there; never anything later. Commits are taken in the order of the branch, up to the first that is not
older than the session, so that one with a wrong date hides what follows rather than showing too much. Each checkout is
a folder of our own that borrows the objects of the real one, so everything that reads checkouts reads it as it would
have then, and nothing of the real one is touched. What was never committed is not there.
"""

import re
from contextlib import suppress
from pathlib import Path

from afterwit.sources.checkout import TRUNKS, MainLineCommit, branches, main_line, trunk
from afterwit.sources.gathering import SourceError
from afterwit.sources.git import answer_of

_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
_BRANCH = re.compile(r"(?!.*(?:\.\.|//|\.lock$|[/.]$))[A-Za-z0-9][\w./+@#-]{0,199}", re.ASCII)


class PastCheckout:
    """One checkout on its way through time. Without a git folder to borrow from it only names a branch."""

    def __init__(self, root: Path, git_dir: Path | None) -> None:
        self.root = root
        self._own = root / ".git"
        for folder in ("objects/info", "refs"):
            (self._own / folder).mkdir(mode=0o700, parents=True)
        (self._own / "config").write_text(_CONFIG)
        self._lines: dict[str, list[MainLineCommit]] = {"": []}
        self._branches: dict[str, str] = {}
        self._stands: tuple[str, str, str] | None = None
        self._tree = ""
        self._git_dir = git_dir
        self.has_files = False
        if git_dir is not None:
            with suppress(SourceError):
                self._borrow(git_dir)
                self.has_files = True
        self._point("", "", "")

    def _borrow(self, git_dir: Path) -> None:
        """Finds out what there is, and where its objects lie."""
        shared = {
            name: Path(answer_of(git_dir, ["rev-parse", "--git-path", name]).decode().strip())
            for name in ("objects", "shallow")
        }
        end = trunk(git_dir)
        self._lines[""] = main_line(git_dir, end) if end else []
        self._branches = {ref.name: ref.object for ref in branches(git_dir) if ref.name not in TRUNKS}
        (self._own / "objects/info/alternates").write_text(f"{shared['objects']}\n")
        if shared["shallow"].is_file():
            (self._own / "shallow").write_bytes(shared["shallow"].read_bytes())

    @property
    def has_stood(self) -> bool:
        return self._stands is not None

    def stand(self, now_ms: int, branch: str) -> bool:
        """Makes it what it was at this moment, on this branch. Returns whether it is another than before."""
        named = branch if _BRANCH.fullmatch(branch) else ""
        base = self._last("", now_ms)
        own = self._last(named, now_ms) if named in self._branches else ""
        if (base, own, named) == self._stands:
            return False
        self._point(base, own or base, named)
        self._stands = (base, own, named)
        return True

    def _point(self, base: str, head: str, branch: str) -> None:
        refs = {"main": base} | ({branch: head} if branch else {})
        packed = "".join(f"{commit} refs/heads/{name}\n" for name, commit in sorted(refs.items()) if commit)
        (self._own / "packed-refs").write_text(packed)
        is_on_none = head and not branch
        (self._own / "HEAD").write_text(f"{head}\n" if is_on_none else f"ref: refs/heads/{branch or 'main'}\n")
        if head and head != self._tree:
            there = ["-C", str(self.root), f"--work-tree={self.root}"]
            with suppress(SourceError):
                answer_of(self._own, [*there, "read-tree", "--reset", "-u", head])
            self._tree = head

    def _last(self, branch: str, now_ms: int) -> str:
        """The last commit before this moment."""
        if branch not in self._lines and self._git_dir is not None:
            self._lines[branch] = main_line(self._git_dir, self._branches[branch])
        last = ""
        for commit in self._lines[branch]:
            if commit.at_ms >= now_ms:
                break
            last = commit.id
        return last
