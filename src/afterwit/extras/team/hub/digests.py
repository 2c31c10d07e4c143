"""What may leave of a session, if its owner says so: what it was about, how it went, what failed. And counts.

No prompt but the task, no reply, no command line, no output. Everything is redacted already; it is redacted once more,
and the marks of what was taken out lose what only this machine could make of them. Sessions are named by a hash.
"""

import hashlib
from collections.abc import Sequence

import apsw
import msgspec

from afterwit.digest.door import unpack
from afterwit.extras.team.hub import rows
from afterwit.extras.team.hub.connection import Hub
from afterwit.extras.team.hub.rows import DigestToSend, HubSpeaker, SumRow
from afterwit.extras.team.pull import Redact
from afterwit.extras.team.records import one_line
from afterwit.model.digest import Digest
from afterwit.redaction.markers import unkeyed
from afterwit.store.atomic import step
from afterwit.store.database import transaction
from afterwit.store.rows import extras as kept
from afterwit.store.rows.extras import NamedSession, SentDigest
from afterwit.store.rows.sightings import digest_of

BATCH = 500
_TASK_LIMIT = 400
_MOST = 20  # failures, rules and files of a session
_LONGEST_NAME = 200


class SharedFailure(msgspec.Struct, frozen=True, kw_only=True):
    failure: str
    signature: str
    resolution: str
    count: int


class SharedDigest(msgspec.Struct, frozen=True, kw_only=True):
    """A digest as others see it."""

    agent: str
    models: tuple[str, ...]
    task: str
    task_type: str
    outcome: str
    started_ms: int | None
    duration_ms: int | None
    kinds: dict[str, int]  # actions, by kind
    failures: tuple[SharedFailure, ...]
    rules: tuple[str, ...]
    files: tuple[str, ...]  # of the repository, that were changed
    tokens: int


def digest_to_share(digest: Digest, redact: Redact) -> SharedDigest:
    """What leaves of a digest."""
    counts: dict[tuple[str, str, str], int] = {}
    for failure in digest.failures:
        key = (str(failure.failure), failure.signature[:_LONGEST_NAME], str(failure.resolution))
        counts[key] = counts.get(key, 0) + 1
    most = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST]
    changed = sorted(file.path for file in digest.files if file.changes and not file.path.startswith(("/", "~")))
    made = SharedDigest(
        agent=digest.agent,
        models=digest.models[:_MOST],
        task=one_line(digest.task, _TASK_LIMIT),
        task_type=str(digest.task_type),
        outcome=str(digest.verdict.outcome),
        started_ms=digest.started_ms,
        duration_ms=digest.measures.duration_ms,
        kinds=dict(sorted(digest.kinds.items())),
        failures=tuple(
            SharedFailure(failure=kind, signature=signature, resolution=how, count=count)
            for (kind, signature, how), count in most
        ),
        rules=tuple(sorted({rule.id[:_LONGEST_NAME] for rule in digest.rules}))[:_MOST],
        files=tuple(path[:_LONGEST_NAME] for path in changed[:_MOST]),
        tokens=digest.measures.tokens,
    )
    return msgspec.convert(_without_keys(redact(msgspec.to_builtins(made))), SharedDigest)


def _without_keys(value: object) -> object:
    if isinstance(value, str):
        return unkeyed(value).replace("\x00", "")
    if isinstance(value, dict):
        return {name: _without_keys(inner) for name, inner in value.items()}
    return [_without_keys(inner) for inner in value] if isinstance(value, list | tuple) else value


def send_digests(db: apsw.Connection, hub: Hub, repo: str, machine: str, redact: Redact) -> int:
    """Sends the digests that changed, and takes back those that are gone; how many were sent."""
    cursor = kept.hub_cursor(db, hub.key, repo)
    last = kept.last_change(db)
    changed = None
    if cursor.digest_number:
        changed = [int(name) for name in kept.changes_since(db, kept.DIGEST, cursor.digest_number - 1)]
        if not changed:
            return 0
    sent, present = kept.digests_sent(db, hub.key, repo, changed), kept.sessions_with_digest(db, repo, changed)
    speaker = HubSpeaker(hub.team, hub.role, machine, hub.name)
    _take_back(db, hub, repo, machine, [sent[session] for session in sent.keys() - {row.id for row in present}])
    count = 0
    for start in range(0, len(present), BATCH):
        made = [_make(db, session, redact) for session in present[start : start + BATCH]]
        new = [pair for pair in made if sent.get(pair[0].session_id) != pair[0]]
        if new:
            rows.put_digests(hub.db, speaker, repo, [digest for _, digest in new])
            step("digests are on the hub, not marked")
            with transaction(db):
                kept.put_sent_digests(db, hub.key, repo, [mark for mark, _ in new])
            count += len(new)
    with transaction(db):
        cursor = kept.hub_cursor(db, hub.key, repo)
        kept.put_hub_cursor(db, cursor._replace(digest_number=last + 1))
    return count


def _make(db: apsw.Connection, session: NamedSession, redact: Redact) -> tuple[SentDigest, DigestToSend]:
    row = digest_of(db, session.id)
    name = hashlib.sha256(f"{session.agent}\0{session.native_id}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    body = msgspec.json.encode(digest_to_share(unpack(row.body), redact)) if row is not None else b"{}"
    mark = hashlib.blake2b(body, digest_size=16).digest()
    return SentDigest(session.id, name, mark), DigestToSend(name, body.decode())


def take_back_digests(db: apsw.Connection, hub: Hub, repo: str, machine: str) -> int:
    """Removes all that this machine sent; how many."""
    sent = list(kept.digests_sent(db, hub.key, repo).values())
    _take_back(db, hub, repo, machine, sent)
    with transaction(db):
        kept.put_hub_cursor(db, kept.hub_cursor(db, hub.key, repo)._replace(digest_number=0))
    return len(sent)


def _take_back(db: apsw.Connection, hub: Hub, repo: str, machine: str, gone: Sequence[SentDigest]) -> None:
    for start in range(0, len(gone), BATCH):
        batch = gone[start : start + BATCH]
        rows.delete_digests(hub.db, machine, repo, [row.name for row in batch])
        with transaction(db):
            kept.forget_sent_digests(db, hub.key, repo, [row.session_id for row in batch])


def send_sums(db: apsw.Connection, hub: Hub, repo: str, machine: str) -> None:
    """Counts of what was done, without a word of it."""
    speaker = HubSpeaker(hub.team, hub.role, machine, hub.name)
    rows.put_sum(hub.db, speaker, SumRow(repo, *kept.session_sums(db, repo)))
