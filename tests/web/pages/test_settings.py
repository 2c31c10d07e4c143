"""Settings on the page: where each comes from, the safe ones changed and taken back, the others with their command."""

import tomllib
from html import unescape
from typing import Any

import pytest
from tests.web.browser import Browser, Reply

from afterwit.config.set import risk_of
from afterwit.config.show import load, show
from afterwit.config.world import World


def _file(world: World) -> dict[str, Any]:
    path = world.layout.root / "config.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _at(table: Any, key: str) -> Any:
    """What the file says there; None for nothing."""
    for name in key.split("."):
        table = table.get(name) if isinstance(table, dict) else None
    return table


def _set(browser: Browser, key: str, value: str) -> Reply:
    return browser.post("/more/settings/change", {"key": key, "value": value})


def _undo(browser: Browser, done: Reply) -> None:
    """As the bar does it to which a change leads."""
    assert done.status == 303, done.words
    page = browser.get(done.headers["location"].partition("#")[0])
    bar = page.text.partition('id="changed"')[2].partition("</div>")[0]
    assert bar, page.words
    fields = [part.partition('"')[0] for part in bar.split('name="')[1:]]
    form = {name: unescape(bar.partition(f'name="{name}" value="')[2].partition('"')[0]) for name in fields}
    assert browser.post("/more/settings/change", form).status == 303


def test_every_setting_is_shown_with_its_value_and_where_it_comes_from(browser: Browser, world: World) -> None:
    _set(browser, "recall.budget_tokens", "1500")
    reply = browser.get("/more/settings")
    for row in show(load(world.environ, "linux")):
        assert row.key in reply.words, row.key
    assert "recall.budget_tokens 1500 your file" in reply.words
    assert "recall.confidence 0.7 default" in reply.words
    assert "environment AFTERWIT_HOME" in reply.words


@pytest.mark.parametrize(
    ("key", "typed", "kept"),
    [
        ("recall.budget_tokens", "1,500", 1500),
        ("recall.confidence", "0.8", 0.8),
        ("recall.preferences", "true", True),
        ("retention.order", "oldest", "oldest"),
        ("redaction.people", "Ada Lovelace\nGrace, the admiral\n", ["Ada Lovelace", "Grace, the admiral"]),
        ("agents.gemini.enabled", "false", False),
        ("learn.jobs", "2", 2),
    ],
)
def test_a_safe_setting_is_changed_and_taken_back(
    browser: Browser, world: World, key: str, typed: str, kept: object
) -> None:
    before = _at(_file(world), key)
    done = _set(browser, key, typed)
    assert _at(_file(world), key) == kept
    _undo(browser, done)
    assert _at(_file(world), key) == before


def test_a_second_change_is_taken_back_to_the_first(browser: Browser, world: World) -> None:
    _set(browser, "recall.budget_tokens", "1500")
    done = _set(browser, "recall.budget_tokens", "1600")
    _undo(browser, done)
    assert _file(world)["recall"] == {"budget_tokens": 1500}
    browser.post("/more/settings/change", {"key": "recall.budget_tokens", "unset": "1"})
    assert _file(world)["recall"] == {}


@pytest.mark.parametrize(
    ("key", "typed", "said"),
    [
        ("recall.budget_tokens", "12", "Expected `int` >= 100"),
        ("recall.budget_tokens", "many", "is a number, not"),
        ("reading.usd_per_day", "30", "is above usd_per_month"),
        ("retention.order", "newest", "Invalid enum value"),
        ("recall.colour", "red", "There is no setting recall.colour"),
    ],
)
def test_what_is_not_allowed_is_said_in_place_and_changes_nothing(
    browser: Browser, world: World, key: str, typed: str, said: str
) -> None:
    before = _file(world)
    reply = _set(browser, key, typed)
    assert reply.status == 400
    assert _file(world) == before
    assert said in reply.words


def test_what_was_typed_stands_in_the_open_form_beside_what_is_wrong_with_it(browser: Browser) -> None:
    reply = _set(browser, "recall.budget_tokens", "12")
    form = reply.text.partition('<details class="menu" open>')[2].partition("</details>")[0]
    assert 'value="12"' in form
    assert 'role="alert"' in form


@pytest.mark.parametrize(
    "key",
    [
        "store.home",
        "hub.url",
        "memory.postgres_dsn",
        "backup.target",
        "share.trusted",
        "reading.model",
        "redaction.allow",
    ],
)
def test_a_setting_that_is_not_safe_shows_its_command_and_is_refused(browser: Browser, world: World, key: str) -> None:
    page = browser.get("/more/settings").words
    assert f"{risk_of(key)}. afterwit config set {key} …" in page
    before = _file(world)
    reply = _set(browser, key, "/tmp/elsewhere")
    assert reply.status == 400
    assert _file(world) == before


def test_a_file_that_is_written_in_another_way_is_left_alone(browser: Browser, world: World) -> None:
    path = world.layout.root / "config.toml"
    path.write_text("recall = { budget_tokens = 900 }\n", encoding="utf-8")
    reply = _set(browser, "recall.budget_tokens", "1500")
    assert reply.status == 400
    assert "Write this into its table [recall]" in reply.words
    assert path.read_text(encoding="utf-8") == "recall = { budget_tokens = 900 }\n"


def test_what_is_left_out_is_changed_and_taken_back(browser: Browser) -> None:
    entry = {"entry": "folder:/srv/private/**"}
    assert browser.post("/more/settings/exclude", entry).status == 303
    assert "folder:/srv/private/**" in browser.get("/more/settings").words
    browser.post("/more/settings/exclude", {**entry, "remove": "1"})
    assert "folder:/srv/private/** Take in again" not in browser.get("/more/settings").words
    refused = browser.post("/more/settings/exclude", {"entry": "nonsense"})
    assert refused.status == 400
    assert 'value="nonsense"' in refused.text
