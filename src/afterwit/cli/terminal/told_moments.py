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


def said_at(moment: str) -> str:
    """The moment in words."""
    return _WORDS.get(moment, moment)
