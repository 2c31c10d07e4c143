"""What a hook tells with the first action of a kind, and with later prompts."""

from typing import Any

import pytest
from tests.recall.hook.conftest import HERE as ORCHARD
from tests.recall.hook.conftest import LINES, Hook
from tests.recall.hook.test_entry import HEAVY, loaded

from afterwit.model.knowledge import Activity, Trigger
from afterwit.recall.deck.firing_lines import FiringLine
from afterwit.recall.prompt_block import ACTION_TOKENS, ACTION_TOKENS_OF_SESSION
from afterwit.redaction.shown import ours


def _line(name: str, text: str, *triggers: Trigger, **more: Any) -> FiringLine:
    return FiringLine(item=name, text=ours(text), scope=ORCHARD, confidence=0.8, triggers=triggers, **more)


_COMMIT = _line("commit-1", "The hook lints the whole tree.", Trigger(activity=Activity.COMMIT))
_TEST = _line("test-1", "One test: `make one`.", Trigger(activity=Activity.TEST))
_STYLE = _line(
    "edit-1",
    "Colours stand in one file.",
    Trigger(activity=Activity.EDIT, path="web/**"),
    Trigger(path="web/**"),
    about="colours of the web pages stand in one file, palette.css",
)


@pytest.fixture
def waiting(hook: Hook) -> Hook:
    hook.compile(lines=[*LINES, _COMMIT, _TEST, _STYLE])
    return hook


def _bash(hook: Hook, command: str, **more: Any) -> str:
    shell: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_response": {"stdout": "", "stderr": ""},
    }
    return hook.claude("after", hook_event_name="PostToolUse", **shell, **more).context


def _file(hook: Hook, tool: str, path: str, **more: Any) -> str:
    call: dict[str, Any] = {
        "tool_name": tool,
        "tool_input": {"file_path": str(hook.project / path)},
        "tool_response": {},
    }
    return hook.claude("after", hook_event_name="PostToolUse", **call, **more).context


def test_the_first_commit_brings_what_waits_for_it_and_the_second_nothing(waiting: Hook) -> None:
    assert "- The hook lints the whole tree." in _bash(waiting, "git add -A && git commit -m x")
    assert _bash(waiting, "git commit -m y") == ""
    (draw,) = waiting.records("draw")
    assert (draw["moment"], draw["act"], draw["items"]) == ("after", "activity", {"commit-1": 1})


def test_one_line_that_tests_and_commits_brings_both(waiting: Hook) -> None:
    told = _bash(waiting, "make test && git commit -m x")
    assert "make one" in told
    assert "lints the whole tree" in told


def test_an_edit_brings_the_note_and_reading_the_file_does_not(waiting: Hook) -> None:
    assert _file(waiting, "Read", "web/page.css") == ""
    assert _file(waiting, "Edit", "src/press.py") == ""
    assert "Colours stand in one file." in _file(waiting, "Edit", "web/page.css")
    assert _file(waiting, "Write", "web/other.css") == ""


def test_a_patch_is_an_edit_of_the_files_in_it(waiting: Hook) -> None:
    patch = "*** Begin Patch\n*** Update File: web/page.css\n@@\n-a\n+b\n*** End Patch"
    payload = {"tool_name": "apply_patch", "tool_input": {"input": patch}, "tool_response": "Done!", "session_id": "s1"}
    told = waiting("codex", "after", {"hook_event_name": "PostToolUse", "cwd": str(waiting.project), **payload})
    assert "Colours stand in one file." in told.stdout


def test_after_a_failure_the_known_fix_comes_first_and_what_waits_with_it(waiting: Hook) -> None:
    told = waiting.failed("pnpm test --fast", "unknown option --fast").context
    assert told.index("pnpm run unit") < told.index("make one")


def test_a_subagent_is_told_what_the_session_was_told(waiting: Hook) -> None:
    assert _bash(waiting, "git commit -m x") != ""
    assert _bash(waiting, "git commit -m x", agent_id="a1") != ""


def test_the_first_call_of_a_command_brings_what_waits_for_it(hook: Hook) -> None:
    called = Trigger(program="press", words=("run",))
    hook.compile(lines=[_line("call-1", "The press hides its output.", called, awaits=(called,))])
    assert _bash(hook, "press stop") == ""
    assert "The press hides its output." in _bash(hook, "cd mill && press run --all")
    assert _bash(hook, "press run") == ""


def test_all_activities_of_a_session_share_a_bounded_room(hook: Hook) -> None:
    text = "Mind it, and mind it well. " * 8
    hook.compile(lines=[_line(f"c{at}", f"{at}: {text}", Trigger(activity=Activity.COMMIT)) for at in range(40)])
    told = [_bash(hook, "git commit -m x") for _ in range(12)]
    assert all(len(answer) <= ACTION_TOKENS * 4 + 100 for answer in told)
    assert ACTION_TOKENS < sum(map(len, told)) // 4 <= ACTION_TOKENS_OF_SESSION + 60
    assert told[-1] == ""


def test_what_is_held_out_is_not_told_and_counts_as_told(hook: Hook) -> None:
    hook.compile(lines=[_COMMIT], item_share=1.0)
    assert _bash(hook, "git commit -m x") == ""
    assert _bash(hook, "git commit -m x") == ""
    (draw,) = hook.records("draw")
    assert (draw["items"], "lints" in draw["would"]) == ({"commit-1": 0}, True)


def test_later_prompts_are_answered_with_what_is_strongly_meant_and_new(waiting: Hook) -> None:
    asked = "Which palette.css do the colours of the web pages come from?"
    assert "Colours stand" not in waiting.claude("prompt", prompt="Prune the press").context
    assert waiting.claude("prompt", prompt="yes, go on").context == ""
    assert "Colours stand in one file." in waiting.claude("prompt", prompt=asked).context
    assert waiting.claude("prompt", prompt=asked).context == ""
    assert [draw["later"] for draw in waiting.records("draw") if "later" in draw] == ["1"]


def test_all_later_prompts_of_a_session_get_six_hundred_tokens(hook: Hook) -> None:
    names = ("apple", "cherry", "damson", "elder", "figtree", "grape", "hazel", "juniper")
    padding = "Mind it, and mind it well. " * 20
    lines = [_line(name, f"{name}: {padding}", about=f"{name} harvest basket {name} ladder") for name in names]
    hook.compile(lines=lines)
    hook.claude("prompt", prompt="Begin")
    asked = [f"The {name} ladder at the {name} harvest" for name in names]
    told = [hook.claude("prompt", prompt=prompt).context for prompt in asked]
    assert told[0] != ""
    assert all(len(text) <= 200 * 4 + 100 for text in told)
    assert sum(map(len, told)) <= 600 * 4 + 100 * len(names)
    assert told[-1] == ""


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Bash", {"command": "git status"}),
        ("Bash", {"command": "cat web/page.css tests/test_press.py"}),
        ("Read", {"file_path": "web/page.css"}),
        ("Edit", {"file_path": "src/press.py"}),
    ],
)
def test_an_action_that_nothing_waits_for_loads_nothing_slow(
    waiting: Hook, tool: str, arguments: dict[str, str]
) -> None:
    path = {key: str(waiting.project / value) if key == "file_path" else value for key, value in arguments.items()}
    given = {"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": path, "tool_response": {}}
    assert loaded(waiting, "after", given) & HEAVY == set()


def test_what_was_told_loads_nothing_slow_any_more(waiting: Hook) -> None:
    given = {
        "hook_event_name": "PostToolUse",
        "tool_name": "Edit",
        "tool_input": {"file_path": str(waiting.project / "web/page.css")},
        "tool_response": {},
    }
    assert loaded(waiting, "after", given) & HEAVY
    assert loaded(waiting, "after", given) & HEAVY == set()


_GUARDED = _line(
    "guard-1",
    "Run `tests/test_tree.py`.",
    Trigger(activity=Activity.EDIT, path="src/tree.py", lines=("return len(trees) - 1",)),
)


@pytest.mark.parametrize(
    ("given", "is_told"),
    [
        ({"old_string": "def count(trees):\n    return len(trees) - 1", "new_string": "pass # x"}, True),
        ({"old_string": "a = 1", "new_string": "if trees:\n        return len(trees) - 1\n"}, True),
        ({"edits": [{"old_string": "x = 2", "new_string": "    return len(trees) - 1"}]}, True),
        ({"old_string": "def grow(trees):", "new_string": "def grow(trees, rain):"}, False),
        ({}, True),
    ],
)
def test_a_note_about_lines_waits_for_an_edit_of_them(hook: Hook, given: dict[str, Any], is_told: bool) -> None:
    hook.compile(lines=[_GUARDED])
    call: dict[str, Any] = {
        "tool_name": "Edit",
        "tool_input": {"file_path": str(hook.project / "src/tree.py"), **given},
    }
    told = hook.claude("after", hook_event_name="PostToolUse", tool_response={}, **call).context
    assert ("test_tree.py" in told) is is_told
