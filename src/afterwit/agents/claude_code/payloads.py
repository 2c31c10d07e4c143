"""Claude Code's hooks: its own protocol, unchanged. The end of a background agent comes as a prompt: it is none."""

from afterwit.agents import claude_hooks
from afterwit.agents.moments import Moment

_ANNOUNCED = "<task-notification>"

write = claude_hooks.write


def read(event: str, payload: dict[str, object]) -> Moment | None:
    moment = claude_hooks.read(event, payload)
    return None if moment.prompt.startswith(_ANNOUNCED) else moment
