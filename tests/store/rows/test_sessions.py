from itertools import permutations
from typing import Any

import apsw
import pytest
from tests.store.planted_rows import AGENT, captured, facts, plant

from afterwit.model.captured import PartFacts
from afterwit.repos.identity import RepoSighting
from afterwit.store.rows import files, parts, sessions
from afterwit.store.rows.repos import RepoRow, UnresolvedPlace, places_to_resolve, put_repos


def put(db: apsw.Connection, found: list[tuple[str, PartFacts]]) -> int:
    """A session whose parts lie in several files; they come in the order given."""
    session = sessions.session_id(db, AGENT, "one")
    for number, (precedence, part) in enumerate(found):
        key = files.file_key(AGENT, f"{precedence}-{number}")
        file_id = files.add_file(db, AGENT, key, 0, precedence, "transcript")
        part_id = parts.put_part(db, file_id, session, precedence, part)
        parts.put_rows(db, captured(part), {0: part_id})
    sessions.refresh_session(db, session)
    return session


def row_of(db: apsw.Connection, session: int) -> dict[str, object]:
    cursor = db.execute("SELECT * FROM sessions WHERE id = ?", (session,))
    names = [column[0] for column in cursor.description]
    return dict(zip(names, next(cursor), strict=True))


def test_a_session_has_one_id(db: apsw.Connection) -> None:
    first = sessions.session_id(db, AGENT, "one")
    assert sessions.session_id(db, AGENT, "one") == first
    assert sessions.session_id(db, "codex", "one") != first
    assert sessions.count_sessions(db) == 2


def test_a_session_is_the_merge_of_its_parts(db: apsw.Connection) -> None:
    first = facts(cwd="/srv/a", versions=["1.0", "1.1"], first_prompt="later", first_prompt_ms=900, started_ms=800)
    second = facts(cwd="/srv/b", branch="main", versions=["1.1", "2.0"], replies=2, copied=2, ended_ms=5_000)
    second.title, second.first_prompt, second.first_prompt_ms = "named", "first", 500
    found = row_of(db, put(db, [("1", first), ("2", second)]))
    expected = {
        "cwd": "/srv/a",
        "branch": "main",
        "versions": '["1.0","1.1","2.0"]',
        "models": '["model-a"]',
        "started_ms": 800,
        "ended_ms": 5_000,
        "title": "named",
        "first_prompt": "first",
        "prompts": 2,
        "replies": 2,
        "events": 4,
        "actions": 2,
        "failures": 2,
        "denials": 0,
        "tokens_input": 20,
        "tokens_reasoning": 10,
    }
    assert {name: found[name] for name in expected} == expected


def test_the_order_in_which_parts_are_learned_does_not_matter(db: apsw.Connection) -> None:
    found = [
        ("1", facts(title="a", title_at_ms=5, versions=["1"], parent="p")),
        ("2", facts(title="b", title_at_ms=9, versions=["2"], cwd="/srv/x", started_ms=1)),
        ("3", facts(title="c", is_title_manual=True, versions=["3"], cwd="/srv/y", first_prompt="hi")),
    ]
    rows = []
    for order in permutations(found):
        session = put(db, list(order))
        rows.append({**row_of(db, session), "id": 0})
        for part in parts.parts_of_session(db, session):
            parts.delete_part(db, part.id)
            files.delete_file(db, part.file_id)
        sessions.refresh_session(db, session)
    assert all(row == rows[0] for row in rows)
    assert rows[0]["title"] == "c"


@pytest.mark.parametrize(
    ("one", "other", "title"),
    [
        ({"title": "old", "title_at_ms": 1}, {"title": "new", "title_at_ms": 2}, "new"),
        ({"title": "by hand", "is_title_manual": True}, {"title": "made up", "title_at_ms": 2}, "by hand"),
        ({"title": "", "title_at_ms": 9}, {"title": "some"}, "some"),
    ],
)
def test_the_title_given_by_hand_wins_and_then_the_latest(
    db: apsw.Connection, one: dict[str, Any], other: dict[str, Any], title: str
) -> None:
    session = put(db, [("1", facts(**one)), ("2", facts(**other))])
    assert row_of(db, session)["title"] == title


def test_a_session_without_times_of_its_own_takes_those_of_its_records(db: apsw.Connection) -> None:
    session = put(db, [("1", facts(started_ms=None, ended_ms=None, first_ms=70))])
    found = row_of(db, session)
    assert (found["started_ms"], found["ended_ms"]) == (70, 70)


def test_a_session_without_any_time_has_none(db: apsw.Connection) -> None:
    found = row_of(db, put(db, [("1", facts(started_ms=None, ended_ms=None))]))
    assert (found["started_ms"], found["ended_ms"]) == (None, None)


def test_a_session_whose_parts_are_gone_is_gone(db: apsw.Connection) -> None:
    planted = plant(db)
    parts.delete_part(db, planted.part_id)
    sessions.refresh_session(db, planted.session_id)
    assert sessions.count_sessions(db) == 0


def test_places_are_counted(db: apsw.Connection) -> None:
    put(db, [("1", facts(root="/srv/a", remote="host/o/a"))])
    plant(db, "two", "b.jsonl")
    found = sorted(sessions.sightings(db), key=lambda sighting: sighting.root)
    assert found == [RepoSighting("", "", 1), RepoSighting("/srv/a", "host/o/a", 1)]


def test_a_session_that_lacks_its_repository_is_noticed(db: apsw.Connection) -> None:
    put(db, [("1", facts(root="/srv/a"))])
    assert not places_to_resolve(db)
    put_repos(db, [RepoRow("/srv/a", "", "a", "folder")])
    assert not places_to_resolve(db)
    db.execute("UPDATE sessions SET repo = ''")
    assert places_to_resolve(db) == [UnresolvedPlace("/srv/a", "", "", "a")]
