"""What a hook of any agent is told and may answer, in one shape; and where everything about one agent lies.

`agents/<name>/__init__.py` describes the agent in plain values (`AGENT`, see `descriptor`) and, where it has hooks, has
`read`, from its own input to a `Moment`, and `write`, from an `Answer` to the output that it accepts. Here stand the
protocol of Claude Code, which Codex, Qwen and Kimi speak too, and that of our own plugins inside agents. What an answer
says has come through the gate. Imports nothing slow: a hook lives for some milliseconds.
"""

from afterwit.model.quick_json import dumps
from afterwit.redaction.shown import NOTHING, Shown

START = "start"  # a session begins, is resumed, or goes on after a compaction
PROMPT = "prompt"  # a person asked for something
BEFORE = "before"  # a tool is about to be called
AFTER = "after"  # a tool was called
COMPACT = "compact"  # the context was, or is about to be, cut to a summary
END = "end"
FORGETFUL = "forgetful"  # source of a start: a resume by an agent that keeps nothing of what was said at a start
ACTIVITY = "activity"  # told after an action because of what it does, and not because it failed
EVENTS = (START, PROMPT, BEFORE, AFTER, COMPACT, END)
RECALL = "recall"  # no hook: an agent asked the MCP server what is known
ASKED = "asked"  # the same, for an item by its id
RUN = "mcp-"  # begins the id of a run of the MCP server, which stands for a session that cannot be told
READING_VARIABLE = "AFTERWIT_READING"  # set where an agent reads sessions for us: there our hooks have nothing to say
LONGEST_ID = 200  # characters of the id of a session or a subagent; no agent comes near

_COMMAND_KEYS = ("command", "cmd", "script", "commands")
_PATH_KEYS = ("file_path", "filePath", "path", "absolute_path", "notebook_path", "target_file", "filename", "file")
_LONGEST_NUMBER = 11


class Moment:
    """One call of a hook. What an agent does not tell is empty or None."""

    def __init__(
        self,
        event: str,
        session: str,
        *,
        native: str = "",
        cwd: str = "",
        context: str = "",
        role: str = "",
        source: str = "",
        prompt: str = "",
        tool: str = "",
        arguments: dict[str, object] | None = None,
        call: str = "",
        output: str = "",
        is_error: bool | None = None,
        exit_code: int | None = None,
        transcript: str = "",
    ) -> None:
        self.event = event
        self.session = session
        self.native = native  # the agent's own name of the event
        self.cwd = cwd
        self.context = context  # the subagent; "" for the session itself
        self.role = role  # what the subagent is for, by the agent's own name of it
        self.source = source  # of a start: startup, resume, clear, compact or FORGETFUL
        self.prompt = prompt
        self.tool = tool
        self.arguments = arguments or {}
        self.call = call
        self.output = output
        self.is_error = is_error
        self.exit_code = exit_code
        self.transcript = transcript  # where the session's log lies

    @property
    def command(self) -> str:
        """The command line; "" where the tool is no shell."""
        if self.path:
            return ""
        for key in _COMMAND_KEYS:
            value = self.arguments.get(key)
            if isinstance(value, str) and value:
                return value
            if isinstance(value, list) and value:
                return _script(value)
        return ""

    def with_command(self, command: str) -> dict[str, object] | None:
        """The arguments with another command line; None where it cannot be put in."""
        for key in _COMMAND_KEYS:
            value = self.arguments.get(key)
            if isinstance(value, str) and value:
                return {**self.arguments, key: command}
            if isinstance(value, list) and len(value) == 1:
                return {**self.arguments, key: [command]}
        return None

    @property
    def path(self) -> str:
        """The file that the tool is called on; "" where it names none."""
        for key in _PATH_KEYS:
            value = self.arguments.get(key)
            if isinstance(value, str) and value:
                return value
        return ""


class Answer:
    """What to tell an agent. Empty: nothing."""

    def __init__(
        self,
        text: Shown = NOTHING,
        *,
        reason: Shown = NOTHING,
        arguments: dict[str, object] | None = None,
        notice: Shown = NOTHING,
    ) -> None:
        self.text = text  # for the model
        self.reason = reason  # to refuse the call, with this for the model
        self.arguments = arguments  # to call the tool with instead
        self.notice = notice  # for the user's eyes


def text_at(payload: dict[str, object], *keys: str) -> str:
    """The first of these fields that holds a text."""
    for key in keys:
        value = payload.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def fields_at(payload: dict[str, object], key: str) -> dict[str, object]:
    """The object in this field; an empty one where there is none."""
    value = payload.get(key)
    return value if isinstance(value, dict) else {}


def all_text(value: object) -> str:
    """The texts of a value of any shape, one below the other: of a list of parts, of an object's own texts."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(all_text, value)))
    if isinstance(value, dict):
        keys = ("llmContent", "text", "content", "output", "stdout", "stderr", "result", "message", "error")
        return "\n".join(filter(None, (all_text(value.get(key)) for key in keys)))
    return ""


def number_after(text: str, *phrases: str) -> int | None:
    """The number that follows the last of these phrases in a text, such as an exit code."""
    for phrase in phrases:
        at = text.rfind(phrase)
        if at < 0:
            continue
        rest = text[at + len(phrase) :][:_LONGEST_NUMBER].lstrip(" :")
        length = 1 if rest.startswith("-") else 0
        while length < len(rest) and rest[length] in "0123456789":
            length += 1
        if rest[:length] not in ("", "-"):
            return int(rest[:length])
    return None


def _script(words: list[object]) -> str:
    """The script of `["bash", "-lc", script]`; of several command lines the first."""
    if len(words) == 3 and isinstance(words[1], str) and words[1].startswith("-") and words[1].endswith("c"):
        return str(words[2])
    return str(words[0]) if len(words) == 1 or " " in str(words[0]) else " ".join(map(str, words))


CLAUDE_EVENTS = {
    START: "SessionStart",
    PROMPT: "UserPromptSubmit",
    BEFORE: "PreToolUse",
    AFTER: "PostToolUse",
    COMPACT: "PreCompact",
    END: "SessionEnd",
}
_FAILED = "PostToolUseFailure"
SUBAGENT_EVENT = "SubagentStart"  # of agents that let a hook speak to a subagent at its own start


def read_claude_payload(event: str, payload: dict[str, object]) -> Moment:
    native = text_at(payload, "hook_event_name") or CLAUDE_EVENTS[event]
    output = all_text(payload.get("tool_response")) or all_text(payload.get("tool_output"))
    error = all_text(payload.get("error"))
    has_failed = native == _FAILED
    return Moment(
        event,
        text_at(payload, "session_id"),
        native=native,
        cwd=text_at(payload, "cwd"),
        context=text_at(payload, "agent_id") or ("subagent" if native == SUBAGENT_EVENT else ""),
        role=text_at(payload, "agent_type") if native == SUBAGENT_EVENT else "",
        source=text_at(payload, "source"),
        prompt=all_text(payload.get("prompt")),
        tool=text_at(payload, "tool_name"),
        arguments=fields_at(payload, "tool_input"),
        call=text_at(payload, "tool_use_id", "tool_call_id"),
        output=(error or output) if has_failed else output,
        is_error=None if payload.get("is_interrupt") is True else has_failed,
        exit_code=number_after((error or output)[:200], "Exit code", "Exit Code:") if has_failed else None,
        transcript=text_at(payload, "transcript_path"),
    )


def write_claude_answer(moment: Moment, answer: Answer, *, needs_allowance: bool = False) -> str:
    """The output. `needs_allowance`: a rewrite counts only together with a permission."""
    said: dict[str, object] = {"hookEventName": moment.native}
    if answer.reason:
        said |= {"permissionDecision": "deny", "permissionDecisionReason": answer.reason}
    elif answer.arguments is not None:
        said |= {"permissionDecision": "allow"} if needs_allowance else {}
        said["updatedInput"] = answer.arguments
    if answer.text:
        said["additionalContext"] = answer.text
    notice: dict[str, object] = {"systemMessage": answer.notice} if answer.notice else {}
    return dumps({**notice, "hookSpecificOutput": said}) if len(said) > 1 else ""


def read_plugin_payload(event: str, payload: dict[str, object]) -> Moment:
    code, is_error = payload.get("exit_code"), payload.get("is_error")
    return Moment(
        event,
        text_at(payload, "session"),
        cwd=text_at(payload, "cwd"),
        context=text_at(payload, "context"),
        source=text_at(payload, "source"),
        prompt=all_text(payload.get("prompt")),
        tool=text_at(payload, "tool"),
        arguments=fields_at(payload, "input"),
        call=text_at(payload, "call"),
        output=all_text(payload.get("output")),
        is_error=is_error if isinstance(is_error, bool) else None,
        exit_code=code if isinstance(code, int) and not isinstance(code, bool) else None,
    )


def write_plugin_answer(moment: Moment, answer: Answer) -> str:  # noqa: ARG001 - every agent's has it
    said: dict[str, object] = {}
    if answer.reason:
        said["deny"] = answer.reason
    elif answer.arguments is not None:
        said["input"] = answer.arguments
    if answer.text:
        said["context"] = answer.text
    return dumps(said) if said else ""


TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

ROOT = "afterwit.agents"


def described(agent: str) -> "dict[str, Any]":
    """What the agent's package says of it; nothing where there is no such agent."""
    table: dict[str, Any] = getattr(_package(agent), "AGENT", {})
    return table


def payloads_of(agent: str) -> "ModuleType | None":
    """What reads and answers this agent's hooks; None where the agent has none."""
    return _package(agent) if "hooks" in described(agent) else None


def folder_of(agent: str) -> str:
    """The name of the agent's package, and of the folder of its tests."""
    return agent.replace("-", "_")


def _package(agent: str) -> "ModuleType | None":
    """The name comes from a command line and may be anything."""
    if not folder_of(agent).isidentifier():
        return None
    wanted = f"{ROOT}.{folder_of(agent)}"
    try:
        return __import__(wanted, None, None, ["AGENT"])
    except ModuleNotFoundError as error:
        if error.name != wanted:
            raise
        return None
