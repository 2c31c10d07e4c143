"""When agents delete their own logs."""

from pathlib import PurePosixPath

import pytest
from tests.every import for_every

from afterwit.agents.registry import DAY_MS, RetentionPeriod, deletion_ms, retention_of, retention_settings

TRANSCRIPT = PurePosixPath("projects/-srv-orchard/5ea5.jsonl")
DEFAULT = RetentionPeriod(30, "default")


def test_claude_code_deletes_after_30_days_unless_told_otherwise() -> None:
    assert retention_of("claude-code") == DEFAULT
    assert retention_of("claude-code", b'{"cleanupPeriodDays": 365}') == RetentionPeriod(365, "settings.json")


def test_a_setting_of_0_keeps_nothing() -> None:
    assert retention_of("claude-code", b'{"cleanupPeriodDays": 0}') == RetentionPeriod(0, "settings.json")


@for_every(
    "settings",
    [
        *(
            b"",
            b"{}",
            b"[]",
            b"no json",
            b'{"a": \xff}',
            b'{"cleanupPeriodDays": "30"}',
            b'{"cleanupPeriodDays": true}',
        ),
        *(b'{"cleanupPeriodDays": -1}', b'{"cleanupPeriodDays": null}', b'{"a":' * 10_000),
    ],
)
def test_settings_that_cannot_be_used_leave_the_default(settings: bytes) -> None:
    assert retention_of("claude-code", settings) == DEFAULT


@pytest.mark.parametrize(
    ("settings", "days", "source"),
    [
        (b"{}", 30, "default"),
        (b'{"general": {"sessionRetention": {"maxAge": "2w"}}}', 14, "settings.json"),
        (b'{"general": {"sessionRetention": {"maxAge": "36h"}}}', 1.5, "settings.json"),
        (b'{"general": {"sessionRetention": {"maxAge": "soon"}}}', 30, "default"),
        (b'{"general": {"sessionRetention": {"enabled": false, "maxAge": "7d"}}}', None, "settings.json"),
        (b'{"general": []}', 30, "default"),
    ],
)
def test_gemini_deletes_by_the_age_in_its_settings(settings: bytes, days: float | None, source: str) -> None:
    assert retention_of("gemini", settings) == RetentionPeriod(days, source)


def test_codex_is_known_to_keep_everything() -> None:
    assert retention_of("codex") == RetentionPeriod(None, "default")
    assert deletion_ms("codex", retention_of("codex"), PurePosixPath("sessions/2026/r.jsonl"), 5) is None


def test_an_agent_of_which_nothing_is_known_stays_unknown() -> None:
    assert retention_of("goose") is None
    assert retention_settings("goose") is None
    assert deletion_ms("goose", None, TRANSCRIPT, 5) is None


def test_a_transcript_vanishes_so_many_days_after_its_last_change() -> None:
    assert deletion_ms("claude-code", DEFAULT, TRANSCRIPT, 5) == 5 + 30 * DAY_MS


def test_what_lies_outside_of_the_swept_folder_stays() -> None:
    assert deletion_ms("claude-code", DEFAULT, PurePosixPath("history.jsonl"), 5) is None


def test_the_settings_lie_in_the_home_of_the_agent() -> None:
    assert retention_settings("claude-code") == PurePosixPath("settings.json")
    assert retention_settings("codex") is None
