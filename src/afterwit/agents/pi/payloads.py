"""pi's extension: the exit code stands in the text."""

from afterwit.agents import plugin_hooks
from afterwit.agents.moments import Moment, number_after

write = plugin_hooks.write


def read(event: str, payload: dict[str, object]) -> Moment | None:
    moment = plugin_hooks.read(event, payload)
    if moment.exit_code is None:
        moment.exit_code = number_after(moment.output[-200:], "Command exited with code")
    return moment
