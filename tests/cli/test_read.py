"""`afterwit read`: plan, files out and in, prompt, what was refused, and wrong use."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run


def requests_in(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_nothing_is_written_without_a_model(learned: Run, tmp_path: Path) -> None:
    result = learned("read", "--to", str(tmp_path / "r.jsonl"))
    assert result.returncode == 2
    assert "--with MODEL" in result.stderr
    assert not (tmp_path / "r.jsonl").exists()


def test_the_plan_says_what_waits_what_it_costs_and_what_leaves_the_machine(learned: Run) -> None:
    result = learned("read", "--with", "gpt-5-mini", "--limit", "2")
    assert result.returncode == 0
    assert "2 of 5 sessions that a model could read" in result.stderr
    assert "today" in result.stderr
    assert "redacted" in result.stderr
    shape = json.loads(learned("read", "--plan", "--with", "gpt-5-mini", "--json").stdout)
    assert (shape["waiting"], shape["requests"], shape["stopped_by"]) == (5, 5, "")
    assert shape["cost_usd"] > 0


def test_requests_go_out_and_answers_come_in(learned: Run, tmp_path: Path) -> None:
    out, back = tmp_path / "r.jsonl", tmp_path / "a.jsonl"
    assert learned("read", "--to", str(out), "--with", "orchard-1", "--repo", "orchard").returncode == 0
    requests = requests_in(out)
    assert requests
    answers = [json.dumps({"custom_id": request["custom_id"], "answer": {"notes": []}}) for request in requests]
    back.write_text("\n".join([*answers, answers[0]]) + "\n")
    result = learned("read", "--from", str(back))
    assert result.returncode == 0, result.stderr
    assert f"{len(requests)} answers taken: 0 notes" in result.stdout
    assert "1 answer answered already." in result.stdout
    again = learned("read", "--repo", "orchard")
    assert "Nothing waits to be read" in again.stderr


def test_lines_that_are_no_answers_are_said_and_nothing_is_lost(learned: Run, tmp_path: Path) -> None:
    out, back = tmp_path / "r.jsonl", tmp_path / "a.jsonl"
    learned("read", "--to", str(out), "--with", "orchard-1", "--limit", "1")
    wrong = {"sentence": "Use `make moon`.", "lines": [1], "confidence": 0.9}
    good = {"custom_id": requests_in(out)[0]["custom_id"], "answer": {"notes": [wrong]}}
    back.write_text(f"garbage\n{json.dumps({'custom_id': 'nobody', 'answer': '{}'})}\n{json.dumps(good)}\n")
    result = learned("read", "--from", str(back), "--json")
    assert result.returncode == 3
    shape = json.loads(result.stdout)
    assert (shape["answers"]["taken"], shape["answers"]["unknown"], shape["garbage"]) == (1, 1, 1)
    refused = learned("read", "--rejected")
    assert "make moon" in refused.stdout
    assert json.loads(learned("read", "--rejected", "--json").stdout)[0]["reason"] == "unsupported"


def test_a_file_that_is_there_is_not_replaced(learned: Run, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text("mine")
    result = learned("read", "--to", str(tmp_path / "r.jsonl"), "--with", "m")
    assert result.returncode == 2
    assert (tmp_path / "r.jsonl").read_text() == "mine"


def test_the_prompt_can_be_read_and_replaced(run: Run, tmp_path: Path) -> None:
    assert "coding agent" in run("read", "--prompt").stdout
    assert '"on_demand"' in run("read", "--prompt", "compile").stdout
    assert "'read', 'compile'" in run("read", "--prompt", "all").stderr
    (tmp_path / "mine.md").write_text("<!-- version 7 -->\nRead it well.\n")
    (tmp_path / "config.toml").write_text('[reading]\nprompt = "mine.md"\n')
    result = run("read", "--prompt", "--json", "--config", str(tmp_path / "config.toml"))
    assert json.loads(result.stdout)["version"].startswith("7.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--plan", "--prompt"), "exclude each other"),
        (("--from", "/nowhere/a.jsonl"), "There is no file"),
        (("--budget", "nan"), "no amount of money"),
        (("--budget", "1", "--with", "orchard-1"), "No price is known"),
    ],
)
def test_wrong_use_is_said(learned: Run, arguments: tuple[str, ...], message: str) -> None:
    result = learned("read", *arguments)
    assert result.returncode == 2
    assert message in result.stderr


def test_caps_that_cross_are_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[reading]\nusd_per_day = 30.0\n")
    result = run("read", "--prompt", "--config", str(tmp_path / "config.toml"))
    assert result.returncode == 2
    assert "reading.usd_per_day" in result.stderr


def test_without_a_store_it_says_what_to_do(run: Run) -> None:
    result = run("read")
    assert result.returncode == 1
    assert "afterwit learn" in result.stderr
