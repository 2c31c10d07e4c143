"""Claude Code's `history.jsonl`: every prompt that was typed, with its time, folder and session.

Claude Code never deletes it, while transcripts go after 30 days. Versions of 2025 wrote no `sessionId`. Long pastes are
not in the line but in a cache of their own, under a hash; their place keeps the mark that the user saw.
"""

from afterwit.agents.claude_code.reader import ClaudeCodeReader
from afterwit.agents.prompt_history import Fields, HistoryReader, JoinedReader


def history_reader() -> HistoryReader:
    fields = Fields(text="display", session="sessionId", time="timestamp", folder="project", pasted="pastedContents")
    return HistoryReader(ClaudeCodeReader.agent, fields)


def reader() -> JoinedReader:
    """Transcripts and history of Claude Code."""
    return JoinedReader(ClaudeCodeReader(), history_reader())
