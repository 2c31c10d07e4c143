"""Matches of the newest sessions are those that a look at all matches finds there."""

from itertools import groupby

import apsw
import pytest
from tests.homes import CLAUDE, claude_records, learned, mixed_home, put

from afterwit.store.database import connect_readonly
from afterwit.store.rows import texts
from afterwit.store.rows.session_list import Selection, first_sessions
from afterwit.store.rows.texts import (
    KINDS,
    TextHit,
    TextTotals,
    has_more_than,
    hits_by_session,
    match_of,
    terms_of,
    totals,
)

QUERIES = ("row", "row -plum", "row done", '"row 1"', "pru*", "r*", "r* -ro*", "nowhere")
_TIERS = {"call": 1, "result": 2}
_EVERYTHING = 1_000


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> apsw.Connection:
    folder = tmp_path_factory.mktemp("newest")
    home = mixed_home(folder / "home")
    for number in range(40):
        put(home / CLAUDE / f"5eed{number:04d}.jsonl", claude_records(f"5eed{number:04d}", number % 3))
    learned(home, folder / "store")
    return connect_readonly(folder / "store" / "afterwit.db")


def _plainly(db: apsw.Connection, query: str, selection: Selection, kind: str, most: int) -> list[list[TextHit]]:
    """All matches, put into order session by session."""
    hits = hits_by_session(db, match_of(terms_of(query)), selection, kind, 0, 0)
    of_session = {session: list(same) for session, same in groupby(hits, key=lambda hit: hit.session_id)}
    newest = [row.id for row in first_sessions(db, Selection(), "start", 0)]
    ordered = [
        sorted(of_session[session], key=lambda hit: (_TIERS.get(hit.kind, 0), hit.event_id))
        for session in newest
        if session in of_session
    ]
    return [same[: most or None] for same in ordered]


def _without_rank(hits: list[TextHit]) -> list[TextHit]:
    return [hit._replace(rank=0) for hit in hits]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("kind", ["", *KINDS])
@pytest.mark.parametrize(
    "selection",
    [
        Selection(),
        Selection(agents=frozenset({"claude-code"})),
        Selection(since_ms=1_777_600_000_000, until_ms=1_777_640_000_000),
        Selection(is_top=True, repos=frozenset({"git.example/fruit/orchard"})),
    ],
)
def test_the_newest_are_those_of_a_look_at_all(
    db: apsw.Connection, query: str, kind: str, selection: Selection
) -> None:
    match = match_of(terms_of(query))
    for limit, most in ((1, 1), (5, 2), (_EVERYTHING, 0)):
        newest = hits_by_session(db, match, selection, kind, limit, most, is_newest=True)
        plain = {same[0].session_id: same for same in _plainly(db, query, selection, kind, most)}
        assert len({hit.session_id for hit in newest}) == min(limit, len(plain))
        times = [_started(db, hit.session_id) for hit in newest]
        assert times == sorted(times, reverse=True)
        assert times[-1:] <= sorted((_started(db, session) for session in plain), reverse=True)[: len(times)][-1:]
        for session, same in groupby(newest, key=lambda hit: hit.session_id):
            assert _without_rank(list(same)) == _without_rank(plain[session])
    assert totals(db, match, selection, kind, is_newest=True) == totals(db, match, selection, kind)


def _started(db: apsw.Connection, session: int) -> int:
    return int(db.execute("SELECT ifnull(started_ms, 0) FROM sessions WHERE id = ?", (session,)).get)


def test_what_was_not_looked_at_is_said(db: apsw.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = totals(db, '"row"', Selection(), "")
    monkeypatch.setattr(texts, "MOST_RANKED", 3)
    few = totals(db, '"row"', Selection(), "", is_newest=True)
    assert (few.matches, few.is_least) == (3, True)
    assert few.sessions < everything.sessions
    assert everything == TextTotals(everything.sessions, everything.matches, is_least=False)
    assert len(hits_by_session(db, '"row"', Selection(), "", 0, 0, is_newest=True)) == 3


def test_a_count_stops_at_its_bound(db: apsw.Connection) -> None:
    matches = totals(db, '"row"', Selection(), "").matches
    assert has_more_than(db, '"row"', matches - 1)
    assert not has_more_than(db, '"row"', matches)
