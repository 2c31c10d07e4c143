"""The plugin as Hermes runs it: in an interpreter of its own, with a context to register with."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.edits.surroundings import AT, EVERYTHING

from afterwit.agents.hermes.install import MEMORY_TOOL, integration
from afterwit.edits.edits import Surroundings
from afterwit.model.memory_entry import TOOL_SCHEMA

HANGS = "import threading; threading.Event().wait()"
Tool = Callable[..., str]


class Context:
    """Stands in for Hermes."""

    def __init__(self) -> None:
        self.hooks: dict[str, Callable[..., Any]] = {}
        self.tools: dict[str, dict[str, Any]] = {}

    def register_hook(self, name: str, hook: Callable[..., Any]) -> None:
        self.hooks[name] = hook

    def register_tool(self, name: str, **more: Any) -> None:
        self.tools[name] = more


def loaded(at: Surroundings = AT, *, is_there: bool = True) -> tuple[Context, dict[str, Any]]:
    """What the plugin registers, and its names."""
    (edit,) = [edit for edit in integration(at).edits if edit.path.name == "__init__.py"]
    context, names = Context(), {"__name__": "hermes_plugins.afterwit"}
    exec(compile(edit.added(""), "plugin", "exec"), names)
    names["PROGRAM"] = sys.executable if is_there else "/nowhere/afterwit"
    names["register"](context)  # type: ignore[operator]
    return context, names


def memory_tool(*program: str, **changed: Any) -> Tool:
    """The tool, with a program that stands in for ours."""
    context, names = loaded(AT._replace(server=(*program, "mcp")))
    names.update(changed)
    handler: Tool = context.tools["afterwit_memory"]["handler"]
    return handler


def test_where_the_program_is_gone_it_registers_nothing() -> None:
    context, _ = loaded(is_there=False)
    assert (context.hooks, context.tools) == ({}, {})


def test_it_registers_hooks_and_one_tool_of_its_own_name() -> None:
    context, _ = loaded()
    assert set(context.hooks) == {"pre_llm_call", "pre_tool_call", "transform_tool_result", "on_session_end"}
    assert set(loaded(EVERYTHING)[0].hooks) == set(context.hooks)
    (tool,) = context.tools.items()
    name, offered = tool
    assert (name, offered["toolset"]) == ("afterwit_memory", "afterwit_memory")
    assert offered["schema"] == MEMORY_TOOL
    assert offered["schema"]["parameters"] == TOOL_SCHEMA


def test_the_command_leads_to_a_store_that_lies_elsewhere() -> None:
    assert loaded()[1]["MEMORY"] == ["/opt/afterwit/bin/afterwit", "memory", "call"]
    _, names = loaded(AT._replace(store={"AFTERWIT_HOME": "/data/afterwit"}))
    assert names["MEMORY"] == ["env", "AFTERWIT_HOME=/data/afterwit", "/opt/afterwit/bin/afterwit", "memory", "call"]


def test_the_tool_remembers_through_the_real_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERWIT_HOME", str(tmp_path / "store"))
    remember = memory_tool(sys.executable, "-m", "afterwit")
    assert '"is_waiting": false' in remember({"action": "store", "key": "shell", "value": "fïsh"}, task_id="t1")
    assert '"value": "\\"fïsh\\""' in remember({"action": "retrieve", "key": "shell"})
    assert "must be one of store" in json.loads(remember({}))["error"]
    assert not json.loads(remember({"action": "retrieve", "key": 1}))["error"].startswith("afterwit")


@pytest.mark.parametrize(
    ("program", "what"),
    [
        (("/nowhere/afterwit",), "run `afterwit connect hermes` again"),
        ((sys.executable, "-c", "raise SystemExit(7)"), "The memory ended with 7."),
        ((sys.executable, "-c", "print('no JSON')"), "The memory ended with 0."),
        ((sys.executable, "-c", "print('[1]')"), "The memory ended with 0."),
        ((sys.executable, "-c", HANGS), "did not answer within 0.5 seconds"),
    ],
)
def test_a_program_that_is_gone_broken_or_slow_is_an_error_in_words(program: tuple[str, ...], what: str) -> None:
    answer = json.loads(memory_tool(*program, MEMORY_SECONDS=0.5)({"action": "list"}))
    assert list(answer) == ["error"]
    assert what in answer["error"]
