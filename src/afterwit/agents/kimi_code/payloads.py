"""Kimi Code's hooks: Claude Code's input; text reaches the model only at a prompt, and only as plain text."""

from afterwit.agents import claude_hooks
from afterwit.agents.moments import PROMPT, Answer, Moment

read = claude_hooks.read


def write(moment: Moment, answer: Answer) -> str:
    return answer.text if moment.event == PROMPT else claude_hooks.write(moment, answer)
