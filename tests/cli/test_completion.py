"""What shells are offered, and that they are never talked to."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.cli.conftest import Run, claude_session

SHELLS = ("bash", "zsh", "fish")


def offered(run: Run, line: str, **more: str) -> list[str]:
    """The values that bash gets for a line; the last word is the one that is being typed."""
    number = str(len(line.split(" ")) - 1)
    done = run(_AFTERWIT_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=number, **more)
    assert done.stderr == ""
    return [value.removeprefix("plain,") for value in done.stdout.split()]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_gets_a_script_that_asks_us(run: Run, shell: str) -> None:
    done = run("completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"_AFTERWIT_COMPLETE={shell}_complete" in done.stdout


def test_another_shell_is_refused(run: Run) -> None:
    assert run("completion", "tcsh").returncode == 2


@pytest.mark.skipif(os.name != "posix" or shutil.which("bash") is None, reason="needs bash")
def test_bash_understands_its_script(run: Run) -> None:
    script = run("completion", "bash").stdout
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_commands_and_short_names_are_offered(run: Run) -> None:
    assert offered(run, "afterwit se") == ["sessions", "search"]
    assert offered(run, "afterwit sessions sho") == ["show"]


def test_options_of_a_short_name_are_offered(run: Run) -> None:
    assert "--repo" in offered(run, "afterwit cost --re")


def test_agents_are_offered(run: Run) -> None:
    assert offered(run, "afterwit sessions list --agent cod") == ["codex"]
    assert offered(run, "afterwit connect cod") == ["codex"]
    assert offered(run, "afterwit connect claude-code cod") == ["codex"]
    assert offered(run, "afterwit disconnect cod") == ["codex"]


@pytest.mark.usefixtures("learned")
def test_repositories_and_sessions_of_the_store_are_offered(run: Run) -> None:
    assert offered(run, "afterwit sessions list --repo or") == ["orchard"]
    assert offered(run, "afterwit sessions list --repo github.com/") == ["github.com/acme/orchard"]
    assert offered(run, "afterwit show 5ea5") == ["5ea50002", "5ea50001"]


def test_what_a_shell_would_take_for_more_than_a_word_is_not_offered(run: Run, home: Path) -> None:
    log = home / ".claude/projects/-home-ada-src-orchard/odd.jsonl"
    log.write_text(claude_session("5ea5$(ls)", "Count", "make count"), encoding="utf-8")
    run("learn")
    assert "5ea5$(ls)" in run("sessions", "list", "--json").stdout
    assert offered(run, "afterwit show 5ea5") == ["5ea50002", "5ea50001"]


def test_without_a_store_nothing_is_offered_and_none_is_made(run: Run, tmp_path: Path) -> None:
    assert offered(run, "afterwit show ") == []
    assert not (tmp_path / "store").exists()


@pytest.mark.usefixtures("learned")
def test_a_store_or_configuration_that_cannot_be_read_is_passed_over(run: Run, tmp_path: Path) -> None:
    (tmp_path / "store" / "afterwit.db").write_bytes(b"no database")
    assert offered(run, "afterwit show ") == []
    (tmp_path / "odd.toml").write_text("x = ", encoding="utf-8")
    assert offered(run, f"afterwit show --config {tmp_path / 'odd.toml'} ") == []
