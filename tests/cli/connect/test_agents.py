"""`afterwit connect <agent>`, `connect file`, `connect status` and `disconnect`, as people call them."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.cli.conftest import Run, command

from afterwit.edits.ours import hook_programs

SKILL = ".claude/skills/read-waiting-sessions/SKILL.md"
NO_SCHEDULE = "No schedule. `afterwit connect schedule` sets one up."


@pytest.fixture
def settings(home: Path) -> Path:
    path = home / ".claude" / "settings.json"
    path.write_text('{\n  "model": "x"\n}\n', encoding="utf-8")
    return path


def test_a_dry_run_shows_the_change_and_does_nothing(run: Run, settings: Path, tmp_path: Path) -> None:
    before = settings.read_bytes()
    done = run("connect", "claude-code", "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert '+    "SessionStart": [' in done.stdout
    assert "PreToolUse" in done.stdout
    assert settings.read_bytes() == before
    assert not (tmp_path / "store").exists()


def test_the_summary_comes_first_and_the_lines_on_request(run: Run, settings: Path, home: Path) -> None:
    summary = [
        "claude-code: adds 7 hooks and 1 MCP server to 2 files, and 1 file of its own.",
        f"    change  {settings}",
        f"    create  {home / '.claude.json'}",
        f"    create  {home / SKILL}",
    ]
    assert run("connect", "claude-code").stdout.splitlines() == summary
    shown = run("connect", "claude-code", "--diff").stdout.splitlines()
    assert shown[:4] == summary
    assert '+    "SessionStart": [' in shown
    assert "\x1b" not in "".join(shown)
    run("connect", "claude-code", "--yes")
    updated = run("connect", "claude-code", "--refuse", "--yes").stdout
    assert updated.startswith(f"claude-code: brings up to date: 7 hooks in 1 file.\n    change  {settings}\n")
    undone = run("disconnect", "claude-code").stdout
    assert undone.startswith("claude-code: takes what Afterwit wrote out of 3 files.\n")


@pytest.mark.parametrize(
    ("agent", "summary"),
    [
        ("hermes", "adds 1 MCP server and 1 entry to 1 file, and 2 files of its own."),
        ("pi", "adds 1 file of its own."),
        ("grok-cli", "adds 1 block of notes to 1 file."),
    ],
)
def test_files_and_blocks_are_summed_up_too(run: Run, agent: str, summary: str) -> None:
    assert run("connect", agent, "--dry-run").stdout.startswith(f"{agent}: {summary}\n")


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_at_the_question_the_lines_can_be_seen_in_colour(environ: dict[str, str], settings: Path) -> None:
    before = settings.read_bytes()
    shown, code = answered(["connect", "claude-code", "--diff"], environ, "perhaps\nn\n")
    assert code == 1
    assert shown.count("Do this? [y/N]") == 2
    assert '\x1b[32m+    "SessionStart": [' in shown
    assert settings.read_bytes() == before
    plain, code = answered(["connect", "claude-code", "--diff"], environ | {"NO_COLOR": "1"}, "y\n")
    assert code == 0
    assert "\x1b[32m" not in plain
    assert b"SessionStart" in settings.read_bytes()


def answered(arguments: list[str], environ: dict[str, str], answers: str) -> tuple[str, int]:
    """What a terminal shows while somebody types these answers, and the exit code."""
    import pty

    ours, theirs = pty.openpty()
    more = {"TERM": "xterm", "LINES": "400", "COLUMNS": "200"}
    done = subprocess.Popen(command(arguments), env=environ | more, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    os.write(ours, answers.encode())
    shown = bytearray()
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:
        pass  # how Linux says that the other end was closed
    os.close(ours)
    return shown.decode(), done.wait()


def test_an_agent_is_connected_shown_and_disconnected(run: Run, settings: Path, home: Path) -> None:
    before = settings.read_bytes()
    done = run("connect", "claude", "--refuse", "--yes")
    assert done.returncode == 0, done.stderr
    assert "connected (start of a session, first prompt" in done.stdout
    assert "before --refuse" in settings.read_text(encoding="utf-8")
    assert run("connect", "claude-code", "--refuse", "--yes").stdout == "claude-code: connected already.\n"
    *lines, fired = run("connect", "status").stdout.splitlines()
    assert lines == [
        NO_SCHEDULE,
        "claude-code: connected; refuses commands",
        f"    {settings}",
        f"    {home / '.claude.json'}",
        f"    {home / SKILL}",
    ]
    assert "reading_next" in (home / SKILL).read_text(encoding="utf-8")
    assert fired.startswith("    its hooks have never fired since it was connected, ")
    done = run("disconnect", "claude-code", "--yes")
    assert done.stdout.endswith("claude-code: disconnected.\n")
    assert settings.read_bytes() == before
    assert not (home / ".claude.json").exists()
    assert not (home / SKILL).parents[1].exists()
    assert run("disconnect", "--all", "--yes").stderr == "Nothing is connected.\n"
    assert "No agent is connected." in run("connect", "status").stdout


def test_all_that_is_found_is_connected_and_what_cannot_be_is_told(run: Run, settings: Path, home: Path) -> None:
    (home / ".codex" / "config.toml").write_text("model = ", encoding="utf-8")
    done = run("connect", "--all", "--yes")
    assert done.returncode == 3
    assert "config.toml: it is no TOML" in done.stderr
    assert "hermes: connected" in done.stdout
    assert "codex: connected" not in done.stdout
    assert run("disconnect", "--all", "--yes").returncode == 0
    assert settings.read_text(encoding="utf-8") == '{\n  "model": "x"\n}\n'


def test_killed_at_any_point_it_can_be_undone_exactly(run: Run, settings: Path, home: Path) -> None:
    state = home / ".claude.json"
    state.write_text('{"projects": {}}', encoding="utf-8")
    before = (settings.read_bytes(), state.read_bytes())
    for kill_at in range(1, 30):
        done = run("connect", "claude-code", "--yes", AFTERWIT_KILL_AT_STEP=str(kill_at))
        assert json.loads(settings.read_bytes())["model"] == "x"
        assert run("disconnect", "claude-code", "--yes").returncode == 0
        assert (settings.read_bytes(), state.read_bytes()) == before
        if done.returncode == 0:
            break
    assert kill_at > 3


def test_json_says_what_was_done(run: Run, settings: Path) -> None:
    (done,) = json.loads(run("connect", "claude-code", "--yes", "--json").stdout)
    assert (done["agent"], done["action"], done["is_applied"]) == ("claude-code", "connect", True)
    assert {file["action"] for file in done["files"]} == {"change", "create"}
    (state,) = json.loads(run("connect", "status", "--json").stdout)["agents"]
    assert (state["agent"], state["presence"], state["fault"]) == ("claude-code", "current", "")


def test_the_status_says_when_hooks_fired_last(run: Run, settings: Path, tmp_path: Path) -> None:
    run("connect", "claude-code", "--yes")
    (state,) = json.loads(run("connect", "status", "--json").stdout)["agents"]
    assert state["called_at"] == ""
    (tmp_path / "store" / "spool").mkdir(exist_ok=True)
    (tmp_path / "store" / "spool" / "claude-code.called").touch()
    assert "    its hooks fired last at " in run("connect", "status").stdout
    (state,) = json.loads(run("connect", "status", "--json").stdout)["agents"]
    assert state["called_at"] >= state["connected_at"] > ""


def test_the_status_names_a_program_that_is_gone(run: Run, settings: Path) -> None:
    run("connect", "claude-code", "--yes")
    (hook,) = hook_programs(settings.read_text(encoding="utf-8"))
    gone = "/opt/gone/bin/afterwit-hook"
    settings.write_text(settings.read_text(encoding="utf-8").replace(hook, gone), encoding="utf-8")
    done = run("connect", "status")
    assert "claude-code: connected, but not as it would be now" in done.stdout
    assert f"claude-code: it calls {gone}, which does not exist any more." in done.stderr
    (state,) = json.loads(run("connect", "status", "--json").stdout)["agents"]
    assert (state["missing"], state["uncalled_sessions"]) == ([gone], 0)


def test_the_word_about_trust_is_given(run: Run, settings: Path) -> None:
    assert "Codex skips new and changed hooks until you trust them." in run("connect", "codex", "--yes").stdout


def test_without_a_terminal_it_must_be_agreed(run: Run, settings: Path) -> None:
    before = settings.read_bytes()
    done = run("connect", "claude-code")
    assert done.returncode == 2
    assert "add --yes" in done.stderr
    assert settings.read_bytes() == before


@pytest.mark.parametrize("words", [("connect", "emacs"), ("connect", "--yes"), ("disconnect",), ("disconnect", "file")])
def test_wrong_use_is_told(run: Run, words: tuple[str, ...]) -> None:
    assert run(*words).returncode == 2


def test_a_file_gets_a_block_and_loses_it_again(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "AGENTS.md"
    path.write_text("# Orchard\n", encoding="utf-8")
    run("learn")
    run("knowledge", "add", "Prune in March, never after the first blossom.")
    assert run("connect", "file", str(path), "--yes").returncode == 0
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# Orchard\n\n<!-- afterwit:begin")
    assert "- Prune in March, never after the first blossom." in text
    assert f"{path}: connected" in run("connect", "status").stdout
    assert run("disconnect", "file", str(path), "--yes").returncode == 0
    assert path.read_text(encoding="utf-8") == "# Orchard\n"


def test_a_file_for_which_nothing_is_known_is_left_alone(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "AGENTS.md"
    done = run("connect", "file", str(path), "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{path}: nothing has been learned for this repository yet, so there is nothing to write.\n"
    assert not path.exists()
    assert "No agent is connected." in run("connect", "status").stdout
    (shape,) = json.loads(run("connect", "file", str(path), "--json").stdout)
    assert (shape["is_empty"], shape["is_applied"], shape["files"]) == (
        True,
        False,
        [{"path": str(path), "action": "keep"}],
    )
