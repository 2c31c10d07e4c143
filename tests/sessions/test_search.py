"""Search as a whole: what is found, how it is shown, and that nothing secret is in the index."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.homes import (
    CLAUDE,
    CODEX,
    THREAD,
    Silent,
    claude_records,
    codex_records,
    learned,
    mixed_home,
    put,
    rows,
    world_of,
)
from tests.secrets_planted import planted

from afterwit.engine.archive.rebuild import rebuild
from afterwit.model.errors import DamagedError, StoreError, UsageError
from afterwit.sessions.filters import Filter
from afterwit.sessions.originals import source_of
from afterwit.sessions.search import SearchAnswer, SessionsAnswer, best_hits, open_searcher
from afterwit.sessions.search import search as search_sessions
from afterwit.sessions.show import SessionMoment, WantedMoments, moments


@pytest.fixture
def place(tmp_path: Path) -> Path:
    learned(mixed_home(tmp_path / "home"), tmp_path / "store")
    return tmp_path


def search(place: Path, query: str, limit: int = 10, kind: str = "", **wanted: Any) -> SearchAnswer:
    return best_hits(world_of(place / "home", place / "store"), query, Filter(**wanted), kind, limit, 80)


def by_session(place: Path, query: str, limit: int = 10, most: int = 3, kind: str = "") -> SessionsAnswer:
    world = world_of(place / "home", place / "store")
    return search_sessions(world, query, Filter(), kind, limit, 80, most_matches=most)


def test_prompts_replies_commands_and_outputs_are_found(place: Path) -> None:
    for query, kind in (
        ("prune", "prompt"),
        ('"row 1 is done"', "reply"),
        ('"pick row"', "call"),
        ("ladder", "result"),
    ):
        assert kind in {hit.kind for hit in search(place, query).hits}


def test_a_hit_names_its_session_and_shows_the_text(place: Path) -> None:
    hit = search(place, '"No rule to make target"', limit=1).hits[0]
    assert (hit.agent, hit.kind, hit.repo) == ("claude-code", "result", "git.example/fruit/orchard")
    assert hit.snippet == "Exit code 2 make: *** No rule to make target 'prune'."


def test_hits_are_narrowed_by_agent_kind_repository_and_date(place: Path) -> None:
    assert {hit.agent for hit in search(place, "row", agents=("codex",)).hits} == {"codex"}
    assert {hit.kind for hit in search(place, "row", kind="prompt").hits} == {"prompt"}
    assert search(place, "ladder", kind="error").total == 1
    assert search(place, "row", repos=("orchard",)).total > 0
    assert search(place, "row", branch="elsewhere").total == 0
    assert search(place, "row", until_ms=1_000).total == 0
    assert search(place, "row", since_ms=1_000).total > 0


@pytest.mark.parametrize("query", ["row", "ro*", "prune", "the row", '"row 1 is done"', "nowhere"])
def test_hits_stand_in_the_order_of_their_rank_with_their_own_texts(place: Path, query: str) -> None:
    """Texts are read file by file, whatever the order of the hits: one hit at a time must give the same."""
    everything = search(place, query, limit=0).hits
    assert search(place, query, limit=len(everything) or 1).hits == everything
    for count in range(1, len(everything) + 1):
        assert search(place, query, limit=count).hits[-1] == everything[count - 1]


def test_a_searcher_answers_many_queries_as_single_ones_are_answered(place: Path) -> None:
    with open_searcher(world_of(place / "home", place / "store")) as searcher:
        for query in ("row", "ladder", "nowhere", "row"):
            assert searcher.best_hits(query, Filter(), "", 10, 80) == search(place, query)


def test_the_total_counts_beyond_the_limit(place: Path) -> None:
    everything = search(place, "row", limit=0)
    assert len(everything.hits) == everything.total
    assert search(place, "row", limit=1).total == everything.total


def test_nothing_to_look_for_is_wrong_use(place: Path) -> None:
    with pytest.raises(UsageError, match="at least one word"):
        search(place, "-- !!")
    with pytest.raises(StoreError, match="afterwit learn"):
        search(place / "nowhere", "row")


def test_copied_history_is_found_once(tmp_path: Path) -> None:
    old = claude_records("s1")
    put(tmp_path / "home" / CLAUDE / "s1.jsonl", old)
    put(tmp_path / "home" / CLAUDE / "s2.jsonl", [*old, *claude_records("s2", 1, start=9000)])
    learned(tmp_path / "home", tmp_path / "store")
    assert search(tmp_path, '"Prune row 2"').total == 1


def test_a_session_whose_archive_is_gone_is_found_without_its_text(place: Path) -> None:
    shutil.rmtree(place / "store" / "archive")
    (place / "store" / "archive").mkdir()
    answer = search(place, "ladder")
    assert answer.total > 0
    assert {hit.snippet for hit in answer.hits} == {None}


def test_a_rebuilt_index_finds_the_same(place: Path) -> None:
    before = search(place, "row", limit=0)
    rebuild(world_of(place / "home", place / "store"), Silent())
    after = search(place, "row", limit=0)
    assert sorted(hit.offset for hit in after.hits) == sorted(hit.offset for hit in before.hits)


def test_a_rewritten_file_leaves_no_old_words(place: Path) -> None:
    path = min((place / "home" / CLAUDE).glob("*.jsonl"))
    path.write_bytes(path.read_bytes().replace(b"I will look.", b"I will gaze."))
    learned(place / "home", place / "store")
    assert search(place, "gaze").total > 0
    assert rows(place / "store", "SELECT count(*) FROM texts WHERE rowid NOT IN (SELECT id FROM events)") == [(0,)]


def test_secrets_are_neither_in_the_index_nor_in_snippets(tmp_path: Path) -> None:
    records = claude_records("s1", 1)
    secret = planted()["github token"]
    records[3]["message"]["content"][0]["content"] = f"Exit code 1\npushing with {secret} failed"
    put(tmp_path / "home" / CLAUDE / "s1.jsonl", records)
    put(tmp_path / "home" / CODEX / f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl", codex_records(THREAD))
    learned(tmp_path / "home", tmp_path / "store")
    assert search(tmp_path, secret).total == 0
    assert search(tmp_path, secret[4:]).total == 0
    hit = search(tmp_path, "pushing").hits[0]
    assert hit.snippet is not None
    assert secret not in hit.snippet
    assert "‹github" in hit.snippet


def test_a_database_that_is_damaged_inside_is_said_without_a_traceback(place: Path) -> None:
    database = place / "store" / "afterwit.db"
    content = bytearray(database.read_bytes())
    content[4096 * 2 :] = b"\xa5" * (len(content) - 4096 * 2)
    database.write_bytes(content)
    with pytest.raises(DamagedError, match="afterwit store rebuild"):
        search(place, "row")


def test_sessions_come_with_their_best_matches_and_how_many_there_are(place: Path) -> None:
    answer = by_session(place, "row", most=2)
    assert answer.totals.matches == search(place, "row").total
    assert answer.totals.sessions == len(answer.sessions) > 1
    assert sum(session.found for session in answer.sessions) == answer.totals.matches
    assert {len(session.hits) for session in answer.sessions} == {2}
    assert {hit.session for hit in answer.sessions[0].hits} == {answer.sessions[0].session.row.native_id}
    assert by_session(place, "row", limit=1, most=2).sessions == answer.sessions[:1]
    assert sum(len(session.hits) for session in by_session(place, "row", 0, 0).sessions) == answer.totals.matches


def test_words_that_are_too_common_to_rank_give_the_newest_sessions(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = by_session(place, "row", 0, 0)
    monkeypatch.setattr("afterwit.sessions.search.MOST_RANKED", everything.totals.matches)
    assert not by_session(place, "row").is_newest
    monkeypatch.setattr("afterwit.sessions.search.MOST_RANKED", everything.totals.matches - 1)
    for query in ("row", "row*", "ro*"):
        newest = by_session(place, query, 2)
        starts = [found.session.row.started_ms or 0 for found in everything.sessions]
        assert newest.is_newest
        assert [found.session.row.started_ms for found in newest.sessions] == sorted(starts, reverse=True)[:2]
    assert by_session(place, "row", 0, 0) == everything


def test_what_was_said_goes_before_commands_and_these_before_outputs(tmp_path: Path) -> None:
    loud, quiet = claude_records("5ea50001", 1), claude_records("5ea50002", 1)
    loud[3]["message"]["content"][0]["content"] = "quince quince quince"
    quiet[0]["message"]["content"] = "Tell me, before the frost comes to the hills, what a quince tree needs"
    quiet[2]["message"]["content"][0]["input"]["command"] = "grep quince"
    quiet[3]["message"]["content"][0]["content"] = "quince"
    put(tmp_path / "home" / CLAUDE / "5ea50001.jsonl", loud)
    put(tmp_path / "home" / CLAUDE / "5ea50002.jsonl", quiet)
    learned(tmp_path / "home", tmp_path / "store")
    answer = by_session(tmp_path, "quince")
    kinds = [(session.session.id, [hit.kind for hit in session.hits]) for session in answer.sessions]
    assert kinds == [("5ea50002", ["prompt", "call", "result"]), ("5ea50001", ["result"])]


def test_a_match_is_found_again_by_its_number(place: Path) -> None:
    world = world_of(place / "home", place / "store")
    with source_of(world) as source:
        for searched in by_session(place, "row", 0, 0).sessions:
            texts = {
                moment.number: moment.text or (moment.action.target if moment.action else "")
                for moment in moments(source, searched.session.row, WantedMoments())
                if isinstance(moment, SessionMoment)
            }
            for hit in searched.hits:
                assert hit.snippet == " ".join(texts[hit.number].split())


def test_a_record_that_means_something_only_after_others_is_not_called_gone(tmp_path: Path) -> None:
    """The end of a Codex command counts where its output came before the process had ended."""
    records = codex_records(THREAD, 1)
    call = f"call_{THREAD}_0"
    at = next(place for place, record in enumerate(records) if record["payload"].get("output"))
    records[at]["payload"]["output"] = "Wall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n"
    ended = {"type": "exec_command_end", "call_id": call, "aggregated_output": "the quince fell", "exit_code": 1}
    records.insert(at + 1, {**records[at], "type": "event_msg", "payload": {**ended, "status": "failed"}})
    put(tmp_path / "home" / CODEX / f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl", records)
    learned(tmp_path / "home", tmp_path / "store")
    assert [hit.snippet for hit in search(tmp_path, "quince").hits] == ["the quince fell"]


def test_a_prompt_from_the_queue_is_shown_with_its_text(tmp_path: Path) -> None:
    """Whether it counts is known from the version that lines before it name."""
    records = claude_records("s1", 1)
    for record in records:
        record["version"] = "2.0.10"
    stamp = records[-1]["timestamp"]
    queued = {"type": "queue-operation", "operation": "enqueue", "timestamp": stamp, "sessionId": "s1"}
    put(tmp_path / "home" / CLAUDE / "s1.jsonl", [*records, {**queued, "content": "And then the quince"}])
    learned(tmp_path / "home", tmp_path / "store")
    assert [hit.snippet for hit in search(tmp_path, "quince").hits] == ["And then the quince"]
