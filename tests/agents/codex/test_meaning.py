"""Prompts told twice, calls of every kind, interruptions, errors, compactions."""

from collections.abc import Callable
from typing import Any

import pytest

from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Result


def test_each_prompt_counts_once_and_a_repeated_one_twice(read: Callable[[str], Any]) -> None:
    assert read("trouble").texts(EventKind.PROMPT) == [
        "continue",
        "continue",
        "<div> is broken",
        "What is this?\n[image]",
        "typed without an item",
        "bare\nparts",
    ]


def test_equal_prompts_of_one_turn_have_different_keys(read: Callable[[str], Any]) -> None:
    first, second = read("trouble").events[:2]
    assert first.key != second.key
    assert first.key.removesuffix(":1") == second.key.removesuffix(":2")


def test_no_image_data_reaches_a_text(read: Callable[[str], Any]) -> None:
    for name in ("trouble", "calls"):
        assert "AAAABBBB" not in repr(read(name).readings)


def test_interrupts_and_errors_are_told_apart(read: Callable[[str], Any]) -> None:
    whole = read("trouble")
    assert whole.texts(EventKind.INTERRUPT) == ["interrupted"]
    assert whole.texts(EventKind.MODEL_ERROR) == ["stream disconnected", "retrying 1/5"]
    assert whole.texts(EventKind.NOTICE)[1:] == [
        "<turn_aborted>\nThe user interrupted the previous turn.",
        "Long threads lose accuracy.",
    ]


def test_a_compaction_counts_once_and_carries_its_summary(read: Callable[[str], Any]) -> None:
    assert read("trouble").texts(EventKind.COMPACTION) == [
        "Another language model started to solve this problem and produced a summary.\nThree trees are left.",
        "Two trees are left.",
        "",
    ]


def test_a_review_is_a_subagent_whose_task_nobody_typed(read: Callable[[str], Any]) -> None:
    whole = read("review")
    (head,) = whole.facts
    parent = "01900001-0000-7000-8000-00000000000a"
    assert (head.relation, head.parent, head.origin) == (Relation.SUBAGENT, parent, "review")
    assert whole.texts(EventKind.PROMPT) == []
    assert whole.texts(EventKind.NOTICE) == ["Review the pruning."]


def test_a_thread_that_moves_or_is_resumed_says_so(read: Callable[[str], Any]) -> None:
    _, moved, resumed = read("trouble").facts
    assert (moved.cwd, moved.version) == ("/srv/orchard/south", "")
    assert (resumed.version, resumed.relation) == ("0.119.0", None)


def test_paginated_threads_tell_prompts_by_completed_items(read: Callable[[str], Any]) -> None:
    whole = read("paginated")
    assert whole.texts(EventKind.PROMPT) == ["Prune the plums"]
    assert whole.texts(EventKind.NOTICE)[-2:] == ["Prune the figs", "Only here"]
    assert whole.texts(EventKind.REPLY) == ["Done with the plums.", "Figs done.", "1. Rest."]


def test_a_pointer_to_history_names_the_parent(read: Callable[[str], Any]) -> None:
    whole = read("pointer_fork")
    assert (whole.facts[0].parent, whole.facts[0].relation) == ("01900001-0000-7000-8000-00000000000a", Relation.FORK)
    assert whole.events[0].key.startswith("01900003-")


@pytest.mark.parametrize(
    ("call_id", "tool", "arguments"),
    [
        ("call_1", "exec_command", {"cmd": "cat <<EOF\nfig\nEOF"}),
        ("call_7", "exec_command", {"raw": '{"cmd": 1, "cmd": }'}),
        ("call_10", "apply_patch", {"input": "*** Begin Patch\n*** Update File: trees.txt\n*** End Patch"}),
        ("call_12", "mcp__almanac.ask", {"question": "frost?"}),
        ("call_13", "local_shell", {"type": "exec", "command": ["ls"]}),
        ("call_14", "tool_search", {"query": "weather"}),
        ("web:ws_3", "web_search", {"type": "open_page", "url": "https://pears.example/"}),
        ("web:ig_1", "image_generation", {"prompt": "a fig"}),
    ],
)
def test_a_call_has_its_tool_and_arguments(
    read: Callable[[str], Any], call_id: str, tool: str, arguments: dict[str, Any]
) -> None:
    call = read("calls").call(call_id)
    assert (call.tool, call.arguments) == (tool, arguments)


@pytest.mark.parametrize(
    ("call_id", "text", "result"),
    [
        ("call_1", "fig\n", Result(exit_code=2, duration_ms=100)),
        ("call_2", "no rule to make target\n", Result(exit_code=2, duration_ms=1500)),
        ("call_3", "pears\n", Result(exit_code=1, duration_ms=250)),
        ("call_4", "A plum.\n[image]", Result()),
        ("call_6", "aborted by user after 170.7s", Result(is_cancelled=True, duration_ms=170_700)),
        ("call_8", "Plan updated", Result()),
        ("call_9", '{"agent_id":"x","nickname":"Quince"}', Result()),
        ("call_11", "Could not write the file.", Result(is_error=True)),
        ("call_12", "no such month", Result(is_error=True, duration_ms=2600)),
        ("call_13", "apples", Result(is_error=True)),
        ("call_14", "mcp__almanac", Result(is_error=False)),
        ("call_17", "error: rejected by user\nExit code: 9\n", Result(exit_code=0, duration_ms=0)),
        ("web:ws_3", "", Result(is_error=True)),
    ],
)
def test_a_result_has_its_text_and_end(read: Callable[[str], Any], call_id: str, text: str, result: Result) -> None:
    event = read("calls").result_of(call_id)
    assert (event.text, event.result) == (text, result)


@pytest.mark.parametrize("call_id", ["call_5", "call_16"])
def test_a_refused_command_is_denied(read: Callable[[str], Any], call_id: str) -> None:
    assert read("calls").result_of(call_id).result.is_denied


@pytest.mark.parametrize("call_id", ["call_7", "call_10"])
def test_a_misused_tool_is_an_error(read: Callable[[str], Any], call_id: str) -> None:
    assert read("calls").result_of(call_id).result == Result(is_error=True)


def test_a_background_command_gets_its_end_as_a_second_result(read: Callable[[str], Any]) -> None:
    running, end = [e for e in read("calls").events if e.call_id == "call_15" and e.kind is EventKind.RESULT]
    assert running.result == Result(is_running=True, running_as="7", duration_ms=10_000)
    assert (end.key, end.text) == ("end:call_15", "picking\nbasket full\n")
    assert end.result == Result(exit_code=3, duration_ms=14_000)


def test_equal_web_searches_are_two_calls(read: Callable[[str], Any]) -> None:
    searches = [e for e in read("calls").events if e.arguments == {"type": "search", "query": "graft a pear"}]
    assert len({call.call_id for call in searches}) == 2
