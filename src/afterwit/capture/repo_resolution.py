"""Which repository each session belongs to, brought up to date in the store.

The answer follows from the set of all that was seen, so the order in which things were learned does not matter. Writes
only where an answer changed. How an answer is found is in `repos.identity`.
"""

from afterwit.model.settings import Settings
from afterwit.repos.identity import resolve
from afterwit.store.database import transaction
from afterwit.store.rows import repos, sessions
from afterwit.store.rows.repos import RepoRow
from afterwit.store.store import Store


def resolve_repos(store: Store, settings: Settings) -> None:
    """Gives every session its repository, by the set of all that was seen."""
    db = store.db
    found = resolve(
        sessions.sightings(db), settings.aliases.repos, repos.checkouts(db), merges=repos.aliases(db, "repo")
    )
    rows = sorted(RepoRow(spot.root, spot.remote, answer.repo, answer.how.value) for spot, answer in found.items())
    if rows != sorted(repos.repo_rows(db)) or sessions.has_unresolved(db):
        with transaction(db):
            repos.put_repos(db, rows)
