"""Agents' own quirks: failures that come from how an agent's tools work, and what avoids them.

At most twenty, seen in real logs: all but `folder` in those of several repositories. What most agents mend at once is
not worth a word: one is told after the second failure of its kind in a session, once. Plain searches: a hook asks.
"""

from afterwit.recall.deck.reader import DeckLine
from afterwit.redaction.shown import Shown, ours

_SHELLS = ("(eval):", "zsh:", "bash:", "sh:", "/bin/")
_CLAUDE = ("claude-code",)
# Name, agents (none: all), how a line begins, what it holds; what to do.
QUIRKS: dict[tuple[str, tuple[str, ...], tuple[str, ...], str], Shown] = {
    ("folder", (), _SHELLS, "cd:"):
        ours("the shell keeps its folder between calls: `cd` to a whole path, or not at all"),
    ("glob", (), _SHELLS, "no matches found: "):
        ours("zsh gives up the whole command where a pattern fits nothing: quote the pattern"),
    ("unread", _CLAUDE, ("File has not been read yet",), ""):
        ours("only Read counts as reading, `cat` does not: Read a file before its first Edit or Write"),
    ("modified", _CLAUDE, ("File has been modified since read",), ""):
        ours("something rewrites files after edits, such as a linter: Read right before each Edit, edit less often"),
    ("unmatched", _CLAUDE, ("String to replace not found",), ""):
        ours("Read the lines again and copy a few of them as they are, with their blanks, into `old_string`"),
    ("large", _CLAUDE, ("File content (",), "exceeds maximum allowed tokens"):
        ours("search a large file first, and Read only the lines around with `offset` and `limit`"),
    ("elsewhere", _CLAUDE, ("File does not exist.", "Path does not exist"), ""):
        ours("paths are taken from the folder that the error names: give whole paths, and look for the name first"),
    ("context", ("codex",), ("apply_patch verification failed",), ""):
        ours("print the lines right before you patch them, copy them as they are, and patch one place at a time"),
}  # fmt: skip


def quirk_in(agent: str, output: str) -> DeckLine | None:
    """The quirk that a failed call met, as a line to tell."""
    lines = [line.strip().removeprefix("<tool_use_error>") for line in output[:4_000].split("\n")]
    for (name, agents, begins, holds), cure in QUIRKS.items():
        if agent in (agents or (agent,)) and any(line.startswith(begins) and holds in line for line in lines):
            return DeckLine(f"quirk-{name}", cure, "guidance", "", 1.0)
    return None
