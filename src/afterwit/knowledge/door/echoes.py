"""Which stories were shown which items: what they say of them is an echo, not evidence.

Hooks know their session. The MCP server often does not: then the run of the server stands for it, and every session
that it may have been counts as shown. To discount one too many costs a piece of evidence; one too few would let an item
prove itself. What a user says again is no echo: nobody repeats to an agent what it did anyway.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import apsw
import msgspec

from afterwit.agents.hook_payloads import RUN
from afterwit.harvest.door import Stories
from afterwit.store.rows.hooks import UNKNOWN_AGENT, DrawRow, draws_of_runs
from afterwit.store.rows.items import exposures
from afterwit.store.rows.repetitions import repetitions
from afterwit.store.rows.session_list import session_of, session_row, sessions_at

_TOOL = "afterwit"  # in the name of every tool of the server, whichever way an agent puts it
_AROUND_MS = 120_000  # between a call in a log and the answer to it


def echoes(
    db: apsw.Connection, lines: Mapping[str, Sequence[str]], of: Iterable[str] | None = None
) -> dict[str, frozenset[str]]:
    """Stories that were shown an item, by item; of these items, or of all. Who was told a line was shown the notes that
    it rests on: `lines` names them."""
    wanted = None if of is None else set(of)
    if wanted is not None:
        wanted.update(line for line, notes in lines.items() if not wanted.isdisjoint(notes))
    by_item: defaultdict[str, set[str]] = defaultdict(set)
    all_stories = Stories(db)
    for row in exposures(db, wanted):
        if row.is_shown and not row.session.startswith(RUN):
            session = session_of(db, row.agent, row.session)
            for name in (row.item, *lines.get(row.item, ())):
                by_item[name].add(all_stories.of(session) if session else row.session)
    for draw in draws_of_runs(db, RUN):
        shown = [item for item, is_shown in msgspec.json.decode(draw.items, type=dict[str, int]).items() if is_shown]
        stories = _stories(db, draw, all_stories) if shown else set()
        for item in shown:
            for name in (item, *lines.get(item, ())):
                by_item[name] |= stories
    for said in repetitions(db):
        session = session_row(db, said.session_id)
        for name in by_item.keys() & {said.item, *lines.get(said.item, ())}:
            by_item[name] -= {all_stories.of(session)} if session else set()
    return {item: frozenset(stories) for item, stories in by_item.items()}


def _stories(db: apsw.Connection, draw: DrawRow, all_stories: Stories) -> set[str]:
    """Those that may have asked. What the agent reports of an item is kept under the run itself, and counts."""
    agent = "" if draw.agent == UNKNOWN_AGENT else draw.agent
    running = sessions_at(db, agent, draw.repo, draw.at_ms - _AROUND_MS, draw.at_ms + _AROUND_MS, _TOOL)
    callers = [session for session in running if session.has_called] or running
    return {all_stories.of(caller.session) for caller in callers}
