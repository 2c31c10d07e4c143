"""A plain full parse of the logs of four agents, for the score by points alone: it shares no code with the product.

Reads whole files with `json`. History that a file copied from another is left out: of Claude Code the
records whose uuid an older file has, of Codex the leading items that the thread it was forked from has too. Which
repository a folder belongs to, and how a session ended, are the caller's to say.
"""

import datetime as dt
import json
import re
from pathlib import Path
from typing import Any

CLIENTS = re.compile(
    r"<(?!image)|Caveat:|Base directory for this skill|Stop hook feedback:|\[SYSTEM NOTIFICATION|\{\"task_id\":"
)
DAY_MS = 86_400_000


class Plain:
    """What a plain parse finds of one session."""

    def __init__(self) -> None:
        self.messages = 0
        self.calls: set[str] = set()
        self.times: list[int] = []
        self.place = ""  # the remote, or else the folder

    def at(self, stamp: str | None) -> None:
        if stamp:
            moment = dt.datetime.fromisoformat(stamp)
            self.times.append(round(moment.timestamp() * 1000))


def points(plain: Plain, now_ms: int, outcome: str, *, has_repo: bool, is_first: bool) -> int:
    """The scheme once more, as it is written down for people."""
    total = 0
    days = (now_ms - max(plain.times)) / DAY_MS if plain.times else 1e9
    if days <= 7:
        total += 3
    elif days <= 30:
        total += 2
    else:
        total += 1
    if plain.messages > 50:
        total += 3
    elif plain.messages > 20:
        total += 2
    else:
        total += 1
    if has_repo:
        total += 5 if is_first else 1
    if outcome == "failure":
        total += 3
    elif outcome in ("success", "partial"):
        total += 2
    else:
        total += 1
    if len(plain.calls) > 10:
        total += 2
    return total


def records(path: Path) -> list[dict[str, Any]]:
    decode = json.JSONDecoder().raw_decode
    found = []
    for line in path.read_text("utf-8", "replace").split("\n"):
        text = line.strip()
        while text:
            record, end = decode(text)
            found.append(record)
            text = text[end:].lstrip()
    return found


def plain_claude(home: Path) -> dict[str, Plain]:
    """The sessions of Claude Code by id."""
    files = {path: records(path) for path in (home / ".claude/projects").rglob("*.jsonl")}
    originals_first = sorted(files, key=lambda path: (is_continued(path, files[path]), began(files[path]), path))
    sessions: dict[str, Plain] = {}
    seen: set[str] = set()
    for path in originals_first:
        here: set[str] = set()
        queued = queued_prompts(files[path])
        for place, record in enumerate(files[path]):
            uuid = record.get("uuid", "")
            if uuid in seen:
                continue
            here.add(uuid)
            plain = claude_record(record, path.stem, sessions)
            plain.messages += place in queued
        seen |= here - {""}
    return {name: found for name, found in sessions.items() if found.messages or found.calls}


def is_continued(path: Path, found: list[dict[str, Any]]) -> bool:
    """Whether the file begins with the history of another session."""
    return any(one.get("sessionId", path.stem) != path.stem for one in found if one.get("uuid"))


def began(found: list[dict[str, Any]]) -> str:
    return min((one.get("timestamp") or "~" for one in found), default="")


def claude_record(record: dict[str, Any], own: str, sessions: dict[str, Plain]) -> Plain:
    nested = (record.get("data") or {}) if record.get("type") == "progress" else {}
    inner = nested.get("message")
    if isinstance(inner, dict) and nested.get("agentId"):
        session, record, is_child = f"{own}/agent-{nested['agentId']}", inner, True
    elif record.get("isSidechain") and not own.startswith("agent-") and record.get("agentId"):
        session, is_child = f"{own}/agent-{record['agentId']}", True
    else:
        session, is_child = own, own.startswith("agent-")
    plain = sessions.setdefault(session, Plain())
    plain.place = plain.place or record.get("cwd", "")
    if record.get("type") in ("user", "assistant", "attachment", "system", "queue-operation"):
        plain.at(record.get("timestamp"))
    message = record.get("message")
    if record.get("type") == "assistant" and isinstance(message, dict):
        is_speech = not record.get("isApiErrorMessage") and message.get("model") != "<synthetic>"
        for block in blocks(message):
            plain.messages += bool(is_speech and block.get("type") == "text" and block.get("text"))
            if block.get("type") == "tool_use":
                plain.calls.add(block["id"])
    elif record.get("type") == "user" and isinstance(message, dict) and not is_child:
        plain.messages += typed(record, message)
    return plain


def blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())


def typed(record: dict[str, Any], message: dict[str, Any]) -> int:
    """1 if a person typed this."""
    origin = (record.get("origin") or {}).get("kind", "human")
    if record.get("isMeta") or record.get("isCompactSummary") or record.get("isVisibleInTranscriptOnly"):
        return 0
    found = [block for block in blocks(message) if block.get("type") != "tool_result"]
    text = "\n".join(block.get("text", "[image]") for block in found)
    text = re.sub(r"<system-reminder>.*?</system-reminder>", "", text, flags=re.DOTALL).strip()
    machine_made = CLIENTS.match(text) or text.startswith(("[Request interrupted", "This session is being continued"))
    return int(bool(text) and origin == "human" and not machine_made)


def queued_prompts(found: list[dict[str, Any]]) -> set[int]:
    """The records with what was typed while the agent worked and never became a message of its own."""
    messages = {
        "\n".join(block.get("text", "") for block in blocks(one["message"]) if block.get("type") == "text").strip()
        for one in found
        if one.get("type") == "user" and isinstance(one.get("message"), dict)
    }
    has_attachments = any(one.get("type") == "attachment" for one in found)
    texts = [delivered(one) if has_attachments else enqueued(one) for one in found]
    return {place for place, text in enumerate(texts) if text and text not in messages}


def delivered(record: dict[str, Any]) -> str:
    attachment = record.get("attachment") or {}
    is_prompt = attachment.get("type") == "queued_command" and attachment.get("commandMode") == "prompt"
    return str(attachment["prompt"]).strip() if is_prompt else ""


def enqueued(record: dict[str, Any]) -> str:
    text = str(record.get("content", "")).strip() if record.get("operation") == "enqueue" else ""
    return "" if text.startswith(("<", "/", '{"task_id"')) else text


def plain_codex(home: Path) -> dict[str, Plain]:
    """The threads of Codex by id."""
    files = {
        thread_of(found): found for path in (home / ".codex/sessions").rglob("*.jsonl") if (found := records(path))
    }
    return {thread: plain_thread(thread, files) for thread in files}


def thread_of(found: list[dict[str, Any]]) -> str:
    return str(found[0]["payload"]["id"])


def plain_thread(thread: str, files: dict[str, list[dict[str, Any]]]) -> Plain:
    meta = files[thread][0]["payload"]
    parent = files.get(meta.get("forked_from_id") or "", [])
    copied = {name for record in parent if (name := item_name(record))}
    is_copying, is_subagent = bool(copied), "subagent" in str(meta.get("source"))
    plain = Plain()
    plain.place = (meta.get("git") or {}).get("repository_url") or meta.get("cwd", "")
    for place, record in enumerate(files[thread]):
        name = item_name(record)
        is_copying = is_copying and (not name or name in copied)
        if is_copying:
            continue
        if record["type"] in ("response_item", "event_msg"):
            plain.at(record.get("timestamp"))
        body = record.get("payload") or {}
        if name.startswith("call:"):
            plain.calls.add(name if body.get("call_id") else f"{name} {place}")
        elif name.startswith("assistant:") or (body.get("type") == "user_message" and not is_subagent):
            plain.messages += 1
    return plain


def item_name(record: dict[str, Any]) -> str:
    """What an item of the model's history is known by; "" for all other records."""
    body = record.get("payload") or {}
    kind = str(body.get("type"))
    if record.get("type") != "response_item":
        return ""
    if kind.endswith("_call"):
        return f"call:{body.get('call_id') or body.get('id') or json.dumps(body, sort_keys=True)}"
    if kind == "message":
        text = "".join(part.get("text", "") for part in body.get("content") or ())
        return f"{body['role']}:{text}" if text else ""
    return ""


def plain_copilot(home: Path) -> dict[str, Plain]:
    """The sessions of Copilot CLI by id."""
    sessions = {}
    for path in (home / ".copilot/session-state").rglob("events.jsonl"):
        plain = sessions[path.parent.name] = Plain()
        for record in records(path):
            kind, data = record["type"], record.get("data") or {}
            is_reply = kind == "assistant.message" and bool(data.get("content"))
            plain.messages += is_reply or kind == "user.message"
            if kind == "tool.execution_start":
                plain.calls.add(data["toolCallId"])
            if kind in ("user.message", "assistant.message", "tool.execution_start", "tool.execution_complete"):
                plain.at(record.get("timestamp"))
    return {name: plain for name, plain in sessions.items() if plain.messages or plain.calls}


def plain_gemini(home: Path) -> dict[str, Plain]:
    """The sessions of Gemini CLI by id."""
    sessions = {}
    for path in (home / ".gemini/tmp").rglob("chats/session-*.json"):
        chat = json.loads(path.read_text("utf-8"))
        plain = sessions[chat["sessionId"]] = Plain()
        for message in chat["messages"]:
            text = str(message.get("content") or "").strip()
            is_typed = message["type"] == "user" and not text.startswith("System: Please continue")
            plain.messages += bool(text) and (is_typed or message["type"] == "gemini")
            plain.calls |= {call["id"] for call in message.get("toolCalls") or ()}
            plain.at(message.get("timestamp"))
    return {name: plain for name, plain in sessions.items() if plain.messages or plain.calls}


def plain_sessions(home: Path) -> dict[tuple[str, str], Plain]:
    """All sessions of these agents in a home, by agent and id."""
    found = {
        "claude-code": plain_claude(home),
        "codex": plain_codex(home),
        "copilot": plain_copilot(home),
        "gemini": plain_gemini(home),
    }
    return {(agent, name): plain for agent, sessions in found.items() for name, plain in sessions.items()}


def first_of(sessions: dict[tuple[str, str], Plain], repos: dict[tuple[str, str], str]) -> set[tuple[str, str]]:
    """The session of each repository that began first."""

    def began(name: tuple[str, str]) -> tuple[float, str]:
        return min(sessions[name].times, default=float("inf")), name[1]

    found: dict[str, tuple[str, str]] = {}
    for name in sorted(sessions, key=began):
        if repos[name]:
            found.setdefault(repos[name], name)
    return set(found.values())
