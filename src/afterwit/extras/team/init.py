"""`afterwit share init`: begins a share in a checkout, or joins a repository of shares."""

from pathlib import Path

import msgspec

from afterwit.config.world import World
from afterwit.extras.fixes.history import FixPlace
from afterwit.extras.team.folder import FOLDER, SHARE_FILE, ShareFile, ShareFolder, create
from afterwit.extras.team.git_commands import clone
from afterwit.extras.team.place import GIT_WAIT_SECONDS, own_root
from afterwit.store.atomic import READABLE, replace_file
from afterwit.store.store import hold_lease


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    share: str
    folder: str
    files: list[str]
    is_own: bool


def init(world: World, place: FixPlace, url: str = "") -> Begun:
    """Begins a share in a checkout, or joins a repository of shares."""
    if not url:
        files = create(place.root / FOLDER, ShareFile())
        return Begun(share=place.repo, folder=str(place.root / FOLDER), files=files, is_own=False)
    world.layout.create()
    root = own_root(world, url)
    with hold_lease(world.layout.share_lease, GIT_WAIT_SECONDS) as lease:
        return _begun(world, place, url, root, lease)


def _begun(world: World, place: FixPlace, url: str, root: Path, lease: int) -> Begun:
    if not root.exists():
        clone(url, root, world.environ, lease)
    folder = root / FOLDER
    if (folder / SHARE_FILE).exists():
        files = _joined(folder, place.repo)
    else:
        files = create(folder, ShareFile(frozenset((place.repo,))))
    return Begun(share=root.name, folder=str(folder), files=files, is_own=True)


def _joined(folder: Path, repo: str) -> list[str]:
    about = ShareFolder(folder).about
    if about.is_about(repo):
        return []
    replace_file(folder / SHARE_FILE, ShareFile(about.repos | {repo}).content, READABLE)
    return [SHARE_FILE]
