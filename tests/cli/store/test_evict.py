"""`afterwit store evict` and `dropped`, `sessions pin` and `unpin`, and what is said elsewhere of dropped originals."""

import json
from pathlib import Path
from typing import Any

from tests.cli.conftest import Run

TINY = "[retention]\nraw_soft_cap_bytes = 1\nraw_hard_cap_bytes = 1\n"


def sessions(run: Run) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(run("sessions", "list", "--limit", "0", "--json").stdout)["sessions"]
    return listed


def test_evict_has_the_documented_shape(learned: Run) -> None:
    done = json.loads(learned("store", "evict", "--soft-cap", "0", "--yes", "--json").stdout)
    assert set(done) == {
        *("is_dry_run", "soft_cap_bytes", "hard_cap_bytes", "before_bytes", "after_bytes", "freed_bytes"),
        *("kept_bytes", "is_over_hard_cap", "passes", "dropped", "faults", "data_loss", "distilled_bytes"),
        *("distilled_cap_bytes", "is_over_distilled_cap"),
    }
    assert set(done["passes"][0]) == {"reason", "files", "sessions", "freed_bytes", "after_bytes"}
    assert set(done["dropped"][0]) == {
        *("agent", "path", "sessions", "reason", "freed_bytes", "original_bytes", "sha256", "is_data_loss"),
    }
    assert done["after_bytes"] == 0
    (one, *_) = json.loads(learned("store", "dropped", "--json").stdout)
    assert set(one) == {"agent", "path", "sessions", "bytes", "dropped_at", "sha256", "is_data_loss"}


def test_the_plan_is_shown_and_nothing_is_dropped_unasked(learned: Run) -> None:
    asked = learned("store", "evict", "--soft-cap", "0")
    assert asked.returncode == 1
    assert "above the soft cap" in asked.stdout
    assert "They cannot be restored." in asked.stderr
    assert learned("store", "dropped").stdout == "No original was dropped.\n"


def test_an_empty_standard_input_is_told_of_yes_and_that_nothing_was_done(learned: Run) -> None:
    asked = learned("store", "evict", "--soft-cap", "0")
    assert asked.returncode == 1
    assert asked.stderr.endswith("\nNobody answered. Use --yes to drop without being asked.\nNothing was dropped.\n")


def test_a_dry_run_drops_nothing(learned: Run) -> None:
    planned = learned("store", "evict", "--soft-cap", "0", "--dry-run")
    assert planned.returncode == 0
    assert "would be dropped" in planned.stdout
    assert learned("store", "dropped").stdout == "No original was dropped.\n"


def test_within_the_budget_there_is_nothing_to_ask(learned: Run) -> None:
    done = learned("store", "evict")
    assert done.returncode == 0
    assert "of 5.0 GB (hard cap 10.0 GB)." in done.stdout


def test_what_was_dropped_is_said_wherever_it_is_asked_for(learned: Run, tmp_path: Path) -> None:
    name = next(one["native_id"] for one in sessions(learned) if one["agent"] == "claude-code")
    learned("store", "evict", "--soft-cap", "0", "--yes")
    assert "was dropped on" in learned("sessions", "show", name).stdout
    raw = learned("sessions", "show", name, "--raw")
    assert (raw.returncode, raw.stdout) == (1, "")
    assert "SHA-256" in raw.stderr
    restored = learned("sessions", "restore", name, "--to", str(tmp_path / "to"))
    assert restored.returncode == 1
    assert "was dropped on" in restored.stderr
    assert "SHA-256" in restored.stderr
    assert "sha256" in learned("store", "dropped").stdout
    assert learned("store", "verify").returncode == 0
    assert learned("doctor").returncode == 0


def test_pinned_sessions_are_marked_and_stay(learned: Run) -> None:
    name = sessions(learned)[0]["native_id"]
    assert f"{name} is pinned now." in learned("sessions", "pin", name).stderr
    assert f"{name} is pinned already." in learned("sessions", "pin", name).stderr
    assert "[pinned]" in learned("sessions", "list").stdout
    learned("store", "evict", "--soft-cap", "0", "--yes")
    gone = json.loads(learned("store", "dropped", "--json").stdout)
    assert name not in {session for one in gone for session in one["sessions"]}
    (changed,) = json.loads(learned("sessions", "unpin", name, "--json").stdout)
    assert set(changed) == {"agent", "session", "is_pinned", "has_changed", "is_dropped"}
    learned("store", "evict", "--soft-cap", "0", "--yes")
    assert "was dropped before" in learned("sessions", "pin", name).stderr


def test_an_unknown_session_cannot_be_pinned(learned: Run) -> None:
    refused = learned("sessions", "pin", "nobody")
    assert refused.returncode == 2
    assert "No session 'nobody'" in refused.stderr


def test_learn_evicts_and_says_so(run: Run, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir(mode=0o700, exist_ok=True)
    (tmp_path / "store" / "config.toml").write_text(TINY)
    first = run("learn")
    assert first.returncode == 0
    assert "above the soft cap" in first.stdout
    assert "Originals take 0 B of 1 B" in first.stdout
    assert json.loads(run("learn", "--json").stdout)["evicted"] is None


def test_data_loss_is_named_in_report_exit_code_and_doctor(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "home" / ".claude" / "projects" / "-srv-orchard" / "odd.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text('{"type": "of-tomorrow", "sessionId": "s9"}\n')
    (tmp_path / "store").mkdir(mode=0o700, exist_ok=True)
    (tmp_path / "store" / "config.toml").write_text(TINY)
    lost = run("learn")
    assert lost.returncode == 1
    assert "data_loss" in lost.stderr
    assert "odd.jsonl" in lost.stderr
    assert "data_loss" in run("store", "dropped").stdout
    examined = run("doctor", "--json")
    assert examined.returncode == 1
    assert "data-loss" in {finding["code"] for finding in json.loads(examined.stdout)["findings"]}


def test_a_lost_file_that_fits_again_is_captured_by_the_next_learn(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "home" / ".claude" / "projects" / "-srv-orchard" / "odd.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text('{"type": "of-tomorrow", "sessionId": "s9"}\n')
    config = tmp_path / "store" / "config.toml"
    config.parent.mkdir(mode=0o700, exist_ok=True)
    config.write_text(TINY)
    run("learn")
    config.unlink()
    assert run("learn").returncode == 0
    assert "odd.jsonl" not in run("store", "dropped").stdout
    assert "data-loss" not in run("doctor", "--json").stdout


def test_a_hard_cap_below_the_soft_cap_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir(mode=0o700, exist_ok=True)
    (tmp_path / "store" / "config.toml").write_text("[retention]\nraw_hard_cap_bytes = 1000\n")
    refused = run("learn")
    assert refused.returncode == 2
    assert "retention.raw_hard_cap_bytes: 1,000 is below raw_soft_cap_bytes" in refused.stderr
