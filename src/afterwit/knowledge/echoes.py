"""Which stories were shown which items: what they say of them afterwards is an echo, not evidence.

Hooks know their session. The MCP server often does not: then the run of the server stands for it, and every session
that it may have been counts as shown. That is the one whose log has a call of ours at that time; where none has, all
sessions of that agent in that repository that were under way. To discount one too many costs a piece of evidence; one
too few would let an item prove itself.
"""

from collections import defaultdict

import apsw
import msgspec

from afterwit.agents.moments import RUN
from afterwit.harvest.stories import Stories
from afterwit.store.rows.hooks import UNKNOWN_AGENT, DrawRow, draws_of_runs
from afterwit.store.rows.items import exposures
from afterwit.store.rows.session_list import running_at, session_of

_TOOL = "afterwit"  # in the name of every tool of the server, whichever way an agent puts it
_AROUND_MS = 120_000  # between a call in a log and the answer to it


def echoes(db: apsw.Connection) -> dict[str, frozenset[str]]:
    """Stories that were shown an item, by item."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    told = Stories(db)
    for row in exposures(db):
        if row.is_shown and not row.session.startswith(RUN):
            session = session_of(db, row.agent, row.session)
            found[row.item].add(told.of(session) if session else row.session)
    for draw in draws_of_runs(db, RUN):
        shown = [item for item, is_shown in msgspec.json.decode(draw.items, type=dict[str, int]).items() if is_shown]
        stories = _stories(db, draw, told) if shown else set()
        for item in shown:
            found[item] |= stories
    return {item: frozenset(stories) for item, stories in found.items()}


def _stories(db: apsw.Connection, draw: DrawRow, told: Stories) -> set[str]:
    """Those that may have asked. What the agent reports of an item is kept under the run itself, and counts."""
    agent = "" if draw.agent == UNKNOWN_AGENT else draw.agent
    running = running_at(db, agent, draw.repo, draw.at_ms - _AROUND_MS, draw.at_ms + _AROUND_MS, _TOOL)
    callers = [one for one in running if one.has_called] or running
    return {told.of(caller.session) for caller in callers}
