"""Today: what was told in vain."""

from pathlib import Path

from tests.homes import world_of
from tests.repeated_home import AGAIN, TEXT, Told
from tests.web.browser import Browser
from tests.web.conftest import place_of


def test_what_users_had_to_say_again_is_asked_about_with_their_words(tmp_path: Path) -> None:
    told = Told(tmp_path)
    told.session(1, AGAIN)
    told.learn()
    browser = Browser(place_of(world_of(told.home, told.store)))
    browser.enter()
    assert "Asked for again" not in browser.get("/").words
    told.session(2, AGAIN)
    told.learn()
    browser = Browser(place_of(world_of(told.home, told.store)))
    browser.enter()
    words = browser.get("/").words
    assert f"{TEXT} orchard, told in 2 sessions, asked for again in 2: make it a check?" in words
    assert f"“{AGAIN}”" in words
