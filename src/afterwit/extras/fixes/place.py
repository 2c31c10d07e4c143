"""Which checkout is meant: the one that a folder lies in, or that of a repository that sessions were learned of.

Works without any store. What the settings leave out is not looked at, and neither is any history where they say so.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from afterwit.capture.checkouts import GitCheckout, OpenedRows, git_checkouts
from afterwit.config.run_rules import known_people, redactor_for
from afterwit.config.world import World, exclusion_of, redactor_of
from afterwit.model.errors import UsageError
from afterwit.redaction.redaction import Redactor
from afterwit.sessions.filters import find_repo
from afterwit.sources.checkout import git_folder_of, remote_of, root_of_checkout
from afterwit.store.layout import redaction_key
from afterwit.store.store import readonly_database

RepoAt = Callable[[apsw.Connection, World, Path], str]


def place_of(world: World, folder: Path | None, repo: str, repo_at: RepoAt) -> GitCheckout:
    """The checkout of a folder, or of a repository by name. Raises UsageError where there is none."""
    if not world.settings.repositories.read:
        raise UsageError("`repositories.read = false` in config.toml forbids reading histories. Set it to true first.")
    place = _of_repo(world, repo) if repo else _of_folder(world, folder or Path.cwd(), repo_at)
    exclusion = exclusion_of(world)
    if exclusion.has_repo(place.repo) or exclusion.has_folder(str(place.root)):
        raise UsageError(f"{place.root} is left out by your settings. `afterwit config exclude` shows what is.")
    return place


def repos_with_checkout(world: World) -> list[str]:
    """The learned repositories of which a checkout lies on this machine, whose history may be read."""
    if not world.layout.database.exists():
        return []
    with readonly_database(world.layout) as db:
        return sorted({checkout.repo for checkout in _checkouts(world, db)})


@contextmanager
def database_of(world: World) -> Iterator[apsw.Connection | None]:
    """The database, to look; None where nothing was stored yet."""
    if not world.layout.database.exists():
        yield None
        return
    with readonly_database(world.layout) as db:
        yield db


def redactor_here(world: World) -> Redactor:
    """The redaction of this machine; where there is no store, with a key that nobody needs again."""
    if world.layout.key.exists():
        return redactor_of(world)
    people = known_people(world.environ, world.user_home, world.settings.redaction)
    return redactor_for(secrets.token_bytes(32), people, tuple(world.settings.redaction.allow))


def _of_repo(world: World, name: str) -> GitCheckout:
    if not world.layout.exists():
        raise UsageError(f"No session of {name!r} was learned yet. Name a folder: --checkout FOLDER.")
    with readonly_database(world.layout) as db:
        repo = find_repo(db, name, world.settings)
        for checkout in _checkouts(world, db):
            if checkout.repo == repo:
                return checkout
    raise UsageError(
        f"No checkout of {repo} was found on this machine. Name its folder: --checkout FOLDER, or"
        " `[repositories.checkouts]` in config.toml."
    )


def _checkouts(world: World, db: apsw.Connection) -> list[GitCheckout]:
    return git_checkouts(OpenedRows(db, redaction_key(world.layout)), world)


def _of_folder(world: World, folder: Path, repo_at: RepoAt) -> GitCheckout:
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}. Name a checkout: --checkout FOLDER.")
    root, git_dir = root_of_checkout(folder), git_folder_of(folder)
    if root is None or git_dir is None:
        raise UsageError(f"{folder.absolute()} lies in no git checkout. Name one: --checkout FOLDER, or --repo NAME.")
    with database_of(world) as db:
        repo = repo_at(db, world, root) if db is not None else ""
    return GitCheckout(repo or remote_of(root) or root.name, root, git_dir)
