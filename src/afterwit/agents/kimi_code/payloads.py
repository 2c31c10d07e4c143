"""Kimi Code's hooks: Claude Code's input; text reaches the model only at a prompt, and only as plain text."""

from afterwit.agents import claude_hooks
from afterwit.agents.moments import PROMPT, Answer, Moment

CARRIES = (PROMPT,)
REFUSES = True
REWRITES = False


def read(event: str, payload: dict[str, object]) -> Moment | None:
    return claude_hooks.read(event, payload)


def write(moment: Moment, answer: Answer) -> str:
    return answer.text if moment.event == PROMPT else claude_hooks.write(moment, answer)
