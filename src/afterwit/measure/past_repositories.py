"""Repositories as they were when a session began, for a replay: the commits that were there, and the files.

A session sees the last commit before its start on the default branch, and what was on its own branch by then, where
that is still there; never anything later. Commits are taken in the order of the branch, up to the first that is not
older than the session, so that one with a wrong date hides what follows rather than showing too much. The files are
indexed as `learn` does it, in a folder of its own that is gone at the end.
"""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType

import apsw

from afterwit.capture.checkouts.tree_index import Redact, TreeIndex
from afterwit.capture.checkouts.tree_words import TreeWords
from afterwit.recall.place_index import PlaceSighting
from afterwit.recall.repository import sightings_of
from afterwit.sources.gathering import SourceError
from afterwit.sources.git_history import commits
from afterwit.sources.git_work import TRUNKS, MainLineCommit, branches, main_line, trunk


class PastRepository:
    """One repository on its way through time."""

    def __init__(self, git_dir: Path, index: Path, redact: Redact) -> None:
        self._git_dir = git_dir
        self._db = apsw.Connection(str(index))
        self._tree = TreeIndex(self._db, redact)
        self._trunk = trunk(git_dir)
        self._lines: dict[str, list[MainLineCommit]] = {"": main_line(git_dir, self._trunk) if self._trunk else []}
        self._branches = {ref.name: ref.object for ref in branches(git_dir) if ref.name not in TRUNKS}
        self._ever: set[str] = set()  # paths that a commit changed which was asked for
        self._there: set[str] = set()

    @property
    def mark(self) -> str:
        """Changes with the ends of its branches."""
        return repr((self._trunk, sorted(self._branches.items())))

    def work_before(self, now_ms: int, branch: str, told: dict[str, str]) -> Iterator[PlaceSighting]:
        """What was committed before this moment, without what was told already: by branch, the last commit of that,
        which is noted there."""
        base, own = self._stands_on(now_ms, branch)
        for name, tip, without in (("", base, ""), (branch, own, base)):
            last = told.get(name, "")
            if tip and tip != last:
                told[name] = tip
                new = list(commits(self._git_dir, [tip], [commit for commit in (without, last) if commit]))
                self._ever.update(change.path for commit in new for change in commit.changes)
                yield from sightings_of(new, name)

    def tree_before(self, now_ms: int, branch: str) -> TreeWords:
        """The files that were there at this moment."""
        base, own = self._stands_on(now_ms, branch)
        commit = own or base
        if commit and commit != self._tree.commit:
            self._tree.update(self._git_dir, commit)
            self._there = {path for (path,) in self._db.execute("SELECT path FROM files WHERE is_there")}
        return TreeWords(self._db)

    def paths(self) -> frozenset[str]:
        """The files of the tree that was asked for last."""
        return frozenset(self._there)

    def is_there(self, path: str) -> bool:
        """Whether a file was there in the tree that was asked for last, as far as can be told: what was never committed
        may have been."""
        return path in self._there or path not in self._ever

    def close(self) -> None:
        self._db.close()

    def _stands_on(self, now_ms: int, branch: str) -> tuple[str, str]:
        """The last commits before this moment, on the default branch and on another one."""
        return self._last("", now_ms), self._last(branch, now_ms) if branch in self._branches else ""

    def _last(self, branch: str, now_ms: int) -> str:
        if branch not in self._lines:
            self._lines[branch] = main_line(self._git_dir, self._branches[branch])
        last = ""
        for commit in self._lines[branch]:
            if commit.at_ms >= now_ms:
                break
            last = commit.id
        return last


PastRepositories = Mapping[str, PastRepository]  # by name
NO_REPOSITORIES: PastRepositories = MappingProxyType({})


@contextmanager
def past_repositories(git_dirs: Mapping[str, Path], redact: Redact) -> Iterator[PastRepositories]:
    """The repositories whose git folders these are, by name, without those that git cannot read."""
    with tempfile.TemporaryDirectory(prefix="afterwit-replay-") as folder:
        past: dict[str, PastRepository] = {}
        for at, (repo, git_dir) in enumerate(sorted(git_dirs.items())):
            with suppress(SourceError):
                past[repo] = PastRepository(git_dir, Path(folder, f"{at}.db"), redact)
        try:
            yield past
        finally:
            for repository in past.values():
                repository.close()
