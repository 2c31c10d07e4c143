"""Rows of what models were asked to read."""

from typing import Any

import apsw

from afterwit.store.rows import readings

DAY_MS = 86_400_000


def request(name: str = "r1", **more: Any) -> dict[str, Any]:
    place = {"agent": "codex", "native_id": "s1", "repo": "orchard", "part": 1, "parts": 1, "first_line": 0}
    rest = {"end_line": 9, "lines_hash": "ff", "ended_ms": 5, "model": "orchard-1", "prompt": "1"}
    return {"id": name, **place, **rest, "tokens_in": 100, "tokens_out": 50, "cost_usd": 0.5} | more


def answer(name: str = "r1", **more: Any) -> dict[str, Any]:
    session = {"agent": "codex", "native_id": "s1", "story": "s1", "repo": "orchard"}
    usage = {"tokens_in": 90, "tokens_out": 10, "cost_usd": 0.1}
    return {"request": name, "session": session, "model": "orchard-1", "prompt": "1", "usage": usage} | more


def test_a_request_counts_as_reserved_and_then_as_what_it_took(db: apsw.Connection) -> None:
    readings.put_request(db, 1_000, request())
    assert readings.spent_since(db, 0) == (0.5, 0)
    readings.put_answer(db, 2_000, answer())
    assert readings.spent_since(db, 0) == (0.1, 0)
    assert readings.spent_since(db, 1_001) == (0.0, 0)


def test_what_is_asked_again_is_paid_again_and_stays_answered(db: apsw.Connection) -> None:
    readings.put_request(db, 1_000, request())
    readings.put_answer(db, 2_000, answer(drafts=[{}, {}]))
    readings.put_request(db, DAY_MS, request())
    row = readings.request_row(db, "r1")
    assert row is not None
    assert (row.answered_ms, row.notes) == (2_000, 2)
    assert readings.spent_since(db, 0) == (0.6, 0)
    readings.put_answer(db, DAY_MS + 5, answer())
    assert [(spend.day, spend.cost_usd) for spend in readings.spending(db)] == [
        ("1970-01-02", 0.1),
        ("1970-01-01", 0.1),
    ]


def test_tokens_without_a_price_are_counted_as_tokens(db: apsw.Connection) -> None:
    readings.put_request(db, 1_000, request(cost_usd=None))
    assert readings.spent_since(db, 0) == (0.0, 150)


def test_an_answer_whose_request_is_not_here_is_kept(db: apsw.Connection) -> None:
    readings.put_answer(db, 2_000, answer(rejected=[{"sentence": "No.", "reason": "general"}]))
    assert [row.reason for row in readings.proposals_rejected(db)] == ["general"]
    assert [row.id for row in readings.requests_for(db, "1", "orchard-1")] == ["r1"]


def test_a_later_answer_replaces_what_was_refused(db: apsw.Connection) -> None:
    readings.put_request(db, 1_000, request())
    readings.put_answer(db, 2_000, answer(rejected=[{"sentence": "No.", "reason": "general"}]))
    readings.put_answer(db, 3_000, answer(rejected=[]))
    assert readings.proposals_rejected(db) == []


def test_the_model_that_was_asked_last_is_known(db: apsw.Connection) -> None:
    assert readings.last_model(db) == ""
    readings.put_request(db, 1_000, request())
    readings.put_request(db, 2_000, request("r2", model="orchard-2"))
    assert readings.last_model(db) == "orchard-2"
