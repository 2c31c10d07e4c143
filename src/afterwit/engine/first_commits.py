"""Notes which commit comes first in checkouts that have no remote, so that a clone of one is recognised.

A repository that is known by its folder's name alone has nothing else that a clone shares with it. Asked once for each
folder, and journalled with the remotes of others, because the folder may be gone tomorrow. Where a checkout with a
remote turns up that begins with the same commit, its remote is that of the earlier folder too, and their sessions are
one repository's from then on.
"""

from collections.abc import Mapping
from pathlib import Path

from afterwit.capture.checkouts import folder_here
from afterwit.config.world import World
from afterwit.repos.identity import COMMIT_MARK
from afterwit.sources.checkout import remote_of, root_commit_of, root_of_checkout
from afterwit.store.decide import CHECKOUTS_SEEN, decide
from afterwit.store.rows import repos
from afterwit.store.store import Store

_MOST = 32  # folders that are asked in one run


def note_first_commits(store: Store, world: World, new: Mapping[str, str]) -> bool:
    """Notes them; `new` are remotes by root folder that this run was the first to see. True if anything was noted."""
    noted = repos.checkouts(store.db)
    commits = _first_commits(store, world, noted)
    begun = {root: mark for root, mark in (noted | commits).items() if mark.startswith(COMMIT_MARK)}
    remotes = _remotes_of_begun(store, world, begun, new) if begun else {}
    if commits or remotes:
        decide(store, CHECKOUTS_SEEN, {"remotes": commits | remotes}, world.now_ms)
    return bool(commits or remotes)


def _first_commits(store: Store, world: World, noted: Mapping[str, str]) -> dict[str, str]:
    commits: dict[str, str] = {}
    rows = (row for row in repos.repo_rows(store.db) if row.repo and "/" not in row.repo and row.root not in noted)
    for row in rows:
        folder = Path(folder_here(store, world, row.root))
        if len(commits) < _MOST and root_of_checkout(folder) is not None and not remote_of(folder):
            commit = root_commit_of(folder)
            if commit:
                commits[row.root] = f"{COMMIT_MARK}{commit}"
    return commits


def _remotes_of_begun(store: Store, world: World, begun: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """The remotes that turned up for folders known by their first commit."""
    remotes: dict[str, str] = {}
    for root, remote in sorted(new.items())[:_MOST]:
        mark = f"{COMMIT_MARK}{root_commit_of(Path(folder_here(store, world, root)))}"
        remotes |= {other: remote for other, noted in begun.items() if noted == mark}
    return remotes
