"""Gemini CLI, Google's client.

Its hooks: names of its own, JSON only. Text before a call is ignored; Claude Code's way to refuse is too.

The prompt that a hook sees already holds what hooks have added; a failed command is told by its text alone. A session
that is resumed comes back without the messages in which hooks have spoken first, as after a compaction.

The frame that Gemini CLI and Qwen Code put around what a command printed. Command and folder before it, in older
versions; exit code, signal and process group behind it; newer versions mark the whole as untrusted.
"""

from afterwit.agents.hook_payloads import (
    AFTER,
    BEFORE,
    COMPACT,
    END,
    FORGETFUL,
    PROMPT,
    START,
    Answer,
    Moment,
    all_text,
    fields_at,
    number_after,
    text_at,
)
from afterwit.model.quick_json import dumps

AGENT = {
    "name": "gemini",
    "rank": 60,
    "reader": "gemini.reader:GeminiReader",
    "transcripts": ("tmp/*/chats/session-*.json", "tmp/*/chats/session-*.jsonl", "tmp/*/chats/*/*.jsonl"),
    "homes": (".gemini",),
    "variables": (("GEMINI_CLI_HOME", ".gemini"),),
    "own_tools": ("ask_user",),
    "instructions": {
        "in_checkouts": ("GEMINI.md",),
        "in_homes": (".gemini/GEMINI.md",),
    },
    "skills": {
        "user": ".gemini/skills",
        "project": ".gemini/skills",
        "variable": ("GEMINI_CLI_HOME", ".gemini/skills"),
    },
    "hooks": {
        "events": {
            "SessionStart": "start",
            "BeforeAgent": "prompt",
            "BeforeTool": "before",
            "AfterTool": "after",
            "SessionEnd": "end",
        },
        "carries": ("start", "prompt", "after"),
    },
    "retention": {
        "days": 30,
        "folder": "tmp",
        "settings": "settings.json",
        "configured": "gemini.install:keeping",
    },
    "reserved": {"added": ("wait_for_previous",)},
    "connect": {
        "rank": 30,
        "plugin": "gemini.install:plugin",
        "program": "gemini",
        "folders": (".gemini",),
    },
}
_WRAPPER = ("<untrusted_context>\n", "\n</untrusted_context>")
_COMMAND, _FOLDER = "Command: ", "\nDirectory: "
_OUTPUTS = ("Output: ", "Stdout: ")
_LABELS = frozenset({"Error", "Stderr", "Exit Code", "Signal", "Background PIDs", "Process Group PGID"})
_NONE = frozenset({"(none)", "(empty)", ""})
_LONGEST_CODE = 11
_NATIVE = {
    START: "SessionStart",
    PROMPT: "BeforeAgent",
    BEFORE: "BeforeTool",
    AFTER: "AfterTool",
    COMPACT: "PreCompress",
    END: "SessionEnd",
}
_SOURCES = {"resume": FORGETFUL}
_ADDED = "</hook_context>"


def read(event: str, payload: dict[str, object]) -> Moment | None:
    given = all_text(fields_at(payload, "tool_response").get("llmContent") or payload.get("tool_response"))
    output, code = unframed(given)
    code = number_after(given, "Exit Code:") if code is None else code
    source = text_at(payload, "source")
    return Moment(
        event,
        text_at(payload, "session_id"),
        native=text_at(payload, "hook_event_name") or _NATIVE[event],
        cwd=text_at(payload, "cwd"),
        source=_SOURCES.get(source, source),
        prompt=all_text(payload.get("prompt")).rpartition(_ADDED)[2].strip(),
        tool=text_at(payload, "tool_name"),
        arguments=fields_at(payload, "tool_input"),
        output=output,
        is_error=bool(code) or bool(fields_at(payload, "tool_response").get("error")),
        exit_code=code,
        transcript=text_at(payload, "transcript_path"),
    )


def write(moment: Moment, answer: Answer) -> str:
    if answer.reason:
        return dumps({"decision": "deny", "reason": answer.reason})
    said: dict[str, object] = {"hookEventName": moment.native}
    if answer.arguments is not None:
        said["tool_input"] = answer.arguments
    elif answer.text:
        said["additionalContext"] = answer.text
    notice: dict[str, object] = {"systemMessage": answer.notice} if answer.notice else {}
    return dumps({**notice, "hookSpecificOutput": said}) if len(said) > 1 else ""


def unframed(text: str) -> tuple[str, int | None]:
    """What a command printed, and its exit code where the frame states it. Other texts come back as they are."""
    body = _unwrap(text)
    printed = _behind_head(body)
    if printed is None:
        return body, None
    rest, labels = _without_labels(body)
    errors = [f"{name}: {labels[name]}" for name in ("Stderr", "Error") if labels.get(name, "") not in _NONE]
    printed = rest[len(body) - len(printed) :]
    return "\n".join(errors if printed in _NONE else [printed, *errors]), _code(labels.get("Exit Code", ""))


def _unwrap(text: str) -> str:
    stripped, (opening, closing) = text.strip(), _WRAPPER
    if stripped.startswith(opening) and stripped.endswith(closing):
        return stripped[len(opening) : -len(closing)]
    return text


def _behind_head(body: str) -> str | None:
    """What follows the name of the output; None where it is not there."""
    if body.startswith(_COMMAND):
        _, mark, rest = body.partition(_FOLDER)
        body = rest.partition("\n")[2] if mark else ""
    return next((body[len(name) :] for name in _OUTPUTS if body.startswith(name)), None)


def _without_labels(body: str) -> tuple[str, dict[str, str]]:
    """The lines of the frame behind the output, each at most once, and what is left before them."""
    labels: dict[str, str] = {}
    while True:
        before, _, last = body.rpartition("\n")
        name, _, value = last.partition(": ")
        if name not in _LABELS or name in labels:
            return body, labels
        body, labels[name] = before, value.strip()


def _code(text: str) -> int | None:
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(text) <= _LONGEST_CODE else None
