import json

import pytest
from tests.every import for_every

from afterwit.agents.claude_code.content import edited_file, result_of, stated_spill
from afterwit.agents.claude_code.records import ClaudeOutcome, decode


@for_every(
    "text",
    [
        "The user doesn't want to proceed with this tool use. The tool use was rejected",
        "The user doesn't want to take this action right now. STOP",
        "Permission to use Bash with command rm -rf x has been denied.",
        "Permission for this action was denied by the Claude Code auto mode classifier. Reason: no",
        "Claude requested permissions to write to a.py, but you haven't granted it yet.",
        "This command requires approval",
        "<tool_use_error>This Bash command contains multiple operations. The following part requires approval: x",
        "The agent proposed a plan that was rejected by the user.",
        "PreToolUse:Bash hook error: [guard]: use uv run",
    ],
)
def test_a_refusal_is_a_denial(text: str) -> None:
    result = result_of(text, True, text)
    assert (result.is_denied, result.is_cancelled, result.is_error) == (True, False, True)


@pytest.mark.parametrize(
    "text",
    [
        "<tool_use_error>Sibling tool call errored</tool_use_error>",
        "<tool_use_error>Cancelled: parallel tool call Bash(go test ./...) errored</tool_use_error>",
        "[Request interrupted by user for tool use]",
    ],
)
def test_a_call_that_was_swept_along_is_cancelled(text: str) -> None:
    result = result_of(text, True, None)
    assert (result.is_denied, result.is_cancelled) == (False, True)


@pytest.mark.parametrize(
    "text",
    [
        "Exit code 1\nThe user doesn't want to proceed with this tool use.",
        "<tool_use_error>String to replace not found in file.\nString: Permission to use",
        "Exit code 1\n[Request interrupted by user]",
    ],
)
def test_the_output_of_a_program_cannot_pass_for_a_refusal(text: str) -> None:
    result = result_of(text, True, None)
    assert (result.is_denied, result.is_cancelled) == (False, False)


def test_a_refusal_in_good_output_is_none() -> None:
    assert not result_of("The user doesn't want to proceed with this tool use.", None, None).is_denied


@pytest.mark.parametrize(("text", "code"), [("Exit code 127\nx", 127), ("Exit code -9", -9), ("no Exit code 1", None)])
def test_the_exit_code_is_read_from_the_first_line_of_an_error(text: str, code: int | None) -> None:
    assert result_of(text, True, None).exit_code == code
    assert result_of(text, False, None).exit_code is None


def test_an_agent_in_the_background_is_still_running() -> None:
    assert result_of("launched", None, ClaudeOutcome(is_async=True)).is_running


@pytest.mark.parametrize("value", ["12", True, -1, 10**30, None, [1]])
def test_a_duration_that_is_none_is_left_out(value: object) -> None:
    assert result_of("", None, ClaudeOutcome(duration_ms=value)).duration_ms is None


def test_a_spill_is_named_by_the_record_or_by_the_preview() -> None:
    assert stated_spill("short", ClaudeOutcome(persisted_output_path="/x/b1.txt")) == "/x/b1.txt"
    assert stated_spill("<persisted-output>\nFull output saved to: /x/b2.txt\n\nPreview", None) == "/x/b2.txt"
    assert stated_spill("<persisted-output>\n…", None) == ""
    assert stated_spill("plain", ClaudeOutcome()) is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/srv/orchard/CLAUDE.md", ("/srv/orchard/CLAUDE.md", "Pick pears.\nPress them.")), ("/srv/orchard/row.py", None)],
)
def test_an_edit_of_an_instruction_file_tells_its_whole_text(path: str, expected: tuple[str, str] | None) -> None:
    edit = {"filePath": path, "originalFile": "Pick plums.\nPress them.", "oldString": "plums", "newString": "pears"}
    for other in ({}, {"uuid": 7}):  # the second has a flaw, so that it is read loosely
        line, _ = decode(json.dumps({"type": "user", "toolUseResult": edit, **other}).encode())
        assert edited_file(line.tool_use_result) == expected


def test_results_without_a_file_tell_none() -> None:
    assert edited_file("done") is None
    assert edited_file(ClaudeOutcome(file_path="CLAUDE.md")) is None
    assert edited_file(ClaudeOutcome(file_path=7)) is None
