"""OpenCode's plugin: the exit code of a command is a number of its own."""

from afterwit.agents import plugin_hooks
from afterwit.agents.moments import Moment

write = plugin_hooks.write


def read(event: str, payload: dict[str, object]) -> Moment | None:
    moment = plugin_hooks.read(event, payload)
    if moment.is_error is None and moment.exit_code is not None:
        moment.is_error = moment.exit_code != 0
    return moment
