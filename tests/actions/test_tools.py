"""Kinds, targets, commands and paths of tool calls, agent by agent."""

from typing import Any

from tests.every import for_every

from afterwit.actions.tools import command_of, kind_of, paths_of, target_of
from afterwit.agents.registry import tool_kinds
from afterwit.model.kinds import ActionKind

PATCH = "*** Begin Patch\n{}\n*** End Patch"
ADD = PATCH.format("*** Add File: src/new.py\n+x = 1")
UPDATE = PATCH.format(
    "*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y\n*** Delete File: c.py\n*** Add File: d.py\n+z"
)

CALLS: list[tuple[str, str, dict[str, Any], str, str]] = [
    ("claude-code", "Bash", {"command": "make"}, "shell", "make"),
    ("claude-code", "BashOutput", {"bash_id": "b1"}, "shell", "b1"),
    ("claude-code", "KillShell", {"shell_id": "b1"}, "shell", "b1"),
    ("claude-code", "Read", {"file_path": "a.py", "limit": 5}, "read", "a.py"),
    ("claude-code", "Edit", {"file_path": "a.py", "old_string": "x"}, "edit", "a.py"),
    ("claude-code", "MultiEdit", {"file_path": "a.py", "edits": []}, "edit", "a.py"),
    ("claude-code", "Write", {"file_path": "a.py", "content": ""}, "write", "a.py"),
    ("claude-code", "NotebookEdit", {"notebook_path": "n.ipynb"}, "edit", "n.ipynb"),
    ("claude-code", "Grep", {"pattern": "def x", "path": "src"}, "search", "def x"),
    ("claude-code", "Glob", {"pattern": "**/*.py"}, "search", "**/*.py"),
    ("claude-code", "LS", {"path": "src"}, "search", "src"),
    ("claude-code", "WebFetch", {"url": "https://example.org", "prompt": "p"}, "web", "https://example.org"),
    ("claude-code", "WebSearch", {"query": "how"}, "web", "how"),
    ("claude-code", "Task", {"subagent_type": "Explore", "prompt": "p"}, "delegate", "Explore"),
    ("claude-code", "Agent", {"description": "look", "prompt": "p"}, "delegate", "look"),
    ("claude-code", "TaskCreate", {"subject": "Write tests"}, "plan", "Write tests"),
    ("claude-code", "TaskUpdate", {"taskId": "3", "status": "done"}, "plan", "3"),
    ("claude-code", "TaskList", {}, "plan", ""),
    ("claude-code", "TodoWrite", {"todos": []}, "plan", ""),
    ("claude-code", "ExitPlanMode", {"plan": "…"}, "plan", ""),
    ("claude-code", "EnterPlanMode", {}, "plan", ""),
    ("claude-code", "TaskOutput", {"task_id": "b123"}, "shell", "b123"),
    ("claude-code", "TaskOutput", {"task_id": "a123"}, "delegate", "a123"),
    ("claude-code", "TaskStop", {"task_id": "a123"}, "delegate", "a123"),
    ("claude-code", "Skill", {"skill": "commit"}, "skill", "commit"),
    ("claude-code", "Skill", {"command": "commit"}, "skill", "commit"),
    ("claude-code", "ToolSearch", {"query": "select:X"}, "other", "select:X"),
    ("claude-code", "AskUserQuestion", {"questions": []}, "other", ""),
    ("claude-code", "mcp__ide__getDiagnostics", {"uri": "x"}, "mcp", "ide/getDiagnostics"),
    ("codex", "exec_command", {"cmd": "make", "workdir": "x"}, "shell", "make"),
    ("codex", "shell", {"command": ["bash", "-lc", "make | tail"]}, "shell", "make | tail"),
    ("codex", "shell_command", {"command": "make"}, "shell", "make"),
    ("codex", "local_shell_call", {"action": {"type": "exec", "command": ["ls", "-l"]}}, "shell", "ls -l"),
    ("codex", "write_stdin", {"session_id": 7, "chars": "y\n"}, "shell", "y\n"),
    ("codex", "write_stdin", {"session_id": 7, "chars": ""}, "shell", "7"),
    ("codex", "apply_patch", {"input": UPDATE}, "edit", "a.py"),
    ("codex", "apply_patch", {"input": ADD}, "write", "src/new.py"),
    ("codex", "apply_patch", {"command": ADD}, "write", "src/new.py"),
    ("codex", "shell", {"command": ["apply_patch", UPDATE]}, "edit", "a.py"),
    ("codex", "exec_command", {"cmd": f"apply_patch <<'EOF'\n{ADD}\nEOF"}, "write", "src/new.py"),
    ("codex", "update_plan", {"plan": [], "explanation": "next"}, "plan", "next"),
    ("codex", "view_image", {"path": "a.png"}, "read", "a.png"),
    ("codex", "web_search_call", {"action": {"type": "search", "query": "q"}}, "web", "q"),
    ("codex", "web_search_call", {"type": "search", "queries": ["q1", "q2"]}, "web", "q1"),
    ("codex", "spawn_agent", {"agent_type": "worker", "message": "m"}, "delegate", "worker"),
    ("codex", "send_input", {"target": "t1", "message": "m"}, "delegate", "t1"),
    ("codex", "wait_agent", {"targets": ["t1"]}, "delegate", "t1"),
    ("codex", "close_agent", {"target": "t1"}, "delegate", "t1"),
    ("codex", "tool_search_call", {"query": "q"}, "other", "q"),
    ("codex", "mcp__docs.ask_question", {"question": "x"}, "mcp", "docs/ask_question"),
    ("codex", "list_mcp_resources", {"server": "docs"}, "mcp", "docs"),
    ("codex", "read_mcp_resource", {"server": "docs", "uri": "u:1"}, "mcp", "docs/u:1"),
    ("gemini", "run_shell_command", {"command": "make"}, "shell", "make"),
    ("gemini", "read_file", {"absolute_path": "/x/a.py"}, "read", "/x/a.py"),
    ("gemini", "write_file", {"file_path": "a.py"}, "write", "a.py"),
    ("gemini", "replace", {"file_path": "a.py"}, "edit", "a.py"),
    ("gemini", "search_file_content", {"pattern": "x"}, "search", "x"),
    ("gemini", "google_web_search", {"query": "q"}, "web", "q"),
    ("copilot", "bash", {"command": "make"}, "shell", "make"),
    ("copilot", "view", {"path": "a.py"}, "read", "a.py"),
    ("copilot", "create", {"path": "a.py"}, "write", "a.py"),
    ("copilot", "str_replace_editor", {"command": "view", "path": "a.py"}, "read", "a.py"),
    ("copilot", "str_replace_editor", {"command": "create", "path": "a.py"}, "write", "a.py"),
    ("copilot", "str_replace_editor", {"command": "str_replace", "path": "a.py"}, "edit", "a.py"),
    ("opencode", "read", {"filePath": "a.py"}, "read", "a.py"),
    ("opencode", "list", {"path": "src"}, "search", "src"),
    ("opencode", "webfetch", {"url": "u"}, "web", "u"),
    ("opencode", "task", {"subagent_type": "general"}, "delegate", "general"),
    ("opencode", "todowrite", {}, "plan", ""),
    ("hermes", "terminal", {"command": "make"}, "shell", "make"),
    ("hermes", "patch", {"path": "a.py", "mode": "replace"}, "edit", "a.py"),
    ("hermes", "search_files", {"pattern": "x"}, "search", "x"),
    ("hermes", "skill_view", {"name": "deploy"}, "skill", "deploy"),
    ("hermes", "delegate_task", {"agent": "scout"}, "delegate", "scout"),
    ("hermes", "process", {"session_id": "s"}, "shell", "s"),
    ("goose", "developer__shell", {"command": "ls"}, "shell", "ls"),
    ("kimi", "ReadFile", {"path": "a.py"}, "read", "a.py"),
    ("kimi", "StrReplaceFile", {"path": "a.py"}, "edit", "a.py"),
    ("nobody", "frobnicate", {"x": 1}, "other", ""),
    ("nobody", "", {}, "other", ""),
    ("grok", "run_terminal_command", {"command": "make"}, "shell", "make"),
    ("grok", "execute", {"command": "make"}, "shell", "make"),
    ("grok", "use_tool", {"tool_name": "notes__add"}, "mcp", "notes__add"),
    ("droid", "Execute", {"command": "make"}, "shell", "make"),
    ("cursor-cli", "Delete", {"path": "a.py"}, "edit", "a.py"),
    ("cline", "use_subagents", {"prompt_1": "look"}, "delegate", ""),
    ("cline-cli", "run_commands", {"commands": ["make"], "command": "make"}, "shell", "make"),
    ("cline-cli", "read_files", {"files": ["a.py"]}, "read", "a.py"),
    ("openhands", "run", {"command": "make"}, "shell", "make"),
    ("openhands", "file_editor", {"command": "view", "path": "a.py"}, "read", "a.py"),
    ("openhands", "file_editor", {"command": "str_replace", "path": "a.py"}, "edit", "a.py"),
    ("aider", "run", {"command": "make"}, "shell", "make"),
    ("swe-agent", "scroll_down", {"path": "a.py"}, "read", "a.py"),
    ("atif", "bash_command", {"keystrokes": "make"}, "shell", "make"),
]


@for_every("agent, tool, arguments, kind, target", CALLS)
def test_a_call_has_the_kind_and_target_of_the_table(
    agent: str, tool: str, arguments: dict[str, Any], kind: str, target: str
) -> None:
    found = kind_of(tool_kinds(agent), tool, arguments)
    assert (found.value, target_of(found, tool, arguments)) == (kind, target)


def test_a_tool_that_reads_through_the_shell_stays_shell() -> None:
    assert kind_of({}, "exec_command", {"cmd": "sed -n 1,5p a.py"}) is ActionKind.SHELL


@for_every(
    "arguments, command",
    [
        ({"command": "a && b"}, "a && b"),
        ({"cmd": "a"}, "a"),
        ({"command": ["bash", "-lc", "a && b"]}, "a && b"),
        ({"command": ["/bin/zsh", "-l", "-c", "a"]}, "a"),
        ({"command": ["git", "commit", "-m", "two words"]}, "git commit -m 'two words'"),
        ({"command": ["powershell.exe", "-NoProfile", "-Command", "Get-Item x"]}, "Get-Item x"),
        ({"command": ["cmd.exe", "/c", "dir", "/b"]}, "dir /b"),
        ({"command": ["bash", "run.sh"]}, "bash run.sh"),
        ({"command": []}, ""),
        ({"command": None, "cmd": 3}, ""),
        ({"command": [1, None]}, "1 None"),
        ({"raw": "text"}, ""),
        ({}, ""),
    ],
)
def test_the_command_is_found_in_every_shape(arguments: dict[str, Any], command: str) -> None:
    assert command_of(arguments) == command


@for_every(
    "tool, arguments, paths",
    [
        ("Read", {"file_path": "a.py"}, ("a.py",)),
        ("apply_patch", {"input": UPDATE}, ("a.py", "b.py", "c.py", "d.py")),
        ("apply_patch", {"raw": ADD}, ("src/new.py",)),
        ("apply_patch", {"command": UPDATE}, ("a.py", "b.py", "c.py", "d.py")),
        ("shell", {"command": ["apply_patch", ADD]}, ("src/new.py",)),
        ("read_many_files", {"paths": ["a", "b", "a", 3]}, ("a", "b")),
        ("apply_diff", {"files": [{"path": "a"}, {"path": "b"}]}, ("a", "b")),
        ("MultiEdit", {"file_path": "a", "edits": [{"old_string": "x"}]}, ("a",)),
        ("Grep", {"path": "src"}, ()),
        ("Bash", {"command": "cat a"}, ()),
        ("Edit", {"file_path": ""}, ()),
        ("Edit", {"file_path": None}, ()),
    ],
)
def test_the_files_of_a_call(tool: str, arguments: dict[str, Any], paths: tuple[str, ...]) -> None:
    assert paths_of(tool, arguments) == paths
