"""`afterwit config show`, `set` and `unset`."""

import json
import tomllib
from pathlib import Path

from tests.cli.conftest import Run


def test_every_line_is_toml_and_names_its_source(run: Run) -> None:
    shown = run("config", "show").stdout
    settings = tomllib.loads(shown)
    assert settings["learn"]["jobs"] == 0
    assert settings["agents"]["codex"]["enabled"] is True
    assert all("  # " in line for line in shown.splitlines() if not line.startswith("#"))


def test_what_it_shows_can_be_used_as_a_configuration(run: Run, tmp_path: Path) -> None:
    shown = run("config", "show").stdout
    (tmp_path / "all.toml").write_text(shown, encoding="utf-8")
    again = run("config", "show", "--config", str(tmp_path / "all.toml"))
    assert again.returncode == 0, again.stderr
    assert tomllib.loads(again.stdout) == tomllib.loads(shown)


def test_the_source_of_a_setting_is_shown(run: Run, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("[learn]\njobs = 3\n[prices.tiny]\ninput = 1\noutput = 2\n", encoding="utf-8")
    shown = run("config", "show", "--config", str(tmp_path / "own.toml")).stdout
    assert f"learn.jobs = 3  # file {tmp_path / 'own.toml'}" in shown
    assert "# prices.tiny.cache_read is not set" in shown
    assert "environment AFTERWIT_HOME" in shown


def test_json_has_the_documented_shape(run: Run) -> None:
    found = json.loads(run("config", "show", "--profile", "work", "--json").stdout)
    assert set(found) == {"file", "store", "profile", "settings"}
    assert found["profile"] == "work"
    assert all(set(row) == {"key", "value", "source"} for row in found["settings"])


def test_a_setting_is_set_shown_and_taken_out_and_says_the_way_back(run: Run) -> None:
    done = run("config", "set", "recall.budget_tokens", "1500")
    assert done.stdout == "recall.budget_tokens = 1500\n"
    assert "`afterwit config unset recall.budget_tokens` takes it back." in done.stderr
    assert tomllib.loads(run("config", "show").stdout)["recall"]["budget_tokens"] == 1500
    gone = run("config", "unset", "recall.budget_tokens")
    assert "`afterwit config set recall.budget_tokens 1500` takes it back." in gone.stderr
    assert tomllib.loads(run("config", "show").stdout)["recall"]["budget_tokens"] == 1000


def test_what_is_not_allowed_is_refused_with_the_key(run: Run) -> None:
    done = run("config", "set", "recall.budget_tokens", "5")
    assert done.returncode == 2
    assert "recall.budget_tokens: Expected `int` >= 100" in done.stderr
    assert run("config", "unset", "recall.budget_tokens").returncode == 2


def test_a_change_as_json_has_the_documented_shape(run: Run) -> None:
    found = json.loads(run("config", "set", "redaction.people", '["Ada"]', "--json").stdout)
    assert set(found) == {"file", "key", "before", "after"}
    assert (found["before"], found["after"]) == (None, ["Ada"])
    assert json.loads(run("config", "unset", "redaction.people", "--json").stdout)["before"] == ["Ada"]
