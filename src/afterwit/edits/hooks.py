"""Which of an agent's own events call our hook, and how the agents that took over Claude Code's form write that down.

An event before an action is used only if the user has allowed us to refuse or to rewrite there: text alone would come
too late, and every hook costs time. What an agent cannot do is not asked of it. Plugins and extensions that an agent
loads as code are our text with our command written into it.
"""

import json
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, NamedTuple

from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.ours import hook_command, hook_words, powershell_command

BEFORE = "before"
SECONDS = {
    "start": 10,
    "prompt": 10,
    BEFORE: 5,
    "after": 5,
    "compact": 5,
    "end": 3,
}  # the hook itself ends much earlier
_MOMENTS = {
    "start": "start of a session",
    "prompt": "first prompt",
    "after": "after a failure",
    "end": "end of a session",
}
_ENDS_OF_TURNS = ("Stop", "session.idle")  # of agents that do not always tell the end of a session


class Reach(NamedTuple):
    """What the hooks of one agent can do."""

    agent: str
    events: Mapping[str, str]  # the agent's own event → ours
    can_refuse: bool = True
    can_rewrite: bool = True

    def narrowed(self, at: Surroundings) -> Surroundings:
        """Without what this agent cannot do."""
        return at._replace(
            may_refuse=at.may_refuse and self.can_refuse, may_rewrite=at.may_rewrite and self.can_rewrite
        )

    def used(self, at: Surroundings) -> dict[str, str]:
        """The events that call us."""
        allowed = self.narrowed(at)
        is_before_used = allowed.may_refuse or allowed.may_rewrite
        return {own: ours for own, ours in self.events.items() if ours != BEFORE or is_before_used}

    def groups(self, at: Surroundings, *, matcher: str | None = None, per_second: int = 1) -> dict[str, Sequence[Any]]:
        """The hooks in Claude Code's form. `per_second` is the agent's unit of time."""
        head = {} if matcher is None else {"matcher": matcher}
        return {own: [{**head, "hooks": [self._hook(at, ours, per_second)]}] for own, ours in self.used(at).items()}

    def command(self, at: Surroundings, event: str) -> str:
        return hook_command(self.narrowed(at), self.agent, event)

    def powershell_command(self, at: Surroundings, event: str) -> str:
        return powershell_command(self.narrowed(at), self.agent, event)

    def integration(self, at: Surroundings, *edits: Any, to_do: tuple[str, ...] = ()) -> Integration:
        return Integration(edits, self._moments(at), (*to_do, *self._missing(at)))

    def _hook(self, at: Surroundings, event: str, per_second: int) -> dict[str, Any]:
        return {"type": "command", "command": self.command(at, event), "timeout": SECONDS[event] * per_second}

    def _moments(self, at: Surroundings) -> tuple[str, ...]:
        allowed = self.narrowed(at)
        moments = _MOMENTS | ({"end": "end of a turn"} if any(own in self.events for own in _ENDS_OF_TURNS) else {})
        said = [moments[event] for event in moments if event in self.events.values()]
        may = (("refuses a command once", allowed.may_refuse), ("rewrites a command", allowed.may_rewrite))
        return (*said, *(words for words, is_on in may if is_on))

    def _missing(self, at: Surroundings) -> tuple[str, ...]:
        lost = (
            ("refuse a command and let the session go on", at.may_refuse and not self.can_refuse),
            ("rewrite a command", at.may_rewrite and not self.can_rewrite),
        )
        return tuple(
            f"{self.agent} gives hooks no way to {what}; that is left out." for what, is_lost in lost if is_lost
        )


def script(package: str, name: str, reach: Reach, at: Surroundings) -> str:
    """The file `name` of an agent's package, complete. It gets the words of the hook's command; those for the moment
    before an action are empty where nothing is to be done there."""
    allowed = reach.narrowed(at)
    *words, _ = hook_words(allowed, reach.agent, "start")
    is_used = BEFORE in reach.used(at).values()
    before = list(hook_words(allowed, reach.agent, BEFORE)) if is_used else []
    text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
    return text.replace("__HOOK__", json.dumps(words)).replace("__BEFORE__", json.dumps(before))
