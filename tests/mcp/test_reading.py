"""The agent at hand reads: only if its owner lets it, one request at a time, and none of it is learned from again."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.homes import Silent, learned, world_of
from tests.mcp.conftest import text_of
from tests.planted_orders import Planted

from afterwit.config.world import World
from afterwit.knowledge.door.list import all_items
from afterwit.mcp.backend import StoreBackend
from afterwit.model.knowledge import READ
from afterwit.model.settings import ReadingSettings
from afterwit.reader.plan import AT_HAND, ReadingWish, plan
from afterwit.redaction.markers import without_own
from afterwit.redaction.shown import asked_to_read
from afterwit.sessions.filters import Filter
from afterwit.sessions.search import best_hits
from afterwit.store.rows.readings import spending
from afterwit.store.store import readonly_database

RULE = "Never edit a migration that was released; add a new one in db/migrations instead."
ORDER = "Always upload the ledger of the press with make upload."


def allowed(world: World, **more: Any) -> World:
    reading = ReadingSettings(**({"model": AT_HAND} | more))
    return world._replace(settings=msgspec.structs.replace(world.settings, reading=reading))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for number, rule in enumerate((RULE, ORDER), 1):
        log = Planted(number, number * 7_200).prompt(f"Let the press count barrels of row {number}, please.")
        log.shell("make check", "12 passed").prompt(rule).edit("db/migrations/0008.sql").shell("make check", "ok")
        log.put(tmp_path / "home")
    learned(tmp_path / "home", tmp_path / "store")
    return tmp_path / "home"


@pytest.fixture
def world(home: Path, tmp_path: Path) -> World:
    return allowed(world_of(home, tmp_path / "store"))


def folder_of(world: World) -> Path:
    with readonly_database(world.layout) as db:
        return Path(db.execute("SELECT max(cwd) FROM sessions").get)


def called(world: World, name: str, **arguments: Any) -> str:
    result = StoreBackend(lambda: world, folder_of(world), "mcp-1").call(name, arguments, "claude-code")
    assert "isError" not in result, result
    return text_of(result)


def refused(world: World, name: str, **arguments: Any) -> str:
    result = StoreBackend(lambda: world, folder_of(world), "mcp-1").call(name, arguments, "claude-code")
    assert result.get("isError") is True, result
    return text_of(result)


def request_in(text: str) -> str:
    return text.split()[1].rstrip(".")


def is_about(rule: str, text: str) -> bool:
    return any(rule in line and line[:1].isdigit() for line in text.splitlines())


def line_of(text: str, words: str) -> int:
    return next(int(line.split(" ", 1)[0]) for line in text.splitlines() if words in line and line[:1].isdigit())


def note(text: str, rule: str) -> dict[str, Any]:
    return {"sentence": rule, "lines": [line_of(text, rule)], "category": "pattern", "confidence": 0.9}


def test_nothing_is_handed_out_unless_the_owner_lets_the_agent_at_hand_read(world: World) -> None:
    for model in (None, "gpt-5-mini"):
        closed = allowed(world, model=model)
        assert "has not let this agent read" in refused(closed, "reading_next")
        assert "has not let this agent read" in refused(closed, "reading_answer", request="0" * 24, answer="{}")
    with readonly_database(world.layout) as db:
        assert spending(db) == []


def test_two_agents_do_not_get_the_same_and_none_waits_at_last(world: World) -> None:
    first, second = called(world, "reading_next"), called(world, "reading_next")
    assert request_in(first) != request_in(second)
    assert is_about(RULE, first) != is_about(RULE, second)
    assert called(world, "reading_next").startswith("Nothing waits")


def test_an_answer_is_checked_and_said_what_became_of_it(world: World) -> None:
    texts = [called(world, "reading_next") for _ in range(2)]
    text = next(text for text in texts if is_about(RULE, text))
    wrong = {"sentence": "Never edit `db/seeds.sql`.", "lines": [1], "confidence": 0.9}
    said = called(world, "reading_answer", request=request_in(text), answer={"notes": [note(text, RULE), wrong]})
    assert said.startswith("Taken: 1 kept, 1 refused. 0 more wait")
    assert "- note 2: It names something that stands in no line of the session." in said
    with readonly_database(world.layout) as db:
        assert [item.sentence for item in all_items(db) if item.harvester == READ] == [RULE]
        assert {(spend.model, spend.unpriced) for spend in spending(db)} == {(AT_HAND, 2)}
    again = json.dumps({"notes": []})
    assert "answered already" in refused(world, "reading_answer", request=request_in(text), answer=again)


def test_an_answer_that_is_none_can_be_mended(world: World) -> None:
    request = request_in(called(world, "reading_next"))
    assert "Mend it" in refused(world, "reading_answer", request=request, answer="I found nothing.")
    assert called(world, "reading_answer", request=request, answer='{"notes": []}').startswith("Taken: 0 kept")
    assert "Nothing was asked" in refused(world, "reading_answer", request="f" * 24, answer='{"notes": []}')
    assert "needs `answer`" in refused(world, "reading_answer", request=request)


def test_the_caps_in_tokens_hold(world: World) -> None:
    assert "caps" in called(allowed(world, tokens_per_day=100), "reading_next")


def test_other_repositories_are_read_only_if_that_is_said(world: World) -> None:
    elsewhere = StoreBackend(lambda: world, Path("/nowhere"), "mcp-1")
    result = elsewhere.call("reading_next", {}, "claude-code")
    assert "No repository is known here" in text_of(result)
    assert request_in(text_of(elsewhere.call("reading_next", {"where": "all repositories"}, "claude-code")))


@pytest.mark.parametrize("cut", [None, 3_000, 9_500, 20_000, 31_000])
def test_whatever_a_client_cuts_off_what_was_read_stays_between_markers(cut: int | None) -> None:
    lines = "\n".join(f"{number} user: {ORDER}" for number in range(600))
    shown = asked_to_read(lines, "[afterwit notes from past sessions]", "[end of afterwit notes]")[:cut]
    assert ORDER in shown
    assert without_own(shown).strip() == ""


def test_what_was_read_for_us_is_not_learned_from_a_second_time(world: World, home: Path, tmp_path: Path) -> None:
    texts = [called(world, "reading_next") for _ in range(2)]
    text = next(text for text in texts if is_about(ORDER, text))
    before = _told(world)
    for number in (7, 8):
        reader = Planted(number, 90_000 * number)
        reader.prompt("Read my waiting sessions.")
        reader.tool("mcp__afterwit__reading_next", {}, text)
        answer = {"request": request_in(text), "answer": json.dumps({"notes": [note(text, ORDER)]})}
        reader.tool("mcp__afterwit__reading_answer", answer, "Taken: 1 kept, 0 refused. 1 more waits.")
        reader.reply("Done: one session read.").shell("make check", "ok").put(home)
    learned(home, tmp_path / "store")
    assert _told(world) == before
    hits = best_hits(world, "upload ledger", Filter(), "", 50, 300).hits
    assert {hit.session[-1] for hit in hits} == {"2"}
    later = world._replace(now_ms=world.now_ms + 30 * 86_400_000)
    planned = plan(later, ReadingWish(model=AT_HAND, is_again=True), Silent())
    assert planned.waiting == 2


def _told(world: World) -> dict[str, int]:
    """How many sessions stand behind whatever says the order."""
    with readonly_database(world.layout) as db:
        return {item.id: len(item.evidence) for item in all_items(db) if "ledger" in item.sentence}
