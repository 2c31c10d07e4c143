"""`afterwit sessions`: names, merges, shapes."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

REPO = "github.com/acme/orchard"


def test_repositories_are_shown_with_the_reason(learned: Run) -> None:
    done = learned("sessions", "repos")
    assert done.returncode == 0
    assert any(line.startswith(REPO) and "named by the log" in line for line in done.stdout.splitlines())
    assert done.stderr == "2 repositories, 5 sessions.\n"


def test_a_merge_counts_and_can_be_undone(learned: Run) -> None:
    merged = learned("sessions", "repos", "--merge", "old-orchard", "--into", REPO)
    assert "1 repository, 5 sessions." in merged.stderr
    assert "merged by you" in merged.stdout
    undone = learned("sessions", "repos", "--undo", "old-orchard")
    assert "2 repositories, 5 sessions." in undone.stderr


def test_what_was_not_merged_cannot_be_undone(learned: Run) -> None:
    done = learned("sessions", "repos", "--undo", "old-orchard")
    assert done.returncode == 2
    assert "was not merged here" in done.stderr


def test_domains_of_the_configuration_are_shown(learned: Run, tmp_path: Path) -> None:
    (tmp_path / "store" / "config.toml").write_text('[domains]\nfruit = ["*orchard"]\n', encoding="utf-8")
    rows = json.loads(learned("sessions", "repos", "--json").stdout)
    assert {row["domain"] for row in rows if row["repo"]} == {"fruit"}
    assert "domain" in learned("sessions", "repos").stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("repos", {"repo", "domain", "root", "remote", "how", "sessions", "last_at"}),
        ("tools", {"agent", "tool", "kind", "actions", "failures"}),
        ("users", {"user", "agents", "sessions"}),
    ],
)
def test_json_has_the_documented_shape(learned: Run, name: str, keys: set[str]) -> None:
    rows = json.loads(learned("sessions", name, "--json").stdout)
    assert rows
    assert all(set(row) == keys for row in rows)


def test_users_are_shown_by_pseudonym(learned: Run) -> None:
    shown = learned("sessions", "users").stdout
    assert "‹user:" in shown
    assert "ada" not in shown


def test_agents_of_a_user_are_a_list(learned: Run) -> None:
    rows = json.loads(learned("sessions", "users", "--json").stdout)
    assert rows[0]["agents"] == ["claude-code", "codex"]


@pytest.mark.parametrize("name", ["repos", "tools", "users"])
def test_an_empty_store_says_what_to_do(run: Run, tmp_path: Path, name: str) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    run("learn", HOME=str(bare), USERPROFILE=str(bare))
    done = run("sessions", name)
    assert (done.returncode, done.stdout) == (0, "")
    assert "Run `afterwit learn` first." in done.stderr
