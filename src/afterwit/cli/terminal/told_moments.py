"""The moments at which agents are told something, in the words that people read."""

from afterwit.agents import moments

_WORDS = {
    moments.START: "at the start of a session",
    moments.PROMPT: "with a prompt",
    moments.BEFORE: "before a command",
    moments.AFTER: "after a failure",
    moments.RECALL: "when it asked",
    moments.ASKED: "when it asked",
}
_AT_ACTIVITY = "at a first edit, test or commit"


def said_at(moment: str, act: str = "") -> str:
    """The moment in words; of what was told with an action, whether that had to fail."""
    return _AT_ACTIVITY if act == moments.ACTIVITY else _WORDS.get(moment, moment)
