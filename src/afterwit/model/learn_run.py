"""A run of `learn`: what it is asked to do, what it tells whoever watches, and what it did, stage by stage.

Values alone, so that a run with nothing to do loads nothing else.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

import msgspec

Work = TypeVar("Work")


class Progress(Protocol):
    """Whoever wants to watch."""

    def begin(self, files: int, total_bytes: int) -> None:
        """This much is to be done."""
        ...

    def advance(self, files: int, done_bytes: int) -> None:
        """This much more is done."""
        ...

    def stage(self, label: str, count: int, unit: str) -> None:
        """What was begun is done; so many of something else follow, and `advance` counts them."""
        ...


class WantedSession(NamedTuple):
    """A session, as agents name it."""

    agent: str
    session: str
    transcript: str = ""  # where its log lies, if the agent says so


class Options(NamedTuple):
    """What a run is asked to do."""

    agents: frozenset[str] = frozenset()  # empty: all
    folder: Path | str | None = None  # only this folder of logs; a text is a URL
    since_ms: int = 0
    jobs: int = 0  # 0: one per core
    wait_seconds: float = 0.0
    is_dry_run: bool = False
    is_reharvest: bool = False  # the present harvesters look at everything again
    sessions: tuple[WantedSession, ...] = ()  # only these, without a sweep
    is_ended: bool = False  # only those whose end an agent has noted, without a sweep
    accepts_database: bool = False  # although it knows less than the archive holds
    executor: str = ""  # the address of workers on other machines

    @property
    def is_whole(self) -> bool:
        """Whether it looks at everything there is."""
        return self == Options(
            jobs=self.jobs,
            wait_seconds=self.wait_seconds,
            is_reharvest=self.is_reharvest,
            executor=self.executor,
        )

    @property
    def reads_ended(self) -> bool:
        """Whether it reads every session whose end an agent has noted."""
        return self.is_whole or (self.is_ended and not self.is_dry_run)

    @property
    def is_narrow(self) -> bool:
        return self.is_ended or bool(self.sessions)


S = TypeVar("S", bound=msgspec.Struct)


class AgentReport(msgspec.Struct, kw_only=True):
    agent: str
    discovered: int = 0
    read: int = 0
    unchanged: int = 0
    empty: int = 0
    failed: int = 0
    no_reader: int = 0
    left_out: int = 0  # files of which nothing was kept: by the settings, because they were erased, or are our own
    events: int = 0
    actions: int = 0
    problems: int = 0
    bytes: int = 0
    errors: list[str] = msgspec.field(default_factory=list)


class Digested(msgspec.Struct, kw_only=True):
    digested: int = 0
    redone: int = 0  # of these, how many had a digest by an older digester
    changed: list[str] = msgspec.field(default_factory=list)  # of the redone: what came out differently


class Harvested(msgspec.Struct, kw_only=True):
    seen: int = 0  # sessions looked at
    items: int = 0
    active: int = 0
    waiting: int = 0  # for more evidence
    needs_approval: int = 0  # only a person may let them through
    gained: list[str] = msgspec.field(default_factory=list)  # ids
    lost: list[str] = msgspec.field(default_factory=list)
    changed: list[str] = msgspec.field(default_factory=list)  # other words, scope or status


class Dropped(msgspec.Struct, frozen=True, kw_only=True):
    """One original that goes, or went."""

    agent: str
    path: str
    sessions: list[str]
    reason: str  # age, soft-cap, hard-cap
    freed_bytes: int  # in the archive, companions included
    original_bytes: int
    sha256: str
    is_data_loss: bool  # not analysed before


class PassDone(msgspec.Struct, frozen=True, kw_only=True):
    reason: str
    files: int
    sessions: int
    freed_bytes: int
    after_bytes: int


class Eviction(msgspec.Struct, kw_only=True):
    """What an eviction did, or would do. Sizes are those of packed originals unless they say otherwise."""

    is_dry_run: bool
    soft_cap_bytes: int
    hard_cap_bytes: int
    before_bytes: int
    after_bytes: int
    freed_bytes: int
    kept_bytes: int  # of originals that never go: pinned sessions, histories of prompts
    is_over_hard_cap: bool  # because of what never goes
    passes: list[PassDone]
    dropped: list[Dropped]
    faults: list[str]  # originals that are damaged in the archive, and so left alone
    data_loss: list[str]  # sessions, or paths where there is none, that went without being analysed
    distilled_bytes: int  # of everything but originals
    distilled_cap_bytes: int

    @property
    def is_over_distilled_cap(self) -> bool:
        return self.distilled_bytes > self.distilled_cap_bytes

    @property
    def has_failed(self) -> bool:
        return bool(self.data_loss or self.faults) or self.is_over_hard_cap


class Find(msgspec.Struct, frozen=True, kw_only=True):
    """A note that is worth telling at the end of a run."""

    id: str
    sentence: str
    applies_to: str  # a repository or an agent; "" where it holds everywhere
    confidence: float
    rests_on: str = ""  # in words
    is_new: bool


class KeptSaying(msgspec.Struct, frozen=True, kw_only=True):
    """What a user keeps saying, and could make a note."""

    id: str
    words: str
    repo: str
    sessions: int


class News(msgspec.Struct, frozen=True, kw_only=True):
    """What a run that read something was good for."""

    sessions: int = 0  # that were read: new, or grown
    new_sessions: int = 0
    agents: list[str] = msgspec.field(default_factory=list)  # whose they are
    tokens: int = 0
    cost_usd: float | None = None  # None: no price is known
    is_cost_partial: bool = False
    rescued: int = 0  # logs that were read, and that their agents delete by themselves
    rescued_from_ms: int | None = None  # when the first of these goes
    finds: list[Find] = msgspec.field(default_factory=list)  # the best, new ones before others
    keeps_saying: list[KeptSaying] = msgspec.field(default_factory=list)  # new since the run before, the most said

    def followed_by(self, later: "News") -> "News":
        costs = [cost for cost in (self.cost_usd, later.cost_usd) if cost is not None]
        moments = [moment for moment in (self.rescued_from_ms, later.rescued_from_ms) if moment is not None]
        return News(
            sessions=self.sessions + later.sessions,
            new_sessions=self.new_sessions + later.new_sessions,
            agents=list(dict.fromkeys([*self.agents, *later.agents])),
            tokens=self.tokens + later.tokens,
            cost_usd=sum(costs) if costs else None,
            is_cost_partial=self.is_cost_partial or later.is_cost_partial or len(costs) == 1,
            rescued=self.rescued + later.rescued,
            rescued_from_ms=min(moments, default=None),
            finds=later.finds if any(find.is_new for find in later.finds) else self.finds,
            keeps_saying=[*self.keeps_saying, *later.keeps_saying],
        )


class LearnReading(msgspec.Struct, frozen=True, kw_only=True):
    """What a model read after a run."""

    model: str
    sessions: int = 0
    notes: int = 0
    settled: int = 0  # lines of briefs that were compiled, and notes that were replaced
    tokens: int = 0
    cost_usd: float | None = None  # None: no price is known
    problem: str = ""  # what went wrong
    is_stopped: bool = False  # by Ctrl-C, or because the time of the run was up


class Report(msgspec.Struct, kw_only=True):
    agents: list[AgentReport]
    sessions: int = 0  # in the store, after the run
    digested: Digested = msgspec.field(default_factory=Digested)
    harvested: Harvested = msgspec.field(default_factory=Harvested)
    evicted: Eviction | None = None  # None: all originals are well within their budget
    is_dry_run: bool = False
    news: News | None = None  # None: nothing was read
    is_connected: bool = False  # whether any agent hears from us
    excluded: int = 0  # sessions that the settings leave out
    excluded_stored: int = 0  # sessions in the store that the settings leave out, from before they did
    own: int = 0  # sessions in which an agent read for us, of which nothing is kept
    damaged: list[str] = msgspec.field(default_factory=list)  # what was damaged in the archive, and whether it still is
    reading: LearnReading | None = None  # None: no model that can be called is set, or it had nothing to read

    @property
    def has_failures(self) -> bool:
        return bool(self.damaged) or any(agent.failed for agent in self.agents)

    def followed_by(self, later: "Report") -> "Report":
        """Both as one: what they did adds up, how things stand is as the later one found them."""
        agents = {agent.agent: agent for agent in self.agents}
        for agent in later.agents:
            earlier = agents.get(agent.agent)
            agents[agent.agent] = _sum(earlier, agent, "agent") if earlier else agent
        return msgspec.structs.replace(
            later,
            agents=list(agents.values()),
            digested=_sum(later.digested, self.digested),
            harvested=_sum(later.harvested, self.harvested, "items", "active", "waiting", "needs_approval"),
            evicted=later.evicted or self.evicted,
            damaged=[*self.damaged, *(line for line in later.damaged if line not in self.damaged)],
            news=self.news.followed_by(later.news) if self.news and later.news else later.news or self.news,
        )


def _sum(first: S, second: S, *kept: str) -> S:
    """Numbers and lists of both; what is kept is the first one's."""
    names = [name for name in first.__struct_fields__ if name not in kept]
    return msgspec.structs.replace(first, **{name: getattr(first, name) + getattr(second, name) for name in names})


def in_batches(
    work: Sequence[Work], size: int, progress: Progress | None, label: str, unit: str
) -> Iterator[Sequence[Work]]:
    """The work of one stage in batches; when the next one is asked for, the last is done."""
    if progress is not None:
        progress.stage(label, len(work), unit)
    for start in range(0, len(work), size):
        batch = work[start : start + size]
        yield batch
        if progress is not None:
            progress.advance(len(batch), len(batch))
