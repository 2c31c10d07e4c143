"""`afterwit config show`."""

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
