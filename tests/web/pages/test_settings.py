"""Settings on the page: where each comes from, and what is left out of learning."""

from tests.web.browser import Browser

from afterwit.config.show import load, show
from afterwit.config.world import World


def test_every_setting_is_shown_with_its_value_and_where_it_comes_from(browser: Browser, world: World) -> None:
    (world.layout.root / "config.toml").write_text("[recall]\nbudget_tokens = 1500\n", encoding="utf-8")
    reply = browser.get("/more/settings")
    for row in show(load(world.environ, "linux")):
        assert row.key in reply.words, row.key
    assert "recall.budget_tokens 1500 your file" in reply.words
    assert "recall.confidence 0.7 default" in reply.words
    assert "environment AFTERWIT_HOME" in reply.words


def test_what_is_left_out_is_changed_and_taken_back(browser: Browser) -> None:
    entry = {"entry": "folder:/srv/private/**"}
    assert browser.post("/more/settings/exclude", entry).status == 303
    assert "folder:/srv/private/**" in browser.get("/more/settings").words
    browser.post("/more/settings/exclude", {**entry, "remove": "1"})
    assert "folder:/srv/private/** Take in again" not in browser.get("/more/settings").words
    refused = browser.post("/more/settings/exclude", {"entry": "nonsense"})
    assert refused.status == 400
    assert 'value="nonsense"' in refused.text
