"""What a hook tells with the first action of a kind: one line, each once, eight in a session."""

from typing import Any

import pytest
from tests.recall.hook.conftest import HERE as ORCHARD
from tests.recall.hook.conftest import LINES, Hook
from tests.recall.hook.test_entry import HEAVY, loaded

from afterwit.model.knowledge import Activity, Trigger
from afterwit.recall.deck.firing_lines import FiringLine
from afterwit.recall.prompt_block import MOST_ON_DEMAND
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


def test_a_command_that_tests_and_commits_brings_one_line_after_the_other(waiting: Hook) -> None:
    told = [_bash(waiting, "make test && git commit -m x") for _ in range(3)]
    assert ["make one" in text for text in told] == [False, True, False]
    assert ["lints the whole tree" in text for text in told] == [True, False, False]


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


def test_after_a_failure_the_known_fix_comes_alone_and_what_waits_with_the_next(waiting: Hook) -> None:
    told = waiting.failed("pnpm test --fast", "unknown option --fast").context
    assert "pnpm run unit" in told
    assert "make one" not in told
    assert "make one" in _bash(waiting, "pnpm test")


def test_a_subagent_is_told_what_the_session_was_told(waiting: Hook) -> None:
    assert _bash(waiting, "git commit -m x") != ""
    assert _bash(waiting, "git commit -m x", agent_id="a1") != ""


def test_the_first_call_of_a_command_brings_what_waits_for_it(hook: Hook) -> None:
    called = Trigger(program="press", words=("run",))
    hook.compile(lines=[_line("call-1", "The press hides its output.", called, awaits=(called,))])
    assert _bash(hook, "press stop") == ""
    assert "The press hides its output." in _bash(hook, "cd mill && press run --all")
    assert _bash(hook, "press run") == ""


def test_a_session_gets_eight_lines_whatever_brings_them(hook: Hook) -> None:
    commits = [_line(f"c{at}", f"Mind {at}.", Trigger(activity=Activity.COMMIT)) for at in range(20)]
    prompts = [_line(f"p{at}", f"Crate {at}.", Trigger(topic=("crate",))) for at in range(20)]
    hook.compile(lines=[*commits, *prompts])
    told = [hook.claude("prompt", prompt="Stack the crates").context for _ in range(2)]
    told += [_bash(hook, "git commit -m x") for _ in range(6)]
    told += [hook.claude("prompt", prompt="Stack the crates").context]
    counts = [sum(text.count(f"- {word}") for word in ("Mind", "Crate")) for text in told]
    assert counts == [2, 2, 1, 1, 1, 1, 0, 0, 0]
    assert sum(counts) == MOST_ON_DEMAND
    lines = [row for text in told for row in text.splitlines() if row.startswith("- ")]
    assert len(lines) == len(set(lines))


def test_what_is_held_out_is_not_told_and_counts_as_told(hook: Hook) -> None:
    hook.compile(lines=[_COMMIT], item_share=1.0)
    assert _bash(hook, "git commit -m x") == ""
    assert _bash(hook, "git commit -m x") == ""
    (draw,) = hook.records("draw")
    assert (draw["items"], "lints" in draw["would"]) == ({"commit-1": 0}, True)


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
