"""Tools that run a command line."""

import pytest

from afterwit.actions.shell_tools import RUNNING, fold, runs_commands
from afterwit.actions.tool_names import KINDS, KINDS_BY_AGENT
from afterwit.model.kinds import ActionKind


def test_tools_that_run_commands_are_shells_of_every_agent() -> None:
    for name in map(fold, RUNNING.split()):
        assert KINDS[name] is ActionKind.SHELL
        assert all(kind is ActionKind.SHELL for (_, tool), kind in KINDS_BY_AGENT.items() if tool == name)


@pytest.mark.parametrize("tool", ["Bash", "exec_command", "run-shell-command", "Run Terminal Cmd"])
def test_they_are_known_in_every_spelling(tool: str) -> None:
    assert runs_commands(tool)


@pytest.mark.parametrize("tool", ["Read", "KillShell", "write_stdin", ""])
def test_a_tool_that_only_deals_with_a_shell_is_none(tool: str) -> None:
    assert not runs_commands(tool)
