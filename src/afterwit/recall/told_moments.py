"""The moments at which agents are told something, in the words that people read."""

from afterwit.agents import hook_payloads as moments

_WORDS = {
    moments.START: "at the start of a session",
    moments.PROMPT: "with a prompt",
    moments.BEFORE: "before a command",
    moments.AFTER: "after a failure",
    moments.RECALL: "when it asked",
    moments.ASKED: "when it asked",
}
_ACTS = {
    moments.ACTIVITY: "at a first edit, test or commit",
    "refuse": "by refusing a command",
    "rewrite": "by rewriting a command",
}


def said_at(moment: str, act: str = "") -> str:
    """The moment in words; of what was told with an action, whether that had to fail."""
    return _ACTS.get(act) or _WORDS.get(moment, moment)
