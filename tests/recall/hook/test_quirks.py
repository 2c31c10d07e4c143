"""Agents' own quirks: told after the second failure of their kind in a session, and never twice."""

import pytest
from tests.recall.hook.conftest import Hook

from afterwit.agents.registry import AGENTS
from afterwit.recall.hook.quirks import QUIRKS, quirk_in

NOTHING_FITS = "(eval):1: no matches found: rows/*.pear"
CURE = "zsh gives up the whole command where a pattern fits nothing: quote the pattern"


def failed(hook: Hook, output: str, tool: str = "Bash", session: str = "s1", **given: str) -> str:
    """What is told after a call that failed."""
    given = given or {"command": "ls rows/*.pear"}
    call = {"hook_event_name": "PostToolUseFailure", "tool_name": tool, "tool_input": given, "error": output}
    return hook.claude("after", session=session, **call).context


def test_a_pattern_that_fits_nothing_is_explained_at_the_second_time_and_once(hook: Hook) -> None:
    assert failed(hook, NOTHING_FITS) == ""
    assert failed(hook, NOTHING_FITS, session="s2") == ""
    assert CURE in failed(hook, NOTHING_FITS.replace("pear", "plum"))
    assert CURE not in failed(hook, NOTHING_FITS)


def test_failures_of_two_kinds_are_no_second_time(hook: Hook) -> None:
    unread = "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
    assert failed(hook, NOTHING_FITS) == ""
    assert failed(hook, unread, "Edit", file_path="rows.md") == ""
    assert "`cat` does not" in failed(hook, unread, "Edit", file_path="plums.md")


@pytest.mark.parametrize("output", ["rows.md:3: zsh says no matches found: x", "bash: cdx: command not found"])
def test_what_only_speaks_of_a_quirk_is_none(output: str) -> None:
    assert quirk_in("claude-code", output) is None


def test_a_quirk_is_that_of_its_agents_alone() -> None:
    unread = "File has not been read yet. Read it first."
    assert quirk_in("claude-code", unread) is not None
    assert quirk_in("codex", unread) is None


def test_the_list_is_short_and_names_agents_that_there_are() -> None:
    assert len(QUIRKS) <= 20
    assert {agent for _, agents, _, _ in QUIRKS for agent in agents} <= {agent.name for agent in AGENTS}
