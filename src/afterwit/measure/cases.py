"""The cases of the experiment: sessions for which something was drawn, with their odds and how they went.

A case is a session with its subagents, forks and resumes, as far up as hooks drew anything for them. Its arm is that of
its first draw, whatever came later (intention to treat). Drawn is drawn: cases are found by the ids in the draws, never
by times, so that no midnight and no change of the clock moves one to the other side. Beside them stand sessions from
before the first draw, which show what was usual in the same repository with the same agent. Each is read once, in the
order of time, because which failures had been met before depends on that.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import apsw
import msgspec

from afterwit.agents.hook_payloads import ASKED, RECALL, RUN
from afterwit.config.world import World
from afterwit.digest.door import load_digest
from afterwit.knowledge.door.repeated import drawn_texts
from afterwit.measure.outcomes import Course, Figure, SpentTokens
from afterwit.model.knowledge import ItemStatus
from afterwit.recall.holdout import CHECK
from afterwit.recall.prompt_block import PLACES
from afterwit.store.rows import hooks
from afterwit.store.rows.extras import PublishedForm, pattern_entries, versions_published
from afterwit.store.rows.hooks import DrawRow
from afterwit.store.rows.items import item_heads
from afterwit.store.rows.parts import tokens_by_time
from afterwit.store.rows.session_list import (
    SessionRow,
    continuations_of,
    earlier_sessions,
    session_of,
)
from afterwit.store.store import readonly_database, require

_REFUSED = ("refuse", CHECK)
PAST_SESSIONS = 100  # of one repository and agent, before the first draw
_DEEPEST = 16


class ItemDraw(msgspec.Struct, frozen=True, kw_only=True):
    """An item that fitted a case in which items were told: whether it was, too."""

    item: str  # its id
    harvester: str  # "" where the item is no longer there
    moment: str
    is_told: bool
    chance: float
    pattern: str = ""  # of which it was published, with the version: "3fa9c1d20b7e 1.0.0"


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One session. One from before the experiment has neither arm nor odds, one that was drawn for and of which no log
    was ever read no figures."""

    agent: str
    session: str  # native id
    repo: str
    at_ms: int
    figures: dict[Figure, float]
    arm: str = ""
    odds: dict[str, float] = {}
    items: tuple[ItemDraw, ...] = ()
    heard: dict[str, bool] = {}  # lines and notes that it was told, or that were held out
    asked: tuple[frozenset[str], ...] = ()  # turns in which the user asked for lines or notes, told or not
    texts: dict[str, str] = {}  # what these say

    @property
    def stratum(self) -> str:
        return f"{self.repo}\0{self.agent}"


class Cases(msgspec.Struct, frozen=True, kw_only=True):
    past: list[Case]
    drawn: list[Case]  # in the order of their first draws
    lost: list[Case]
    in_use: frozenset[str] = frozenset()  # items that are told to sessions now
    is_going_on: bool = True  # whether new sessions are drawn into more than one arm


class _Drawn(NamedTuple):
    """What was drawn for one session."""

    first: DrawRow
    rows: list[DrawRow]


def cases_of(world: World) -> Cases:
    """All cases of a store."""
    require(world.layout)
    with readonly_database(world.layout) as db:
        return cases_in(db)


def cases_in(db: apsw.Connection) -> Cases:
    return _Joining(db).joined()


class _Joining:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        heads = item_heads(db)
        self._harvesters = {head.id: head.harvester for head in heads}
        versions = versions_published(pattern_entries(db), PublishedForm.NOTE)
        self._patterns = {version.name: f"{version.pattern} {version.version}" for version in versions}
        self._in_use = frozenset(head.id for head in heads if head.status == ItemStatus.ACTIVE)
        self._drawn = _by_session(hooks.draws(db))
        self._texts = drawn_texts(db)
        self._met: defaultdict[str, set[str]] = defaultdict(set)

    def joined(self) -> Cases:
        chosen = hooks.shares(self._db)
        tops: dict[tuple[str, str], SessionRow] = {}
        lost: list[Case] = []
        for (agent, session), drawn in self._drawn.items():
            row = session_of(self._db, agent, session)
            if row is None:
                lost.append(_case_lost(drawn.first))
            else:
                top = self._top(row)
                tops.setdefault((top.agent, top.native_id), top)
        ordered = sorted(tops.values(), key=lambda row: self._first(row).at_ms)
        past = [case for row in self._past(ordered) if (case := self._case(row)) is not None]
        cases = [(row, self._case(row)) for row in ordered]
        lost += [_case_lost(self._first(row)) for row, case in cases if case is None]
        return Cases(
            past=past,
            drawn=[case for _, case in cases if case is not None],
            lost=sorted(lost, key=lambda case: (case.at_ms, case.session)),
            in_use=self._in_use,
            is_going_on=bool(chosen.session_share or chosen.arms),
        )

    def _top(self, row: SessionRow) -> SessionRow:
        """The highest session above this one for which anything was drawn."""
        top = row
        for _ in range(_DEEPEST):
            above = session_of(self._db, row.agent, row.parent) if row.parent else None
            if above is None or above.id == row.id:
                break
            row = above
            top = row if (row.agent, row.native_id) in self._drawn else top
        return top

    def _first(self, row: SessionRow) -> DrawRow:
        return self._drawn[row.agent, row.native_id].first

    def _past(self, cases: Iterable[SessionRow]) -> Iterator[SessionRow]:
        """Sessions of the same repositories and agents that began before anything was drawn, the oldest first."""
        first: dict[tuple[str, str], int] = {}
        for row in cases:
            first.setdefault((row.repo, row.agent), self._first(row).at_ms)
        earlier = (
            row
            for (repo, agent), at_ms in first.items()
            for row in earlier_sessions(self._db, repo, agent, at_ms, PAST_SESSIONS)
            if (row.agent, row.native_id) not in self._drawn
        )
        return iter(sorted(earlier, key=lambda row: (row.started_ms or 0, row.agent, row.native_id)))

    def _case(self, row: SessionRow) -> Case | None:
        """None where nothing of the session was digested yet."""
        members = list(self._members(row))
        digests = [digest for member in members if (digest := load_digest(self._db, member)) is not None]
        if not digests:
            return None
        course = Course(digests)
        spent = [SpentTokens(*paid) for member in members for paid in tokens_by_time(self._db, member.id)]
        drawn = [own for member in members if (own := self._drawn.get((member.agent, member.native_id))) is not None]
        refused = sum(row.act in _REFUSED and row.text != "" for own in drawn for row in own.rows)
        texts = self._texts.get(row.repo, {})
        asked = course.asks(texts)
        figures = course.figures(spent, self._met[row.repo], refused, len(asked))
        self._met[row.repo] |= course.signatures()
        case = Case(
            agent=row.agent,
            session=row.native_id,
            repo=row.repo,
            at_ms=row.started_ms or 0,
            figures=figures,
            heard=_heard_in(drawn),
            asked=asked,
            texts={name: texts[name] for name in sorted(frozenset().union(*asked))},
        )
        if (row.agent, row.native_id) not in self._drawn:
            return case
        first = self._first(row)
        items = tuple(self._items(drawn))
        return msgspec.structs.replace(case, at_ms=first.at_ms, arm=first.arm, odds=_odds(first), items=items)

    def _members(self, row: SessionRow) -> Iterator[SessionRow]:
        """The session and all that came out of it."""
        waiting, seen = [row], {row.id}
        while waiting:
            member = waiting.pop()
            yield member
            below = [row for row in continuations_of(self._db, member.agent, member.native_id) if row.id not in seen]
            seen.update(row.id for row in below)
            waiting += below

    def _items(self, drawn: Iterable[_Drawn]) -> Iterator[ItemDraw]:
        """The first draw of each item, where the moment was told at all. What an answer to a question had no room for
        is noted as not told, and room depends on the other items: nothing can be concluded from that."""
        seen: set[str] = set()
        for row in sorted((row for own in drawn for row in own.rows), key=lambda row: (row.at_ms, row.key)):
            if row.is_held or row.item_odds is None or row.moment == RECALL:
                continue
            for item, is_told in msgspec.json.decode(row.items, type=dict[str, int]).items():
                if item not in seen:
                    seen.add(item)
                    yield ItemDraw(
                        item=item,
                        harvester=self._harvesters.get(item, item if item == PLACES else ""),
                        moment=row.act or row.moment,
                        is_told=bool(is_told),
                        chance=row.item_odds,
                        pattern=self._patterns.get(item, ""),
                    )


def _heard_in(drawn: Iterable[_Drawn]) -> dict[str, bool]:
    """What was told in a case at any time, and what was only held out."""
    heard: dict[str, bool] = {}
    for row in (row for own in drawn for row in own.rows):
        for name, is_told in msgspec.json.decode(row.items, type=dict[str, int]).items():
            heard[name] = heard.get(name, False) or bool(is_told and not row.is_held)
    return heard


def _by_session(rows: Iterable[DrawRow]) -> Mapping[tuple[str, str], _Drawn]:
    """What was drawn for each session, in order. A run of the MCP server is no session, what an agent asks for by its
    id it gets, and without the odds of its first draw a session compares nothing."""
    drawn: dict[tuple[str, str], _Drawn] = {}
    for row in rows:
        if not row.session.startswith(RUN) and row.moment != ASKED:
            drawn.setdefault((row.agent, row.session), _Drawn(row, [])).rows.append(row)
    return {name: own for name, own in drawn.items() if own.first.odds != "{}"}


def _odds(row: DrawRow) -> dict[str, float]:
    return msgspec.json.decode(row.odds, type=dict[str, float])


def _case_lost(first: DrawRow) -> Case:
    return Case(
        agent=first.agent,
        session=first.session,
        repo=first.repo,
        at_ms=first.at_ms,
        figures={},
        arm=first.arm,
        odds=_odds(first),
    )
