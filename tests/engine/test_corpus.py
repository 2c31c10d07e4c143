"""Real transcripts, where there are any: what was stored against plain counts that share no code with the product.

`AFTERWIT_CORPUS` names a home folder, `AFTERWIT_JUDGE` a script that reads the same logs by itself.
"""

import collections
import contextlib
import io
import json
import os
import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest
from tests.homes import Silent, hash_of, learned, world_of

from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.archive.upkeep import verify
from afterwit.store.layout import Layout

CORPUS = os.environ.get("AFTERWIT_CORPUS", "")
JUDGE = os.environ.get("AFTERWIT_JUDGE", "")

pytestmark = pytest.mark.skipif(not CORPUS, reason="AFTERWIT_CORPUS names no home folder with real transcripts")


@pytest.fixture
def db(learned_corpus: Path) -> Iterator[apsw.Connection]:
    connection = apsw.Connection(str(learned_corpus / "afterwit.db"), flags=apsw.SQLITE_OPEN_READONLY)
    yield connection
    connection.close()


class Count(NamedTuple):
    """What a plain reading of the logs finds, copied history counted once."""

    calls: dict[str, str]  # id → how its result looks
    prompts: int
    tokens: collections.Counter[str]


def records(path: Path) -> Iterator[dict[str, Any]]:
    decode = json.JSONDecoder().raw_decode
    for line in path.read_text("utf-8", "replace").splitlines():
        text = line.strip()
        while text:
            record, end = decode(text)
            yield record
            text = text[end:].lstrip()


def plain_claude(home: Path) -> Count:
    calls: dict[str, str] = {}
    usage: dict[str, dict[str, int]] = {}
    prompts = 0
    for path in sorted((home / ".claude/projects").rglob("*.jsonl")):
        for outer in records(path):
            nested = outer.get("data") if outer.get("type") == "progress" else None
            record = (nested or {}).get("message") or outer
            message = record.get("message")
            if not isinstance(message, dict):
                continue
            if message.get("usage") and message.get("model") != "<synthetic>" and not record.get("isApiErrorMessage"):
                seen = usage.setdefault(message["id"], collections.Counter())
                for name, value in message["usage"].items():
                    if name.endswith("_tokens") and isinstance(value, int):
                        seen[name] = max(seen.get(name, 0), value)
            content = message.get("content")
            for block in content if isinstance(content, list) else ():
                if block.get("type") == "tool_use":
                    calls.setdefault(block["id"], "")
                elif block.get("type") == "tool_result":
                    calls[block["tool_use_id"]] = "error" if block.get("is_error") else "fine"
            if nested is None and record.get("type") == "user" and is_typed(record, content):
                prompts += 1
        prompts += len(typed_meanwhile(path))
    tokens: collections.Counter[str] = collections.Counter()
    for counts in usage.values():
        tokens.update(counts)
    return Count(calls, prompts, tokens)


def typed_meanwhile(path: Path) -> list[str]:
    """Prompts typed while the agent worked that never became a message of their own."""
    messages: set[str] = set()
    attached: list[str] = []
    queued: list[str] = []
    has_attachments = False
    for record in records(path):
        has_attachments = has_attachments or record.get("type") == "attachment"
        content = (record.get("message") or {}).get("content")
        attachment = record.get("attachment") or {}
        if record.get("type") == "user" and isinstance(content, str):
            messages.add(content.strip())
        elif record.get("type") == "user":
            texts = (block.get("text", "") for block in content or () if block.get("type") == "text")
            messages.add("\n".join(texts).strip())
        elif attachment.get("type") == "queued_command" and attachment.get("commandMode") == "prompt":
            attached.append(str(attachment["prompt"]).strip())
        elif record.get("operation") == "enqueue":
            queued.append(str(record.get("content", "")).strip())
    machine_made = ("<", "/", '{"task_id"')
    never = [text for text in queued if text and text not in messages and not text.startswith(machine_made)]
    return [text for text in attached if text not in messages] if has_attachments else never


def is_typed(record: dict[str, Any], content: object) -> bool:
    origin = (record.get("origin") or {}).get("kind", "human")
    if record.get("isMeta") or record.get("isCompactSummary") or origin != "human":
        return False
    if isinstance(content, list):
        if any(block.get("type") == "tool_result" for block in content):
            return False
        content = "\n".join(block.get("text", "[image]") for block in content)
    text = re.sub(r"<system-reminder>.*?</system-reminder>", "", str(content), flags=re.DOTALL).strip()
    return bool(text) and not re.match(r"<|Caveat:|\[Request interrupted|Base directory for this skill", text)


def plain_codex(home: Path) -> Count:
    calls: dict[str, str] = {}
    totals: dict[tuple[str, int, int, int], dict[str, int]] = {}
    prompts = 0
    for path in sorted((home / ".codex/sessions").rglob("*.jsonl")):
        meta = next(records(path))["payload"]
        is_subagent, family = "subagent" in str(meta.get("source")), meta.get("forked_from_id") or meta["id"]
        for record in records(path):
            body = record.get("payload") or record
            if body.get("type") == "user_message" and not is_subagent:
                prompts += 1
            if body.get("type") in ("function_call_output", "custom_tool_call_output"):
                frame = str(body["output"])[-200:] if str(body["output"]).startswith("{") else str(body["output"])
                code = re.search(
                    r"(?:exited with code|[Ee]xit code:|\"exit_code\":) ?(-?\d+)", frame.split("Output:")[0]
                )
                calls[body["call_id"]] = "" if code is None else "fine" if int(code[1]) == 0 else "error"
            if body.get("type") == "exec_command_end" and not calls.get(body["call_id"]):
                calls[body["call_id"]] = "fine" if body["exit_code"] == 0 else "error"
            if body.get("type") in ("function_call", "custom_tool_call", "local_shell_call"):
                calls.setdefault(body["call_id"], "")
            elif body.get("type") == "token_count" and body.get("info"):
                total, last = body["info"]["total_token_usage"], body["info"]["last_token_usage"]
                key = (family, total["input_tokens"], total["output_tokens"], total["total_tokens"])
                totals.setdefault(key, last)
    tokens: collections.Counter[str] = collections.Counter()
    for last in totals.values():
        tokens.update(last)
    return Count(calls, prompts, tokens)


def test_every_file_with_a_reader_is_read(db: apsw.Connection) -> None:
    home = Path(CORPUS)
    expected = {
        "claude-code": len(list((home / ".claude/projects").rglob("*.jsonl"))),
        "codex": len(list((home / ".codex/sessions").rglob("*.jsonl"))),
        "gemini": len(list((home / ".gemini/tmp").rglob("session-*.json"))),
        "copilot": len(list((home / ".copilot/session-state").rglob("events.jsonl"))),
    }
    found = dict(db.execute("SELECT agent, count(*) FROM files WHERE role = 'transcript' GROUP BY agent"))
    assert found == {agent: count for agent, count in expected.items() if count}
    assert list(db.execute("SELECT * FROM problems")) == []
    assert list(db.execute("SELECT unknown FROM files WHERE unknown <> '{}'")) == []


def test_claude_code_agrees_with_a_plain_count(db: apsw.Connection) -> None:
    plain = plain_claude(Path(CORPUS))
    actions = {row[0]: row[1] for row in stored_actions(db, "claude-code")}
    assert set(actions) == set(plain.calls)
    bad = {call for call, ending in plain.calls.items() if ending == "error"}
    assert {call for call, status in actions.items() if status in ("failed", "denied", "cancelled")} <= bad
    assert not {call for call in bad if actions[call] == "unknown"}
    spent = sums(db, "claude-code")
    assert spent == (
        plain.tokens["input_tokens"],
        plain.tokens["cache_read_input_tokens"],
        plain.tokens["cache_creation_input_tokens"],
        plain.tokens["output_tokens"],
    )
    (prompts,) = next(db.execute("SELECT sum(prompts) FROM sessions WHERE agent = 'claude-code'"))
    assert prompts == plain.prompts


def test_codex_agrees_with_a_plain_count(db: apsw.Connection) -> None:
    plain = plain_codex(Path(CORPUS))
    actions = {row[0]: row[1] for row in stored_actions(db, "codex") if row[2] not in ("web_search", "tool_search")}
    assert set(actions) == set(plain.calls)
    assert not {call for call, ending in plain.calls.items() if ending == "fine" and actions[call] == "failed"}
    assert not {call for call, ending in plain.calls.items() if ending == "error" and actions[call] == "unknown"}
    given, cached, _, output = sums(db, "codex")
    assert (given + cached, output) == (plain.tokens["input_tokens"], plain.tokens["output_tokens"])
    (prompts,) = next(db.execute("SELECT sum(prompts) FROM sessions WHERE agent = 'codex'"))
    assert prompts == plain.prompts


@pytest.mark.skipif(not JUDGE, reason="AFTERWIT_JUDGE names no judge")
def test_the_judge_sees_the_same_calls_in_the_same_sessions(
    db: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond what the judge reads there are only subagents inside their parent's file and the server's searches."""
    monkeypatch.setattr(sys, "argv", ["judge", "pool", CORPUS])
    with contextlib.redirect_stdout(io.StringIO()):
        judge = runpy.run_path(JUDGE, run_name="judge")
    seen = {(session.id, action.id) for session in judge["sessions"](CORPUS) for action in session.actions}
    query = """SELECT native_id, call_id, tool FROM actions JOIN parts ON parts.id = actions.id >> 24
               JOIN sessions ON sessions.id = parts.session_id WHERE agent IN ('claude-code', 'codex')"""
    ours = {(session, call): tool for session, call, tool in db.execute(query)}
    assert seen <= set(ours)
    beyond = {key: tool for key, tool in ours.items() if key not in seen}
    assert all("/" in session or tool in ("web_search", "tool_search") for (session, _), tool in beyond.items())


def test_learning_again_changes_nothing_and_rebuilding_gives_the_same(corpus_copy: Path) -> None:
    store = corpus_copy
    home, before = Path(CORPUS).absolute(), hash_of(store)
    report = learned(home, store)
    assert sum(agent.read for agent in report.agents) == 0
    assert hash_of(store) == before
    assert rebuild(world_of(home, store), Silent()).after == before
    assert list(verify(Layout(store))) == []


def stored_actions(db: apsw.Connection, agent: str) -> list[tuple[str, str, str]]:
    query = """SELECT call_id, status, tool FROM actions JOIN parts ON parts.id = actions.id >> 24
               JOIN sessions ON sessions.id = parts.session_id WHERE agent = ?"""
    return list(db.execute(query, (agent,)))


def sums(db: apsw.Connection, agent: str) -> tuple[int, int, int, int]:
    query = """SELECT sum(tokens_input), sum(tokens_cache_read), sum(tokens_cache_write), sum(tokens_output)
               FROM sessions WHERE agent = ?"""
    given, read, written, output = next(db.execute(query, (agent,)))
    return given, read, written, output
