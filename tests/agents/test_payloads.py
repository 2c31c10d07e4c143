"""What each agent's hook is told and what it may answer: exactly, because a key too many is an error in some."""

import json
from types import ModuleType
from typing import Any

import pytest
from tests.every import for_every

from afterwit.agents import claude_code as claude
from afterwit.agents import cline_cli as cline
from afterwit.agents import codex, copilot, gemini, hermes, opencode, openhands, pi, qwen
from afterwit.agents import kimi_code as kimi
from afterwit.agents.hook_payloads import (
    AFTER,
    BEFORE,
    EVENTS,
    FORGETFUL,
    PROMPT,
    START,
    Answer,
    Moment,
    number_after,
    payloads_of,
)
from afterwit.agents.registry import AGENTS
from afterwit.redaction.shown import ours

ALL = [payloads_of(known.name) for known in AGENTS if known.hooks]


def read(agent: ModuleType, event: str, **payload: Any) -> Moment:
    moment = agent.read(event, payload)
    assert isinstance(moment, Moment)
    return moment


def said(agent: ModuleType, event: str, answer: Answer, **payload: Any) -> Any:
    text = agent.write(read(agent, event, **payload), answer)
    return json.loads(text) if text else None


@pytest.mark.parametrize(
    ("agent", "name"),
    [(claude, "SessionStart"), (codex, "SessionStart"), (gemini, "SessionStart"), (qwen, "SessionStart")],
)
def test_a_start_block_in_the_shape_of_claude_code(agent: ModuleType, name: str) -> None:
    assert said(agent, START, Answer(ours("T"))) == {
        "hookSpecificOutput": {"hookEventName": name, "additionalContext": "T"}
    }


def test_a_start_block_where_the_output_is_flat() -> None:
    assert said(copilot, START, Answer(ours("T")), sessionId="s") == {"additionalContext": "T"}
    for agent in (opencode, pi, hermes):
        assert said(agent, START, Answer(ours("T"))) == {"context": "T"}


def test_text_at_a_prompt() -> None:
    assert said(gemini, PROMPT, Answer(ours("T"))) == {
        "hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "T"}
    }
    assert kimi.write(read(kimi, PROMPT, prompt=[{"type": "text", "text": "hi"}]), Answer(ours("T"))) == "T"
    assert said(openhands, PROMPT, Answer(ours("T")), message="hi") == {"additionalContext": "T"}
    assert said(copilot, PROMPT, Answer(ours("T")), prompt="hi") == {"additionalContext": "T"}


def test_text_after_a_failure_bears_the_name_of_the_event_that_came() -> None:
    answer = said(claude, AFTER, Answer(ours("T")), hook_event_name="PostToolUseFailure")
    assert answer == {"hookSpecificOutput": {"hookEventName": "PostToolUseFailure", "additionalContext": "T"}}
    assert said(gemini, AFTER, Answer(ours("T")))["hookSpecificOutput"]["hookEventName"] == "AfterTool"
    assert said(cline, AFTER, Answer(ours("T"))) == {"contextModification": "T"}


@pytest.mark.parametrize("agent", [claude, codex, qwen, kimi])
def test_a_refusal_in_the_shape_of_claude_code(agent: ModuleType) -> None:
    said_before = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "R"}
    assert said(agent, BEFORE, Answer(reason=ours("R"))) == {"hookSpecificOutput": said_before}


def test_a_refusal_elsewhere() -> None:
    assert said(gemini, BEFORE, Answer(reason=ours("R"))) == {"decision": "deny", "reason": "R"}
    assert said(openhands, BEFORE, Answer(reason=ours("R"))) == {"decision": "deny", "reason": "R"}
    assert said(copilot, BEFORE, Answer(reason=ours("R"))) == {
        "permissionDecision": "deny",
        "permissionDecisionReason": "R",
    }
    for agent in (opencode, pi, hermes):
        assert said(agent, BEFORE, Answer(reason=ours("R"))) == {"deny": "R"}
    assert [known.name for known in AGENTS if known.hooks and not known.hooks.refuses] == ["cline-cli"]


def test_cline_names_the_session_that_its_files_are_named_by() -> None:
    task = {"taskId": "conv_1", "agent_id": "agent_1", "sessionContext": {"rootSessionId": "1794_meohp"}}
    own = read(cline, AFTER, **task, parent_agent_id=None)
    assert (own.session, own.context) == ("1794_meohp", "")
    subagent = read(cline, AFTER, **task, parent_agent_id="agent_0")
    assert (subagent.session, subagent.context) == ("1794_meohp", "agent_1")
    assert read(cline, AFTER, taskId="1794_meohp").session == "1794_meohp"


def test_cline_is_answered_for_what_the_command_printed() -> None:
    printed = "[Command exited with code 2]\n\n[stderr]\nfence: error: no such subcommand\n"
    part = {"query": "fence make", "result": printed, "error": "Command exited with code 2", "success": False}
    moment = read(cline, AFTER, taskId="s", tool_result={"name": "run_commands", "output": [part]})
    assert (moment.output, moment.exit_code, moment.is_error) == ("fence: error: no such subcommand", 2, True)


def test_openhands_names_a_conversation_as_its_folder_is_named() -> None:
    named = read(openhands, PROMPT, session_id="bf8d0b9a-c023-49af-b30a-8e407221eee0", message="Hello")
    assert named.session == "bf8d0b9ac02349afb30a8e407221eee0"
    assert read(openhands, PROMPT, session_id="orchard-1").session == "orchard-1"


def test_a_rewrite() -> None:
    changed: dict[str, object] = {"command": "new", "description": "d"}
    answer = Answer(ours("T"), arguments=changed)
    assert said(claude, BEFORE, answer)["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "updatedInput": changed,
        "additionalContext": "T",
    }
    assert said(codex, BEFORE, answer)["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "allow",
        "updatedInput": {"command": "new"},
        "additionalContext": "T",
    }
    assert said(gemini, BEFORE, answer) == {
        "hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": changed}
    }
    assert said(copilot, BEFORE, answer) == {"modifiedArgs": changed, "additionalContext": "T"}
    assert said(cline, BEFORE, Answer(arguments={"commands": ["new"]})) == {"overrideInput": {"commands": ["new"]}}
    assert said(opencode, BEFORE, answer) == {"input": changed, "context": "T"}
    unchanged = {known.name for known in AGENTS if known.hooks and not known.hooks.rewrites}
    assert unchanged == {"qwen", "kimi-code", "openhands"}


@pytest.mark.parametrize("agent", ALL)
@pytest.mark.parametrize("event", EVENTS)
def test_silence_is_no_output_at_all(agent: ModuleType, event: str) -> None:
    moment = agent.read(event, {"prompt": "words"})
    assert agent.write(moment, Answer()) == ""


@pytest.mark.parametrize("agent", ALL)
@pytest.mark.parametrize("event", EVENTS)
def test_fields_of_any_type_are_read_without_complaint(agent: ModuleType, event: str) -> None:
    names = """session_id sessionId session cwd prompt tool_name toolName tool tool_input toolArgs input tool_response
        toolResult tool_result tool_call output error exit_code is_error workspaceRoots message source""".split()  # noqa: SIM905
    values: tuple[Any, ...] = (None, 5, True, "text", [1, "a", None], {"command": 5, "output": [{}]}, [[]])
    for value in values:
        agent.read(event, dict.fromkeys(names, value))


def test_what_claude_code_says_of_a_failure() -> None:
    moment = read(
        claude,
        AFTER,
        session_id="s",
        hook_event_name="PostToolUseFailure",
        tool_name="Bash",
        tool_input={"command": "make"},
        tool_use_id="t",
        error="Exit code 2\nmake: no rule",
    )
    assert (moment.session, moment.command, moment.call) == ("s", "make", "t")
    assert (moment.is_error, moment.exit_code, moment.output) == (True, 2, "Exit code 2\nmake: no rule")


def test_an_interrupted_call_is_no_failure() -> None:
    moment = read(claude, AFTER, hook_event_name="PostToolUseFailure", error="stopped", is_interrupt=True)
    assert moment.is_error is None


def test_codex_does_not_say_how_a_command_ended() -> None:
    moment = read(codex, AFTER, tool_name="Bash", tool_input={"command": "make"}, tool_response="make: no rule")
    assert (moment.is_error, moment.exit_code, moment.output) == (None, None, "make: no rule")


@for_every(
    "agent, payload",
    [
        (gemini, {"tool_input": {"command": "x"}, "tool_response": {"llmContent": "Output: no\nExit Code: 2\n"}}),
        (
            qwen,
            {
                "hook_event_name": "PostToolUseFailure",
                "tool_input": {"command": "x"},
                "error": "Command: x\nDirectory: (root)\nOutput: no\nError: (none)\nExit Code: 2\nSignal: (none)",
            },
        ),
        (
            copilot,
            {"toolArgs": '{"command":"x"}', "toolResult": {"textResultForLlm": "no\n<completed with exit code 2>"}},
        ),
        (copilot, {"toolArgs": {"command": "x"}, "toolResult": {"textResultForLlm": "completed with exit code 2"}}),
        (openhands, {"tool_input": {"command": "x"}, "tool_response": {"content": [{"text": "no"}], "exit_code": 2}}),
        (
            cline,
            {
                "tool_result": {
                    "input": {"commands": ["x"]},
                    "output": [{"result": "Command exited with code 2", "success": False}],
                }
            },
        ),
        (pi, {"input": {"command": "x"}, "output": "no\n\nCommand exited with code 2", "is_error": True}),
        (hermes, {"input": {"command": "x"}, "output": '{"output":"no","exit_code":2,"error":null}'}),
        (opencode, {"input": {"command": "x"}, "output": "no", "exit_code": 2}),
    ],
)
def test_how_a_failed_command_is_told(agent: ModuleType, payload: dict[str, Any]) -> None:
    moment = read(agent, AFTER, **payload)
    assert (moment.is_error, moment.exit_code, moment.command) == (True, 2, "x")


@pytest.mark.parametrize("agent", [gemini, qwen])
def test_what_a_command_printed_is_taken_out_of_its_frame(agent: ModuleType) -> None:
    framed = "<untrusted_context>\nOutput: x: no such row\nExit Code: 2\nProcess Group PGID: 4\n</untrusted_context>"
    moment = read(agent, AFTER, tool_input={"command": "x"}, tool_response={"llmContent": framed})
    assert (moment.output, moment.exit_code) == ("x: no such row", 2)


@pytest.mark.parametrize(
    ("agent", "source"),
    [(claude, "resume"), (codex, "resume"), (gemini, FORGETFUL), (qwen, FORGETFUL), (copilot, FORGETFUL)],
)
def test_it_is_known_where_a_resumed_session_has_lost_what_was_said_at_its_start(
    agent: ModuleType, source: str
) -> None:
    assert read(agent, START, source="resume").source == source


def test_what_only_looks_like_a_prompt_is_none() -> None:
    assert claude.read(PROMPT, {"prompt": "<task-notification>done"}) is None
    assert qwen.read(PROMPT, {"prompt": ""}) is None
    assert hermes.read(PROMPT, {"prompt": "Review the conversation above and"}) is None
    assert read(gemini, PROMPT, prompt="<hook_context>ours</hook_context>\n\nfix it").prompt == "fix it"


@pytest.mark.parametrize("agent", [claude, codex, gemini, qwen])
def test_where_the_log_of_a_session_lies(agent: ModuleType) -> None:
    assert agent.read("end", {"session_id": "s1", "transcript_path": "/logs/s1.jsonl"}).transcript == "/logs/s1.jsonl"
    assert agent.read("end", {"session_id": "s1"}).transcript == ""


def test_an_editor_whose_argument_is_called_command_is_no_shell() -> None:
    moment = read(openhands, AFTER, tool_input={"command": "view", "path": "/w/a.py"})
    assert (moment.command, moment.path) == ("", "/w/a.py")


def test_a_command_is_put_in_where_the_old_one_stood() -> None:
    assert read(claude, BEFORE, tool_input={"command": "a", "timeout": 5}).with_command("b") == {
        "command": "b",
        "timeout": 5,
    }
    assert read(cline, BEFORE, tool_call={"input": {"commands": ["a"]}}).with_command("b") == {"commands": ["b"]}
    assert read(cline, BEFORE, tool_call={"input": {"commands": ["a", "c"]}}).with_command("b") is None


@pytest.mark.parametrize(
    ("text", "number"),
    [("exit code: 12.", 12), ("exit code -1", -1), ("exit code x", None), ("", None), ("exit code", None)],
)
def test_a_number_after_a_phrase(text: str, number: int | None) -> None:
    assert number_after(text, "exit code") == number
