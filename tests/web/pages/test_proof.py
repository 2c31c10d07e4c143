"""Proof on the page: effect, replay and calibration with their intervals, and the rows behind each point."""

import re
from pathlib import Path

import pytest
from tests.web.browser import Browser
from tests.web.conftest import place_of
from tests.web.stores import drawn_store, replayed

from afterwit.config.world import World
from afterwit.measure.backtest import kept_backtest
from afterwit.web.answering import prose


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    """A page before sessions of which a half was told something."""
    browser = Browser(place_of(drawn_store(tmp_path_factory.mktemp("drawn"))))
    browser.enter()
    return browser


def test_without_a_replay_the_page_says_how_to_make_one(browser: Browser) -> None:
    assert "afterwit measure backtest --table" in browser.get("/proof").words


def test_the_last_replay_is_shown_with_its_command_intervals_and_rows(browser: Browser, world: World) -> None:
    replayed(world, "nothing", "frequent", "afterwit")
    kept = kept_backtest(world)
    assert kept is not None
    reply = browser.get("/proof")
    assert prose(kept.sentence) in reply.text
    assert kept.command in reply.words
    product = next(report for report in kept.reports if report.player == "afterwit")
    row = reply.text.partition('data-name="afterwit"')[2].partition("</tr>")[0]
    assert re.findall(r'data-value="([^"]+)"', row) == [
        str(product.whole.saved_per_1000),
        *map(str, product.interval),
    ]
    for repo in product.by_repo:
        assert repo in reply.words
    assert any(link.startswith("/sessions/") for link in reply.links)


def test_no_words_of_a_session_are_kept_with_a_replay(world: World) -> None:
    replayed(world, "afterwit")
    text = (world.layout.metrics / "backtest.json").read_text(encoding="utf-8")
    kept = kept_backtest(world)
    assert kept is not None
    assert kept.moments
    assert "not found" not in text


def test_confidence_has_an_interval_at_each_point(browser: Browser, world: World) -> None:
    replayed(world, "nothing")
    reply = browser.get("/proof")
    assert re.search(r"\b(\d+) of \1\b", reply.words)


def test_the_effect_has_intervals_and_the_sessions_behind_every_figure(drawn: Browser) -> None:
    assert "It helps" in drawn.get("/proof").words
    reply = drawn.get("/proof?compare=now")
    assert 'data-plot="intervals"' in reply.text
    row = reply.text.partition("failed actions in 100")[2].partition("</tr>")[0]
    change, low, high = (float(text) for text in re.findall(r'data-value="([^"]+)"', row)[:3])
    assert low < change < high < 0
    rows = drawn.get("/proof/figure?figure=failures")
    assert rows.words.count("not told") > 10
    assert any(link.startswith("/sessions/claude-code/") for link in rows.links)
    assert drawn.get("/proof/figure?figure=joy").status == 400


def test_a_kept_replay_that_cannot_be_read_is_as_if_there_were_none(browser: Browser, world: World) -> None:
    world.layout.metrics.mkdir(exist_ok=True)
    for content in ("{", '{"version": 99}', "[]"):
        Path(world.layout.metrics, "backtest.json").write_text(content, encoding="utf-8")
        assert "Not replayed yet" in browser.get("/proof").words
