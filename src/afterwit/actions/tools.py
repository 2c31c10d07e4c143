"""What a tool call is about, whatever the agent calls its tool: its kind, its target, its command, its files.

Names of tools are listed by kind and folded: lower case, without `_`, `-` and blanks, so that `ReadFile`, `read_file`
and `read-file` are one entry. A tool whose kind hangs on one of its arguments has a row in a table of its own; one
whose kind hangs on the agent stands in the description of that agent; an unknown tool is `other`. Arguments
are as the log has them, of any shape: nothing here raises. A shell call stays a shell call, even if it only reads or
searches; the one exception is a patch that an agent applies through its shell.
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from afterwit.actions.shell.lexer import Word
from afterwit.actions.shell.wrappers import program_name, script_of
from afterwit.model.kinds import ActionKind
from afterwit.model.text import regex

_NAMES: dict[ActionKind, str] = {
    ActionKind.SHELL: (
        "bash shell exec_command shell_command local_shell run_shell_command run_command run_terminal_cmd terminal"
        " run_in_terminal execute_command exec execute_bash run_terminal_command bash_command"
        " local_shell_call container.exec unified_exec write_stdin BashOutput KillShell KillBash stop_bash"
        " read_bash write_bash list_bash get_terminal_output send_to_terminal cmd_runner powershell pwsh"
        " read_powershell stop_powershell write_powershell user_shell bash_execution run_bash_command Monitor"
        " run_commands read_background_output list_background_processes run_terminal_command_v2 job_output job_kill"
        " process_logs process_stop read_terminal execute_code run_code run_python execute_python python ipython"
        " run_ipython run_ipython_cell execute_ipython_cell code_interpreter js_repl"
    ),
    ActionKind.READ: (
        "read read_file view view_file cat open_file view_image read_many_files notebook_read read_image read_text_file"
        " read_media_file get_file_contents read_notebook_cell_output read_files read_file_v2"
    ),
    ActionKind.EDIT: (
        "edit multi_edit notebook_edit replace str_replace str_replace_file str_replace_editor text_editor"
        " str_replace_based_edit_tool apply_patch patch edit_file search_replace replace_in_file insert insert_content"
        " apply_diff edit_notebook edit_notebook_file insert_edit_into_file replace_string_in_file undo_edit smart_edit"
        " multi_replace_string_in_file search_and_replace delete_file hashline_edit file_editor"
        " edit_file_v2"
    ),
    ActionKind.WRITE: "write write_file create create_file write_to_file new_file save_file create_new_file",
    ActionKind.SEARCH: (
        "grep glob ls list list_dir list_directory list_files search search_files search_file search_dir file_search"
        " search_file_content grep_search codebase_search find find_files find_file semantic_search rg ripgrep"
        " grep_files code_search finder glob_file_search list_code_definition_names warp_grep search_codebase"
        " semantic_search_full ripgrep_raw_search list_dir_v2 sourcegraph lsp_references"
    ),
    ActionKind.WEB: (
        "WebFetch WebSearch web_search_call google_web_search fetch fetch_url url_fetch search_web open_url read_url"
        " read_web_page open_simple_browser fetch_webpage browser browser_action web_extract browser_navigate"
        " fetch_web_content"
        " browser_click browser_snapshot agentic_fetch download web_scrape search_x"
    ),
    ActionKind.MCP: (
        "list_mcp_resources list_mcp_resource_templates read_mcp_resource ListMcpResourcesTool ReadMcpResourceTool"
        " use_mcp_tool access_mcp_resource call_mcp_tool fetch_mcp_resource"
    ),
    ActionKind.SKILL: "skill skill_view skills_list skill_manage load_skill activate_skill use_skill read_skill",
    ActionKind.DELEGATE: (
        "task agent spawn_agent send_input wait_agent wait close_agent resume_agent followup_task list_agents subagent"
        " delegate_task dispatch_agent run_subagent new_task invoke_agent read_agent workflow TaskOutput TaskStop"
        " AgentOutputTool SendMessage TeamCreate TeamDelete use_subagents write_agent delegate_to_agent AgentSwarm"
        " codebase_investigator ReadContext CreateSubagent sessions_spawn sessions_send task_v2 execute_task delegate"
    ),
    ActionKind.PLAN: (
        "TaskCreate TaskUpdate TaskList TaskGet TodoWrite TodoRead todo ExitPlanMode EnterPlanMode update_plan"
        " write_todos update_todos update_todo_list manage_todo_list set_todo_list create_plan report_intent"
        " plan_mode_respond TodoList CreateGoal GetGoal UpdateGoal SetGoalBudget update_topic"
        " todos create_todo_list plan_enter plan_exit"
    ),
    ActionKind.OTHER: (
        "ToolSearch tool_search_call AskUserQuestion ask_user think tool_suggest load_workspace_dependencies"
        " ScheduleWakeup request_user_input memory save_memory"
    ),
}


def fold(name: str) -> str:
    """The spelling under which a tool is listed."""
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")


KINDS: dict[str, ActionKind] = {fold(name): kind for kind, names in _NAMES.items() for name in names.split()}


def kinds_named(tools: Mapping[ActionKind, Iterable[str]]) -> dict[str, ActionKind]:
    """The kinds of an agent's own tools, by folded name, as its description has them by kind."""
    return {fold(name): ActionKind(kind) for kind, names in tools.items() for name in names}


# An editor with many commands: its argument `command` says which.
KINDS_BY_COMMAND: dict[str, ActionKind] = {
    "view": ActionKind.READ,
    "create": ActionKind.WRITE,
    "write": ActionKind.WRITE,
    "str_replace": ActionKind.EDIT,
    "insert": ActionKind.EDIT,
    "undo_edit": ActionKind.EDIT,
}
EDITORS = frozenset(
    fold(name) for name in ("str_replace_editor", "str_replace_based_edit_tool", "text_editor", "file_editor")
)

# Claude Code's background tasks: the id begins with b for a shell; agents and workflows have other letters.
TASK_TOOLS = frozenset(fold(name) for name in ("TaskOutput", "TaskStop"))
PATCH_TOOLS = frozenset(fold(name) for name in ("apply_patch", "patch"))

COMMAND_KEYS = ("command", "cmd", "script", "commands")
_INTERPRETERS = {"javascript": "node", "js": "node", "typescript": "node", "node": "node", "ruby": "ruby"}
_PATH_KEYS = "file_path filePath path notebook_path absolute_path target_file filename file old_path new_path"
PATH_KEYS = tuple(_PATH_KEYS.split())
PATH_LIST_KEYS = ("paths", "file_paths", "filePaths", "files", "edits")
PATCH_KEYS = ("input", "patch", "patchText", "patch_text", "diff", "raw")
_TARGET_KEYS: dict[ActionKind, str] = {
    ActionKind.SHELL: "chars keystrokes input bash_id shell_id shellId task_id session_id sessionId",
    ActionKind.SEARCH: ("pattern query regex search_term glob_pattern file_name path dir_path target_directory"),
    ActionKind.WEB: "url query queries urls search_term pattern prompt",
    ActionKind.MCP: "tool_name toolName uri",
    ActionKind.SKILL: "skill name skill_name command",
    ActionKind.DELEGATE: (
        "subagent_type agent_type agent_name agent target targets task_id agent_id id mode description name"
    ),
    ActionKind.PLAN: "subject taskId title explanation intent",
    ActionKind.OTHER: "query question tool_id code",
}
TARGET_KEYS = {kind: tuple(keys.split()) for kind, keys in _TARGET_KEYS.items()}
SERVER_KEYS = ("server", "server_name", "serverName")


_NO_TOOLS: Mapping[str, ActionKind] = {}
_MCP = regex(r"(?s)mcp__?(?P<server>.+?)(?:__|\.|/)(?P<tool>.+)")
_PATCH_CALL = regex(r"\s*(?:cd [^\s;&|]{1,500} && )?apply_?patch\b")
_PATCH_BEGINS = "*** Begin Patch"
_PATCH_FILE = regex(r"(?m)^\*\*\* (Add File|Update File|Delete File|Move to): ([^\n]+)")
_FILE_KINDS = (ActionKind.READ, ActionKind.EDIT, ActionKind.WRITE)


def kind_of(own: Mapping[str, ActionKind], tool: str, arguments: Mapping[str, Any]) -> ActionKind:
    """The canonical kind of a call. `own` are the tools that mean something else in the agent than in others."""
    name = _fold_tool(tool)
    kind = own.get(name) or KINDS.get(name)
    if kind is None:
        return ActionKind.MCP if tool.startswith(("mcp__", "mcp_")) else ActionKind.OTHER
    if name in EDITORS:
        return KINDS_BY_COMMAND.get(str(arguments.get("command")), kind)
    if name in TASK_TOOLS and str(arguments.get("task_id", "")).startswith("b"):
        return ActionKind.SHELL
    if name in PATCH_TOOLS or (kind is ActionKind.SHELL and _PATCH_CALL.match(command_of(arguments))):
        return _kind_of_patch(_patch(arguments))
    return kind


def target_of(kind: ActionKind, tool: str, arguments: Mapping[str, Any]) -> str:
    """The command line, path, query, address, name or type that the call is about; "" where it names none."""
    if kind in _FILE_KINDS:
        return next(iter(_paths(arguments)), "")
    flat = _flat(arguments)
    if kind is ActionKind.MCP:
        return "\n".join(part for part in (_mcp_target(tool, flat), _first(flat, ("code",))) if part)
    if kind is ActionKind.SHELL and (command := command_of(arguments)):
        return command
    return _first(flat, TARGET_KEYS[kind])


def command_of(arguments: Mapping[str, Any]) -> str:
    """The command line of a shell call: the script itself where the log has `["bash", "-lc", script]`; code, as its
    interpreter would be given it."""
    flat = _flat(arguments)
    for key in COMMAND_KEYS:
        value = flat.get(key)
        if not value:
            continue
        if isinstance(value, str):
            return value
        if isinstance(value, Sequence):
            return _join_words([str(word) for word in value])
    code, language = flat.get("code"), str(flat.get("language", "python")).lower()
    if not isinstance(code, str) or not code.strip() or language in ("bash", "sh", "shell", "zsh"):
        return code if isinstance(code, str) else ""
    return f"{_INTERPRETERS.get(language, 'python3')} - <<'CODE'\n{code.strip()}\nCODE"


def paths_of(tool: str, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """The files that a call reads or changes, as the log names them, each once."""
    if kind_of(_NO_TOOLS, tool, arguments) not in _FILE_KINDS:
        return ()
    return tuple(_paths(arguments))


@lru_cache(maxsize=1 << 10)
def _fold_tool(tool: str) -> str:
    """The folded name, without the namespace or server that some agents put before their own tools."""
    name = fold(tool)
    if name in KINDS or tool.startswith("mcp_"):
        return name
    return fold(re.split(r"__|[./:]", tool)[-1])


def _flat(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Codex puts the arguments of built-in calls into an `action`."""
    action = arguments.get("action")
    return {**arguments, **action} if action and isinstance(action, Mapping) else arguments


def _first(arguments: Mapping[str, Any], keys: Sequence[str]) -> str:
    """The first of these arguments that says something."""
    for key in keys:
        value = arguments.get(key)
        if isinstance(value, list | tuple) and value:
            value = value[0]
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value)
    return ""


def _mcp_target(tool: str, arguments: Mapping[str, Any]) -> str:
    match = _MCP.fullmatch(tool)
    if match:
        return f"{match['server']}/{match['tool']}"
    parts = (_first(arguments, SERVER_KEYS), _first(arguments, TARGET_KEYS[ActionKind.MCP]))
    return "/".join(part for part in parts if part)


def _join_words(argv: list[str]) -> str:
    """The line that these words stand for."""
    program = program_name(Word(argv[0])).lower()
    script = script_of(program, [Word(word) for word in argv[1:]], ())
    if script:
        return script.text
    markers = {"powershell": ("-command", "-c"), "pwsh": ("-command", "-c"), "cmd": ("/c", "/k")}.get(program, ())
    for at, word in enumerate(argv):
        if word.lower() in markers:
            return " ".join(argv[at + 1 :])
    return shlex.join(argv)


def _paths(arguments: Mapping[str, Any]) -> dict[str, None]:
    """All paths among the arguments, in order; a dict because it keeps each once."""
    paths = _paths_by_key(arguments)
    for key in PATH_LIST_KEYS:
        value = arguments.get(key)
        for entry in value if isinstance(value, list | tuple) else ():
            paths += _paths_by_key(entry) if isinstance(entry, Mapping) else [entry] if isinstance(entry, str) else []
    paths += [path for _, path in _patch_files(_patch(arguments))]
    return dict.fromkeys(path for path in paths if path)


def _paths_by_key(arguments: Mapping[str, Any]) -> list[str]:
    return [value for key in PATH_KEYS if key in arguments and isinstance(value := arguments[key], str)]


def _patch(arguments: Mapping[str, Any]) -> str:
    """The text that may hold a patch envelope."""
    texts = [arguments[key] for key in PATCH_KEYS if isinstance(arguments.get(key), str)]
    command = command_of(arguments)  # hooks of Codex have the bare patch there
    is_patch = command.startswith(_PATCH_BEGINS) or _PATCH_CALL.match(command)
    return "\n".join([*texts, command] if is_patch else texts)


@lru_cache(maxsize=128)
def _patch_files(patch: str) -> tuple[tuple[str, str], ...]:
    """What a patch does to which file. Kind, target, notes and instruction files of a call all ask for it."""
    return tuple((match[1], match[2].strip()) for match in _PATCH_FILE.finditer(patch))


def _kind_of_patch(patch: str) -> ActionKind:
    """A patch that only adds files writes; any other edits."""
    verbs = {verb for verb, _ in _patch_files(patch)}
    return ActionKind.WRITE if verbs == {"Add File"} else ActionKind.EDIT
