"""Which shares there are for a repository: the folder in its checkout, and repositories of their own.

A repository of its own is cloned into the store, and what is about whom stands in its `share.jsonl`.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from afterwit.capture.checkouts import GitCheckout
from afterwit.config.world import World
from afterwit.extras.team.folder import FOLDER, SHARE_FILE, ShareFile, ShareFolder, create
from afterwit.extras.team.git_commands import CLONING, ShareGit, clone
from afterwit.extras.team.records import AUTHOR_LIMIT, one_line
from afterwit.model.errors import UsageError
from afterwit.model.text import regex
from afterwit.store.atomic import READABLE, replace_file
from afterwit.store.store import hold_lease

GIT_WAIT_SECONDS = 60
_SLUG = regex(r"[^a-z0-9]+")


class Share(NamedTuple):
    """A share, seen from one repository."""

    name: str  # as people and the journal call it
    root: Path  # of the work tree
    repo: str  # that is asked about
    is_own: bool  # a repository of its own: fetched, committed and sent by us

    @property
    def folder(self) -> Path:
        return self.root / FOLDER

    @property
    def lies_in(self) -> str:
        """The repository that needs no name in its files; "" in one of its own."""
        return "" if self.is_own else self.repo


def shares_of(world: World, place: GitCheckout) -> list[Share]:
    """All shares for a repository. Raises UsageError where there is none."""
    has_one = (place.root / FOLDER / SHARE_FILE).exists()
    shares = [Share(place.repo, place.root, place.repo, is_own=False)] if has_one else []
    shares += [
        Share(root.name, root, place.repo, is_own=True)
        for root in sorted(world.layout.shares.glob("*"))
        if root.name != CLONING
        and (root / FOLDER / SHARE_FILE).exists()
        and ShareFolder(root / FOLDER).about.is_about(place.repo)
    ]
    if not shares:
        raise UsageError(f"Nothing is shared for {place.repo} yet. `afterwit share init` begins.")
    return shares


@contextmanager
def git_in(world: World, share: Share, *, is_dry_run: bool = False) -> Iterator[ShareGit]:
    """Git in the work tree of a share; in a clone of ours nobody else works meanwhile, unless nothing will be done."""
    if not share.is_own or is_dry_run:
        yield ShareGit(share.root, world.environ)
        return
    with hold_lease(world.layout.share_lease, GIT_WAIT_SECONDS) as lease:
        yield ShareGit(share.root, world.environ, lease)


def own_root(world: World, url: str) -> Path:
    """Where the clone of a repository of shares lies."""
    slug = _SLUG.sub("-", url.rstrip("/").removesuffix(".git").rpartition("/")[2].lower()).strip("-")[:40]
    return world.layout.shares / f"{slug or 'share'}-{hashlib.sha256(url.encode()).hexdigest()[:8]}"


def author_of(world: World, git: ShareGit) -> str:
    """The name under which notes are shared."""
    named = world.settings.share.author or git.author() or world.environ.get("USER", "")
    author = one_line(named, AUTHOR_LIMIT)
    if not author:
        raise UsageError("Under which name? Say `author = …` under [share] in config.toml, or `git config user.name`.")
    return author


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    share: str
    folder: str
    files: list[str]
    is_own: bool


def init(world: World, place: GitCheckout, url: str = "") -> Begun:
    """Begins a share in a checkout, or joins a repository of shares."""
    if not url:
        files = create(place.root / FOLDER, ShareFile())
        return Begun(share=place.repo, folder=str(place.root / FOLDER), files=files, is_own=False)
    world.layout.create()
    root = own_root(world, url)
    with hold_lease(world.layout.share_lease, GIT_WAIT_SECONDS) as lease:
        return _begin(world, place, url, root, lease)


def _begin(world: World, place: GitCheckout, url: str, root: Path, lease: int) -> Begun:
    if not root.exists():
        clone(url, root, world.environ, lease)
    folder = root / FOLDER
    if (folder / SHARE_FILE).exists():
        files = _join(folder, place.repo)
    else:
        files = create(folder, ShareFile(frozenset((place.repo,))))
    return Begun(share=root.name, folder=str(folder), files=files, is_own=True)


def _join(folder: Path, repo: str) -> list[str]:
    about = ShareFolder(folder).about
    if about.is_about(repo):
        return []
    replace_file(folder / SHARE_FILE, ShareFile(about.repos | {repo}).content, READABLE)
    return [SHARE_FILE]
