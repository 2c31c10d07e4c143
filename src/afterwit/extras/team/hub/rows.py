"""The SQL of a hub: one function for each query. Names have their schema, values are passed and never pasted.

Every query names the team itself, besides what the server's policies allow: an owner sees all teams.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from afterwit.store.rows.extras import SessionSums

if TYPE_CHECKING:
    import psycopg

    HubDb = psycopg.Connection[tuple[Any, ...]]


class MemberRow(msgspec.Struct, frozen=True):
    role: str
    team: str
    name: str
    is_read_only: bool
    is_revoked: bool


class NoteLinesRow(NamedTuple):
    """What one machine says about one note."""

    note: str
    member: str
    machine: str
    author: str
    lines: str  # JSON
    tick: int


class HubSpeaker(NamedTuple):
    """Whose rows these are."""

    team: str
    member: str
    machine: str
    author: str


class DigestToSend(NamedTuple):
    session: str
    body: str  # JSON


class MemberSum(msgspec.Struct, frozen=True):
    """What a member brought and did, in numbers, over all machines."""

    name: str
    machines: int
    notes: int
    digests: int
    sessions: int
    successes: int
    prompts: int
    actions: int
    failures: int
    tokens: int
    versions: list[str]
    seen_ms: int | None


class HubHit(msgspec.Struct, frozen=True):
    kind: str  # note, session
    repo: str
    id: str
    by: str
    text: str


class HubRepo(msgspec.Struct, frozen=True):
    repo: str
    notes: int


def prepare_session(db: "HubDb", statement_ms: str) -> None:
    db.execute(
        "SELECT set_config('search_path', 'pg_catalog', false), set_config('statement_timeout', %s, false)",
        (statement_ms,),
    )
    db.execute("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED")


def current_role(db: "HubDb") -> str:
    row = db.execute("SELECT current_user::text").fetchone()
    return str(row[0]) if row else ""


def hub_identity(db: "HubDb") -> tuple[str, int] | None:
    row = db.execute("SELECT id, generation FROM afterwit_hub.hub").fetchone()
    return (str(row[0]), int(row[1])) if row else None


def put_identity(db: "HubDb", name: str) -> None:
    db.execute("INSERT INTO afterwit_hub.hub (id) SELECT %s WHERE NOT EXISTS (SELECT 1 FROM afterwit_hub.hub)", (name,))


def raise_generation(db: "HubDb") -> None:
    db.execute("UPDATE afterwit_hub.hub SET generation = generation + 1")


def put_team(db: "HubDb", name: str) -> bool:
    """False where it was there."""
    return db.execute("INSERT INTO afterwit_hub.teams (name) VALUES (%s) ON CONFLICT DO NOTHING", (name,)).rowcount > 0


def team_numbers(db: "HubDb") -> dict[str, int]:
    """All teams, by name: with the numbers that stand for them where everybody looks."""
    return {str(name): int(number) for name, number in db.execute("SELECT name, number FROM afterwit_hub.teams")}


def own_membership(db: "HubDb") -> MemberRow | None:
    query = """SELECT role, team, name, is_read_only, revoked_at IS NOT NULL FROM afterwit_hub.members
               WHERE role = current_user::text AND revoked_at IS NULL"""
    row = db.execute(query).fetchone()
    return MemberRow(*row) if row else None


def members(db: "HubDb") -> list[MemberRow]:
    query = """SELECT role, team, name, is_read_only, revoked_at IS NOT NULL FROM afterwit_hub.members
               ORDER BY team, name"""
    return [MemberRow(*row) for row in db.execute(query)]


def put_member(db: "HubDb", role: str, team: str, name: str, *, is_read_only: bool) -> None:
    query = """INSERT INTO afterwit_hub.members (role, team, name, is_read_only) VALUES (%s, %s, %s, %s)
               ON CONFLICT (role) DO UPDATE SET is_read_only = excluded.is_read_only, revoked_at = NULL,
                   name = excluded.name"""
    db.execute(query, (role, team, name, is_read_only))


def revoke_member(db: "HubDb", role: str) -> None:
    db.execute("UPDATE afterwit_hub.members SET revoked_at = now() WHERE role = %s AND revoked_at IS NULL", (role,))


def remove_member(db: "HubDb", role: str) -> int:
    """Takes back all that a member brought; how many notes that concerns."""
    query = "UPDATE afterwit_hub.note_lines SET lines = '[]' WHERE member = %s AND lines <> '[]'"
    count = db.execute(query, (role,)).rowcount
    db.execute("DELETE FROM afterwit_hub.digests WHERE member = %s", (role,))
    db.execute("DELETE FROM afterwit_hub.sums WHERE member = %s", (role,))
    db.execute("DELETE FROM afterwit_hub.machines WHERE member = %s", (role,))
    db.execute("DELETE FROM afterwit_hub.members WHERE role = %s", (role,))
    return count


class RolePower(NamedTuple):
    is_super: bool
    bypasses: bool
    is_owner: bool  # it may act as the owner of the tables


def role_power(db: "HubDb", role: str) -> RolePower | None:
    """None where there is no such role."""
    query = """SELECT rolsuper, rolbypassrls, pg_has_role(oid, (SELECT relowner FROM pg_class
                   WHERE oid = 'afterwit_hub.note_lines'::regclass), 'MEMBER') FROM pg_roles WHERE rolname = %s"""
    row = db.execute(query, (role,)).fetchone()
    return RolePower(*row) if row else None


_GRANTS = (
    "GRANT USAGE ON SCHEMA afterwit_hub TO {role}",
    "GRANT SELECT ON afterwit_hub.version, afterwit_hub.hub, afterwit_hub.members TO {role}",
    "GRANT SELECT ON afterwit_hub.machines, afterwit_hub.note_lines, afterwit_hub.digests, afterwit_hub.sums TO {role}",
    "GRANT INSERT (team, member, machine, author, version), UPDATE (author, version, seen_at)"
    " ON afterwit_hub.machines TO {role}",
    "GRANT EXECUTE ON FUNCTION afterwit_hub.found(tsquery, bigint), afterwit_hub.take_back(text, text, text[])"
    " TO {role}",
)
_WRITING_GRANTS = (
    "GRANT INSERT (team, repo, note, member, machine, author, lines), UPDATE (author, lines)"
    " ON afterwit_hub.note_lines TO {role}",
    "GRANT INSERT (team, repo, session, member, machine, author, body), UPDATE (repo, author, body)"
    " ON afterwit_hub.digests TO {role}",
    "GRANT INSERT (team, repo, member, machine, author, sessions, successes, prompts, actions, failures, tokens),"
    " UPDATE (author, sessions, successes, prompts, actions, failures, tokens) ON afterwit_hub.sums TO {role}",
)
_NO_GRANTS = (
    "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA afterwit_hub FROM {role}",
    "REVOKE ALL ON ALL TABLES IN SCHEMA afterwit_hub FROM {role}",
    "REVOKE ALL ON SCHEMA afterwit_hub FROM {role}",
)


def grant(db: "HubDb", role: str, *, is_read_only: bool) -> None:
    """Gives a role what a member needs, and nothing besides: with a right to a whole table it could lock it."""
    _for_role(db, _NO_GRANTS, role)
    _for_role(db, (*_GRANTS, *(() if is_read_only else _WRITING_GRANTS)), role)


def take_grants(db: "HubDb", role: str) -> None:
    _for_role(db, _NO_GRANTS, role)


def _for_role(db: "HubDb", statements: Sequence[str], role: str) -> None:
    from psycopg import sql

    for statement in statements:
        db.execute(sql.SQL(statement).format(role=sql.Identifier(role)))


def note_machine(db: "HubDb", speaker: HubSpeaker, version: str) -> None:
    query = """INSERT INTO afterwit_hub.machines (team, member, machine, author, version) VALUES (%s, %s, %s, %s, %s)
               ON CONFLICT (team, member, machine) DO UPDATE SET author = excluded.author, version = excluded.version,
                   seen_at = now()"""
    db.execute(query, (*speaker, version))


def head_tick(db: "HubDb", team: str) -> int:
    """The latest tick of a team. All lower ones are there for everybody to see."""
    row = db.execute("SELECT max(tick) FROM afterwit_hub.note_lines WHERE team = %s", (team,)).fetchone()
    return int(row[0] or 0) if row else 0


def lines_after(db: "HubDb", team: str, repo: str, after: int, until: int, limit: int) -> list[NoteLinesRow]:
    query = """SELECT note, member, machine, author, lines::text, tick FROM afterwit_hub.note_lines
               WHERE team = %s AND repo = %s AND tick > %s AND tick <= %s ORDER BY tick LIMIT %s"""
    return [NoteLinesRow(*row) for row in db.execute(query, (team, repo, after, until, limit))]


def put_lines(db: "HubDb", speaker: HubSpeaker, repo: str, notes: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Puts what a machine says about these notes in the place of what it said; the ticks of what differed."""
    query = """INSERT INTO afterwit_hub.note_lines AS present (team, repo, note, member, machine, author, lines)
               SELECT %(team)s, %(repo)s, sent.note, %(member)s, %(machine)s, %(author)s, sent.lines::jsonb
               FROM unnest(%(notes)s::text[], %(lines)s::text[]) AS sent (note, lines)
               ON CONFLICT (team, repo, note, member, machine) DO UPDATE
               SET author = excluded.author, lines = excluded.lines
               WHERE (present.author, present.lines) IS DISTINCT FROM (excluded.author, excluded.lines)
               RETURNING tick"""
    values = {**speaker._asdict(), "repo": repo, "notes": list(notes), "lines": list(lines)}
    return [row[0] for row in db.execute(query, values)]


def put_digests(db: "HubDb", speaker: HubSpeaker, repo: str, digests: Sequence[DigestToSend]) -> None:
    query = """INSERT INTO afterwit_hub.digests (team, repo, session, member, machine, author, body)
               SELECT %(team)s, %(repo)s, sent.session, %(member)s, %(machine)s, %(author)s, sent.body::jsonb
               FROM unnest(%(sessions)s::text[], %(bodies)s::text[]) AS sent (session, body)
               ON CONFLICT (team, member, machine, session) DO UPDATE
               SET repo = excluded.repo, author = excluded.author, body = excluded.body"""
    columns = {"sessions": [row.session for row in digests], "bodies": [row.body for row in digests]}
    db.execute(query, {**speaker._asdict(), "repo": repo, **columns})


def delete_digests(db: "HubDb", machine: str, repo: str, sessions: Sequence[str]) -> None:
    """Of the member that one is."""
    db.execute("SELECT afterwit_hub.take_back(%s, %s, %s::text[])", (machine, repo, list(sessions)))


def put_sum(db: "HubDb", speaker: HubSpeaker, repo: str, sums: SessionSums) -> None:
    query = """INSERT INTO afterwit_hub.sums (team, member, machine, author, repo, sessions, successes, prompts,
                   actions, failures, tokens)
               VALUES (%(team)s, %(member)s, %(machine)s, %(author)s, %(repo)s, %(sessions)s, %(successes)s,
                   %(prompts)s, %(actions)s, %(failures)s, %(tokens)s)
               ON CONFLICT (team, repo, member, machine) DO UPDATE SET author = excluded.author,
                   sessions = excluded.sessions, successes = excluded.successes, prompts = excluded.prompts,
                   actions = excluded.actions, failures = excluded.failures, tokens = excluded.tokens"""
    db.execute(query, {**speaker._asdict(), "repo": repo, **sums._asdict()})


def member_sums(db: "HubDb", team: str) -> list[MemberSum]:
    query = """
        WITH said AS (SELECT author, count(*) AS notes FROM afterwit_hub.note_lines
                WHERE team = %(team)s AND lines <> '[]' GROUP BY author),
            shared AS (SELECT author, count(*) AS digests FROM afterwit_hub.digests
                WHERE team = %(team)s GROUP BY author),
            done AS (SELECT author, sum(sessions) AS sessions, sum(successes) AS successes, sum(prompts) AS prompts,
                    sum(actions) AS actions, sum(failures) AS failures, sum(tokens) AS tokens
                FROM afterwit_hub.sums WHERE team = %(team)s GROUP BY author),
            seen AS (SELECT author, count(*) AS machines, array_agg(DISTINCT version ORDER BY version) AS versions,
                    max(seen_at) AS seen_at FROM afterwit_hub.machines WHERE team = %(team)s GROUP BY author),
            authors AS (SELECT author FROM said UNION SELECT author FROM shared UNION SELECT author FROM done
                UNION SELECT author FROM seen)
        SELECT author, coalesce(machines, 0), coalesce(notes, 0), coalesce(digests, 0), coalesce(sessions, 0)::bigint,
            coalesce(successes, 0)::bigint, coalesce(prompts, 0)::bigint, coalesce(actions, 0)::bigint,
            coalesce(failures, 0)::bigint, coalesce(tokens, 0)::bigint, coalesce(versions, '{}'),
            round(extract(epoch FROM seen_at) * 1000)::bigint
        FROM authors LEFT JOIN said USING (author) LEFT JOIN shared USING (author) LEFT JOIN done USING (author)
            LEFT JOIN seen USING (author) ORDER BY author"""
    return [MemberSum(*row) for row in db.execute(query, {"team": team})]


def repo_counts(db: "HubDb", team: str) -> list[HubRepo]:
    """The repositories of a team, with how many notes anybody says something about."""
    query = """SELECT repo, count(DISTINCT note) FROM afterwit_hub.note_lines WHERE team = %s AND lines <> '[]'
               GROUP BY repo ORDER BY repo"""
    return [HubRepo(*row) for row in db.execute(query, (team,))]


def index_team(db: "HubDb", number: int) -> None:
    """Makes the indexes by which words of a team are found, where they are not there."""
    from psycopg import sql

    for table in ("note_lines", "digests"):
        row = db.execute("SELECT to_regclass(%s)", (f"afterwit_hub.{table}_words_{number}",)).fetchone()
        if row and row[0]:  # making it would wait for all who write, also where it is there
            continue
        query = "CREATE INDEX {name} ON afterwit_hub.{table} USING gin (words) WHERE team_number = {number}"
        names = {"name": sql.Identifier(f"{table}_words_{number}"), "table": sql.Identifier(table)}
        db.execute(sql.SQL(query).format(**names, number=sql.Literal(number)))


def search(db: "HubDb", team: str, words: str, limit: int | None) -> list[HubHit]:
    """Notes and shared digests with all of these words, the best first."""
    query = """
        WITH hits AS MATERIALIZED (
            SELECT kind, repo, id, member, machine, rank
            FROM afterwit_hub.found(websearch_to_tsquery('simple'::regconfig, %(words)s), %(limit)s))
        SELECT hits.kind, hits.repo, hits.id, coalesce(note.author, digest.author),
            coalesce(jsonb_path_query_first(note.lines, '$[*].words.fact') #>> '{}', digest.body ->> 'task', '')
        FROM hits
            LEFT JOIN afterwit_hub.note_lines AS note ON hits.kind = 'note' AND note.team = %(team)s
                AND (note.repo, note.note, note.member, note.machine) = (hits.repo, hits.id, hits.member, hits.machine)
            LEFT JOIN afterwit_hub.digests AS digest ON hits.kind = 'session' AND digest.team = %(team)s
                AND (digest.member, digest.machine, digest.session) = (hits.member, hits.machine, hits.id)
        WHERE coalesce(note.author, digest.author) IS NOT NULL
        ORDER BY hits.rank DESC, hits.kind, hits.id, hits.member, hits.machine"""
    return [HubHit(*row) for row in db.execute(query, {"team": team, "words": words, "limit": limit})]
