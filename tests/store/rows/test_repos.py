import apsw
from tests.store.planted_rows import plant

from afterwit.store.rows import repos
from afterwit.store.rows.repos import RepoRow, RepoSummary


def test_resolutions_replace_each_other_and_reach_their_sessions(db: apsw.Connection) -> None:
    plant(db)
    db.execute("UPDATE sessions SET root = '/srv/a', remote = 'host/o/a'")
    repos.put_repos(db, [RepoRow("/srv/gone", "", "gone", "folder")])
    rows = [RepoRow("/srv/a", "host/o/a", "host/o/a", "remote"), RepoRow("/srv/b", "", "b", "folder")]
    repos.put_repos(db, rows)
    assert repos.repo_rows(db) == [rows[1], rows[0]]
    assert db.execute("SELECT repo FROM sessions").get == "host/o/a"
    assert repos.repo_summaries(db) == [RepoSummary("host/o/a", "/srv/a", "host/o/a", "remote", 1, 2_000)]


def test_aliases_are_kept_by_subject(db: apsw.Connection) -> None:
    repos.put_alias(db, "repo", "a", "b")
    repos.put_alias(db, "user", "a", "c")
    repos.put_alias(db, "repo", "a", "d")
    assert repos.aliases(db, "repo") == {"a": "d"}
    repos.delete_alias(db, "repo", "a")
    assert repos.aliases(db, "repo") == {}
    assert repos.aliases(db, "user") == {"a": "c"}


def test_the_latest_remote_of_a_checkout_counts(db: apsw.Connection) -> None:
    repos.put_checkouts(db, {"/srv/a": "host/o/a", "/srv/b": "host/o/b"})
    repos.put_checkouts(db, {"/srv/a": "host/o/renamed"})
    assert repos.checkouts(db) == {"/srv/a": "host/o/renamed", "/srv/b": "host/o/b"}
