"""Repositories as people name them: by the whole name, by its last part, or by a pattern of either.

A name that fits none is an error everywhere, in the same words: it says which known names are nearest. Known are the
repositories of sessions and those that items speak of. Upper and lower case are the same, where no two names differ in
nothing else.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

import apsw

from afterwit.config.world import World
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import Scope, ScopeKind
from afterwit.repos.remotes import last_part
from afterwit.store.rows.items import item_scopes
from afterwit.store.rows.session_list import repo_names
from afterwit.store.store import readonly_database

_NEAR = 0.5  # of difflib's ratio: orchad and orchard, but not harbour
_MOST_NAMED = 5
_PREFIX = str(Scope(ScopeKind.REPO, " ")).strip()


def known_repos(db: apsw.Connection) -> list[str]:
    """All names, sorted."""
    spoken_of = (scope.removeprefix(_PREFIX) for scope in item_scopes(db) if scope.startswith(_PREFIX))
    return sorted({*filter(None, repo_names(db)), *spoken_of})


def find_repo(db: apsw.Connection, name: str) -> str:
    """The one repository with this name, or whose last part it is."""
    known = known_repos(db)
    found = _named(known, name)
    if len(found) > 1:
        raise UsageError(f"Several repositories are called {name!r}: {', '.join(found)}. Give the whole name.")
    if not found:
        raise _unknown(known, name)
    return found[0]


def known_repo(world: World, name: str) -> str:
    """The same, of a store that is not open."""
    with readonly_database(world.layout) as db:
        return find_repo(db, name)


def fits_repo(repo: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns means this repository."""
    names = (repo.casefold(), last_part(repo).casefold())
    return any(fnmatchcase(name, pattern.casefold()) for pattern in patterns for name in names)


def refuse_unknown_repos(db: apsw.Connection, patterns: Sequence[str]) -> None:
    """Raises for the first pattern that means no repository."""
    known = known_repos(db) if patterns else []
    for pattern in patterns:
        if not any(fits_repo(repo, (pattern,)) for repo in known):
            raise _unknown(known, pattern)


def _named(known: Sequence[str], name: str) -> list[str]:
    """Whole names stand before last parts. Where two differ in case alone, the one that is written so is meant."""
    if name in known:
        return [name]
    folded = name.casefold()
    exact = [repo for repo in known if repo.casefold() == folded]
    return exact or [repo for repo in known if last_part(repo).casefold() == folded]


def _unknown(known: Sequence[str], name: str) -> UsageError:
    if not known:
        return UsageError(f"No repository {name!r}: none is known yet. `afterwit learn` reads what your agents logged.")
    near = _nearest(known, name)
    which = f"The nearest: {', '.join(near)}. " if near else f"Known: {', '.join(known)}. " if _is_few(known) else ""
    return UsageError(f"No repository {name!r}. {which}`afterwit sessions repos` shows all.")


def _is_few(known: Sequence[str]) -> bool:
    return len(known) <= _MOST_NAMED


def _nearest(known: Sequence[str], name: str) -> list[str]:
    """Repositories whose name, or its last part, is much like this one or holds it, the nearest first."""
    asked = last_part(name).casefold().strip("*?") or name.casefold()
    by_last: dict[str, list[str]] = {}
    for repo in known:
        by_last.setdefault(last_part(repo).casefold(), []).append(repo)
    close = get_close_matches(asked, by_last, n=_MOST_NAMED, cutoff=_NEAR)
    within = [last for last in by_last if len(asked) > 1 and asked in last and last not in close]
    return [repo for last in (*close, *within) for repo in by_last[last]][:_MOST_NAMED]
