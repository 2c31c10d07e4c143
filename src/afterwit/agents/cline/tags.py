"""Tool calls that stand as tags inside of the agent's text: `<execute_command><command>make</command>…`.

Only names of tools that Cline and its relatives have are taken for calls; all other tags are text. The tag of a call
that was cut off is text, too.
"""

import re
from typing import Any

from afterwit.text.pasted import blocks

TOOLS = frozenset(
    [
        *("execute_command", "read_file", "write_to_file", "replace_in_file", "apply_diff", "insert_content"),
        *("search_and_replace", "search_files", "list_files", "list_code_definition_names", "browser_action"),
        *("use_mcp_tool", "access_mcp_resource", "ask_followup_question", "attempt_completion", "new_task"),
        *("plan_mode_respond", "load_mcp_documentation", "switch_mode", "fetch_instructions", "update_todo_list"),
        *("codebase_search", "web_fetch", "web_search", "use_subagents", "use_skill", "new_rule", "condense"),
        *("run_slash_command", "generate_image", "edit_file", "apply_patch", "search_replace", "focus_chain"),
    ]
)
_CALL = re.compile(rf"<({'|'.join(sorted(TOOLS))})>")
_ARGUMENT = re.compile(r"<(\w+)>")


def tagged_calls(text: str) -> tuple[list[tuple[str, dict[str, Any]]], str]:
    """The calls in a text, and the text without them."""
    calls: list[tuple[str, dict[str, Any]]] = []
    kept: list[str] = []
    at = 0
    for call in blocks(text, _CALL):
        inside = text[call.inside : call.closing]
        arguments: dict[str, Any] = {
            found.name: inside[found.inside : found.closing].strip("\n") for found in blocks(inside, _ARGUMENT)
        }
        calls.append((call.name, arguments))
        kept.append(text[at : call.start])
        at = call.end
    return calls, "".join([*kept, text[at:]])
