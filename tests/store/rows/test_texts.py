"""Queries as people type them, and the index behind them."""

from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.every import for_every
from tests.homes import learned, mixed_home

from afterwit.store.database import connect_readonly
from afterwit.store.rows.session_list import Selection
from afterwit.store.rows.texts import Term, match_of, search, terms_of


@for_every(
    "query, terms",
    [
        ("plum tree", [Term("plum"), Term("tree")]),
        ('"plum tree"', [Term("plum tree")]),
        ("prun*", [Term("prun", is_prefix=True)]),
        ("plum -fig", [Term("plum"), Term("fig", is_excluded=True)]),
        ('plum -"old fig"', [Term("plum"), Term("old fig", is_excluded=True)]),
        ("*", []),
        ("-- ; !!", []),
        ("AND OR NOT", [Term("AND"), Term("OR"), Term("NOT")]),
        ('half "open', [Term("half"), Term('"open')]),
        ("src/tree.py", [Term("src/tree.py")]),
    ],
)
def test_a_query_is_cut_into_terms(query: str, terms: list[Term]) -> None:
    assert terms_of(query) == terms


def test_exclusions_alone_look_for_nothing() -> None:
    assert match_of(terms_of("-plum")) == ""


@pytest.fixture(scope="module")
def index() -> apsw.Connection:
    db = apsw.Connection(":memory:")
    db.execute("CREATE VIRTUAL TABLE texts USING fts5 (text, content = '', contentless_delete = 1)")
    db.execute("INSERT INTO texts (rowid, text) VALUES (1, 'prune the plum tree'), (2, 'the fig tree'), (3, 'pruning')")
    return db


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("tree", [1, 2]),
        ("TREE plum", [1]),
        ('"plum tree"', [1]),
        ('"tree plum"', []),
        ("prun*", [1, 3]),
        ("tree -plum", [2]),
        ("the-fig_tree", [2]),
        ('"the fig tree"', [2]),
        ("fig.tree", [2]),
    ],
)
def test_terms_find_what_they_should(index: apsw.Connection, query: str, found: list[int]) -> None:
    match = match_of(terms_of(query))
    rows = index.execute("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid", (match,))
    assert [row[0] for row in rows] == found


@given(query=st.text(max_size=60))
def test_no_query_is_an_error(index: apsw.Connection, query: str) -> None:
    match = match_of(terms_of(query.encode("utf-8", "replace").decode()))
    if match:
        list(index.execute("SELECT rowid FROM texts WHERE texts MATCH ?", (match,)))


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    learned(mixed_home(folder / "home"), folder / "store")
    return folder / "store" / "afterwit.db"


@pytest.mark.parametrize("query", ["row", "ro*", "the row", '"row 1"', "prune -ladder"])
@pytest.mark.parametrize("limit", [0, 1, 3])
def test_the_best_come_first_as_the_index_itself_ranks_them(database: Path, query: str, limit: int) -> None:
    match = match_of(terms_of(query))
    db = connect_readonly(database)
    best = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank, rowid LIMIT ?"
    expected = [row[0] for row in db.execute(best, (match, limit or -1))]
    assert expected
    assert [hit.event_id for hit in search(db, match, Selection(), "", limit)] == expected
    every_agent = Selection(since_ms=0)
    assert [hit.event_id for hit in search(db, match, every_agent, "", limit)] == expected
