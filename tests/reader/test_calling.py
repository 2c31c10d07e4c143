"""A model is called: what is reserved holds, what was answered is kept, what fails pauses."""

import json
import threading
from pathlib import Path

import msgspec
import pytest
from tests.homes import NOW_MS, Silent, hash_of, learned, world_of
from tests.planted_orders import Planted
from tests.reader.calls import MODEL, ScriptedWay, called, capped, costs, empty
from tests.reader.test_read import NOTE, RULE, note

from afterwit.config.world import World
from afterwit.engine.archive.delete import DeleteRequest, delete
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.curation.undo import undo
from afterwit.knowledge.door.list import all_items
from afterwit.model.errors import StoreError
from afterwit.model.knowledge import READ
from afterwit.model.settings import Rates
from afterwit.reader import calling
from afterwit.reader.answers import GivenAnswer
from afterwit.reader.calling import CalledRun
from afterwit.reader.ledger import spent_by
from afterwit.reader.plan import ReadingPlan, ReadingWish, plan
from afterwit.reader.ways.way import ModelQuestion
from afterwit.store.rows.readings import requests_failed, requests_for, spending
from afterwit.store.store import hold_lease, is_held, readonly_database

SESSIONS = 6
HOUR_MS = 3_600_000


@pytest.fixture
def world(tmp_path: Path) -> World:
    home = tmp_path / "home"
    for number in range(1, SESSIONS + 1):
        day = Planted(number, number * 7_200).prompt(f"Let press {number} count barrels, please.")
        day.prompt(RULE if number == 1 else f"And let press {number} stop.").shell("make check", "12 passed")
        day.put(home)
    learned(home, tmp_path / "store")
    return world_of(home, tmp_path / "store")


def waiting(world: World, now_ms: int = NOW_MS + 60_000) -> ReadingPlan:
    return plan(world._replace(now_ms=now_ms), ReadingWish(model=MODEL), Silent())


def tokens_today(world: World) -> int:
    with readonly_database(world.layout) as db:
        return spent_by(db, NOW_MS + 60_000).day.unpriced_tokens


def read_sentences(world: World) -> list[str]:
    with readonly_database(world.layout) as db:
        return [item.sentence for item in all_items(db) if item.harvester == READ]


def about_the_rule(question: ModelQuestion) -> GivenAnswer:
    rows = [line for line in question.text.splitlines() if RULE in line and line[0].isdigit()]
    notes = [note(NOTE, int(line.split(" ", 1)[0])) for line in rows]
    return empty(question)._replace(text=json.dumps({"notes": notes}))


def test_a_run_reads_all_that_waits_and_what_it_brought_is_known(world: World) -> None:
    way = ScriptedWay(about_the_rule, most_at_once=3)
    run = called(world, way)
    assert (run.sessions, run.answered, run.notes, run.failed, run.stopped_by) == (SESSIONS, SESSIONS, 1, [], "")
    assert read_sentences(world) == [NOTE]
    assert run.gained
    after = waiting(world)
    assert (after.waiting, after.read, after.asked) == (0, SESSIONS, 0)
    assert tokens_today(world) == run.tokens_in + run.tokens_out


def test_a_run_is_undone_as_a_whole(world: World) -> None:
    called(world, ScriptedWay(about_the_rule, most_at_once=2))
    assert len(undo(world)) == SESSIONS
    assert read_sentences(world) == []


@pytest.mark.parametrize("affordable", [1, 3, 4, 5])
def test_four_calls_at_once_hold_to_the_token(world: World, affordable: int) -> None:
    cap = sum(costs(world)[:affordable])
    held_back = capped(world, tokens_per_day=cap, tokens_per_month=cap)
    together = threading.Barrier(min(4, affordable))

    def reply(question: ModelQuestion) -> GivenAnswer:
        if len(way.asked) <= together.parties:
            together.wait(30)
        return empty(question)

    way = ScriptedWay(reply, most_at_once=4)
    run = called(held_back, way)
    assert (run.answered, tokens_today(world)) == (affordable, cap)
    assert called(capped(world, tokens_per_day=cap + 1, tokens_per_month=cap + 1), way).answered == 0
    assert tokens_today(world) == cap


def test_what_takes_less_than_was_reserved_leaves_room(world: World) -> None:
    cap = max(costs(world)) + 600
    way = ScriptedWay(lambda question: empty(question)._replace(tokens_in=50, tokens_out=50), most_at_once=4)
    made = called(capped(world), way)  # all are planned, because nothing holds the plan back
    assert made.answered == SESSIONS
    again = called(
        capped(world, tokens_per_day=cap + 600, tokens_per_month=cap + 600)._replace(now_ms=NOW_MS + HOUR_MS),
        way,
        is_again=True,
    )
    assert again.answered == 1


def test_two_runs_at_once_pay_nothing_twice_and_pass_no_cap(world: World) -> None:
    cap = sum(costs(world)[:4])
    held_back = capped(world, tokens_per_day=cap, tokens_per_month=cap)
    together = threading.Barrier(2)

    def reply(question: ModelQuestion) -> GivenAnswer:
        if len(ways[0].asked) + len(ways[1].asked) <= 2:
            together.wait(30)
        return empty(question)

    ways = [ScriptedWay(reply, most_at_once=1), ScriptedWay(reply, most_at_once=1)]
    runs = [threading.Thread(target=called, args=(held_back, way)) for way in ways]
    for run in runs:
        run.start()
    for run in runs:
        run.join(60)
    asked = [question.id for way in ways for question in way.asked]
    assert len(asked) == len(set(asked)) == 4
    assert tokens_today(world) == cap


def test_the_lock_is_free_while_the_model_thinks(world: World) -> None:
    seen: list[bool] = []

    def reply(question: ModelQuestion) -> GivenAnswer:
        seen.append(is_held(world.layout.lease))
        return empty(question)

    called(world, ScriptedWay(reply))
    assert seen == [False] * SESSIONS


def test_an_answer_that_is_not_understood_is_asked_for_once_more(world: World) -> None:
    def reply(question: ModelQuestion) -> GivenAnswer:
        return empty(question) if "## A remark" in question.text else empty(question)._replace(text="Well, hm.")

    way = ScriptedWay(reply)
    run = called(world, way)
    assert (run.answered, run.failed) == (SESSIONS, [])
    assert len(way.asked) == 2 * SESSIONS
    assert tokens_today(world) == run.tokens_in + run.tokens_out
    with readonly_database(world.layout) as db:
        assert sum(spend.requests for spend in spending(db)) == 2 * SESSIONS


def test_what_is_not_understood_twice_is_a_failure_and_three_in_a_row_end_the_run(world: World) -> None:
    way = ScriptedWay(lambda question: empty(question)._replace(text="Well, hm."))
    run = called(world, way)
    assert (run.stopped_by, len(run.failed), run.left) == ("failures", 3, SESSIONS - 3)
    assert "not understood" in run.failed[0].fault
    assert len(way.asked) == 6


def failing(question: ModelQuestion) -> GivenAnswer:
    return GivenAnswer(question.id, fault="the model is away")


def test_failures_with_an_answer_between_them_are_not_in_a_row(world: World) -> None:
    way = ScriptedWay(lambda question: failing(question) if len(way.asked) % 3 else empty(question))
    run = called(world, way)
    assert (run.stopped_by, run.answered, len(run.failed), run.left) == ("", 2, 4, 0)


def test_a_failure_pauses_longer_each_time_and_an_answer_ends_that(world: World) -> None:
    now_ms = NOW_MS
    for pause_hours in (1, 4, 24, 72, 72):
        run = called(world._replace(now_ms=now_ms), ScriptedWay(failing, most_at_once=SESSIONS))
        assert len(run.failed) == SESSIONS
        assert waiting(world, now_ms + pause_hours * HOUR_MS - 60_000).waiting == 0
        assert waiting(world, now_ms + pause_hours * HOUR_MS - 60_000).failed == SESSIONS
        now_ms += pause_hours * HOUR_MS + 600_000
        assert waiting(world, now_ms).waiting == SESSIONS
    assert called(world._replace(now_ms=now_ms), ScriptedWay()).answered == SESSIONS
    with readonly_database(world.layout) as db:
        assert requests_failed(db) == []


def test_what_a_failed_call_may_have_cost_counts(world: World) -> None:
    expected = sum(costs(world)[:3])
    called(world, ScriptedWay(failing))
    assert tokens_today(world) == expected


def test_a_call_that_says_that_it_took_nothing_counts_as_nothing(world: World) -> None:
    called(world, ScriptedWay(lambda question: GivenAnswer(question.id, "", 0, 0, "there is no such program")))
    assert tokens_today(world) == 0


def test_whatever_a_way_raises_is_a_failure_like_others(world: World) -> None:
    def broken(question: ModelQuestion) -> GivenAnswer:
        raise OSError(f"no socket for {len(question.id)}")

    assert "no socket" in called(world, ScriptedWay(broken)).failed[0].fault

    def strange(question: ModelQuestion) -> GivenAnswer:
        raise ZeroDivisionError(question.id)

    again = called(world._replace(now_ms=NOW_MS + 2 * HOUR_MS), ScriptedWay(strange))
    assert again.failed
    assert all(failure.fault for failure in again.failed)


def test_what_was_asked_when_a_run_was_killed_is_asked_again_after_a_pause(world: World) -> None:
    class Killed(BaseException):
        pass

    def reply(question: ModelQuestion) -> GivenAnswer:
        if len(way.asked) == 3:
            raise Killed
        return empty(question)

    way = ScriptedWay(reply)
    with pytest.raises(Killed):
        called(world, way)
    later = waiting(world)
    assert (later.read, later.asked, later.waiting) == (2, 1, SESSIONS - 3)
    assert waiting(world, NOW_MS + HOUR_MS).waiting == SESSIONS - 2
    assert tokens_today(world) == sum(costs_of(way))
    rest = ScriptedWay()
    called(world._replace(now_ms=NOW_MS + HOUR_MS), rest)
    assert [question.id for question in rest.asked].count(way.asked[2].id) == 1
    assert waiting(world, NOW_MS + 2 * HOUR_MS).read == SESSIONS


def costs_of(way: ScriptedWay) -> list[int]:
    return [(empty(question).tokens_in or 0) + (empty(question).tokens_out or 0) for question in way.asked]


def test_ctrl_c_keeps_what_was_done_and_what_is_under_way(world: World) -> None:
    def watch(run: CalledRun) -> None:
        if len(way.asked) >= 2 and not run.stopped_by:
            raise KeyboardInterrupt

    way = ScriptedWay(about_the_rule, most_at_once=2)
    run = called(world, way, watch=watch)
    assert run.stopped_by == "interrupted"
    assert run.answered == len(way.asked) == waiting(world).read
    assert run.left == SESSIONS - len(way.asked)


def test_programs_that_ctrl_c_reaches_too_do_not_count_as_failures(world: World) -> None:
    together = threading.Barrier(2)

    def reply(question: ModelQuestion) -> GivenAnswer:
        if question is way.asked[0]:
            return empty(question)
        together.wait(30)
        return failing(question)

    def watch(_: object) -> None:
        together.wait(30)
        raise KeyboardInterrupt

    way = ScriptedWay(reply, most_at_once=2)
    run = called(world, way, watch=lambda run: watch(run) if run.answered == 1 and not run.stopped_by else None)
    assert (run.stopped_by, run.failed) == ("interrupted", [])
    with readonly_database(world.layout) as db:
        assert requests_failed(db) == []


def test_nothing_more_is_asked_when_the_time_is_up(world: World) -> None:
    run = called(world, ScriptedWay(), until_ms=NOW_MS + 2_500)
    assert (run.stopped_by, run.left > 0) == ("time", True)


def test_a_budget_of_one_run_holds(world: World) -> None:
    priced = world._replace(settings=msgspec.structs.replace(world.settings, prices={MODEL: Rates(1.0, 10.0)}))
    one = plan(priced, ReadingWish(model=MODEL), Silent()).sessions[0].estimates[0].cost_usd
    assert one is not None
    run = called(priced, ScriptedWay(most_at_once=4), budget_usd=2.5 * one)
    assert (run.answered, run.stopped_by) == (2, "caps")
    assert run.cost_usd <= 2.5 * one


def test_a_rebuilt_store_knows_the_same_calls_and_failures(world: World) -> None:
    called(world, ScriptedWay(lambda question: failing(question) if "press 2" in question.text else empty(question)))
    before = state(world)
    content = hash_of(world.layout.root)
    rebuild(world, Silent())
    assert state(world) == before
    assert hash_of(world.layout.root) == content


def state(world: World) -> tuple[object, ...]:
    with readonly_database(world.layout) as db:
        version = db.execute("SELECT prompt FROM reading_requests LIMIT 1").get
        return spending(db), requests_failed(db), list(requests_for(db, version, MODEL))


def test_of_a_session_that_is_erased_no_fault_stays(world: World) -> None:
    def reply(question: ModelQuestion) -> GivenAnswer:
        return GivenAnswer(question.id, fault="the word barrelhouse is not allowed")

    called(world, ScriptedWay(reply, most_at_once=SESSIONS))
    spent = tokens_today(world)
    with readonly_database(world.layout) as db:
        names = [name for (name,) in db.execute("SELECT native_id FROM reading_requests")]
    delete(world, DeleteRequest(tuple(names)), lambda _: True)
    held = b"".join(path.read_bytes() for path in world.layout.root.rglob("*") if path.is_file())
    assert b"barrelhouse" not in held
    assert tokens_today(world) == spent


def test_a_lock_that_is_held_for_long_is_said(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "_WAIT_SECONDS", 0)
    with hold_lease(world.layout.lease), pytest.raises(StoreError, match="Another run"):
        called(world, ScriptedWay())
