"""Which sessions a command is about, as people say it, and the exact selection that this means in a store.

Repositories are named by the whole name, by its last part, or by a pattern of either. A name that fits none is an error
everywhere, in the same words: it asks whether the nearest known names were meant. Known are the repositories of
sessions and those that items speak of. Upper and lower case are the same, where no two names differ in nothing else.

`short_id` is the beginning of an id that no other id shares: `find_session` takes it, and any longer beginning.
"""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from itertools import takewhile
from typing import NamedTuple

import apsw

from afterwit.config.world import World
from afterwit.model.errors import UsageError, ask_which, did_you_mean, nearest, nearest_ids
from afterwit.model.knowledge import Scope, ScopeKind
from afterwit.model.settings import Settings
from afterwit.repos.identity import domain_of, key_of, repos_meant
from afterwit.repos.remotes import last_part
from afterwit.store.rows import repos as repo_table
from afterwit.store.rows.items import item_scopes
from afterwit.store.rows.session_list import (
    Selection,
    SessionRow,
    SessionTimes,
    native_ids,
    repo_names,
    sessions_named,
    tails_beside,
    times_of_sessions,
)
from afterwit.store.rows.sessions import sightings
from afterwit.store.store import readonly_database

_NEAR_REPO = 0.5  # of difflib's ratio: orchad and orchard, but not harbour
_MOST_NAMED = 5
_MOST_IDS = 3
_PREFIX = str(Scope(ScopeKind.REPO, " ")).strip()
_MOST_CANDIDATES = 12
_ALL_SESSIONS = "`afterwit sessions list` shows what there is."


class Filter(NamedTuple):
    """Empty means all. Several repositories, domains or agents: any of them."""

    agents: tuple[str, ...] = ()
    repos: tuple[str, ...] = ()  # whole names, last parts, or patterns of either
    domains: tuple[str, ...] = ()
    since_ms: int | None = None
    until_ms: int | None = None
    branch: str = ""
    text: str = ""
    outcomes: tuple[str, ...] = ()
    task_types: tuple[str, ...] = ()
    parent: str = ""  # a session, as in `find_session`
    is_top: bool = False


def selection_of(db: apsw.Connection, settings: Settings, wanted: Filter) -> Selection:
    """The sessions that the filter means in this store. A repository that nobody knows is an error, and so is a domain
    that nobody configured."""
    parent = find_session(db, wanted.parent) if wanted.parent else None
    return Selection(
        agents=frozenset({parent.agent} if parent else wanted.agents),
        repos=_repos(db, settings, wanted),
        since_ms=wanted.since_ms,
        until_ms=wanted.until_ms,
        branch=wanted.branch,
        text=wanted.text,
        outcomes=frozenset(wanted.outcomes),
        task_types=frozenset(wanted.task_types),
        parent=parent.native_id if parent else "",
        is_top=wanted.is_top,
    )


def find_session(db: apsw.Connection, name: str) -> SessionRow:
    """The one session with this id, or whose id begins so. A session goes before its own subagents."""
    rows = sessions_named(db, name, _MOST_CANDIDATES) if name else []
    exact = [row for row in rows if row.native_id == name]
    candidates = exact or [row for row in rows if not _is_below(row, rows)]
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        near = ask_which(nearest_ids(name, native_ids(db), _MOST_IDS))
        raise UsageError(" ".join(filter(None, (f"No session {name!r}.", near, _ALL_SESSIONS))))
    agents = sorted({row.agent for row in exact})
    if len(agents) > 1:
        raise UsageError(f"{' and '.join(agents)} each have a session {name}.")
    shown = "\n".join(f"  {row.native_id}  {one_line(row.title or row.task, 60)}" for row in candidates)
    more = "\n  …" if len(rows) == _MOST_CANDIDATES else ""
    raise UsageError(f"Several sessions begin with {name!r}; give more of the id:\n{shown}{more}")


def one_line(text: str, limit: int) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def _is_below(row: SessionRow, rows: Iterable[SessionRow]) -> bool:
    return any(row.native_id.startswith(f"{other.native_id}/") for other in rows)


def _repos(db: apsw.Connection, settings: Settings, wanted: Filter) -> frozenset[str] | None:
    unknown = [domain for domain in wanted.domains if domain not in settings.domains]
    if unknown:
        domains = ", ".join(settings.domains) or "none; `[domains]` in config.toml groups repositories"
        hint = did_you_mean(unknown[0], settings.domains) or f"Known: {domains}."
        raise UsageError(f"There is no domain {unknown[0]!r}. {hint}")
    if not wanted.repos and not wanted.domains:
        return None
    refuse_unknown_repos(db, wanted.repos)
    return frozenset(
        name
        for name in repo_names(db)
        if (not wanted.repos or fits_repo(name, wanted.repos))
        and (not wanted.domains or domain_of(name, settings.domains) in wanted.domains)
    )


def known_repos(db: apsw.Connection) -> list[str]:
    """All names, sorted."""
    spoken_of = (scope.removeprefix(_PREFIX) for scope in item_scopes(db) if scope.startswith(_PREFIX))
    return sorted({*filter(None, repo_names(db)), *spoken_of})


def repos_by_alias(db: apsw.Connection, settings: Settings) -> dict[str, str]:
    """The repositories that aliases and merges lead to, by what is looked up: `repos.identity.key_of`."""
    merges = repo_table.aliases(db, "repo")
    if not settings.aliases.repos and not merges:
        return {}
    return repos_meant(sightings(db), settings.aliases.repos, repo_table.checkouts(db), merges)


def find_repo(db: apsw.Connection, name: str, settings: Settings | None = None) -> str:
    """The one repository with this name, or whose last part it is; or that an alias of the settings means by it. Those
    whose checkouts the settings name are known, too."""
    repos = sorted({*known_repos(db), *(settings.repositories.checkouts if settings else ())})
    matches = _repos_named(repos, name)
    if not matches and settings is not None:
        meant = repos_by_alias(db, settings).get(key_of(name), "")
        matches = [meant] if meant in repos else []
    if len(matches) > 1:
        raise UsageError(f"Several repositories are called {name!r}: {', '.join(matches)}. Give the whole name.")
    if not matches:
        raise _unknown(repos, name)
    return matches[0]


def known_repo(world: World, name: str) -> str:
    """The same, of a store that is not open."""
    with readonly_database(world.layout) as db:
        return find_repo(db, name, world.settings)


def fits_repo(repo: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns means this repository."""
    names = (repo.casefold(), last_part(repo).casefold())
    return any(fnmatchcase(name, pattern.casefold()) for pattern in patterns for name in names)


def refuse_unknown_repos(db: apsw.Connection, patterns: Sequence[str]) -> None:
    """Raises for the first pattern that means no repository."""
    repos = known_repos(db) if patterns else []
    for pattern in patterns:
        if not any(fits_repo(repo, (pattern,)) for repo in repos):
            raise _unknown(repos, pattern)


def _repos_named(repos: Sequence[str], name: str) -> list[str]:
    """Whole names stand before last parts. Where two differ in case alone, the one that is written so is meant."""
    if name in repos:
        return [name]
    folded = name.casefold()
    exact = [repo for repo in repos if repo.casefold() == folded]
    return exact or [repo for repo in repos if last_part(repo).casefold() == folded]


def _unknown(repos: Sequence[str], name: str) -> UsageError:
    if not repos:
        return UsageError(f"No repository {name!r}: none is known yet. `afterwit learn` reads what your agents logged.")
    near = _nearest(repos, name)
    all_names = f"Known: {', '.join(repos)}. " if _is_few(repos) else ""
    which = f"{ask_which(near)} " if near else all_names
    return UsageError(f"No repository {name!r}. {which}`afterwit sessions repos` shows all.")


def _is_few(repos: Sequence[str]) -> bool:
    return len(repos) <= _MOST_NAMED


def _nearest(repos: Sequence[str], name: str) -> list[str]:
    """Repositories whose name, or its last part, is much like this one or holds it, the nearest first."""
    wanted = last_part(name).casefold().strip("*?") or name.casefold()
    by_last: dict[str, list[str]] = {}
    for repo in repos:
        by_last.setdefault(last_part(repo).casefold(), []).append(repo)
    close = nearest(wanted, by_last, _MOST_NAMED, _NEAR_REPO)
    within = [last for last in by_last if len(wanted) > 1 and wanted in last and last not in close]
    return [repo for last in (*close, *within) for repo in by_last[last]][:_MOST_NAMED]


def no_match(world: World, wanted: Filter) -> SessionTimes | None:
    """The times of all sessions, where none fits the filter; None where some do."""
    with readonly_database(world.layout) as db:
        if times_of_sessions(db, selection_of(db, world.settings, wanted)).sessions:
            return None
        return times_of_sessions(db, selection_of(db, world.settings, Filter()))


_SHORTEST_ID = 8


def short_id(db: apsw.Connection, native_id: str) -> str:
    """The beginning of an id's last part that no other id shares: as much as tells it from its neighbours in the
    order of the alphabet."""
    tail = native_id.rpartition("/")[2].removeprefix("agent-")
    shared = max((_length_shared(tail, other) for other in tails_beside(db, tail)), default=0)
    return tail[: max(shared + 1, _SHORTEST_ID)]


def _length_shared(left: str, right: str) -> int:
    """How many letters both begin with."""
    pairs = zip(left, right, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
