"""Draws and notes what agents are given because they asked: answers of the MCP server.

By the same draw as in hooks, with the same key, so that a session that is held out gets nothing here either. MCP names
no session. Where hooks have noted one session of this agent that is under way in this repository, and no other, it is
that one; else the run of the server stands for it, in the draw and in the record. The record is written first.
"""

from collections.abc import Mapping
from typing import NamedTuple

import apsw

from afterwit.agents.hook_payloads import RECALL, RUN
from afterwit.config.world import World
from afterwit.recall.history import DRAW, History
from afterwit.recall.holdout import Odds, holdout_key, is_told, odds_for
from afterwit.store import spool
from afterwit.store.layout import redaction_key
from afterwit.store.rows.hooks import UNKNOWN_AGENT, shares
from afterwit.store.spool_file import SpoolFile

_AGAIN_MS = 600_000
_SILENT_S = 6 * 3_600  # after so long without a word a session may be over without having said so


class Audience(NamedTuple):
    """To whom something is said, and what is drawn for it."""

    agent: str
    session: str
    repo: str
    key: bytes
    odds: Odds

    @property
    def arm(self) -> str:
        return self.odds.arm(self.key, self.agent, self.session)

    @property
    def is_held_out(self) -> bool:
        return not is_told(self.arm, RECALL)

    def hears(self, item: str) -> bool:
        """Whether it is to be told an item; "" stands for what no item is behind."""
        if self.is_held_out:
            return False
        return not item or not self.odds.leaves_out(self.key, self.agent, self.session, item)


def audience_of(db: apsw.Connection, world: World, agent: str, run: str, repo: str) -> Audience:
    """Who asks: the session, or the run where the session cannot be told."""
    name = agent or UNKNOWN_AGENT
    session = _session(world, name, repo) or run
    chosen = shares(db)
    noted = [record.body for record in spool.records_of(world.layout.spool, name, session)]
    odds = History(noted, "").odds or odds_for(chosen.session_share, chosen.item_share, chosen.arms)
    return Audience(name, session, repo, holdout_key(redaction_key(world.layout)), odds)


def note(world: World, to: Audience, moment: str, items: Mapping[str, bool], text: str, would: str = "") -> None:
    """Records what is given, and what would have been. The same again within minutes is one record: agents go in
    circles."""
    record: dict[str, object] = {"kind": DRAW, "at": world.now_ms, "agent": to.agent, "session": to.session}
    record |= {"repo": to.repo} if to.repo else {}
    record |= {"moment": moment, "items": {item: int(is_shown) for item, is_shown in items.items()}}
    record |= {"held": int(to.is_held_out), "arm": to.arm, "odds": to.odds.arms, "item_odds": to.odds.item}
    record |= {"text": text} | ({"would": would} if would != text else {})
    with SpoolFile(str(world.layout.spool), to.agent, to.session) as file:
        if not any(_is_same(earlier, record) for earlier in file.records()):
            file.append(record)


def _is_same(earlier: Mapping[str, object], record: Mapping[str, object]) -> bool:
    at, then = record["at"], earlier.get("at")
    is_recent = isinstance(at, int) and isinstance(then, int) and 0 <= at - then < _AGAIN_MS
    return is_recent and all(earlier.get(name) == record.get(name) for name in ("kind", "moment", "repo", "items"))


def _session(world: World, agent: str, repo: str) -> str:
    """The one session that it can be; "" where there is none, or more than one."""
    running = spool.under_way(world.layout.spool, agent, world.now_ms / 1000 - _SILENT_S)
    here = [session for session, repos in running.items() if repo in repos and not session.startswith(RUN)]
    return here[0] if repo and len(here) == 1 else ""
