"""Afterwit runs from its wheel, whichever way people install it, without a network and without the clone."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.e2e.packaged import WAYS, Way, require

import afterwit

pytestmark = pytest.mark.e2e
INSTALLED = [way for way in WAYS if not way.call]
FAILURE = {
    "hook_event_name": "PostToolUseFailure",
    "session_id": "packaged",
    "tool_name": "Bash",
    "tool_use_id": "call",
    "tool_input": {"command": "pytest tests/test_frost.py"},
    "error": "Exit code 127\npytest: not found",
}


def ran(way: Way, program: str, *words: str, told: str = "", **environ: str) -> str:
    """What one of our programs prints; it must end well."""
    done = subprocess.run(
        [*way.words(program), *words],
        cwd=way.folder,
        env={**way.environ(), **environ},
        input=told,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(params=WAYS, ids=lambda way: way.name)
def way(request: pytest.FixtureRequest) -> Way:
    chosen: Way = request.param
    require(chosen)
    return chosen


def test_it_says_its_version(way: Way) -> None:
    assert ran(way, "afterwit", "--version") == f"afterwit {afterwit.__version__}\n"


def test_the_demo_learns_and_a_hook_tells_the_fix(way: Way, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    assert "Read 21 sessions of 3 agents" in ran(way, "afterwit", "demo", "--to", str(folder))
    environ = {"AFTERWIT_HOME": str(folder / "store")}
    ran(way, "afterwit", "measure", "skipping", "--sessions", "0", "--notes", "0", **environ)
    payload = json.dumps({**FAILURE, "cwd": str(folder / "home" / "src" / "orchard")})
    answer = json.loads(ran(way, "afterwit-hook", "claude-code", "after", told=payload, **environ))
    assert "Here: `uv run pytest tests/test_frost.py`" in answer["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("way", INSTALLED, indirect=True, ids=lambda way: way.name)
def test_manual_pages_and_scripts_for_shells_come_with_it(way: Way) -> None:
    program = (way.bin / "afterwit").resolve()
    shared = program.parents[1] / "share"
    assert (shared / "man" / "man1" / "afterwit.1").read_text(encoding="utf-8").startswith('.TH "AFTERWIT" "1"')
    script = (shared / "bash-completion" / "completions" / "afterwit").read_text(encoding="utf-8")
    assert script == ran(way, "afterwit", _AFTERWIT_COMPLETE="bash_source")


def test_pipx_puts_manual_pages_where_man_looks() -> None:
    require(WAYS[0])
    assert (WAYS[0].folder / "man" / "man1" / "afterwit-learn.1").is_file()
