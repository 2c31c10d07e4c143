"""Which sessions are meant, and what is asked of them in order to list them: their rows, their children, what they
spent.

A `Selection` is exact: repositories by their whole name, times in milliseconds. Turning what people type (patterns,
domains, days) into one is left to `sessions.filters`. All values are named parameters. Where sessions are what is asked
for, the SQL text holds only the conditions that are set, so that an index can answer them and the latest few are found
without a look at all.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.model.captured import ORDINAL_BITS
from afterwit.store.database import columns_of, json_list, only_row

_CONDITIONS = {
    "session": "sessions.id = :session",
    "sessions": "sessions.id IN (SELECT value FROM json_each(:sessions))",
    "agents": "+sessions.agent IN (SELECT value FROM json_each(:agents))",  # +: in the order of time, not by agent
    "repos": "sessions.repo IN (SELECT value FROM json_each(:repos))",
    "outcomes": "sessions.outcome IN (SELECT value FROM json_each(:outcomes))",
    "task_types": "sessions.task_type IN (SELECT value FROM json_each(:task_types))",
    "branch": "sessions.branch GLOB :branch",
    "parent": "sessions.parent = :parent",
    "is_top": "sessions.relation <> 'subagent'",
    "text": """(instr(lower(sessions.title), lower(:text)) OR instr(lower(sessions.task), lower(:text))
        OR instr(lower(sessions.first_prompt), lower(:text)))""",
}
_UNSET = {"branch": "''", "parent": "''", "is_top": "0", "text": "''"}  # else NULL
_SELECTED = " AND ".join(
    f"(:{name} IS {_UNSET.get(name, 'NULL')} OR {condition})" for name, condition in _CONDITIONS.items()
)
_TIMES = {"since_ms": "sessions.started_ms >= :since_ms", "until_ms": "sessions.started_ms < :until_ms"}
_OF_ONE_REPO = "sessions.repo = (SELECT value FROM json_each(:repos))"
_DAY_MS = 86_400_000
_QUARTER_MS = 900_000  # no zone has a day that begins within a quarter of an hour


SPENT = f"""{_SELECTED}
    AND (:since_ms IS NULL OR ifnull(spends.at_ms, sessions.started_ms) >= :since_ms)
    AND (:until_ms IS NULL OR ifnull(spends.at_ms, sessions.started_ms) < :until_ms)"""
"""Responses that came in the time asked for, whenever their session began."""

SAID = f"""{_SELECTED}
    AND (:since_ms IS NULL OR ifnull(events.at_ms, sessions.started_ms) >= :since_ms)
    AND (:until_ms IS NULL OR ifnull(events.at_ms, sessions.started_ms) < :until_ms)"""
"""Events of the time asked for, whenever their session began."""


class Selection(NamedTuple):
    """Empty means all. `until_ms` itself is no longer in."""

    agents: frozenset[str] = frozenset()
    repos: frozenset[str] | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    branch: str = ""  # a pattern, as GLOB has it
    text: str = ""  # in the title or the first prompt, whatever the case of ASCII letters
    outcomes: frozenset[str] = frozenset()
    task_types: frozenset[str] = frozenset()
    parent: str = ""  # native id
    is_top: bool = False  # without subagents
    session: int | None = None  # only this one, by its row
    sessions: frozenset[int] | None = None  # only these

    @property
    def where(self) -> str:
        """The clause that finds sessions that began in the time asked for; "" where all are meant."""
        unset = Selection._field_defaults
        conditions = [text for name, text in (_CONDITIONS | _TIMES).items() if getattr(self, name) != unset[name]]
        if self.repos is not None and len(self.repos) == 1:  # whose sessions an index has in the order of time
            conditions[conditions.index(_CONDITIONS["repos"])] = _OF_ONE_REPO
        return f"WHERE {' AND '.join(conditions)}" if conditions else ""

    def values(self) -> dict[str, Any]:
        """The named parameters of `where`, `SPENT` and `SAID`."""
        wanted = self._asdict() | {name: getattr(self, name) or None for name in ("agents", "outcomes", "task_types")}
        return {
            name: json_list(sorted(value)) if isinstance(value, frozenset) else value for name, value in wanted.items()
        }


class SessionRow(msgspec.Struct, frozen=True):
    id: int
    agent: str
    native_id: str
    repo: str
    branch: str
    started_ms: int | None
    ended_ms: int | None
    title: str
    task: str
    outcome: str
    task_type: str
    relation: str
    parent: str
    parent_call: str
    origin: str
    user: str
    cwd: str
    root: str
    versions: str  # JSON list
    models: str  # JSON list
    is_partial: int
    prompts: int
    replies: int
    events: int
    actions: int
    failures: int
    denials: int
    interrupts: int
    compactions: int
    model_errors: int
    tokens_input: int
    tokens_cache_read: int
    tokens_cache_write: int
    tokens_output: int
    tokens_reasoning: int

    @property
    def tokens(self) -> int:
        """All that was read and written. Reasoning is part of the output."""
        return self.tokens_input + self.tokens_cache_read + self.tokens_cache_write + self.tokens_output


_COLUMNS = columns_of(SessionRow, table="sessions")


def select_sessions(db: apsw.Connection, selection: Selection) -> Iterator[SessionRow]:
    """Oldest first; those without a time come before all others."""
    query = f"""SELECT {_COLUMNS} FROM sessions {selection.where}
                ORDER BY sessions.started_ms, sessions.agent, sessions.native_id"""  # noqa: S608
    return (SessionRow(*row) for row in db.execute(query, selection.values()))


MEASURES = {
    "start": "sessions.started_ms",
    "tokens": "tokens_input + tokens_cache_read + tokens_cache_write + tokens_output",
    "failures": "sessions.failures",
    "actions": "sessions.actions",
    "duration": "ifnull(ended_ms, 0) - coalesce(started_ms, ended_ms, 0)",
}
"""What the database can sort sessions by."""


def first_sessions(
    db: apsw.Connection, selection: Selection, measure: str, limit: int, *, is_reversed: bool = False, skipped: int = 0
) -> list[SessionRow]:
    """The latest, or those with most of a measure; the earliest or least where it is reversed. `limit` 0 means all;
    `skipped` are those before the first."""
    columns = dict.fromkeys((MEASURES[measure], *(f"sessions.{name}" for name in ("started_ms", "native_id", "agent"))))
    order = ", ".join(f"{column} {'ASC' if is_reversed else 'DESC'}" for column in columns)
    query = f"""SELECT {_COLUMNS} FROM sessions {selection.where}
                ORDER BY {order} LIMIT :limit OFFSET :skipped"""  # noqa: S608
    values = {**selection.values(), "limit": limit or -1, "skipped": skipped}
    return [SessionRow(*row) for row in db.execute(query, values)]


def count_selected(db: apsw.Connection, selection: Selection) -> int:
    query = f"SELECT count(*) FROM sessions {selection.where}"  # noqa: S608
    return int(db.execute(query, selection.values()).get)


class SessionTimes(NamedTuple):
    """How many sessions there are, and when the first and the last of them began."""

    sessions: int
    earliest_ms: int | None
    latest_ms: int | None


def times_of_sessions(db: apsw.Connection, selection: Selection) -> SessionTimes:
    query = f"""SELECT count(*), min(sessions.started_ms), max(sessions.started_ms) FROM sessions
                {selection.where}"""  # noqa: S608
    return SessionTimes(*only_row(db, query, selection.values()))


def session_row(db: apsw.Connection, session: int) -> SessionRow | None:
    query = f"SELECT {_COLUMNS} FROM sessions WHERE id = :id"  # noqa: S608
    row = db.execute(query, {"id": session}).fetchone()
    return SessionRow(*row) if row else None


def agents_of(db: apsw.Connection, sessions: Iterable[int]) -> list[str]:
    """The agents of these sessions, by name."""
    query = "SELECT DISTINCT agent FROM sessions WHERE id IN (SELECT value FROM json_each(?)) ORDER BY agent"
    return [str(row[0]) for row in db.execute(query, (json_list(sessions),))]


def users_of(db: apsw.Connection, native_ids: Iterable[str]) -> dict[tuple[str, str], str]:
    """Whose sessions these are, by agent and native id."""
    query = "SELECT agent, native_id, user FROM sessions WHERE native_id IN (SELECT value FROM json_each(?))"
    return {(agent, name): user for agent, name, user in db.execute(query, (json_list(native_ids),))}


def session_of(db: apsw.Connection, agent: str, native_id: str) -> SessionRow | None:
    query = f"SELECT {_COLUMNS} FROM sessions WHERE agent = :agent AND native_id = :native_id"  # noqa: S608
    row = db.execute(query, {"agent": agent, "native_id": native_id}).fetchone()
    return SessionRow(*row) if row else None


class Running(NamedTuple):
    session: SessionRow
    has_called: bool  # a tool with the given word in its name, at about that time


def sessions_at(db: apsw.Connection, agent: str, repo: str, first_ms: int, last_ms: int, tool: str) -> list[Running]:
    """Sessions that were under way between two moments; of any agent or in any repository where that is ""."""
    query = f"""SELECT EXISTS (SELECT 1 FROM parts JOIN actions
                        ON actions.id >= parts.id << :bits AND actions.id < (parts.id + 1) << :bits
                    WHERE parts.session_id = sessions.id AND instr(lower(actions.tool), :tool)
                        AND actions.at_ms BETWEEN :first_ms AND :last_ms), {_COLUMNS}
                FROM sessions WHERE :agent IN ('', agent) AND :repo IN ('', repo)
                    AND started_ms <= :last_ms AND coalesce(ended_ms, started_ms) >= :first_ms
                ORDER BY started_ms, agent, native_id"""  # noqa: S608
    values = {"agent": agent, "repo": repo, "first_ms": first_ms, "last_ms": last_ms, "tool": tool}
    return [Running(SessionRow(*row[1:]), bool(row[0])) for row in db.execute(query, {**values, "bits": ORDINAL_BITS})]


def sessions_calling(db: apsw.Connection, tool: str) -> set[int]:
    """Sessions that called a tool whose name holds these letters."""
    query = """SELECT DISTINCT session_id FROM actions JOIN parts ON parts.id = actions.id >> :bits
               WHERE instr(lower(tool), :tool)"""
    return {row[0] for row in db.execute(query, {"tool": tool, "bits": ORDINAL_BITS})}


def sessions_named(db: apsw.Connection, name: str, limit: int) -> list[SessionRow]:
    """Sessions whose id, or any part of it, begins with this name; whole matches first."""
    query = f"""SELECT {_COLUMNS} FROM sessions WHERE id IN (SELECT id FROM sessions
                    WHERE substr(native_id, 1, length(:name)) = :name OR instr('/' || native_id, '/agent-' || :name)
                        OR instr(native_id, '/' || :name))
                ORDER BY native_id <> :name, native_id, agent LIMIT :limit"""  # noqa: S608
    return [SessionRow(*row) for row in db.execute(query, {"name": name, "limit": limit})]


def newest_versions(db: apsw.Connection) -> dict[str, str]:
    """The version that each agent's latest session ran with."""
    query = """SELECT DISTINCT agent, (SELECT json_extract(versions, '$[#-1]') FROM sessions
                   WHERE sessions.agent = places.agent AND json_array_length(versions)
                   ORDER BY started_ms DESC LIMIT 1) FROM session_places AS places"""
    return {agent: version for agent, version in db.execute(query) if version}


class LastWork(NamedTuple):
    agent: str
    repo: str
    at_ms: int


def last_work(db: apsw.Connection) -> list[LastWork]:
    """When each agent last worked in each repository."""
    query = """SELECT DISTINCT agent, repo, (SELECT max(coalesce(ended_ms, started_ms)) FROM sessions
                   WHERE sessions.agent = places.agent AND sessions.repo = places.repo) AS at_ms
               FROM session_places AS places WHERE at_ms IS NOT NULL ORDER BY agent, repo"""
    return [LastWork(*row) for row in db.execute(query)]


class StoryCount(NamedTuple):
    agent: str
    repo: str
    stories: int


def story_counts(db: apsw.Connection) -> list[StoryCount]:
    """How many sessions of each agent in each repository came out of no other."""
    query = """SELECT agent, repo, sum(stories) FROM session_places GROUP BY agent, repo HAVING sum(stories)
               ORDER BY agent, repo"""
    return [StoryCount(*row) for row in db.execute(query)]


def subagents_of(db: apsw.Connection, agent: str, native_id: str) -> list[SessionRow]:
    query = f"""SELECT {_COLUMNS} FROM sessions INDEXED BY sessions_by_parent
                WHERE agent = :agent AND parent = :parent AND parent <> '' AND relation = 'subagent'
                ORDER BY started_ms, native_id"""  # noqa: S608
    return [SessionRow(*row) for row in db.execute(query, {"agent": agent, "parent": native_id})]


def continuations_of(db: apsw.Connection, agent: str, native_id: str) -> list[SessionRow]:
    """Subagents, forks and resumes of a session."""
    query = f"""SELECT {_COLUMNS} FROM sessions INDEXED BY sessions_by_parent
                WHERE agent = :agent AND parent = :parent AND parent <> ''
                ORDER BY started_ms, native_id"""  # noqa: S608
    return [SessionRow(*row) for row in db.execute(query, {"agent": agent, "parent": native_id})]


def earlier_sessions(db: apsw.Connection, repo: str, agent: str, before_ms: int, limit: int) -> list[SessionRow]:
    """The last sessions of an agent in a repository that began before a moment and did something, the newest first.
    What came out of others is not among them."""
    query = f"""SELECT {_COLUMNS} FROM sessions WHERE repo = :repo AND started_ms < :before_ms AND agent = :agent
                AND parent = '' AND actions > 0 AND NOT is_partial
                ORDER BY started_ms DESC, native_id LIMIT :limit"""  # noqa: S608
    values = {"repo": repo, "agent": agent, "before_ms": before_ms, "limit": limit}
    return [SessionRow(*row) for row in db.execute(query, values)]


def forks_of(db: apsw.Connection, agent: str, native_id: str) -> list[str]:
    """Native ids of the sessions that went on from this one: what it said may stand in their logs, too."""
    query = """SELECT native_id FROM sessions INDEXED BY sessions_by_parent
               WHERE agent = :agent AND parent = :parent AND parent <> '' AND relation <> 'subagent'
               ORDER BY native_id"""
    return [row[0] for row in db.execute(query, {"agent": agent, "parent": native_id})]


def sessions_with_own_file(db: apsw.Connection) -> list[str]:
    """Native ids of the sessions for which some file holds no session that is not theirs or below theirs."""
    query = """SELECT DISTINCT sessions.native_id FROM sessions JOIN parts ON parts.session_id = sessions.id
               WHERE NOT EXISTS (SELECT 1 FROM parts AS others JOIN sessions AS parent ON parent.id = others.session_id
                   WHERE others.file_id = parts.file_id AND others.session_id <> sessions.id
                   AND sessions.parent = parent.native_id)"""
    return [row[0] for row in db.execute(query)]


def native_ids(db: apsw.Connection) -> list[str]:
    return [row[0] for row in db.execute("SELECT native_id FROM sessions")]


def tails_beside(db: apsw.Connection, tail: str) -> list[str]:
    """Of the last parts of all ids those next to this one, in the order of the alphabet. Subagents' are without
    `agent-`."""
    query = """SELECT max(tail) FROM sessions WHERE tail < :tail
               UNION ALL SELECT min(tail) FROM sessions WHERE tail > :tail"""
    return [row[0] for row in db.execute(query, {"tail": tail}) if row[0] is not None]


def repo_names(db: apsw.Connection) -> list[str]:
    """By name, by the kept counts."""
    return [row[0] for row in db.execute("SELECT DISTINCT repo FROM session_places ORDER BY repo")]


class SpendSum(NamedTuple):
    """Responses of one session that have one price: same model, same time, prompts between the same two steps."""

    session_id: int
    agent: str
    native_id: str
    repo: str
    model: str
    at_ms: int | None  # of one of them
    prompt: int  # tokens of the longest prompt among them
    responses: int
    input: int
    cache_read: int
    cache_write: int
    output: int
    reasoning: int
    stated_usd: float | None  # what the log itself says they cost; all of them or none
    cache_write_1h: int = 0  # part of cache_write
    is_nested: int = 0  # subagents' copies inside their parents' logs; all of them or none


def spend_sums(
    db: apsw.Connection,
    selection: Selection,
    steps: tuple[int, ...],
    *,
    by_response: bool = False,
    is_fine: bool = False,
) -> Iterator[SpendSum]:
    """What the selected sessions spent. `steps` are the lengths of prompts at which prices change; `by_response` takes
    the times of the selection as those of the responses. Sums are of one day in UTC each, or of a quarter of an hour
    where they are to be `is_fine`: of these the days of every zone are made."""
    passed = " + ".join(f"(:step{number} < input + cache_read + cache_write)" for number in range(len(steps))) or "NULL"
    query = f"""SELECT sessions.id, sessions.agent, sessions.native_id, sessions.repo, spends.model, min(spends.at_ms),
                    max(input + cache_read + cache_write), count(*), sum(input), sum(cache_read), sum(cache_write),
                    sum(output), sum(reasoning), sum(cost_usd), sum(cache_write_1h), is_nested
                FROM sessions JOIN parts ON parts.session_id = sessions.id JOIN spends ON spends.part_id = parts.id
                {f"WHERE {SPENT}" if by_response else selection.where}
                GROUP BY sessions.id, spends.model, spends.at_ms / :span_ms, cost_usd IS NULL, is_nested, {passed}
                ORDER BY sessions.id, spends.model, min(spends.at_ms)"""  # noqa: S608
    values = {**selection.values(), "span_ms": _QUARTER_MS if is_fine else _DAY_MS}
    values |= {f"step{number}": step for number, step in enumerate(steps)}
    return (SpendSum(*row) for row in db.execute(query, values))
