"""Answers that are kept are judged by the present checks, without a word to any model."""

from pathlib import Path

import pytest
from tests.homes import NOW_MS, Silent, learned, world_of
from tests.planted_orders import Planted
from tests.reader.test_read import NOTE, RULE, about_migrations, answer, asked, line_of, note, read_items, taken

from afterwit.config.world import World
from afterwit.engine.curation.curate import judge
from afterwit.engine.curation.undo import undo
from afterwit.model.knowledge import ItemStatus
from afterwit.reader import checks, intake
from afterwit.reader.checks import Convicted, Conviction
from afterwit.reader.read import CheckedAgain, check_again
from afterwit.store.decisions import DecisionKind
from afterwit.store.rows.readings import proposals_rejected, spending
from afterwit.store.store import readonly_database


@pytest.fixture
def world(tmp_path: Path) -> World:
    session = Planted(1, 0).prompt("Let the press count barrels, please.").shell("make check", "12 passed")
    session.prompt(RULE).edit("db/migrations/0008.sql").shell("make check", "12 passed").put(tmp_path / "home")
    learned(tmp_path / "home", tmp_path / "store")
    return world_of(tmp_path / "home", tmp_path / "store")


def judged(world: World, **more: bool) -> CheckedAgain:
    return check_again(world._replace(now_ms=NOW_MS + 60_000), Silent(), **more)


def stricter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks of another version, which let nothing pass."""
    monkeypatch.setattr(checks, "VERSION", checks.VERSION + 1)
    monkeypatch.setattr(
        intake, "checked", lambda proposal, _: Convicted(proposal.sentence, Conviction.UNSUPPORTED, "x")
    )


def test_what_other_checks_judged_is_judged_anew_and_can_be_undone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken(world, about_migrations(world)[1])
    (item,) = read_items(world)
    with readonly_database(world.layout) as db:
        before = [row._replace(notes=0) for row in spending(db)]
    stricter(monkeypatch)
    result = judged(world)
    assert (result.judged, result.changed, result.skipped, result.lost) == (1, 1, 0, [item.id])
    assert read_items(world) == []
    with readonly_database(world.layout) as db:
        assert [row.sentence for row in proposals_rejected(db)] == [NOTE]
        assert spending(db) == before
    assert judged(world).judged == 0
    undo(world)
    assert [read_item.id for read_item in read_items(world)] == [item.id]


def test_the_same_checks_change_nothing(world: World) -> None:
    taken(world, about_migrations(world)[1])
    assert judged(world) == CheckedAgain(judged=0, changed=0, skipped=0, gained=[], lost=[])
    assert judged(world, is_all=True) == CheckedAgain(judged=1, changed=0, skipped=0, gained=[], lost=[])


def test_an_answer_about_a_session_that_went_on_is_left_as_it_is(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken(world, about_migrations(world)[1])
    items = read_items(world)
    monkeypatch.setattr(intake, "hash_of", lambda *_: "another")
    stricter(monkeypatch)
    assert (judged(world).judged, judged(world).skipped) == (0, 1)
    assert read_items(world) == items


def test_a_note_that_was_replaced_stays_so_when_the_answers_are_judged_again(world: World, tmp_path: Path) -> None:
    taken(world, about_migrations(world)[1])
    (old,) = read_items(world)
    rule = "From now on edit a migration in place, also one that was released; add no new one in db/migrations."
    Planted(3, 90_000).prompt("Let the press stop.").prompt(rule).shell("make check", "ok").put(tmp_path / "home")
    learned(tmp_path / "home", tmp_path / "store")
    (request,) = asked(world)
    said = "Edit a migration in place, also one that was released; add no new one in `db/migrations`."
    taken(world, [answer(request, note(said, line_of(request, rule), about={"note": old.id, "relation": "replaces"}))])
    (later,) = (item.id for item in read_items(world) if item.sentence == said)
    judge(world, DecisionKind.APPROVE, [later])
    before = {item.id: item.status for item in read_items(world)}
    assert before == {old.id: ItemStatus.SUPERSEDED, later: ItemStatus.ACTIVE}
    assert judged(world, is_all=True).judged == 2
    assert {item.id: item.status for item in read_items(world)} == before
