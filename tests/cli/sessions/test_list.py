"""`afterwit sessions list` and `cost`: tables, filters, shapes."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run


def test_all_agents_are_in_one_table_with_totals(learned: Run) -> None:
    done = learned("sessions", "list")
    assert done.returncode == 0
    heading, _, *rows = done.stdout.splitlines()
    assert heading.split()[:4] == ["id", "started", "agent", "repo"]
    assert len(rows) == 5
    assert done.stderr.startswith("5 sessions: ")


def test_a_limit_says_how_many_there_are(learned: Run) -> None:
    done = learned("sessions", "list", "--limit", "2")
    assert len(done.stdout.splitlines()) == 4
    assert "5 sessions (2 shown; --limit 0 shows all). `--totals` adds up" in done.stderr
    added_up = learned("sessions", "list", "--limit", "2", "--totals").stderr
    assert added_up.startswith("5 sessions (2 shown; --limit 0 shows all): ")
    assert added_up.endswith(learned("sessions", "list").stderr.removeprefix("5 sessions"))


def test_the_total_of_a_part_is_null_unless_it_is_asked_for(learned: Run) -> None:
    found = [
        json.loads(learned("sessions", "list", "--json", *options).stdout)
        for options in (("--limit", "2"), ("--limit", "2", "--totals"), ())
    ]
    assert [listing["found"] for listing in found] == [5, 5, 5]
    assert found[0]["total"] is None
    assert found[1]["total"] == found[2]["total"] != None  # noqa: E711


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (("--agent", "codex"), 2),
        (("--repo", "orchard"), 3),
        (("--repo", "old-*"), 1),
        (("--since", "2026-05-03"), 3),
        (("--until", "2026-05-01"), 1),
        (("--since", "2026-05-02", "--until", "2026-05-03"), 3),
        (("--branch", "main"), 3),
        (("--text", "count"), 2),
        (("--top",), 5),
    ],
)
def test_filters_choose_sessions(learned: Run, options: tuple[str, ...], count: int) -> None:
    assert json.loads(learned("sessions", "list", "--json", *options).stdout)["found"] == count


def test_json_has_the_documented_shape(learned: Run) -> None:
    found = json.loads(learned("sessions", "list", "--json").stdout)
    assert set(found) == {"sessions", "found", "total"}
    assert set(found["total"]) == {"tokens", "cost_usd", "is_cost_partial", "unpriced_responses"}
    assert set(found["sessions"][0]) == {
        *("id", "native_id", "agent", "repo", "domain", "branch", "started_at", "ended_at", "duration_ms", "title"),
        *("outcome", "relation", "parent", "is_partial", "prompts", "actions", "failures", "tokens", "cost_usd"),
        *("is_cost_partial", "is_pinned"),
    }


def test_nothing_found_is_said(learned: Run) -> None:
    done = learned("sessions", "list", "--branch", "pear")
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "",
        "No sessions match. Without the filters there are 5 sessions, the latest on May 4.\n",
    )


def test_an_empty_store_says_what_to_do(run: Run, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    run("learn", HOME=str(bare), USERPROFILE=str(bare))
    assert "Run `afterwit learn` first." in run("sessions", "list").stderr
    assert "No response of a model" in run("sessions", "cost").stderr


@pytest.mark.parametrize(
    "options", [("--since", "soon"), ("--sort", "colour"), ("--agent", "nobody"), ("--domain", "x")]
)
def test_wrong_options_are_wrong_use(learned: Run, options: tuple[str, ...]) -> None:
    done = learned("sessions", "list", *options)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_costs_name_the_models_without_a_price(learned: Run, tmp_path: Path) -> None:
    config = tmp_path / "store" / "config.toml"
    config.write_text('[prices."claude-x"]\ninput = 1\noutput = 2\n', encoding="utf-8")
    found = json.loads(learned("sessions", "cost", "--by", "model", "--by", "agent", "--json").stdout)
    assert found["by"] == ["model", "agent"]
    assert set(found) == {"by", "lines", "total", "nested", "unpriced_models"}
