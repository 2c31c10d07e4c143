"""What a client cannot do, with the reason. Tests that need it are skipped for that client.

A test says what it needs with `@pytest.mark.needs(Ability.…)`.
"""

from collections.abc import Mapping
from enum import StrEnum


class Ability(StrEnum):
    COMPACTION = "compaction"  # that can be brought about, and after which a hook can speak
    RESUMPTION = "resumption"  # of the latest session, with another prompt
    START = "start"  # text for the model before its first request
    PROMPT = "prompt"  # text for the model that fits the first prompt
    REFUSAL = "refusal"  # of one call, after which the session goes on
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
    ("openhands", Ability.COMPACTION): "OpenHands tells no hook of a compaction",
    ("openhands", Ability.RESUMPTION): "OpenHands takes up a session by its id alone",
    ("openhands", Ability.ANSWER): "OpenHands hears nothing from a hook after a call",
    ("openhands", Ability.REWRITE): "OpenHands lets no hook change a call",
    ("cline-cli", Ability.COMPACTION): "Cline hears nothing from a hook but with the result of a call",
    ("cline-cli", Ability.RESUMPTION): "Cline takes up a session by its id alone",
    ("cline-cli", Ability.START): "Cline hears nothing from a hook but with the result of a call",
    ("cline-cli", Ability.PROMPT): "Cline tells no hook what the prompt is when it gets it on the command line",
    ("cline-cli", Ability.REFUSAL): "Cline ends the whole run when a hook refuses a call",
}
