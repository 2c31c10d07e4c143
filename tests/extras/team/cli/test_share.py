"""`afterwit share`: from one person to the other, by commands alone."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.cli.conftest import ORCHARD, Run, claude_session

RULE = "Always use uv here, never pip."


@pytest.fixture
def checkout(home: Path, tmp_path: Path, run: Run, environ: dict[str, str]) -> Path:
    """A checkout in which two sessions were learned whose user said what always holds."""
    root = tmp_path / "orchard"
    root.mkdir()
    subprocess.run(("git", "init", "--quiet", str(root)), env=environ, check=True, timeout=60)
    for day, name in ((6, "5ea50009"), (7, "5ea5000a")):
        text = claude_session(name, RULE, "make count", day=day).replace(ORCHARD, str(root))
        (home / f".claude/projects/-home-ada-src-orchard/{name}.jsonl").write_text(text, encoding="utf-8")
    (home / ".gitconfig").write_text("[user]\n  name = ada\n  email = ada@example.org\n", encoding="utf-8")
    assert run("learn").returncode == 0
    return root


def test_notes_travel_and_wait(run: Run, checkout: Path, tmp_path: Path) -> None:
    place = ("--checkout", str(checkout))
    missing = run("share", "status", *place)
    assert (missing.returncode, "`afterwit share init` begins" in missing.stderr) == (2, True)
    assert run("share", "init", *place).returncode == 0
    assert run("share", "init", *place).returncode == 2
    assert "nothing new to share" in run("share", "push", *place).stderr
    notes = json.loads(run("knowledge", "list", "--json", "--all").stdout)["items"]
    (rule,) = [note["id"] for note in notes if "never pip" in note["fact"]]
    unasked = run("share", "push", *place, "--rule", rule)
    assert (unasked.returncode, "Nothing was shared" in unasked.stderr) == (1, True)
    pushed = run("share", "push", *place, "--rule", rule, "--yes", "--json")
    assert [change["change"] for share in json.loads(pushed.stdout) for change in share["changes"]] == ["shared"]
    assert "nothing new to share" in run("share", "push", *place, "--yes").stderr
    other = {"AFTERWIT_HOME": str(tmp_path / "grace")}
    pulled = run("share", "pull", *place, **other)
    assert "new by ada" in pulled.stdout
    (waiting,) = json.loads(run("knowledge", "list", "--json", "--all", **other).stdout)["items"]
    assert (waiting["status"], "never pip" in waiting["fact"]) == ("quarantined", True)
    (row,) = json.loads(run("share", "log", *place, "--json", **other).stdout)
    assert (row["by"], row["what"], row["happened_at"][:2]) == ("ada", "shared", "20")
    table = run("share", "status", *place, **other).stdout
    assert "needs your approval" in table


def test_a_share_that_cannot_be_read_whole_says_so(run: Run, checkout: Path) -> None:
    place = ("--checkout", str(checkout))
    assert run("share", "init", *place).returncode == 0
    (checkout / ".afterwit" / "notes").mkdir()
    (checkout / ".afterwit" / "notes" / "0123456789ab.jsonl").write_text("what\n", encoding="utf-8")
    pulled = run("share", "pull", *place)
    assert (pulled.returncode, "notes/0123456789ab.jsonl, line 1" in pulled.stderr) == (3, True)
