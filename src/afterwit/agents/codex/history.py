"""Codex's `history.jsonl`: the prompts of all sessions, as `{session_id, ts, text}` with seconds, without a folder.

Codex deletes no rollout by itself, but people do. `[history] persistence = "none"` in its settings turns the file off.
"""

from afterwit.agents.codex.reader import CodexReader
from afterwit.agents.prompt_history import Fields, HistoryReader, JoinedReader


def history_reader() -> HistoryReader:
    return HistoryReader(CodexReader.agent, Fields(text="text", session="session_id", time="ts"))


def reader() -> JoinedReader:
    """Rollouts and history of Codex."""
    return JoinedReader(CodexReader(), history_reader())
