"""Plugins for agents: written from one description, and the same as what is in the repository."""

import json
import os
import subprocess
from pathlib import Path, PurePath

import pytest

from afterwit.agents.plugins import files, main

ROOT = Path(__file__).parents[2]


def test_the_plugins_in_the_repository_are_up_to_date() -> None:
    assert main(["--check"], ROOT) == 0


def test_stale_and_left_over_files_are_put_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], tmp_path) == 0
    assert main(["--check"], tmp_path) == 0
    (tmp_path / "plugins/codex/old.json").write_text("{}", encoding="utf-8")
    (tmp_path / "plugins/gemini/afterwit/README.md").write_text("changed", encoding="utf-8")
    assert main(["--check"], tmp_path) == 1
    assert capsys.readouterr().err.count("is stale or left over") == 2
    assert main([], tmp_path) == 0
    assert main(["--check"], tmp_path) == 0
    assert main(["--what"], tmp_path) == 2


def test_all_agents_get_the_same_version_and_the_same_server() -> None:
    found = files("1.2.3")
    manifests = (
        "claude-code/plugins/afterwit/.claude-plugin/plugin.json",
        "codex/plugins/afterwit/.codex-plugin/plugin.json",
        "gemini/afterwit/gemini-extension.json",
    )
    assert {json.loads(found[PurePath(name)])["version"] for name in manifests} == {"1.2.3"}
    servers = [text for path, text in found.items() if path.name in (".mcp.json", "gemini-extension.json")]
    assert [list(json.loads(text)["mcpServers"]) for text in servers] == [["afterwit"]] * 3


def test_all_carry_the_skill_that_lets_an_agent_read_for_people() -> None:
    skills = {path.parts[0]: text for path, text in files().items() if path.name == "SKILL.md"}
    assert set(skills) == {"claude-code", "codex", "gemini"}
    for text in skills.values():
        assert text.startswith("---\nname: read-waiting-sessions\ndescription: ")
        assert all(f"`{tool}`" in text for tool in ("reading_next", "reading_answer"))
    manifest = json.loads(files()[PurePath("codex/plugins/afterwit/.codex-plugin/plugin.json")])
    assert manifest["skills"] == "./skills/"


@pytest.mark.skipif(os.name != "posix", reason="the script is for a POSIX shell")
def test_the_script_is_silent_without_afterwit_and_calls_it_where_it_is(tmp_path: Path) -> None:
    main([], tmp_path)
    script = tmp_path / "plugins/codex/plugins/afterwit/hooks/afterwit.sh"

    def call(path: str) -> tuple[int, str]:
        done = subprocess.run(
            ["/bin/sh", str(script), "afterwit-hook", "codex", "start"],
            env={"HOME": str(tmp_path), "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    assert call("/usr/bin:/bin") == (0, "")
    program = tmp_path / "bin" / "afterwit-hook"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    assert call(f"{program.parent}:/usr/bin:/bin") == (0, "codex start\n")
