"""What a session and its subagents were told, each by itself."""

from typing import Any

import pytest

from afterwit.recall.holdout import History


def drawn(item: str, moment: str = "after", context: str = "") -> dict[str, Any]:
    return noted("draw", context) | {"moment": moment, "items": {item: 1}}


def noted(kind: str, context: str = "") -> dict[str, Any]:
    return {"kind": kind} | ({"context": context} if context else {})


@pytest.mark.parametrize("kind", ["compacted", "cleared"])
def test_a_session_keeps_what_it_was_told_when_the_context_of_a_subagent_is_cut(kind: str) -> None:
    records = [noted("started"), noted("prompted"), drawn("fix-1"), drawn("fix-2", context="a1"), noted(kind, "a1")]
    session = History(records, "")
    assert (session.told, session.answered) == ({"fix-1"}, {"fix-1"})
    assert (session.has_started, session.has_prompted, session.awaits_block) == (True, True, False)
    assert History(records, "a1").told == set()


@pytest.mark.parametrize("record", [noted("started", "a1"), noted("prompted", "a1"), drawn("rule-1", "start", "a1")])
def test_what_a_subagent_begins_is_not_begun_for_its_session(record: dict[str, Any]) -> None:
    session = History([record], "")
    assert (session.has_started, session.has_prompted, session.told) == (False, False, set())


def test_a_session_that_is_compacted_has_lost_what_it_was_told_and_answered() -> None:
    session = History([noted("started"), drawn("rule-1", "start"), drawn("fix-1"), noted("compacted")], "")
    assert (session.told, session.answered, session.awaits_block) == (set(), set(), True)


def test_a_subagent_keeps_what_it_was_told_when_its_session_is_compacted() -> None:
    records = [drawn("fix-1"), drawn("fix-1", context="a1"), noted("compacted")]
    assert History(records, "a1").told == {"fix-1"}
    assert History(records, "").awaits_block


def test_the_odds_of_the_first_draw_hold_for_the_session_and_its_subagents_whatever_happens() -> None:
    first = drawn("rule-1", "start") | {"odds": {"held": 0.1, "told": 0.9}, "item_odds": 0.9}
    later = drawn("fix-1") | {"odds": {"cold": 0.5, "told": 0.5}, "item_odds": 0.5}
    for records in ([first, later], [first, noted("cleared"), later], [first, noted("compacted"), later]):
        for context in ("", "a1"):
            odds = History(records, context).odds
            assert odds is not None
            assert (odds.arms, odds.item) == ({"held": 0.1, "told": 0.9}, 0.9)
    assert History([noted("started"), drawn("old-1")], "").odds is None
