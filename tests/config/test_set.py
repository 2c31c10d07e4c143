"""`config set` and `unset`: one setting changes, checked with the whole file, and nothing else does."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from afterwit.config.file import read_config
from afterwit.config.set import ConfigTarget, set_value, unset_value
from afterwit.edits.toml_file import value_at
from afterwit.model.errors import ConfigError, UsageError


@pytest.fixture
def target(tmp_path: Path) -> ConfigTarget:
    return ConfigTarget(tmp_path / "new" / "config.toml", tmp_path, ("codex", "gemini"))


@pytest.mark.parametrize(
    ("key", "typed", "value"),
    [
        ("recall.budget_tokens", "1_500", 1500),
        ("reading.usd_per_day", "0.5", 0.5),
        ("recall.preferences", "yes", True),
        ("share.policy", "in-use", "in-use"),
        ("backup.target", "/srv/backups", "/srv/backups"),
        ("redaction.people", '["Ada", "Grace"]', ["Ada", "Grace"]),
        ("redaction.people", "Ada", ["Ada"]),
        ("agents.codex.enabled", "off", False),
        ('aliases.repos."a/b"', "c/d", "c/d"),
    ],
)
def test_what_was_typed_becomes_a_value_of_the_settings_type(
    target: ConfigTarget, key: str, typed: str, value: object
) -> None:
    change = set_value(target, key, typed)
    assert (change.before, change.after) == (None, value)
    read_config(target.file, target.user_home, target.agents)
    assert change.way_back == f"afterwit config unset {key}"
    unset_value(target, key)
    keys = next(iter(_paths(tomllib.loads(f"{key} = 0"))))
    assert value_at(tomllib.loads(target.file.read_text(encoding="utf-8")), keys) is None


def _paths(table: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, below in table.items():
        yield from ((name, *path) for path in _paths(below)) if isinstance(below, dict) else [(name,)]


def test_the_way_back_gives_the_value_that_was_there(target: ConfigTarget) -> None:
    set_value(target, "redaction.people", "Ada")
    change = set_value(target, "redaction.people", '["Grace"]')
    assert change.way_back == """afterwit config set redaction.people '["Ada"]'"""


@pytest.mark.parametrize(
    ("key", "typed", "said"),
    [
        ("recall.budget_tokens", "5", "Expected `int` >= 100"),
        ("recall.budget_tokens", "lots", "is a number"),
        ("recall.preferences", "perhaps", "true or false"),
        ("recall.budget_token", "5", "Did you mean recall.budget_tokens"),
        ("recall", "5", "a table of several settings"),
        ("recall.budget_tokens.more", "5", "has no parts"),
        ("", "5", "is no setting"),
        ("a = 1\nb", "5", "is no setting"),
        ("agents.gemni.enabled", "false", "there is no such setting"),
        ("learn.exclude", "repo:x", "afterwit config exclude"),
        ("reading.usd_per_day", "99", "is above usd_per_month"),
        ("redaction.people", '["Ada"', "is a list such as"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(target: ConfigTarget, key: str, typed: str, said: str) -> None:
    with pytest.raises((UsageError, ConfigError), match=said):
        set_value(target, key, typed)
    assert not target.file.exists()


def test_taking_out_what_is_not_set_is_said(target: ConfigTarget) -> None:
    with pytest.raises(UsageError, match=r"does not set recall\.budget_tokens"):
        unset_value(target, "recall.budget_tokens")
