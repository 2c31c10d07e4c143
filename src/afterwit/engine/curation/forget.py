"""Takes back all that was learned from somewhere: a session, a repository, an origin.

Evidence from there no longer counts, now and for what comes later, until that is undone. Items that stand on nothing
else are gone. Sessions, digests and the archive stay as they are: this is about knowledge alone.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import apsw
import msgspec

from afterwit.config.world import World
from afterwit.engine.curation.curate import DecisionDesk, decision_desk
from afterwit.knowledge.door.list import all_items
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import IMPORT, Channel, Evidence, Item
from afterwit.sessions.filters import find_repo, find_session
from afterwit.store.decisions import Forgettable, Forgotten, KnowledgeEntry


class ForgetRequest(NamedTuple):
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
    world: World, wanted: ForgetRequest, agree: Callable[[Forgetting], bool], *, is_dry_run: bool = False
) -> Forgetting | None:
    """Forgets, if `agree` says so to the plan. None: it did not."""
    with decision_desk(world) as desk:
        what, name = _resolved(desk.store.db, wanted)
        losses = list(_losses(desk, Forgotten(frozenset({(what, name)}))))
        planned = Forgetting(what=what, name=name, losses=losses, is_dry_run=is_dry_run)
        if is_dry_run:
            return planned
        if not agree(planned):
            return None
        desk.note((KnowledgeEntry.FORGOTTEN, {"what": what, "name": name}))
        desk.settle(is_concluded_again=True)
        return planned


def _resolved(db: apsw.Connection, wanted: ForgetRequest) -> tuple[Forgettable, str]:
    if wanted.session:
        return Forgettable.SESSION, find_session(db, wanted.session).native_id
    if wanted.repo:
        return Forgettable.REPO, find_repo(db, wanted.repo)
    return _origin(db, wanted.origin)


def _origin(db: apsw.Connection, name: str) -> tuple[Forgettable, str]:
    """A channel by its name; else whatever evidence names so: a page or a file, a user, a machine, an agent.

    The name of an imported folder does without its digits where it is the only one that is called so.
    """
    if name in frozenset(Channel):
        return Forgettable.CHANNEL, name
    origins = sorted({origin for item in all_items(db) for piece in item.evidence for origin in _origins(piece)})
    exact = [origin for origin in origins if origin[1] == name]
    fitting = exact[:1] or [origin for origin in origins if _is_folder(origin[1], name)]
    if len(fitting) > 1:
        raise UsageError(f"Several folders are called {name!r}: {', '.join(value for _, value in fitting)}. Name one.")
    if not fitting:
        raise UsageError(f"No evidence comes from {name!r}. `afterwit knowledge why NOTE` shows where it comes from.")
    return fitting[0]


def _is_folder(source: str, name: str) -> bool:
    return source.startswith(f"{IMPORT}:") and source.rpartition("-")[0] == name


def _origins(piece: Evidence) -> Iterator[tuple[Forgettable, str]]:
    yield Forgettable.SOURCE, piece.source
    yield Forgettable.USER, piece.session.user
    yield Forgettable.MACHINE, piece.session.machine
    yield Forgettable.AGENT, piece.session.agent
    yield Forgettable.SESSION, piece.session.root or piece.session.story


def _losses(desk: DecisionDesk, forgotten: Forgotten) -> Iterator[Loss]:
    for item in all_items(desk.store.db):
        left = [piece for piece in item.evidence if not forgotten.takes(piece)]
        if len(left) < len(item.evidence):
            yield _loss(item, left)


def _loss(item: Item, left: list[Evidence]) -> Loss:
    kept = len(left) if any(not piece.is_against for piece in left) else 0
    return Loss(id=item.id, fact=item.sentence, evidence=len(item.evidence), left=kept)
