"""Sessions whose users say again what a line said that was told: what is noted, counted and raised."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.homes import Silent, learned, rows, world_of
from tests.measure.histories import HOUR_S, Log

from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.curation.curate import Words, add
from afterwit.knowledge.door.echoes import echoes
from afterwit.knowledge.door.list import all_items
from afterwit.model.brief import Heading, Heard, Line, id_of_line
from afterwit.model.knowledge import Category, Scope, ScopeKind
from afterwit.store import spool
from afterwit.store.decide import decide
from afterwit.store.decisions import BriefEdited, KnowledgeEntry
from afterwit.store.layout import Layout
from afterwit.store.rows.repetitions import heard
from afterwit.store.store import open_store

BEGIN_MS = 1_777_629_600_000  # when a log with a start of 0 begins
TEXT = "Weigh the apples before every press run."
AGAIN = "you forgot to weigh the apples again"


class Told:
    """A home and a store with a line that a person wrote."""

    def __init__(self, folder: Path) -> None:
        self.home, self.store = folder / "home", folder / "store"
        Log(0, 0).prompt("Lay out the orchard").edit("src/rows.ts").put(self.home)
        learned(self.home, self.store)
        (self.repo,) = rows(self.store, "SELECT DISTINCT repo FROM sessions")[0]
        self.line = Line(id=id_of_line(self.repo, TEXT), text=TEXT, heading=Heading.MUST, notes=("note",), is_own=True)
        entry = BriefEdited(repo=self.repo, put=(self.line,))
        with open_store(Layout(self.store)) as store:
            decide(store, KnowledgeEntry.BRIEF_EDITED, msgspec.to_builtins(entry), BEGIN_MS)

    def session(self, number: int, *said: str, told_s: int | None = 0, is_shown: bool = True) -> None:
        """A session of an hour of its own, told the line so many seconds after it began."""
        start_s = number * HOUR_S
        log = Log(number, start_s).prompt("Press the cider").edit("src/press.ts")
        for text in said:
            log.wait(60).prompt(text).edit("src/press.ts")
        log.put(self.home)
        if told_s is not None:
            at = BEGIN_MS + (start_s + told_s) * 1000
            record: dict[str, Any] = {"kind": "draw", "at": at, "moment": "start", "repo": self.repo, "text": TEXT}
            record |= {"agent": "claude-code", "session": log.session, "items": {self.line.id: int(is_shown)}}
            spool.append(Layout(self.store).spool, "claude-code", log.session, record)

    def learn(self) -> list[tuple[int, int, str]]:
        """The number of each session with a repetition, the place of the prompt and the quote."""
        learned(self.home, self.store)
        return self.noted()

    def noted(self) -> list[tuple[int, int, str]]:
        query = """SELECT native_id, place, quote FROM repetitions JOIN sessions ON id = session_id
                   ORDER BY started_ms, place"""
        return [(int(name[-4:]), place, quote) for name, place, quote in rows(self.store, query)]

    def heard(self) -> Heard:
        with open_store(Layout(self.store)) as store:
            return heard(store.db, [self.line.id])[self.line.id]


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path)


def test_a_turn_that_says_again_what_the_session_was_told_is_noted_with_its_quote(told: Told) -> None:
    told.session(1, "The cider looks fine.", f"Hm. {AGAIN.capitalize()}.")
    assert told.learn() == [(1, 2, f"{AGAIN.capitalize()}.")]
    assert told.heard() == Heard(1, 1)


def test_a_turn_before_the_line_was_told_is_no_repetition(told: Told) -> None:
    told.session(1, AGAIN, told_s=300)
    assert told.learn() == []


def test_the_prompt_that_the_line_answered_is_no_repetition(told: Told) -> None:
    told.session(1, AGAIN, told_s=64)  # the prompt came a few seconds before
    assert told.learn() == []


def test_what_an_earlier_session_was_told_is_asked_for_again_in_a_later_one(told: Told) -> None:
    told.session(1)
    told.session(2, AGAIN, told_s=None)
    assert told.learn() == [(2, 1, AGAIN)]


def test_what_was_told_long_ago_is_not(told: Told) -> None:
    told.session(1)
    other = Line(id="other", text="Rinse the barrels.", heading=Heading.MUST, is_own=True)
    told.line = msgspec.structs.replace(other)
    for number in range(2, 7):
        told.session(number)
    told.session(7, AGAIN)
    assert told.learn() == []


def test_what_was_held_out_was_not_told(told: Told) -> None:
    told.session(1, AGAIN, is_shown=False)
    assert told.learn() == []


def test_a_notice_of_the_host_in_the_users_place_is_nobodys_correction(told: Told) -> None:
    told.session(1, "<system-reminder>you forgot to weigh the apples again</system-reminder>")
    assert told.learn() == []


def test_learning_again_finds_the_same_and_a_longer_session_what_came_to_it(told: Told) -> None:
    told.session(1, "The cider looks fine.")
    assert told.learn() == []
    told.session(1, "The cider looks fine.", AGAIN, told_s=None)
    assert told.learn() == [(1, 2, AGAIN)]
    assert told.learn() == [(1, 2, AGAIN)]


def test_what_hooks_told_comes_in_late_and_counts_all_the_same(told: Told) -> None:
    told.session(1, AGAIN, told_s=None)
    assert told.learn() == []
    told.session(1, AGAIN)
    assert told.learn() == [(1, 1, AGAIN)]


def test_a_rebuilt_store_has_the_same_repetitions(told: Told) -> None:
    told.session(1, AGAIN)
    told.session(2, AGAIN, told_s=None)
    before = told.learn()
    assert len(before) == 2
    rebuild(world_of(told.home, told.store), Silent())
    assert told.noted() == before


def test_without_anything_told_nothing_is_a_repetition_any_more(told: Told) -> None:
    told.session(1, AGAIN)
    assert told.learn()
    with open_store(Layout(told.store)) as store:
        store.db.execute("DELETE FROM exposures")
    told.session(2, told_s=None)
    assert told.learn() == []
    assert rows(told.store, "SELECT * FROM repetitions_sought") == []


def test_what_the_user_says_again_is_no_echo(told: Told) -> None:
    told.session(1)
    told.session(2, AGAIN)
    told.learn()
    with open_store(Layout(told.store)) as store:
        shown = echoes(store.db, {told.line.id: ("note",)})
    assert {name: {int(story[-4:]) for story in stories} for name, stories in shown.items()} == {
        told.line.id: {1},
        "note": {1},
    }


def test_a_note_knows_in_how_many_sessions_it_or_its_line_had_to_be_said_again(told: Told) -> None:
    world = world_of(told.home, told.store)
    item = add(world, Words(sentence=TEXT, category=Category.PATTERN, scope=Scope(ScopeKind.REPO, told.repo)))
    told.line = msgspec.structs.replace(told.line, id=item.id)
    told.session(1, AGAIN)
    told.session(2, AGAIN)
    assert len(told.learn()) == 2
    with open_store(Layout(told.store)) as store:
        (after,) = (kept for kept in all_items(store.db) if kept.id == item.id)
    assert after.repeated == 2
