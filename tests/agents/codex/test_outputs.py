"""Frames around outputs, and words that mean something only without a frame."""

import pytest
from tests.every import for_every

from afterwit.agents.codex.records import Payload, arguments_of, read_output
from afterwit.agents.messages import ToolOutcome
from afterwit.model.readings import Result


@for_every(
    "text",
    [
        "",
        "Chunk ID: a1\nsomething else",
        "Wall time: soon\nOutput:\n",
        'Command: make\nno chunk follows "Wall time: 1 seconds"',
        '{"output": 1, "metadata": {}}',
        '{"output": "x"}',
        '{"output": "x", "metadata"',
        "ToolOutcome:\nExit code: 3",
    ],
)
def test_text_without_a_whole_frame_stays_as_it_is(text: str) -> None:
    assert read_output(text) == ToolOutcome(text, Result())


def test_odd_metadata_costs_the_exit_code_only() -> None:
    assert read_output('{"output": "x", "metadata": {"exit_code": "no"}}') == ToolOutcome("x", Result())


@pytest.mark.parametrize(
    "text",
    [
        "exec_command failed for `x`: unknown",
        "write_stdin failed: stdin is closed for this session",
        "collab spawn failed: agent thread limit reached (max 6)",
        "resources/list failed: unknown MCP server 'x'",
        "failed to parse function arguments: eof",
        "unsupported call: dig",
    ],
)
def test_a_complaint_of_codex_itself_is_an_error(text: str) -> None:
    assert read_output(text).result == Result(is_error=True)


@pytest.mark.parametrize(
    "text", ["patch rejected by user", "exec command rejected by user", "command denied by policy"]
)
def test_a_refusal_is_denied(text: str) -> None:
    assert read_output(text).result == Result(is_error=True, is_denied=True, is_worded=True)


@pytest.mark.parametrize("text", ["aborted", "aborted by user", "Wall time: 3.2 seconds\naborted by user"])
def test_an_abort_is_cancelled(text: str) -> None:
    assert read_output(text).result.is_cancelled


def test_a_long_text_that_mentions_a_refusal_is_not_denied() -> None:
    assert read_output("x" * 300 + " rejected by user").result == Result()


def test_an_empty_framed_output_is_empty() -> None:
    assert read_output("Exit code: 0\nWall time: 0 seconds\nOutput:") == ToolOutcome(
        "", Result(exit_code=0, duration_ms=0)
    )


def test_a_search_tells_its_query_wherever_it_stands() -> None:
    beside = Payload(type="web_search_call", query="pears", action={"type": "search"})
    within = Payload(type="web_search_call", action={"type": "search", "query": "pears"})
    assert arguments_of(beside) == arguments_of(within) == {"type": "search", "query": "pears"}
