"""The list of sessions: uniform over agents, filtered, sorted, with costs."""

from pathlib import Path

import msgspec
import pytest
from tests.homes import PARENT, THREAD, family_home, learned, mixed_home, world_of

from afterwit.config.world import World
from afterwit.model.errors import UsageError
from afterwit.model.settings import Rates
from afterwit.sessions.cost import By, cost
from afterwit.sessions.filters import Filter, find_session
from afterwit.sessions.list import Listing, Order, list_sessions
from afterwit.store.store import readonly_database

ONE = "11111111-aaaa-4aaa-8aaa-000000000001"
TURN_USD = 0.0024  # of one turn of a Claude Code session at list price


@pytest.fixture
def world(tmp_path: Path) -> World:
    home = family_home(mixed_home(tmp_path / "home"))
    learned(home, tmp_path / "store")
    found = world_of(home, tmp_path / "store")
    own = {"gpt-5.5": Rates(1.0, 10.0, cache_read=0.5)}
    domains = {"fruit": ("orchard",)}
    return found._replace(settings=msgspec.structs.replace(found.settings, prices=own, domains=domains))


def ids(listing: Listing) -> list[str]:
    return [one.row.native_id for one in listing.sessions]


def test_sessions_of_all_agents_are_in_one_list(world: World) -> None:
    listing = list_sessions(world, Filter(), Order.START, 0)
    assert listing.found == 6
    assert {one.row.agent for one in listing.sessions} == {"claude-code", "codex", "hermes"}
    assert all(one.title for one in listing.sessions)


def test_the_latest_come_first_and_the_limit_does_not_change_totals_that_are_asked_for(world: World) -> None:
    whole = list_sessions(world, Filter(), Order.START, 0)
    part = list_sessions(world, Filter(), Order.START, 2, has_totals=True)
    assert ids(part) == ids(whole)[:2]
    assert (part.found, part.spending) == (whole.found, whole.spending)
    assert ids(list_sessions(world, Filter(), Order.START, 0, is_reversed=True)) == ids(whole)[::-1]


@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_part_of_the_list_is_its_beginning_whatever_the_order(world: World, order: Order, is_reversed: bool) -> None:
    whole = list_sessions(world, Filter(), order, 0, is_reversed=is_reversed)
    part = list_sessions(world, Filter(), order, 4, is_reversed=is_reversed)
    assert part.sessions == whole.sessions[:4]
    assert (part.found, part.spending is None) == (whole.found, order is not Order.COST)


@pytest.mark.parametrize("order", list(Order))
def test_every_order_sorts_the_largest_first(world: World, order: Order) -> None:
    listing = list_sessions(world, Filter(), order, 0)
    names = {Order.START: "started_ms", Order.COST: "cost_usd", Order.DURATION: "duration_ms"}
    values = [one.view((names.get(order, order),)).popitem()[1] or 0 for one in listing.sessions]
    assert values == sorted(values, reverse=True)


def test_a_session_costs_what_its_responses_cost(world: World) -> None:
    found = {one.row.native_id: one for one in list_sessions(world, Filter(), Order.START, 0).sessions}
    assert found[ONE].cost_usd == pytest.approx(3 * TURN_USD)
    assert found[THREAD].cost_usd == pytest.approx((2 * 80 * 1.0 + 2 * 20 * 0.5 + 2 * 9 * 10.0) / 1e6)
    chat = next(one for one in found.values() if one.row.agent == "hermes")
    assert (chat.cost_usd, chat.row.tokens) == (None, 0)


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        (Filter(agents=("codex", "hermes")), 2),
        (Filter(repos=("orchard",)), 5),
        (Filter(repos=("git.example/*",)), 5),
        (Filter(domains=("fruit",)), 5),
        (Filter(branch="ma*"), 5),
        (Filter(text="pick ROW"), 1),
        (Filter(is_top=True), 5),
        (Filter(parent=PARENT), 1),
    ],
)
def test_filters_choose(world: World, wanted: Filter, count: int) -> None:
    assert list_sessions(world, wanted, Order.START, 0).found == count


def test_an_unknown_domain_is_an_error(world: World) -> None:
    with pytest.raises(UsageError, match="no domain 'nuts'"):
        list_sessions(world, Filter(domains=("nuts",)), Order.START, 0)


def test_short_ids_are_enough_to_name_a_session(world: World) -> None:
    with readonly_database(world.layout) as db:
        for one in list_sessions(world, Filter(), Order.START, 0).sessions:
            assert one.row.native_id != THREAD or len(one.id) == 8
            assert find_session(db, one.id).native_id == one.row.native_id


def test_costs_add_up_whatever_they_are_summed_by(world: World) -> None:
    for by in By:
        report = cost(world, Filter(), (by,))
        assert sum(line.spending.priced_usd for line in report.lines) == pytest.approx(report.total.priced_usd)
        assert sum(line.spending.tokens for line in report.lines) == report.total.tokens
    listing = list_sessions(world, Filter(), Order.START, 0)
    assert listing.spending is not None
    assert listing.spending.cost_usd == pytest.approx(cost(world, Filter(), (By.DAY,)).total.cost_usd)


def test_days_come_in_order_and_groups_can_be_broken_down(world: World) -> None:
    report = cost(world, Filter(), (By.DAY, By.MODEL))
    assert [line.key for line in report.lines] == sorted(line.key for line in report.lines)
    assert ("2026-05-01", "gpt-5.5") in [line.key for line in report.lines]


def test_the_times_of_a_cost_report_are_those_of_the_responses(world: World) -> None:
    whole = cost(world, Filter(agents=("codex",)), (By.DAY,)).total
    late = cost(world, Filter(agents=("codex",), since_ms=1_777_629_650_000), (By.DAY,)).total
    assert 0 < late.responses < whole.responses
