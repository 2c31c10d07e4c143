"""Which sessions a command is about, as people say it, and the exact selection that this means in a store."""

from collections.abc import Iterable
from typing import NamedTuple

import apsw

from afterwit.model.errors import UsageError
from afterwit.model.settings import Settings
from afterwit.repos.identity import domain_of
from afterwit.sessions.repo_names import fits_repo, refuse_unknown_repos
from afterwit.store.rows.session_list import Selection, SessionRow, repo_names, sessions_named

_MOST_CANDIDATES = 12


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
    found = sessions_named(db, name, _MOST_CANDIDATES) if name else []
    exact = [row for row in found if row.native_id == name]
    candidates = exact or [row for row in found if not _is_below(row, found)]
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        raise UsageError(f"No session {name!r}. `afterwit sessions list` shows what there is.")
    agents = sorted({row.agent for row in exact})
    if len(agents) > 1:
        raise UsageError(f"{' and '.join(agents)} each have a session {name}.")
    shown = "\n".join(f"  {row.native_id}  {one_line(row.title or row.task, 60)}" for row in candidates)
    more = "\n  …" if len(found) == _MOST_CANDIDATES else ""
    raise UsageError(f"Several sessions begin with {name!r}; give more of the id:\n{shown}{more}")


def one_line(text: str, limit: int) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def _is_below(row: SessionRow, found: Iterable[SessionRow]) -> bool:
    return any(row.native_id.startswith(f"{other.native_id}/") for other in found)


def _repos(db: apsw.Connection, settings: Settings, wanted: Filter) -> frozenset[str] | None:
    unknown = [domain for domain in wanted.domains if domain not in settings.domains]
    if unknown:
        known = ", ".join(settings.domains) or "none; `[domains]` in config.toml groups repositories"
        raise UsageError(f"There is no domain {unknown[0]!r}. Known: {known}.")
    if not wanted.repos and not wanted.domains:
        return None
    refuse_unknown_repos(db, wanted.repos)
    return frozenset(
        name
        for name in repo_names(db)
        if (not wanted.repos or fits_repo(name, wanted.repos))
        and (not wanted.domains or domain_of(name, settings.domains) in wanted.domains)
    )
