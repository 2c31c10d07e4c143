"""What a client cannot do, with the reason. Tests that need it are skipped for that client.

A test says what it needs with `@pytest.mark.needs(Ability.…)`.
"""

from collections.abc import Mapping
from enum import StrEnum


class Ability(StrEnum):
    COMPACTION = "compaction"  # that can be brought about, and after which a hook can speak
    RESUMPTION = "resumption"  # of the latest session, with another prompt
    ANSWER = "answer"  # text for the model right after a call
    REWRITE = "rewrite"
    SERVER = "server"  # of tools, over MCP


EXCUSES: Mapping[tuple[str, Ability], str] = {
    ("gemini", Ability.COMPACTION): "Gemini CLI tells no hook of a compaction: PreCompress comes before every call",
    ("hermes", Ability.COMPACTION): "Hermes keeps the first messages when it compacts, and the notes are in them",
    ("codex", Ability.RESUMPTION): "Codex takes up a session with a command of its own",
    ("hermes", Ability.RESUMPTION): "Hermes begins a new session for every prompt that is given on the command line",
    ("kimi-code", Ability.ANSWER): "Kimi Code hears nothing from a hook after a call",
    ("kimi-code", Ability.REWRITE): "Kimi Code lets no hook change a call",
    ("qwen", Ability.REWRITE): "Qwen Code lets no hook change a call",
    ("pi", Ability.SERVER): "pi has no MCP",
}
