"""Which call a result belongs to, in logs that need not say it.

Ids such as `call_0` may come again in each turn: from its second use on, an id gets a number ("call_0#2"), and a result
belongs to the latest call of its id. A result without an id answers the call that stands in the same record, else the
oldest open call of its session and tool. What is kept between records is bounded.
"""

import msgspec

_MOST_OPEN = 100
_MOST_USES = 5000


class OpenCall(msgspec.Struct, array_like=True):
    """A call without a result so far."""

    session: str
    id: str
    tool: str
    offset: int


class Calls(msgspec.Struct, kw_only=True):
    """The calls of a log so far: how often each id was used, and what is not answered yet."""

    uses: dict[str, int] = {}
    open: list[OpenCall] = []

    def made(self, session: str, given: str, tool: str, offset: int, number: int) -> str:
        """The id of a new call, told apart from earlier calls that had the same."""
        call_id = self._used(session, given) if given else f"at-{offset}-{number}"
        self.open.append(OpenCall(session, call_id, tool, offset))
        del self.open[:-_MOST_OPEN]
        return call_id

    def answered(self, session: str, given: str, tool: str, offset: int) -> str:
        """The id of the call that a result belongs to, which is open no longer."""
        if given:
            times = self.uses.get(f"{session} {given}", 1)
            call_id = given if times == 1 else f"{given}#{times}"
        else:
            call_id = self._oldest(session, tool, offset) or f"at-{offset}"
        self.open = [call for call in self.open if (call.session, call.id) != (session, call_id)]
        return call_id

    def _used(self, session: str, given: str) -> str:
        name = f"{session} {given}"
        if name not in self.uses and len(self.uses) >= _MOST_USES:
            self.uses.pop(next(iter(self.uses)))
        self.uses[name] = self.uses.get(name, 0) + 1
        return given if self.uses[name] == 1 else f"{given}#{self.uses[name]}"

    def _oldest(self, session: str, tool: str, offset: int) -> str:
        waiting = [call for call in self.open if call.session == session and tool in ("", call.tool)]
        beside = [call for call in waiting if call.offset == offset]
        return next((call.id for call in beside or waiting), "")
