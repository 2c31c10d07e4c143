"""The content hash: what a store knows of sessions, as one number.

Equal for equal content, whatever the order in which files were learned, on whichever day, however often, and on any
machine: it covers sessions, events, actions, spends, problems, archived bytes, aliases and pins by their natural keys,
and sees only the type of a redaction placeholder. Row ids, times of reading and time stamps of files are not part of
it. Nor is what was harvested from it all (drafts, items): whoever promises that these are equal compares them. Giving
an original up changes it, because events lose their places; deriving again from the remains does not.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import apsw
import msgspec

from afterwit.guard.placeholders import unkeyed
from afterwit.store.rows.parts import part_rows

_SESSION = """agent, native_id, user, cwd, root, remote, repo, branch, versions, models, origin, provider, parent,
    relation, parent_call, started_ms, ended_ms, title, first_prompt, task, prompts, replies, events, actions, failures,
    denials, interrupts, compactions, model_errors, tokens_input, tokens_cache_read, tokens_cache_write,
    tokens_output, tokens_reasoning, is_partial, outcome, task_type"""


def content_hash(db: apsw.Connection) -> str:
    """SHA-256, as hexadecimal digits."""
    whole = hashlib.sha256()
    for name, digests in (
        ("sessions", _sessions(db)),
        ("files", _files(db)),
        ("aliases", _aliases(db)),
        ("pins", _pins(db)),
    ):
        whole.update(name.encode())
        for digest in sorted(digests):
            whole.update(digest)
    return whole.hexdigest()


def _sessions(db: apsw.Connection) -> Iterator[bytes]:
    query = f"SELECT id, {_SESSION} FROM sessions"  # noqa: S608
    for session, *values in db.execute(query):
        digest = hashlib.sha256(_line(values))
        for part in _parts(db, session):
            digest.update(part)
        yield digest.digest()


def _parts(db: apsw.Connection, session: int) -> list[bytes]:
    query = """SELECT parts.id, files.key, files.generation FROM parts JOIN files ON files.id = parts.file_id
               WHERE parts.session_id = ? ORDER BY files.key, files.generation"""
    found = []
    for part_id, key, generation in db.execute(query, (session,)):
        digest = hashlib.sha256(_line([key.hex(), generation]))
        for row in part_rows(db, part_id):
            digest.update(_line(row))
        found.append(digest.digest())
    return found


def _files(db: apsw.Connection) -> Iterator[bytes]:
    query = """SELECT id, agent, key, generation, role, held_bytes, dropped_bytes, sha256, cursor, known, unknown
               FROM files WHERE held_bytes > 0 OR (dropped_ms IS NOT NULL AND role = 'transcript')"""
    for file_id, agent, key, *values in db.execute(query):
        digest = hashlib.sha256(_line([agent, key.hex(), *values]))
        problems = "SELECT offset, length, reason FROM problems WHERE file_id = ? ORDER BY offset, reason"
        for row in db.execute(problems, (file_id,)):
            digest.update(_line(row))
        yield digest.digest()


def _aliases(db: apsw.Connection) -> Iterator[bytes]:
    for row in db.execute("SELECT subject, name, target FROM aliases"):
        yield _line(row)


def _pins(db: apsw.Connection) -> Iterator[bytes]:
    for row in db.execute("SELECT agent, native_id FROM pins"):
        yield _line(row)


def _line(values: Iterable[Any]) -> bytes:
    return unkeyed(msgspec.json.encode(list(values)).decode()).encode()
