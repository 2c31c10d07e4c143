"""`afterwit sample`: forms of the result, files, and what is said beside it."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run, claude_session

KEYS = {
    *("id", "native_id", "agent", "repo", "repo_share", "started_at", "ended_at", "title", "outcome", "relation"),
    "messages",
    *("actions", "score", "breakdown", "paths", "vanishes_at", "is_learned"),
}
CLAUDE = ".claude/projects/-home-ada-src-orchard"


@pytest.fixture
def learned(run: Run) -> Run:
    run("learn")
    return run


def test_the_table_shows_the_score_and_its_parts(learned: Run) -> None:
    done = learned("sample", "--scheme", "points", "--agent", "claude-code")
    assert done.returncode == 0
    heading, _, *rows = done.stdout.splitlines()
    assert heading.split()[:6] == ["id", "score", "+recency", "+messages", "+repo", "+outcome"]
    assert [row.split()[0] for row in rows] == ["5ea50001", "5ea50002"]
    assert done.stderr == "2 of 2 sessions, by points.\n"


def test_json_has_the_documented_shape(learned: Run) -> None:
    found = json.loads(learned("sample", "--json").stdout)
    assert set(found) == {"scheme", "sessions", "found", "unlearned_files", "has_unlearned"}
    assert (found["scheme"], found["has_unlearned"]) == ("value", True)
    for one in found["sessions"]:
        assert set(one) == KEYS
        assert sum(one["breakdown"].values()) == one["score"]
    assert learned("sample", "--format", "json").stdout == learned("sample", "--json").stdout


def test_both_schemes_name_their_parts(learned: Run) -> None:
    def parts(scheme: str) -> list[str]:
        return list(json.loads(learned("sample", "--scheme", scheme, "--json").stdout)["sessions"][0]["breakdown"])

    assert parts("points") == ["recency", "messages", "repo", "outcome", "calls"]
    assert parts("value") == [
        *("resolved", "unresolved", "corrections", "decisions", "signatures", "places", "vanishing"),
    ]


def test_filters_and_limits_choose(learned: Run) -> None:
    def count(*options: str) -> int:
        return len(json.loads(learned("sample", "--json", "--scheme", "points", *options).stdout)["sessions"])

    assert count("--repo", "orchard") == 3
    assert (
        count("--since", "2026-05-03") == len(json.loads(learned("sessions", "list", "--json").stdout)["sessions"]) - 2
    )
    assert count("--count", "2") == count("-n", "2") == count("--limit", "2") == 2
    assert count("--top-percent", "1") == 1
    assert count("--min-score", "99") == 0


def test_paths_are_the_agents_own_files(learned: Run, home: Path) -> None:
    done = learned("sample", "--agent", "claude-code", "--format", "paths", "--scheme", "points")
    assert done.stdout.splitlines() == [str(home / CLAUDE / name) for name in ("5ea50001.jsonl", "5ea50002.jsonl")]


def test_an_original_that_is_gone_is_said_and_the_others_are_named(learned: Run, home: Path) -> None:
    (home / CLAUDE / "5ea50001.jsonl").unlink()
    done = learned("sample", "--agent", "claude-code", "--format", "paths")
    assert (done.returncode, done.stdout) == (3, f"{home / CLAUDE / '5ea50002.jsonl'}\n")
    assert "5ea50001: no file of it is where claude-code keeps its logs." in done.stderr


def test_logs_that_are_not_learned_are_marked_and_not_stored(run: Run, home: Path, tmp_path: Path) -> None:
    done = run("sample", "--scheme", "points")
    assert "[not learned] Count the trees" in done.stdout
    assert "not learned yet: read for this." in done.stderr
    assert not (tmp_path / "store").exists()
    run("learn")
    (home / CLAUDE / "5ea50003.jsonl").write_text(claude_session("5ea50003", "Once more", "make trees", day=3))
    assert "1 file not learned yet: read for this." in run("sample").stderr
    assert "5ea50003" not in run("sessions", "list").stdout


def test_nothing_that_fits_is_said(learned: Run) -> None:
    done = learned("sample", "--branch", "pear")
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "",
        "No sessions match. Without the filters there are 5 sessions, the latest on May 4.\n",
    )


@pytest.mark.parametrize(
    "options",
    [
        ("--scheme", "luck"),
        ("--count", "-1"),
        ("--top-percent", "0"),
        ("--top-percent", "101"),
        ("--top-percent", "nan"),
        ("--min-score", "nan"),
        ("--min-score", "inf"),
        ("--format", "paths", "--json"),
    ],
)
def test_wrong_options_are_wrong_use(learned: Run, options: tuple[str, ...]) -> None:
    assert learned("sample", *options).returncode == 2
