"""Repositories as they were when a session began, for a replay: the commits that were there, and the files.

A session sees the last commit before its start on the default branch, and what was on its own branch by then, where
that is still there; never anything later. Commits are taken in the order of the branch, up to the first that is not
older than the session, so that one with a wrong date hides what follows rather than showing too much. The files are
indexed as `learn` does it, in a folder of its own that is gone at the end.
"""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import apsw

from afterwit.checkouts.tree_index import Redact, TreeIndex
from afterwit.checkouts.tree_words import TreeWords
from afterwit.recall.place_index import PlaceIndex
from afterwit.recall.repository import sightings_of
from afterwit.sources.git_history import commits
from afterwit.sources.git_work import TRUNKS, MainLineCommit, branches, main_line, trunk


class PastRepository:
    """One repository on its way through time."""

    def __init__(self, git_dir: Path, index: Path, redact: Redact) -> None:
        self._git_dir = git_dir
        self._db = apsw.Connection(str(index))
        self._tree = TreeIndex(self._db, redact)
        tip = trunk(git_dir)
        self._lines: dict[str, list[MainLineCommit]] = {"": main_line(git_dir, tip) if tip else []}
        self._branches = {ref.name: ref.object for ref in branches(git_dir) if ref.name not in TRUNKS}
        self._known: dict[str, str] = {}  # by branch, the commit up to which all are known
        self._ever: set[str] = set()  # paths that a known commit changed
        self._there: set[str] = set()

    def advance(self, now_ms: int, branch: str, places: PlaceIndex) -> None:
        """Makes known what was there before this moment."""
        base = self._last("", now_ms)
        own = self._last(branch, now_ms) if branch in self._branches else ""
        if base:
            self._tell("", base, [], places)
        if own:
            self._tell(branch, own, [base] if base else [], places)
        stands_on = own or base
        if stands_on and stands_on != self._tree.commit:
            self._tree.update(self._git_dir, stands_on)
            self._there = {path for (path,) in self._db.execute("SELECT path FROM files WHERE is_there")}

    def tree(self) -> TreeWords:
        return TreeWords(self._db)

    def is_there(self, path: str) -> bool:
        """Whether a file was there, as far as can be told: what was never committed may have been."""
        return path in self._there or path not in self._ever

    def close(self) -> None:
        self._db.close()

    def _last(self, branch: str, now_ms: int) -> str:
        """The last commit of a branch before this moment."""
        if branch not in self._lines:
            self._lines[branch] = main_line(self._git_dir, self._branches[branch])
        last = ""
        for commit in self._lines[branch]:
            if commit.at_ms >= now_ms:
                break
            last = commit.id
        return last

    def _tell(self, branch: str, tip: str, without: list[str], places: PlaceIndex) -> None:
        last = self._known.get(branch, "")
        if last == tip:
            return
        new = list(commits(self._git_dir, [tip], [*without, *([last] if last else [])]))
        self._ever.update(change.path for commit in new for change in commit.changes)
        for sighting in sightings_of(new, branch):
            places.put(sighting)
        self._known[branch] = tip


class PastRepositories:
    """All repositories that a replay has at hand, by name."""

    def __init__(self, repositories: Mapping[str, PastRepository]) -> None:
        self._repositories = repositories

    def of(self, repo: str) -> PastRepository | None:
        return self._repositories.get(repo)


NO_REPOSITORIES = PastRepositories({})


@contextmanager
def past_repositories(git_dirs: Mapping[str, Path], redact: Redact) -> Iterator[PastRepositories]:
    """The repositories whose git folders these are, by name."""
    with tempfile.TemporaryDirectory(prefix="afterwit-replay-") as folder:
        past = {
            repo: PastRepository(git_dir, Path(folder, f"{at}.db"), redact)
            for at, (repo, git_dir) in enumerate(sorted(git_dirs.items()))
        }
        try:
            yield PastRepositories(past)
        finally:
            for repository in past.values():
                repository.close()
