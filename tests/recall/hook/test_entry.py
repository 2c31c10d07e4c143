"""The hook as agents call it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.every import for_every
from tests.recall.hook.conftest import BLOCKS, LINES, MAIN, Hook

from afterwit.agents.hook_payloads import EVENTS, LONGEST_ID, payloads_of
from afterwit.agents.registry import AGENTS
from afterwit.model.knowledge import Trigger
from afterwit.recall.deck.write import DeckBlock
from afterwit.recall.prompt_block import BlockLine, BlockSection
from afterwit.redaction.shown import ours

OPENING, CLOSING = "[afterwit notes from past sessions]", "[end of afterwit notes]"
BLOCK = f"""{OPENING}
Standing rules
- Run `make check` before a commit (0.9).
Commands that work here
- Tests: `uv run pytest` (0.8).
{CLOSING}"""
FIX = f"{OPENING}\n- `pnpm test --fast` fails here; use `pnpm run unit`.\n{CLOSING}"
UNKNOWN_OPTION = "error: unknown option --fast"


def test_a_session_starts_with_its_block_whole_and_once(hook: Hook) -> None:
    assert hook.claude("start", source="startup").context == BLOCK
    assert hook.claude("start", source="startup").stdout == ""
    assert hook.claude("start", source="startup", session="s2").context == BLOCK


@pytest.mark.parametrize("event", EVENTS)
def test_where_an_agent_reads_for_us_nothing_is_said_or_noted(hook: Hook, event: str) -> None:
    before = {path: path.stat().st_mtime_ns for path in hook.layout.root.rglob("*")}
    hook.environ["AFTERWIT_READING"] = "1"
    answered = hook.claude(event, source="startup", prompt="speed up the import", tool_name="Bash")
    assert (answered.stdout, answered.stderr) == ("", "")
    assert {path: path.stat().st_mtime_ns for path in hook.layout.root.rglob("*")} == before


def test_the_block_comes_again_once_after_a_compaction(hook: Hook) -> None:
    hook.claude("start", source="startup")
    assert hook.claude("start", source="compact").context == BLOCK
    assert hook.claude("prompt", prompt="go on").stdout == ""


def test_a_compaction_that_is_told_apart_brings_the_block_with_the_next_prompt(hook: Hook) -> None:
    hook.claude("start", source="startup")
    hook.claude("prompt", prompt="first")
    assert hook.claude("compact").stdout == ""
    assert hook.claude("prompt", prompt="second").context == BLOCK
    assert hook.claude("prompt", prompt="third").stdout == ""


def test_a_resumed_session_gets_no_block(hook: Hook) -> None:
    assert hook.claude("start", source="resume").stdout == ""
    assert hook.claude("prompt", prompt="go on").stdout == ""
    assert "make check" not in hook.claude("prompt", prompt="speed up the import").context


def test_where_a_resume_has_lost_what_was_said_at_the_start_the_block_comes_again(hook: Hook) -> None:
    hook.qwen("start", source="startup")
    assert hook.qwen("start", source="resume").context == BLOCK
    assert hook.qwen("prompt", prompt="go on").stdout == ""


def test_a_block_that_came_with_a_prompt_is_still_there_when_such_a_session_is_resumed(hook: Hook) -> None:
    assert BLOCK in hook.qwen("prompt", prompt="go on").context  # the call at the start was cut short
    assert hook.qwen("start", source="resume").stdout == ""
    assert hook.qwen("prompt", prompt="and now?").stdout == ""


def test_a_cleared_context_starts_anew(hook: Hook) -> None:
    hook.claude("start", source="startup")
    hook.failed("pnpm test --fast", UNKNOWN_OPTION)
    assert hook.claude("start", source="clear").context == BLOCK
    assert hook.failed("pnpm test --fast", UNKNOWN_OPTION).context == FIX


def test_the_first_prompt_gets_what_is_known_of_its_topic(hook: Hook) -> None:
    hook.claude("start", source="startup")
    said = hook.claude("prompt", prompt="Imports need more speed").context.splitlines()
    assert (said[0], said[-2:]) == (OPENING, ["- The importer is in `src/importer.py`.", CLOSING])
    assert hook.claude("prompt", prompt="Imports need more speed", session="s1").stdout == ""


def test_a_later_prompt_gets_what_its_words_bring_once(hook: Hook) -> None:
    hook.claude("start", source="startup")
    assert hook.claude("prompt", prompt="Hello there").stdout == ""
    assert "The importer is in" in hook.claude("prompt", prompt="Imports need more speed").context
    assert hook.claude("prompt", prompt="Imports need more speed").stdout == ""


def test_where_no_start_was_seen_the_first_prompt_brings_the_block(hook: Hook) -> None:
    assert hook.claude("prompt", prompt="Hello there").context == BLOCK


def test_a_known_failure_is_answered_once(hook: Hook) -> None:
    assert hook.failed("pnpm test --fast", UNKNOWN_OPTION).context == FIX
    assert hook.failed("pnpm test --fast", UNKNOWN_OPTION).stdout == ""


def test_a_subagent_has_not_heard_what_its_session_heard(hook: Hook) -> None:
    hook.failed("pnpm test --fast", UNKNOWN_OPTION)
    assert hook.failed("pnpm test --fast", UNKNOWN_OPTION, agent_id="a1").context == FIX


def test_a_subagent_that_is_compacted_leaves_its_session_as_it_was(hook: Hook) -> None:
    hook.claude("start", source="startup")
    hook.claude("prompt", prompt="first")
    hook.failed("pnpm test --fast", UNKNOWN_OPTION)
    assert hook.claude("compact", agent_id="a1").stdout == ""
    assert hook.failed("pnpm test --fast", UNKNOWN_OPTION).stdout == ""
    assert hook.claude("prompt", prompt="second").stdout == ""


@pytest.mark.parametrize("source", ["startup", "compact", "clear"])
def test_the_block_is_the_sessions_own(hook: Hook, source: str) -> None:
    hook.claude("start", source="startup")
    assert hook.claude("start", source=source, agent_id="a1").stdout == ""
    assert hook.claude("prompt", prompt="Hello there", session="s2", agent_id="a1").stdout == ""
    assert hook.claude("prompt", prompt="Hello there", session="s2").context == BLOCK


def test_nothing_is_said_that_the_output_says_already(hook: Hook) -> None:
    assert hook.failed("pnpm test --fast", f"{UNKNOWN_OPTION}\nDid you mean pnpm run unit?").stdout == ""


@pytest.mark.parametrize(
    ("command", "error"),
    [("pnpm test --slow", "error: unknown option --slow"), ("npm test --fast", UNKNOWN_OPTION), ("ls", "no such file")],
)
def test_another_failure_gets_nothing(hook: Hook, command: str, error: str) -> None:
    assert hook.failed(command, error).stdout == ""


def test_elsewhere_nothing_of_this_repository_is_said(hook: Hook, tmp_path: Path) -> None:
    elsewhere = {"cwd": str(tmp_path / "elsewhere")}
    assert hook.claude("start", source="startup", **elsewhere).stdout == ""
    assert hook.claude("prompt", prompt="Imports need more speed", **elsewhere).stdout == ""
    assert hook.failed("pnpm test --fast", UNKNOWN_OPTION, **elsewhere).stdout == ""


def test_failures_of_the_work_itself_get_nothing(hook: Hook) -> None:
    assert hook.failed("ruff check .", "src/a.py:1:80: E501 Line too long (99 > 88)\nFound 1 error.").stdout == ""
    assert hook.failed("pytest", "FAILED tests/test_press.py::test_pears - assert 1 == 2\n1 failed").stdout == ""


def test_what_holds_everywhere_is_said_everywhere_and_an_agents_own_only_there(hook: Hook) -> None:
    answered = hook.failed("gradl tasks", "zsh: command not found: gradl", cwd="/srv/elsewhere")
    assert "Gradle is called" in answered.context
    assert "Only for Codex" not in answered.context


def test_a_file_brings_what_is_known_of_it(hook: Hook) -> None:
    touched: dict[str, Any] = {"tool_name": "Edit", "tool_input": {"file_path": str(hook.project / "src/api/users.py")}}
    assert "Files here are generated." in hook.claude("after", **touched, tool_response={"ok": 1}).context
    other: dict[str, Any] = {
        "tool_name": "Edit",
        "tool_input": {"file_path": str(hook.project / "src/api/deep/users.py")},
    }
    assert hook.claude("after", **other, tool_response={"ok": 1}, session="s2").stdout == ""


def test_a_command_is_refused_once_and_then_passes(hook: Hook) -> None:
    refused = hook.before("pnpm test --fast src", "--refuse").output["hookSpecificOutput"]
    assert refused["permissionDecision"] == "deny"
    assert refused["permissionDecisionReason"] == (
        f"{OPENING}\n`pnpm test --fast` fails here; use `pnpm run unit`.\n"
        f"Use `pnpm run unit`, or call the same command again to run it as it is.\n{CLOSING}"
    )
    assert hook.before("pnpm test --fast src", "--refuse").stdout == ""


def test_a_refusal_that_comes_back_is_no_failure(hook: Hook) -> None:
    reason = hook.before("pnpm test --fast src", "--refuse").output["hookSpecificOutput"]["permissionDecisionReason"]
    assert hook.failed("pnpm test --fast src", f"{reason}\n{UNKNOWN_OPTION}", session="s2").stdout == ""
    assert [call["status"] for call in hook.records("tool")] == ["denied"]


def test_an_answer_of_our_own_server_is_no_refusal(hook: Hook) -> None:
    asked: dict[str, Any] = {"tool_name": "mcp__afterwit__recall", "tool_input": {"task": "prune"}}
    assert hook.claude("after", **asked, tool_response=f"{OPENING}\n- A note.\n{CLOSING}").stdout == ""
    assert [call["status"] for call in hook.records("tool")] == ["succeeded"]


def test_a_known_correction_is_put_in_for_that_very_command(hook: Hook) -> None:
    change = LINES[0]._replace(advice="wrapit cargo → cargo", triggers=(Trigger(program="wrapit", words=("cargo",)),))
    hook.compile(lines=[change])
    said = hook.before("wrapit cargo test", "--rewrite", "--refuse").output
    assert said["hookSpecificOutput"]["updatedInput"] == {"command": "cargo test"}
    assert "afterwit runs `cargo test` instead" in said["systemMessage"]
    text = said["hookSpecificOutput"]["additionalContext"]
    assert text.endswith(f"afterwit runs `cargo test` instead of `wrapit cargo test`.\n{CLOSING}")
    assert hook.before("wrapit cargo test | tail", "--rewrite", session="s2").stdout == ""


def test_advice_that_is_a_command_of_its_own_is_put_in_for_no_other(hook: Hook) -> None:
    assert hook.before("pnpm test --fast", "--rewrite").stdout == ""


def test_without_being_asked_for_nothing_is_refused_or_rewritten(hook: Hook) -> None:
    assert hook.before("pnpm test --fast").stdout == ""
    assert "deny" in hook.before("pnpm test --fast", "--refuse").stdout


def test_a_session_that_is_held_out_gets_nothing_and_is_recorded(hook: Hook) -> None:
    hook.compile(session_share=1.0)
    assert hook.claude("start", source="startup").stdout == ""
    assert hook.failed("pnpm test --fast", UNKNOWN_OPTION).stdout == ""
    assert hook.before("pnpm test --fast src", "--refuse").stdout == ""
    start, after = hook.records("draw")
    assert (start["held"], start["items"], start["text"]) == (1, {"rule-1": 0, "cmd-1": 0}, "")
    assert "make check" in start["would"]
    assert (after["items"], after["would"]) == ({"fix-1": 0}, "- `pnpm test --fast` fails here; use `pnpm run unit`.")


def test_no_single_line_of_the_page_is_held_out(hook: Hook) -> None:
    entries = tuple(BlockLine(f"item-{number}", ours(f"- Rule {number}.")) for number in range(40))
    hook.compile(blocks=[DeckBlock((BlockSection(ours("Rules"), entries),), repo=BLOCKS[0].repo)], item_share=0.5)
    texts = {hook.claude("start", source="startup", session=f"s{number}").context for number in range(3)}
    assert [text.count("- Rule ") for text in texts] == [40]
    assert all(set(drawn["items"].values()) == {1} and "would" not in drawn for drawn in hook.records("draw"))


def test_what_was_shown_is_in_the_spool(hook: Hook) -> None:
    hook.failed("pnpm test --fast", UNKNOWN_OPTION)
    (drawn,) = hook.records("draw")
    assert (drawn["agent"], drawn["session"], drawn["moment"]) == ("claude-code", "s1", "after")
    assert (drawn["items"], drawn["text"], "would" in drawn) == ({"fix-1": 1}, FIX, False)
    assert drawn["signature"] == "pnpm test: unknown option --fast"


def test_calls_are_noted_without_their_secrets(hook: Hook) -> None:
    secret = "ghp_" + "a1B2" * 9
    hook.failed(f"deploy --token {secret} --to=staging", f"denied for {secret}")
    (call,) = hook.records("tool")
    assert (call["tool"], call["status"], call["target"]) == ("Bash", "failed", "deploy --token … --to=staging")
    assert secret not in "".join(path.read_text() for path in hook.layout.spool.iterdir())


def test_a_long_block_is_cut_at_a_line(hook: Hook) -> None:
    entries = tuple(BlockLine(f"item-{number}", ours(f"- Rule {number}: {'x' * 100}")) for number in range(200))
    hook.compile(blocks=[DeckBlock((BlockSection(ours("Rules"), entries),), repo=BLOCKS[0].repo)])
    text = hook.claude("start", source="startup").context
    assert 9_000 < len(text) <= 9_500
    assert text.endswith(f"x\n{CLOSING}")


def test_the_end_of_a_session_is_noted_and_starts_a_learn(hook: Hook, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    hook.compile(learn_command=("/bin/sh", "-c", 'echo "$0" > "$1"', "{agent}", str(pipe)))
    assert hook.claude("end", transcript_path="/logs/s1.jsonl; rm").stdout == ""
    assert pipe.read_text() == "{agent}\n"
    noted = [(record["session"], record["transcript"]) for record in hook.records("ended")]
    assert noted == [("s1", "/logs/s1.jsonl; rm")]


@pytest.mark.parametrize("content", [b"", b"junk", b"[]", b"{}", b'{"session_id": 5}', b"\xff\xfe", b'{"a":' * 50_000])
@pytest.mark.parametrize("agent", ["claude-code", "hermes"])
def test_input_that_makes_no_sense_is_met_with_silence(hook: Hook, content: bytes, agent: str) -> None:
    assert hook(agent, "after", content) == (0, "", "")


@pytest.mark.parametrize("arguments", [[], ["nobody", "start"], ["codex"], ["codex", "never"], ["../codex", "start"]])
def test_a_call_that_makes_no_sense_is_met_with_silence(hook: Hook, arguments: list[str]) -> None:
    assert hook.raw(arguments, b'{"session_id": "s1"}') == (0, "", "")


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("field", ["session_id", "agent_id"])
def test_an_id_that_is_too_long_to_be_one_is_met_with_silence(hook: Hook, event: str, field: str) -> None:
    shell = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a"}}
    payload = {"session_id": "s1", "cwd": str(hook.project), "source": "startup", "prompt": "Hello there", **shell}
    assert hook("claude-code", event, payload | {field: "x" * (LONGEST_ID + 1)}) == (0, "", "")
    assert list(hook.layout.spool.iterdir()) == []


def test_the_longest_id_is_taken(hook: Hook) -> None:
    assert hook.claude("start", source="startup", session="x" * LONGEST_ID).context == BLOCK


def test_a_call_is_noted_even_if_there_is_nothing_to_record(hook: Hook) -> None:
    called = hook.layout.spool / "kimi-code.called"
    payload = {"session_id": "s1", "cwd": "/elsewhere", "hook_event_name": "UserPromptSubmit", "prompt": "Hello"}
    hook("kimi-code", "before", payload, "--refuse")
    os.utime(called, (1, 1))
    hook("kimi-code", "before", payload, "--refuse")
    assert called.stat().st_mtime > 1
    assert (called.stat().st_size, called.stat().st_mode & 0o777) == (0, 0o600)


@pytest.mark.parametrize("agent", ["qwen", "kimi-code"])
def test_the_end_of_a_turn_ends_the_session_once_in_a_while(hook: Hook, agent: str) -> None:
    payload = {"session_id": "s1", "cwd": str(hook.project)}
    for _ in range(3):
        hook(agent, "end", payload | {"hook_event_name": "Stop"})
    (first,) = hook.records("ended")
    assert (first["agent"], first["session"]) == (agent, "s1")
    hook(agent, "end", payload | {"hook_event_name": "SessionEnd"})
    assert len(hook.records("ended")) == 2
    (file,) = hook.layout.spool.glob("*.jsonl")
    file.write_text(json.dumps({**first, "at": first["at"] - 700_000}) + "\n")
    hook(agent, "end", payload | {"hook_event_name": "Stop"})
    assert len(hook.records("ended")) == 2


def test_without_a_store_nothing_happens(hook: Hook, tmp_path: Path) -> None:
    hook.environ["AFTERWIT_HOME"] = str(tmp_path / "nowhere")
    assert hook.claude("start", source="startup") == (0, "", "")
    assert not (tmp_path / "nowhere").exists()


def test_without_a_deck_calls_are_still_noted(hook: Hook) -> None:
    hook.layout.deck.unlink()
    assert hook.failed("pnpm test --fast", UNKNOWN_OPTION) == (0, "", "")
    assert len(hook.records("tool")) == 1
    assert hook.records("fault") == []


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\0" * 5_000])
def test_a_corrupt_deck_is_a_fault_that_only_the_spool_hears_of(hook: Hook, content: bytes) -> None:
    hook.layout.deck.write_bytes(content)
    assert hook.claude("start", source="startup") == (0, "", "")
    assert hook.failed("pnpm test --fast", UNKNOWN_OPTION) == (0, "", "")
    assert len(hook.records("fault")) == 2
    assert len(hook.records("tool")) == 1


@pytest.mark.parametrize("content", [None, b"", b"no database"])
def test_a_part_that_cannot_be_read_is_a_fault_and_the_rest_is_said(hook: Hook, content: bytes | None) -> None:
    for part in hook.layout.deck_parts.iterdir():
        part.unlink() if content is None else part.write_bytes(content)
    assert hook.failed("pnpm test --fast", UNKNOWN_OPTION) == (0, "", "")
    assert len(hook.records("fault")) == 1
    assert "Gradle is called by" in hook.failed("gradl build", "sh: 1: gradl: command not found").context
    assert hook.claude("start", source="startup").context == BLOCK
    assert len(hook.records("fault")) == 2


def test_a_locked_deck_is_read_all_the_same(hook: Hook) -> None:
    other = apsw.Connection(str(hook.layout.deck))
    other.execute("BEGIN EXCLUSIVE")
    assert hook.claude("start", source="startup").context == BLOCK
    other.close()


def test_a_spool_that_cannot_be_written_means_silence(hook: Hook) -> None:
    for name in ("claude-code", "codex"):
        hook(name, "start", {"session_id": "s1", "cwd": str(hook.project)})
    for path in hook.layout.spool.iterdir():
        path.unlink()
        path.symlink_to("/dev/null")
    assert hook.claude("start", source="startup") == (0, "", "")


def test_a_fault_says_where_and_nothing_of_the_input(hook: Hook) -> None:
    hook("codex", "after", b'{"prompt": "my secret words"')
    (fault,) = hook.records("fault")
    assert (fault["agent"], fault["event"]) == ("codex", "after")
    assert "secret" not in str(fault)


def test_a_hook_that_takes_too_long_ends_silently_with_zero() -> None:
    script = (
        "from afterwit.recall.hook.entry import start_timer; import os; start_timer(0.05); os.read(0, 1); print('late')"
    )
    with subprocess.Popen(
        [sys.executable, "-I", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read() == b""
        assert process.wait(timeout=30) == 0


@for_every("given, printed", [("0", b""), ("-9", b""), ("1e9", b""), ("²", b""), ("9999", b""), ("600", b"late\n")])
def test_a_slow_machine_may_give_hooks_more_whole_seconds(given: str, printed: bytes) -> None:
    script = (
        "from afterwit.recall.hook.entry import start_timer; import time; "
        "start_timer(0.01); time.sleep(0.3); print('late')"
    )
    environ = {**os.environ, "AFTERWIT_HOOK_SECONDS": given, "PYTHONUTF8": "1"}
    ran = subprocess.run([sys.executable, "-c", script], env=environ, capture_output=True, timeout=30, check=False)
    assert (ran.returncode, ran.stdout) == (0, printed)


def test_what_is_being_delivered_is_not_cut_off() -> None:
    script = (
        "from afterwit.recall.hook.entry import start_timer, stop_timer; import os, time; start_timer(0.01);"
        "stop_timer(); stop_timer();"
        "time.sleep(0.1); os.write(1, b'whole'); os._exit(0)"
    )
    ran = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, timeout=30, check=False)
    assert (ran.returncode, ran.stdout) == (0, b"whole")


LOADED = f"import os, sys; os._exit = lambda code: print(*sorted(sys.modules), file=sys.stderr); {MAIN}"
HEAVY = {"re", "json", "enum", "typing", "pathlib", "dataclasses", "hashlib", "msgspec", "click", "rich", "re2"}


def loaded(hook: Hook, event: str, payload: dict[str, Any], *flags: str) -> set[str]:
    """The modules that a call loads."""
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {LOADED}"]
    content = json.dumps({"session_id": "s9", "cwd": str(hook.project), **payload}).encode()
    ran = subprocess.run(
        [*command, "claude-code", event, *flags], input=content, capture_output=True, env=hook.environ, check=True
    )
    return set(ran.stderr.decode().split())


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("start", {"source": "startup"}),
        ("after", {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a"}}),
        (
            "after",
            {
                "hook_event_name": "PostToolUseFailure",
                "tool_name": "Bash",
                "tool_input": {"command": "ls x"},
                "error": "no",
            },
        ),
        ("before", {"tool_name": "Bash", "tool_input": {"command": "git status"}}),
        ("before", {"tool_name": "Bash", "tool_input": {"command": "pnpm install"}}),
        ("end", {}),
    ],
)
def test_a_usual_call_loads_nothing_slow(hook: Hook, event: str, payload: dict[str, Any]) -> None:
    assert loaded(hook, event, payload, "--refuse") & HEAVY == set()


def known_failure(command: str, error: str = UNKNOWN_OPTION) -> dict[str, Any]:
    return {
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "error": f"Exit code 1\n{error}",
    }


@pytest.mark.parametrize(
    ("event", "payload", "said"),
    [
        ("after", known_failure("pnpm test --fast"), "pnpm run unit"),
        ("after", known_failure("cd web && pnpm test --fast src 2>&1 | tail -5"), "pnpm run unit"),
        ("after", known_failure("cd a; wrapit cargo build", "error: unrecognized subcommand 'cargo'"), "cargo build"),
        ("before", {"tool_name": "Bash", "tool_input": {"command": "cd web && pnpm test --fast src"}}, "pnpm run unit"),
    ],
)
def test_a_call_of_which_something_is_known_is_answered(
    hook: Hook, event: str, payload: dict[str, Any], said: str
) -> None:
    assert said in hook.claude(event, "--refuse", session="s10", **payload).stdout


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("prompt", {"prompt": "Imports need more speed"}),
        ("before", {"tool_name": "Bash", "tool_input": {"command": "sudo pnpm test --fast src"}}),
        ("after", known_failure("pnpm test --fast", f"{UNKNOWN_OPTION}\nUsage: pnpm test")),
    ],
)
def test_no_call_loads_what_hooks_must_not(hook: Hook, event: str, payload: dict[str, Any]) -> None:
    found = loaded(hook, event, payload, "--refuse")
    assert found & {"msgspec", "click", "rich", "re2", "afterwit.model.zstd", "dataclasses"} == set()
    assert "afterwit.recall.hook.entry" in found


@pytest.mark.parametrize(
    ("event", "payload", "most"),
    [
        ("start", {"source": "startup"}, 25),
        ("prompt", {"prompt": "Imports need more speed"}, 30),
        ("before", {"tool_name": "Bash", "tool_input": {"command": "pnpm install"}}, 25),
        ("after", {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a"}}, 25),
        ("after", known_failure("ls x", "no"), 25),
        ("after", known_failure("pnpm test --fast"), 45),
        ("end", {}, 25),
    ],
)
def test_an_answer_takes_few_modules(hook: Hook, event: str, payload: dict[str, Any], most: int) -> None:
    modules = {name for name in loaded(hook, event, payload, "--refuse") if name.partition(".")[0] == "afterwit"}
    assert "afterwit.recall.hook.call" in modules
    assert len(modules) <= most


def test_every_agent_has_payloads_of_the_same_shape() -> None:
    for agent in AGENTS:
        module = payloads_of(agent.name)
        assert (module is not None) is (agent.hooks is not None)
        if module is None:
            continue
        assert callable(module.read)
        assert callable(module.write)


def test_what_reads_and_answers_the_hooks_of_any_agent_is_loaded_fast() -> None:
    names = [agent.name for agent in AGENTS if agent.hooks]
    code = "import sys; from afterwit.agents.hook_payloads import payloads_of; "
    code += f"[payloads_of(name).read for name in {names}]; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert "afterwit.agents.codex" in modules
    assert modules & {"msgspec", "click", "rich", "re2", "afterwit.model.zstd", "json", "dataclasses"} == set()
    assert [name for name in modules if name.startswith(("afterwit.sources", "afterwit.edits", "afterwit.store"))] == []


def test_the_end_of_a_session_is_noted_in_a_folder_that_is_gone(hook: Hook, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"import os; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r}); {MAIN}"
    for event in ("end", "start"):
        command = [sys.executable, "-I", "-c", script, "claude-code", event]
        gone.mkdir(exist_ok=True)
        done = subprocess.run(command, input=b'{"session_id": "s1"}', capture_output=True, env=hook.environ, check=True)
        assert done.stderr == b""
    assert [record["session"] for record in hook.records("ended")] == ["s1"]
    assert hook.records("fault") == []


@pytest.mark.parametrize("name", ["session_id", "agent_id"])
@pytest.mark.parametrize("given", ["ghp_" + "q7Rk2ZsV" * 4, "sk-" + "ant-api03-Qm7xW2", "password=hunter22", "a b"])
def test_an_id_that_looks_like_a_secret_is_not_noted(hook: Hook, name: str, given: str) -> None:
    hook.claude("end", **({"session": given} if name == "session_id" else {name: given}))
    hook.failed("pnpm test --fast", UNKNOWN_OPTION, **({"session": given} if name == "session_id" else {name: given}))
    assert not any(given.encode() in path.read_bytes() for path in hook.layout.root.rglob("spool/*"))
