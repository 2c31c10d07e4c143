"""What a tool call is about, whatever the agent calls its tool: its kind, its target, its command, its files.

Reads the tables of `tool_names`; an unknown tool is `other`. Users can name their own tools in an alias table.
Arguments are as the log has them, of any shape: nothing here raises. A shell call stays a shell call, even if it only
reads or searches; the one exception is a patch that an agent applies through its shell.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from afterwit.actions.shell.lexer import Word
from afterwit.actions.shell.wrappers import program_name, script_of
from afterwit.actions.tool_names import (
    COMMAND_KEYS,
    EDITORS,
    KINDS,
    KINDS_BY_COMMAND,
    PATCH_KEYS,
    PATCH_TOOLS,
    PATH_KEYS,
    PATH_LIST_KEYS,
    SERVER_KEYS,
    TARGET_KEYS,
    TASK_TOOLS,
    fold,
)
from afterwit.model.kinds import ActionKind

_NO_ALIASES: Mapping[str, str] = {}
_NO_TOOLS: Mapping[str, ActionKind] = {}
_MCP = re.compile(r"mcp__?(?P<server>.+?)(?:__|\.|/)(?P<tool>.+)", re.DOTALL)
_PATCH_CALL = re.compile(r"\s*(?:cd [^\s;&|]{1,500} && )?apply_?patch\b")
_PATCH_FILE = re.compile(r"^\*\*\* (Add File|Update File|Delete File|Move to): ([^\n]+)", re.MULTILINE)
_FILE_KINDS = (ActionKind.READ, ActionKind.EDIT, ActionKind.WRITE)


def kind_of(
    own: Mapping[str, ActionKind], tool: str, arguments: Mapping[str, Any], aliases: Mapping[str, str] = _NO_ALIASES
) -> ActionKind:
    """The canonical kind of a call. `own` are the tools that mean something else in the agent than in others."""
    tool = aliases.get(tool, tool)
    name = _listed(tool)
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
        return _mcp_target(tool, flat)
    if kind is ActionKind.SHELL and (command := command_of(arguments)):
        return command
    return _first(flat, TARGET_KEYS[kind])


def command_of(arguments: Mapping[str, Any]) -> str:
    """The command line of a shell call: the script itself where the log has `["bash", "-lc", script]`."""
    flat = _flat(arguments)
    for key in COMMAND_KEYS:
        value = flat.get(key)
        if not value:
            continue
        if isinstance(value, str):
            return value
        if isinstance(value, Sequence):
            return _joined([str(word) for word in value])
    return ""


def paths_of(tool: str, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """The files that a call reads or changes, as the log names them, each once."""
    if kind_of(_NO_TOOLS, tool, arguments) not in _FILE_KINDS:
        return ()
    return tuple(_paths(arguments))


@lru_cache(maxsize=1 << 10)
def _listed(tool: str) -> str:
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


def _joined(argv: list[str]) -> str:
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
    paths = _named(arguments)
    for key in PATH_LIST_KEYS:
        value = arguments.get(key)
        for entry in value if isinstance(value, list | tuple) else ():
            paths += _named(entry) if isinstance(entry, Mapping) else [entry] if isinstance(entry, str) else []
    paths += [path for _, path in _patch_files(_patch(arguments))]
    return dict.fromkeys(path for path in paths if path)


def _named(arguments: Mapping[str, Any]) -> list[str]:
    return [value for key in PATH_KEYS if key in arguments and isinstance(value := arguments[key], str)]


def _patch(arguments: Mapping[str, Any]) -> str:
    """The text that may hold a patch envelope."""
    texts = [arguments[key] for key in PATCH_KEYS if isinstance(arguments.get(key), str)]
    command = command_of(arguments)
    return "\n".join([*texts, command] if _PATCH_CALL.match(command) else texts)


def _patch_files(patch: str) -> list[tuple[str, str]]:
    return [(match[1], match[2].strip()) for match in _PATCH_FILE.finditer(patch)]


def _kind_of_patch(patch: str) -> ActionKind:
    """A patch that only adds files writes; any other edits."""
    verbs = {verb for verb, _ in _patch_files(patch)}
    return ActionKind.WRITE if verbs == {"Add File"} else ActionKind.EDIT
