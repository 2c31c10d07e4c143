"""Which known repository a folder of this machine belongs to.

Folders are stored redacted, so the folder is redacted like them and compared. In a checkout the folders up to its root
count, then its remote; elsewhere all folders above. So a checkout inside another repository's folder is itself.
"""

from pathlib import Path

import apsw

from afterwit.config.world import World, redactor_of
from afterwit.repos.folders import root_of
from afterwit.sources.checkout import remote_of, root_of_checkout
from afterwit.store.rows.repos import repo_rows

_MOST_FOLDERS = 64


def repo_at(db: apsw.Connection, world: World, folder: Path) -> str:
    """The repository; "" where no session was seen there."""
    rows = [row for row in repo_rows(db) if row.repo]
    by_root = {row.root: row.repo for row in rows}
    redact = redactor_of(world)
    top = root_of_checkout(folder)
    for place in _upwards(folder, top):
        repo = by_root.get(redact.path(root_of(str(place))))
        if repo:
            return repo
    remote = remote_of(folder) if top else ""
    names = {row.remote: row.repo for row in rows if row.remote} | {row.repo: row.repo for row in rows}
    return names.get(remote, "") if remote else ""


def _upwards(folder: Path, top: Path | None) -> list[Path]:
    whole = folder.absolute()
    places = [whole, *whole.parents][:_MOST_FOLDERS]
    return places[: places.index(top) + 1] if top in places else places
