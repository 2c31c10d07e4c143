"""pi's extension: the exit code stands in the text."""

from afterwit.agents import plugin_hooks
from afterwit.agents.moments import AFTER, PROMPT, START, Answer, Moment, number_after

CARRIES = (START, PROMPT, AFTER)
REFUSES = REWRITES = True


def read(event: str, payload: dict[str, object]) -> Moment | None:
    moment = plugin_hooks.read(event, payload)
    if moment.exit_code is None:
        moment.exit_code = number_after(moment.output[-200:], "Command exited with code")
    return moment


def write(moment: Moment, answer: Answer) -> str:  # noqa: ARG001 - every agent's has it
    return plugin_hooks.write(answer)
