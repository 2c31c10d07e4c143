"""Takes back all that was learned from somewhere: a session, a repository, an origin.

Evidence from there no longer counts, now and for what comes later, until that is undone. Items that stand on nothing
else are gone. Sessions, digests and the archive stay as they are: this is about knowledge alone.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import apsw
import msgspec

from afterwit.capture.remotes import last_part
from afterwit.knowledge.decided import Entry, Forgettable, Forgotten
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import Channel, Evidence, Item
from afterwit.store.browsing import repo_names
from afterwit.store.store import readonly_database
from afterwit.usecases.curating import Desk, desk
from afterwit.usecases.filters import find_session
from afterwit.usecases.items import all_items
from afterwit.usecases.world import World


class Wanted(NamedTuple):
    """What to forget, as people say it. One of them is set."""

    origin: str = ""
    session: str = ""
    repo: str = ""


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """An item that loses evidence; with none left it goes."""

    id: str
    fact: str
    evidence: int
    left: int


class Forgetting(msgspec.Struct, frozen=True, kw_only=True):
    """What is forgotten, and whom it concerns."""

    what: str
    name: str
    losses: list[Loss]
    is_dry_run: bool = False


def forget(
    world: World, wanted: Wanted, agree: Callable[[Forgetting], bool], *, is_dry_run: bool = False
) -> Forgetting | None:
    """Forgets, if `agree` says so to the plan. None: it did not."""
    with desk(world) as place:
        what, name = _resolved(place.store.db, wanted)
        losses = list(_losses(place, Forgotten(frozenset({(what, name)}))))
        planned = Forgetting(what=what, name=name, losses=losses, is_dry_run=is_dry_run)
        if is_dry_run:
            return planned
        if not agree(planned):
            return None
        place.note(Entry.FORGOTTEN, {"what": what, "name": name})
        place.settle(is_concluded_again=True)
        return planned


def find_repo(db: apsw.Connection, name: str) -> str:
    """The one repository with this name, or whose last part it is."""
    known = [repo for repo in repo_names(db) if repo]
    found = [repo for repo in known if repo == name] or [repo for repo in known if last_part(repo) == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"Several repositories are called {name!r}: {', '.join(found)}. Give the whole name.")
    raise UsageError(f"No repository {name!r}. `afterwit sessions repos` shows what there is.")


def known_repo(world: World, name: str) -> str:
    """The same, of a store that is not open."""
    with readonly_database(world.layout) as db:
        return find_repo(db, name)


def _resolved(db: apsw.Connection, wanted: Wanted) -> tuple[Forgettable, str]:
    if wanted.session:
        return Forgettable.SESSION, find_session(db, wanted.session).native_id
    if wanted.repo:
        return Forgettable.REPO, find_repo(db, wanted.repo)
    return _origin(db, wanted.origin)


def _origin(db: apsw.Connection, name: str) -> tuple[Forgettable, str]:
    """A channel by its name; else whatever evidence names so: a page or a file, a user, a machine, an agent."""
    if name in frozenset(Channel):
        return Forgettable.CHANNEL, name
    for item in all_items(db):
        for piece in item.evidence:
            for what, value in _origins(piece):
                if value == name:
                    return what, name
    raise UsageError(f"No evidence comes from {name!r}. `afterwit knowledge why ITEM` shows where it comes from.")


def _origins(piece: Evidence) -> Iterator[tuple[Forgettable, str]]:
    yield Forgettable.SOURCE, piece.source
    yield Forgettable.USER, piece.session.user
    yield Forgettable.MACHINE, piece.session.machine
    yield Forgettable.AGENT, piece.session.agent
    yield Forgettable.SESSION, piece.session.story


def _losses(place: Desk, forgotten: Forgotten) -> Iterator[Loss]:
    for item in all_items(place.store.db):
        left = [piece for piece in item.evidence if not forgotten.takes(piece)]
        if len(left) < len(item.evidence):
            yield _loss(item, left)


def _loss(item: Item, left: list[Evidence]) -> Loss:
    kept = len(left) if any(not piece.is_against for piece in left) else 0
    return Loss(id=item.id, fact=item.sentence, evidence=len(item.evidence), left=kept)
