"""The sessions that a filter means, where a repository is what they are about and not only where they ran.

A session belongs to the repository that it ran in, and to every other in which, or about which, a part of it was done:
a chat that names no folder may still be about one. How large that part is, is told with it.
"""

from typing import NamedTuple

import apsw

from afterwit.digest.repo_share import RepoNames
from afterwit.digest.update import load_digest
from afterwit.model.settings import Settings
from afterwit.repos.folders import root_name
from afterwit.sessions.filters import Filter, fits_repo, known_repos, refuse_unknown_repos, selection_of
from afterwit.store.rows.session_list import SessionRow, selected_sessions

_LEAST_SHARE = 0.1  # of a session that ran elsewhere
_PATTERN = frozenset("*?[")


class SessionShare(NamedTuple):
    row: SessionRow
    repo_share: float | None  # None where no repository was asked for


def sessions_about(db: apsw.Connection, settings: Settings, wanted: Filter) -> list[SessionShare]:
    """The sessions that the filter means, each with the share that is about its repositories."""
    rows = selected_sessions(db, selection_of(db, settings, wanted._replace(repos=())))
    if not wanted.repos:
        return [SessionShare(row, None) for row in rows]
    names = RepoNames((*_meant(db, wanted), *(name for name in wanted.repos if _PATTERN.isdisjoint(name))))
    shares = [_share_of(db, row, names, is_own=fits_repo(row.repo, wanted.repos)) for row in rows]
    about = [share for share in shares if share is not None]
    if not about:
        refuse_unknown_repos(db, wanted.repos)
    return about


def _meant(db: apsw.Connection, wanted: Filter) -> list[str]:
    return [repo for repo in known_repos(db) if fits_repo(repo, wanted.repos)]


def _share_of(db: apsw.Connection, row: SessionRow, names: RepoNames, *, is_own: bool) -> SessionShare | None:
    digest = load_digest(db, row)
    folder = root_name(row.root) if is_own else ""
    share = names.share_of(digest, is_own=is_own, folder=folder) if digest is not None else float(is_own)
    return SessionShare(row, share) if is_own or share >= _LEAST_SHARE else None
