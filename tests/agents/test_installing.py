"""Every agent that can be connected: what is written for it, and that all of it comes out again."""

import ast
import json
import tomllib
from pathlib import PurePath

import pytest
from tests.edits.surroundings import AT, EVERYTHING
from tests.every import for_every

from afterwit.agents.descriptor import ConnectScope
from afterwit.agents.registry import INSTALLERS, agent, installer_for, integration_for
from afterwit.edits.edits import Edit, Presence, Surroundings
from afterwit.model.errors import UsageError

HOOK = "/opt/afterwit/bin/afterwit-hook"
OR_SILENCE = "2>/dev/null || cat >/dev/null || :"
NAMES = [each.agent for each in INSTALLERS]


def written(name: str, end: str, at: Surroundings = AT) -> str:
    """What a new file of this agent, by the end of its path, holds."""
    (edit,) = [edit for edit in integration_for(name, at).edits if edit.path.as_posix().endswith(end)]
    return edit.added("")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("at", [AT, EVERYTHING], ids=["usual", "everything"])
def test_what_is_written_for_an_agent_is_current_and_comes_out_again(name: str, at: Surroundings) -> None:
    found = integration_for(name, at)
    assert found.moments
    for edit in found.edits:
        added = edit.added("")
        assert added
        assert edit.presence(added) is Presence.CURRENT
        assert edit.added(added) == added
        assert edit.removed(added) == ""


@for_every("name", NAMES)
def test_an_agent_that_can_be_connected_is_one_that_is_read(name: str) -> None:
    assert agent(name).name == name


def test_projects_are_touched_for_those_agents_only_that_have_no_other_place() -> None:
    def is_in_project(edit: Edit) -> bool:
        return edit.path.is_relative_to(AT.project)

    touched = [name for name in NAMES if any(map(is_in_project, integration_for(name, AT).edits))]
    assert (
        touched == [each.agent for each in INSTALLERS if each.scope is ConnectScope.PROJECT] == ["grok-cli", "cursor"]
    )


def test_names_that_people_use_are_known() -> None:
    assert [installer_for(name).agent for name in ("claude", "kimi", "cline")] == [
        "claude-code",
        "kimi-code",
        "cline-cli",
    ]
    with pytest.raises(UsageError, match="'emacs' cannot be connected"):
        installer_for("emacs")


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini", "qwen", "openhands"])
def test_before_an_action_checks_are_asked_and_more_only_where_that_is_allowed(name: str) -> None:
    file = "settings.json" if name in ("claude-code", "gemini", "qwen") else "hooks.json"
    before = "BeforeTool" if name == "gemini" else "PreToolUse"
    assert before in json.loads(written(name, file))["hooks"]
    assert "--refuse" not in written(name, file)
    assert f"{HOOK} {name} before --refuse" in written(name, file, EVERYTHING)


def test_claude_code_hears_at_every_moment() -> None:
    hooks = json.loads(written("claude-code", "settings.json"))["hooks"]
    called = {event: groups[0]["hooks"][0]["command"] for event, groups in hooks.items()}
    assert called == {
        "SessionStart": f"{HOOK} claude-code start {OR_SILENCE}",
        "SubagentStart": f"{HOOK} claude-code start {OR_SILENCE}",
        "UserPromptSubmit": f"{HOOK} claude-code prompt {OR_SILENCE}",
        "PreToolUse": f"{HOOK} claude-code before {OR_SILENCE}",
        "PostToolUse": f"{HOOK} claude-code after {OR_SILENCE}",
        "PostToolUseFailure": f"{HOOK} claude-code after {OR_SILENCE}",
        "SessionEnd": f"{HOOK} claude-code end {OR_SILENCE}",
    }
    assert json.loads(written("claude-code", "/ada/.claude.json"))["mcpServers"]["afterwit"]["type"] == "stdio"
    moved = AT._replace(environ={"CLAUDE_CONFIG_DIR": "/etc/claude"})
    assert [edit.path.as_posix() for edit in integration_for("claude-code", moved).edits] == [
        "/etc/claude/settings.json",
        "/etc/claude/.claude.json",
        "/etc/claude/skills/read-waiting-sessions/SKILL.md",
    ]


def test_codex_is_given_a_server_and_its_user_the_word_about_trust() -> None:
    found = tomllib.loads(written("codex", "config.toml"))
    assert found == {"mcp_servers": {"afterwit": {"command": "/opt/afterwit/bin/afterwit", "args": ["mcp"]}}}
    assert "trust" in integration_for("codex", AT).to_do[0]
    assert "trusted_hash" not in written("codex", "hooks.json") + written("codex", "config.toml")


@pytest.mark.parametrize("name", ["gemini", "qwen"])
def test_some_count_in_milliseconds(name: str) -> None:
    hooks = json.loads(written(name, "settings.json"))["hooks"]
    assert hooks["SessionEnd"][0]["hooks"][0]["timeout"] == 3000


@pytest.mark.parametrize("name", ["qwen", "kimi-code", "opencode"])
def test_no_end_of_a_session_is_promised_where_only_turns_are_sure_to_end(name: str) -> None:
    moments = integration_for(name, AT).moments
    assert "end of a turn" in moments
    assert "end of a session" not in moments


@pytest.mark.parametrize("name", ["qwen", "kimi-code"])
def test_the_end_of_a_turn_is_heard_where_no_other_is_sure(name: str) -> None:
    text = "".join(edit.added("") for edit in integration_for(name, AT).edits)
    assert "Stop" in text
    assert "SessionEnd" in text


def test_copilot_has_a_file_of_ours() -> None:
    found = json.loads(written("copilot", "hooks/afterwit.json"))
    assert found["version"] == 1
    command = f"{HOOK} copilot start {OR_SILENCE}"
    assert found["hooks"]["sessionStart"] == [{"type": "command", "bash": command, "timeoutSec": 10}]


def test_kimi_code_gets_no_key_that_it_does_not_know() -> None:
    hooks = tomllib.loads(written("kimi-code", "config.toml", EVERYTHING))["hooks"]
    assert {key for hook in hooks for key in hook} == {"event", "command", "timeout"}
    assert "--rewrite" not in written("kimi-code", "config.toml", EVERYTHING)
    assert "no way to rewrite" in integration_for("kimi-code", EVERYTHING).to_do[-1]


def test_cline_runs_scripts_that_are_executable() -> None:
    scripts = [edit for edit in integration_for("cline-cli", AT).edits if edit.is_executable]
    assert [edit.path.name for edit in scripts] == ["PostToolUse", "PreCompact", "TaskComplete"]
    assert scripts[0].added("").splitlines()[::2] == ["#!/bin/sh", f"{HOOK} cline-cli after {OR_SILENCE}"]


@pytest.mark.parametrize(
    ("name", "end"), [("opencode", "afterwit.js"), ("pi", "afterwit.ts"), ("hermes", "__init__.py")]
)
def test_code_that_an_agent_loads_has_our_command_in_it(name: str, end: str) -> None:
    usual, allowed = written(name, end), written(name, end, EVERYTHING)
    assert f'HOOK = ["{HOOK}", "{name}"]' in usual.replace(": string[]", "")
    assert f'BEFORE = ["{HOOK}", "{name}", "before"]' in usual.replace(": string[]", "")
    assert f'["{HOOK}", "{name}", "before", "--refuse", "--rewrite"]' in allowed
    assert "__HOOK__" not in usual + allowed


def test_the_plugin_for_hermes_is_python() -> None:
    ast.parse(written("hermes", "__init__.py"))


def test_opencode_keeps_to_the_settings_file_that_is_there() -> None:
    commented = PurePath("/home/ada/.config/opencode/opencode.jsonc")
    found = integration_for("opencode", AT._replace(exists=lambda path: path == commented))
    assert commented in [edit.path for edit in found.edits]


def test_aider_reads_a_file_of_ours() -> None:
    assert written("aider", ".aider.conf.yml") == f'read:\n  - "{AT.notes_file}"\n'
    assert "Prune in spring." in written("aider", "aider.md")


def test_cursor_always_reads_our_rule() -> None:
    rule = written("cursor", "afterwit.mdc")
    assert rule.startswith("---\n")
    assert "alwaysApply: true" in rule
