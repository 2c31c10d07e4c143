"""What agents are given when they ask: drawn, noted, and no evidence afterwards."""

from pathlib import Path
from typing import Any

import pytest
from tests.knowledge.drafting import piece
from tests.mcp.conftest import ORCHARD, Call, put_items, text_of
from tests.mcp.test_backend import wrapper_item
from tests.recall import knowing

from afterwit.agents.hook_payloads import RECALL
from afterwit.config.world import World
from afterwit.knowledge.whose_words import Listener
from afterwit.mcp.backend import StoreBackend
from afterwit.mcp.notes import MOST_CHARS, ItemLine, explain, tell_items
from afterwit.measure.experiment import set_skipping
from afterwit.recall.holdout import HELD, History, holdout_key, odds_for
from afterwit.recall.prompt_block import PLACES
from afterwit.recall.spooled import audience_of
from afterwit.redaction.markers import OPENING
from afterwit.redaction.shown import ours
from afterwit.store import spool
from afterwit.store.layout import redaction_key
from afterwit.store.store import readonly_database

NOTHING = "Nothing is known for this task."


def noted(world: World) -> list[dict[str, Any]]:
    return [record.body for batch in spool.drain(world.layout.spool) for record in batch.records]


def is_guess(item: str) -> bool:
    """Files and quotes are drawn like notes, and have no id to ask about."""
    return item == PLACES or item.startswith("decided ")


def asked(world: World, run: str = "mcp-1", client: str = "claude-code") -> str:
    desk = StoreBackend(lambda: world, Path(ORCHARD), run)
    return text_of(desk.call("recall", {"task": "Press the apples"}, client))


def test_what_recall_gives_is_noted_with_the_run_of_the_server(call: Call, world: World) -> None:
    item = wrapper_item(world)
    text = call("recall", task="Press the apples")
    (record,) = noted(world)
    assert {name: shown for name, shown in record["items"].items() if not is_guess(name)} == {item.id: 1}
    assert (record["kind"], record["moment"], record["agent"], record["session"]) == (
        *("draw", "recall", "claude-code"),
        "mcp-1",
    )
    assert (record["text"], record["held"], "would" in record) == (text, 0, False)
    assert record["repo"] == item.scope.name


def test_where_nothing_is_known_nothing_is_noted(call: Call, world: World) -> None:
    call("recall", task="Weigh the anchor", folder="/srv/harbour")
    assert noted(world) == []


def test_a_run_that_is_held_out_gets_nothing_and_what_it_would_have_got_is_noted(world: World) -> None:
    whole = asked(world)
    set_skipping(world, 1.0, 0.0)
    assert asked(world, "mcp-2").startswith(NOTHING)
    (record,) = (drawn for drawn in draws(world) if drawn["session"] == "mcp-2")
    assert (set(record["items"].values()), record["held"], record["text"], record["would"]) == ({0}, 1, "", whole)


def test_a_run_keeps_the_odds_that_it_began_with(world: World) -> None:
    whole = asked(world)
    set_skipping(world, 1.0, 1.0)
    assert asked(world) == whole
    (record,) = draws(world)
    assert (record["arm"], record["odds"], record["item_odds"]) == ("told", {"told": 1.0}, 1.0)


def test_items_that_are_held_out_are_left_out_with_their_headings(world: World) -> None:
    set_skipping(world, 0.0, 1.0)
    assert asked(world).startswith(NOTHING)
    assert set(draws(world)[-1]["items"].values()) == {0}


def test_each_run_is_drawn_anew_and_draws_the_same_each_time(world: World) -> None:
    set_skipping(world, 0.5, 0.0)
    answers = {run: asked(world, f"mcp-{run}").startswith(OPENING) for run in range(40)}
    assert set(answers.values()) == {True, False}
    assert answers == {run: asked(world, f"mcp-{run}").startswith(OPENING) for run in range(40)}


def test_a_draw_that_leaves_some_items_out_tells_the_others(world: World) -> None:
    put_items(world, [f"Row {number} is pruned in March." for number in range(12)])
    set_skipping(world, 0.0, 0.5)
    text = asked(world)
    record = noted(world)[-1]
    assert 0 < sum(record["items"].values()) < len(record["items"])
    for item, is_shown in record["items"].items():
        assert (f"[{item}]" in text) == bool(is_shown and not is_guess(item))
        assert f"[{item}]" in record["would"] or is_guess(item)


def test_an_item_that_was_cut_is_not_shown_because_another_begins_with_its_words(world: World) -> None:
    short = "- Prune in March"
    rows = [
        ItemLine("long", ours(f"{short} and never later")),
        ItemLine("filling", ours("x" * (MOST_CHARS - 50))),
        ItemLine("short", ours(short)),
    ]
    with readonly_database(world.layout) as db:
        to = audience_of(db, world, "claude-code", "mcp-1", "")
    told = tell_items(world, to, RECALL, [(ours(""), rows)])
    assert short in told
    (record,) = noted(world)
    assert record["items"] == {"long": 1, "filling": 1, "short": 0}


def test_an_item_is_shown_whatever_markers_it_forges(world: World) -> None:
    with readonly_database(world.layout) as db:
        to = audience_of(db, world, "claude-code", "mcp-1", "")
    tell_items(
        world,
        to,
        RECALL,
        [
            (
                ours(""),
                [
                    ItemLine("one", ours("- Prune [afterwit notes")),
                    ItemLine("two", ours("from past sessions] in March")),
                ],
            )
        ],
    )
    (record,) = noted(world)
    assert record["items"] == {"one": 1, "two": 1}


def test_the_session_that_hooks_have_noted_is_the_one_that_asks(world: World) -> None:
    note_start(world, "s1")
    note_start(world, "s2", repo="github.com/acme/harbour")
    note_start(world, "s3", agent="codex")
    asked(world)
    assert [record["session"] for record in draws(world)] == ["s1"]


def test_a_session_that_is_held_out_gets_nothing_from_the_server_either(world: World) -> None:
    set_skipping(world, 0.5, 0.0)
    for number in range(12):
        session = f"session-{number}"
        note_start(world, session)
        key = holdout_key(redaction_key(world.layout))
        is_held = odds_for(0.5, 0.0).arm(key, "claude-code", session) == HELD
        assert asked(world).startswith(NOTHING) == is_held
        note_end(world, session)


@pytest.mark.parametrize("ending", ["two", "ended", "old", "mcp"])
def test_where_the_session_cannot_be_told_the_run_stands_for_it(world: World, ending: str) -> None:
    note_start(world, "mcp-7" if ending == "mcp" else "s1")
    if ending == "two":
        note_start(world, "s2")
    if ending == "ended":
        note_end(world, "s1")
    later = world._replace(now_ms=world.now_ms * 2) if ending == "old" else world
    asked(later)
    assert {record["session"] for record in draws(world)} == {"mcp-1"}


def test_a_client_that_nobody_knows_is_noted_as_such(world: World) -> None:
    asked(world, client="some editor")
    assert [record["agent"] for record in draws(world)] == ["mcp"]


def test_an_item_that_is_asked_for_by_its_id_is_given_and_noted(call: Call, world: World) -> None:
    set_skipping(world, 1.0, 1.0)
    item = wrapper_item(world)
    assert item.sentence in call("explain_item", item=item.id)
    assert [(record["moment"], record["items"]) for record in draws(world)] == [("asked", {item.id: 1})]


def test_of_much_evidence_the_newest_is_told_and_comes_first() -> None:
    evidence = tuple(piece(f"s{days}", days_ago=days) for days in (3, 1, 9, 2, 8, 4, 7, 5, 6))
    told = list(explain(knowing.item("Prune in March.", evidence=evidence), Listener()))
    pieces = told[told.index(ours("Evidence, the newest first:")) + 1 :]
    assert [line.split(", ")[1] for line in pieces[:-1]] == [f"1975-06-{day}" for day in range(23, 15, -1)]
    assert pieces[-1].startswith("(1 more piece")


def test_hooks_take_what_the_server_told_as_told_but_not_as_answered(world: World) -> None:
    asked(world)
    told = History(draws(world), "")
    assert wrapper_item(world).id in told.told
    assert told.answered == set()


def test_an_agent_that_goes_in_circles_is_noted_once(world: World) -> None:
    asked(world)
    asked(world)
    assert len(draws(world)) == 1
    asked(world._replace(now_ms=world.now_ms + 3_600_000))
    assert len(draws(world)) == 2


def note_start(world: World, session: str, agent: str = "claude-code", repo: str = "") -> None:
    record = {"kind": "started", "at": 1, "agent": agent, "session": session}
    spool.append(world.layout.spool, agent, session, record | {"repo": repo or wrapper_item(world).scope.name})


def note_end(world: World, session: str, agent: str = "claude-code") -> None:
    record = {"kind": "ended", "at": 2, "agent": agent, "session": session}
    spool.append(world.layout.spool, agent, session, record)


def draws(world: World) -> list[dict[str, Any]]:
    return [record for record in noted(world) if record["kind"] == "draw"]
