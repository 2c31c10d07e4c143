"""What the checkout of a repository adds to what sessions say of it: commits and branches, and the words of its files.

`learn` brings the indexes of files up to date (`update_trees`), in `trees/` below the store, one for each repository.
Commits are read anew when something was committed, checked out or added since; nothing is asked of git otherwise. What
git cannot read is left out, and tried again when something changes there.
"""

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator

import apsw

from afterwit.capture.checkouts import GitCheckout, OpenedRows, git_checkouts
from afterwit.capture.tree_index import update_tree
from afterwit.config.world import World, redactor_of
from afterwit.model.learn_run import Progress
from afterwit.recall.place_index import PlaceSighting
from afterwit.redaction import ruleset
from afterwit.redaction.redaction import Redactor
from afterwit.sources.checkout import TRUNKS, branches, current_branch, files_uncommitted, head_commit, trunk, work_mark
from afterwit.sources.gathering import SourceError
from afterwit.sources.git import Commit, commits
from afterwit.store.layout import Layout, redaction_key
from afterwit.store.marks import mark, put_mark
from afterwit.store.store import Store

MOST_COMMITS = 1_000
_MOST_BRANCHES = 8
_MOST_OF_BRANCH = 50
_MOST_UNCOMMITTED = 200
_MOST_SECONDS = 600  # of one run, for all repositories
_MARK = "tree "
UNCOMMITTED = "uncommitted"  # stands for the session, and changes while it does
_SWEEP = 40  # files of a commit that says nothing of any one of them
_LONGEST_MESSAGE = 4_000


def tree_file(repo: str) -> str:
    """The name of the index of a repository's files, in the folder for these."""
    return f"{hashlib.blake2b(repo.encode(), digest_size=12).hexdigest()}.db"


def update_trees(store: Store, world: World, progress: Progress) -> None:
    """Brings the indexes of files up to date, of all checkouts in which something happened, and removes those of
    repositories that may not be read any more. Stopped at any time, it goes on there the next time."""
    checkouts = git_checkouts(store, world)
    _remove_others(store.layout, {tree_file(checkout.repo) for checkout in checkouts})
    stale = [checkout for checkout in checkouts if not _is_fresh(store, checkout)]
    if not stale:
        return
    progress.stage("reading repositories", len(stale), "repositories")
    redactor, until = redactor_of(world), time.monotonic() + _MOST_SECONDS
    for checkout in stale:
        now = git_mark(checkout)
        if update_checkout(store.layout, checkout, redactor, lambda: time.monotonic() < until):
            put_mark(store.db, _MARK + checkout.repo, now)
        progress.advance(1, 1)


def update_checkout(
    layout: Layout, checkout: GitCheckout, redactor: Redactor, proceed: Callable[[], bool] = lambda: True
) -> bool:
    """Brings the index of one repository's files up to date. False where that was given up on; what git cannot read
    has nothing to bring."""
    path = layout.trees / tree_file(checkout.repo)
    commit = head_commit(checkout.git_dir)
    if not commit:
        return True
    try:
        update_tree(path, checkout.git_dir, commit, redactor.text, ruleset.fingerprint(), proceed)
    except (SourceError, apsw.Error):
        return True
    return proceed()


def git_mark(checkout: GitCheckout) -> str:
    """As long as it is the same, so are commits, branches and what was added; and how text is redacted."""
    return f"{work_mark(checkout.git_dir)}.{ruleset.fingerprint()}"


def history_sightings(checkout: GitCheckout | None, now_ms: int) -> list[PlaceSighting]:
    """What the newest history of a checkout says about where work is; nothing where git cannot read it."""
    try:
        return sorted(_history(checkout, now_ms), key=_time_of)[-MOST_COMMITS:] if checkout else []
    except SourceError:
        return []


def sightings_of(commits: Iterable[Commit], branch: str = "") -> Iterator[PlaceSighting]:
    """What commits say that are on this branch alone; "" for those that are on the default branch."""
    for commit in commits:
        changed = [change.path for change in commit.changes if change.status != "D"]
        if changed and len(commit.changes) <= _SWEEP:
            yield PlaceSighting(
                commit.id, commit.message[:_LONGEST_MESSAGE], changed, branch, commit.at_ms, is_session=False
            )


def checkout_of(db: apsw.Connection, world: World, repo: str) -> GitCheckout | None:
    """The checkout of a repository that may be read, if there is one."""
    rows = OpenedRows(db, redaction_key(world.layout)) if repo else None
    return next((checkout for checkout in git_checkouts(rows, world) if checkout.repo == repo), None) if rows else None


def _time_of(sighting: PlaceSighting) -> tuple[int, str]:
    return sighting.at_ms, sighting.session


def _history(checkout: GitCheckout, now_ms: int) -> Iterator[PlaceSighting]:
    """Commits of the default branch and of what is checked out, those of branches of one's own, and what is not
    committed."""
    git_dir, branch = checkout.git_dir, current_branch(checkout.git_dir)
    base, head = trunk(git_dir), head_commit(git_dir)
    if not head:
        return
    yield from sightings_of(commits(git_dir, [base], most=MOST_COMMITS))
    own = {ref.name: ref.object for ref in branches(git_dir)[:_MOST_BRANCHES] if ref.name not in TRUNKS}
    for name, tip in {**own, branch: head}.items():
        yield from sightings_of(commits(git_dir, [tip], [base], most=_MOST_OF_BRANCH), name)
    changed = files_uncommitted(checkout.root, git_dir, _MOST_UNCOMMITTED)
    if changed:
        yield PlaceSighting(UNCOMMITTED, "", changed, branch, now_ms, is_session=False)


def _is_fresh(store: Store, checkout: GitCheckout) -> bool:
    is_there = (store.layout.trees / tree_file(checkout.repo)).is_file()
    return is_there and mark(store.db, _MARK + checkout.repo) == git_mark(checkout)


def _remove_others(layout: Layout, files: set[str]) -> None:
    for path in layout.trees.glob("*.db*") if layout.trees.is_dir() else ():
        if path.name.removesuffix(".new") not in files:
            path.unlink(missing_ok=True)
