"""Sessions whose users say again what a line said that was told: what is noted, counted and raised."""

from pathlib import Path

import msgspec
import pytest
from tests.homes import Silent, rows, world_of
from tests.repeated_home import AGAIN, TEXT, Told

from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.curation.curate import Words, add
from afterwit.knowledge.door.echoes import echoes
from afterwit.knowledge.door.list import all_items
from afterwit.knowledge.door.repeated import repeated_lines
from afterwit.model.brief import Heading, Heard, Line
from afterwit.model.knowledge import Category, Scope, ScopeKind
from afterwit.store.layout import Layout
from afterwit.store.store import open_store, readonly_database


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


def test_a_person_is_asked_about_a_line_that_two_sessions_had_to_say_again(told: Told) -> None:
    told.session(1, AGAIN)
    told.learn()
    with readonly_database(Layout(told.store)) as db:
        assert repeated_lines(db) == []
    told.session(2, "I want the apples weighed before every press run.")
    told.learn()
    with readonly_database(Layout(told.store)) as db:
        (line,) = repeated_lines(db)
    assert (line.repo, line.text, line.told, line.again) == (told.repo, TEXT, 2, 2)
    assert line.quote == "I want the apples weighed before every press run."
    assert line.question == "told in 2 sessions, asked for again in 2: make it a check?"
