"""Windows into a session say what the whole of it says, wherever they begin, and read no more than they must."""

from pathlib import Path

import pytest
from tests.demo_store import copied_demo, learned_demo
from tests.homes import claude_records, learned, put, world_of

from afterwit.config.world import World
from afterwit.engine.curation.why import confidence_path
from afterwit.knowledge.door.list import ItemFilter, listed
from afterwit.model.kinds import EventKind
from afterwit.sessions.filters import Filter
from afterwit.sessions.list import Order, list_sessions
from afterwit.sessions.originals import source_of
from afterwit.sessions.show import SessionMoment, WantedMoments, moments
from afterwit.sessions.windows import outline, window
from afterwit.store.rows.session_list import Selection, select_sessions


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("windows")
    return copied_demo(learned_demo(folder / "learned"), folder / "demo")


def test_a_window_of_everything_is_the_session(world: World) -> None:
    with source_of(world) as source:
        for row in list(select_sessions(source.store.db, Selection())):
            whole = [moment for moment in moments(source, row, WantedMoments()) if isinstance(moment, SessionMoment)]
            outputs = {moment.call_id: moment.text for moment in whole if moment.kind is EventKind.RESULT}
            spoken = [moment for moment in whole if moment.kind is not EventKind.RESULT]
            plan = outline(source, row)
            shown = window(source, row, plan, range(len(plan.moments)), 0)
            assert [moment.at.number for moment in shown] == [moment.number for moment in spoken]
            assert [moment.said.text for moment in shown] == [moment.text for moment in spoken]
            assert [moment.action for moment in shown] == [moment.action for moment in spoken]
            assert all(m.output.text == outputs[m.call_id] for m in shown if m.output and m.call_id in outputs)


def test_a_part_is_the_same_part_of_the_whole(world: World) -> None:
    with source_of(world) as source:
        row = max(select_sessions(source.store.db, Selection()), key=lambda row: row.events)
        plan = outline(source, row)
        whole = window(source, row, plan, range(len(plan.moments)), 0)
        assert window(source, row, plan, [5, 2, 3], 0) == [whole[5], whole[2], whole[3]]


def test_every_moment_is_found_by_its_number_and_counted_by_its_kind(world: World) -> None:
    with source_of(world) as source:
        for row in list(select_sessions(source.store.db, Selection())):
            plan = outline(source, row)
            listed_moments = list(plan.moments)
            assert [plan.place_of(moment.number) for moment in listed_moments] == list(range(len(plan.moments)))
            assert plan.prompts == [at for at, m in enumerate(listed_moments) if m.kind is EventKind.PROMPT]
            assert plan.failures == [at for at, m in enumerate(listed_moments) if m.has_failed]
            assert len(plan.failures) <= row.failures
            assert plan.moments[1:4] == listed_moments[1:4]


def test_long_texts_are_cut_and_say_so(world: World) -> None:
    with source_of(world) as source:
        row = max(select_sessions(source.store.db, Selection()), key=lambda row: row.events)
        plan = outline(source, row)
        (prompt,) = window(source, row, plan, plan.prompts[:1], 10)
        assert prompt.said.text is not None
        assert len(prompt.said.text) == 10
        assert prompt.said.left_out > 0


def test_a_secret_across_the_cut_is_not_shown_in_part(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    (first, *later) = claude_records("cut", 1)
    first["message"]["content"] = f"Prune with {token}, row by row"
    put(tmp_path / "home/.claude/projects/-srv-orchard/cut.jsonl", [first, *later])
    learned(tmp_path / "home", tmp_path / "store")
    with source_of(world_of(tmp_path / "home", tmp_path / "store")) as source:
        (row,) = select_sessions(source.store.db, Selection())
        plan = outline(source, row)
        (prompt,) = window(source, row, plan, plan.prompts[:1], len("Prune with ") + 20)
    assert str(prompt.said.text).startswith("Prune with ‹github-")
    assert token[:12] not in str(prompt.said.text)


def test_a_secret_in_two_blocks_of_a_message_is_shown_nowhere(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    (first, reply, call, *later) = claude_records("cut", 1)
    halves = [{"type": "text", "text": f"Use {token[:18]}"}, {"type": "text", "text": f"{token[18:]} for it"}]
    first["message"]["content"] = halves
    reply["message"]["content"] = halves
    call["message"]["content"][0]["input"] = {"command": "make prune", token: "x", "password": "hunter2"}
    put(tmp_path / "home/.claude/projects/-srv-orchard/cut.jsonl", [first, reply, call, *later])
    learned(tmp_path / "home", tmp_path / "store")
    with source_of(world_of(tmp_path / "home", tmp_path / "store")) as source:
        (row,) = select_sessions(source.store.db, Selection())
        plan = outline(source, row)
        shown = str(window(source, row, plan, range(len(plan.moments)), 0))
        alone = [window(source, row, plan, [at], 0) for at in range(len(plan.moments))]
        whole = str(list(moments(source, row, WantedMoments())))
    assert "‹github" in shown
    assert "‹github" in whole
    for text in (shown, str(alone), whole):
        assert [secret for secret in (token[:18], token[18:], "hunter2") if secret in text] == [], text


def test_a_time_and_a_number_lead_to_their_place(world: World) -> None:
    with source_of(world) as source:
        row = max(select_sessions(source.store.db, Selection()), key=lambda row: row.events)
        plan = outline(source, row)
        last = plan.moments[-1]
        assert plan.place_of(last.number) == len(plan.moments) - 1
        assert plan.place_of("x") is None
        assert plan.place_of("7.0") is None
        assert plan.place_at(0) == 0
        assert plan.moments[plan.place_at(last.at_ms or 0)].at_ms == last.at_ms


@pytest.mark.parametrize("order", [Order.START, Order.COST])
def test_the_list_can_be_taken_in_pages(world: World, order: Order) -> None:
    whole = [session.id for session in list_sessions(world, Filter(), order, 0).sessions]
    pages = [list_sessions(world, Filter(), order, 8, skipped=skipped).sessions for skipped in (0, 8, 16, 24)]
    assert [session.id for page in pages for session in page] == whole


def test_confidence_goes_up_with_independent_evidence(world: World) -> None:
    item = max(listed(world, ItemFilter()).items, key=lambda item: len(item.evidence))
    path = confidence_path(item)
    assert len(path) == len(item.evidence)
    assert path[-1].confidence > path[0].confidence
