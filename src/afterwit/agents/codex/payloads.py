"""Codex' hooks: Claude Code's protocol, strictly. A key too many, or a rewrite without a permission, fails the hook.

How a command ended is not told: neither an exit code nor an event of its own for failures.
"""

from afterwit.agents import claude_hooks
from afterwit.agents.moments import Answer, Moment


def read(event: str, payload: dict[str, object]) -> Moment | None:
    moment = claude_hooks.read(event, payload)
    moment.is_error = None
    return moment


def write(moment: Moment, answer: Answer) -> str:
    if answer.arguments is not None:
        answer = Answer(answer.text, arguments={"command": answer.arguments.get("command")}, notice=answer.notice)
    return claude_hooks.write(moment, answer, needs_allowance=True)
