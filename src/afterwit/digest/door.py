"""Where digests meet the store: which sessions get one, and who makes it.

After capture, every session that changed is digested, and every one whose digest an older digester made. The rows that
a digest is made of are in the database, so nothing is read from the archive here. Each batch is one transaction: killed
anywhere, the next run goes on.

`SharedSessions` lets workers look at sessions. What a stage asks of a session is two functions: one gives what is to be
looked at, from the database and the session's id; the other looks at it, and needs nothing else. A worker of this
machine does both, reading what is committed; so whoever shares work has committed what it depends on, or stays alone in
his transaction. To a worker on another machine goes what the first one gave.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import apsw
import msgspec

from afterwit.model import zstd
from afterwit.model.digest import VERSION, Digest
from afterwit.model.learn_run import Digested, Progress
from afterwit.model.prices import Prices
from afterwit.sessions.cost import Spending, cost_of
from afterwit.store.atomic import step
from afterwit.store.database import connect_readonly, transaction
from afterwit.store.rows import sightings
from afterwit.store.rows.parts import part_actions, part_notes, parts_of_session, result_times
from afterwit.store.rows.session_list import Selection, SessionRow, session_row, spend_sums
from afterwit.store.rows.sessions import next_prompt
from afterwit.store.rows.sightings import DigestRow
from afterwit.store.store import Store

if TYPE_CHECKING:
    from afterwit.capture.workers import Workers
    from afterwit.digest.digester import Identity, Material

Given = TypeVar("Given")
Answer = TypeVar("Answer")
_BATCH = 32
_MANY = 256  # sessions that are worth starting workers for


class SessionQuestion(Generic[Given, Answer]):
    """What a stage asks of every session; both functions can be sent to a worker."""

    def __init__(self, given: Callable[[apsw.Connection, int], Given | None], look: Callable[[Given], Answer]) -> None:
        self.given = given  # None: the session is gone
        self.look = look


class SharedSessions:
    def __init__(self, db: apsw.Connection, workers: "Workers | None", progress: Progress | None = None) -> None:
        from afterwit.capture.workers import Workers  # who only reads digests needs none

        self._db = db
        self._workers = workers or Workers()
        self._progress = progress

    def answers(
        self, sessions: Sequence[int], question: SessionQuestion[Given, Answer], label: str
    ) -> Iterator[list[Answer]]:
        """What came of the sessions, batch by batch; nothing of those that are gone."""
        if self._progress is not None:
            self._progress.stage(label, len(sessions), "sessions")
        batches = [sessions[start : start + _BATCH] for start in range(0, len(sessions), _BATCH)]
        for batch, answered in self._answered(batches, question, is_much=len(sessions) >= _MANY):
            yield answered
            if self._progress is not None:
                self._progress.advance(len(batch), len(batch))

    def _answered(
        self, batches: list[Sequence[int]], question: SessionQuestion[Given, Answer], *, is_much: bool
    ) -> Iterator[tuple[Sequence[int], list[Answer]]]:
        if not self._db.in_transaction:
            if self._workers.elsewhere is not None:
                pack = partial(_collect_materials, question.given, self._db)
                sent = self._workers.elsewhere.spread(batches, pack, partial(_look_at_all, question.look))
                return (
                    (batch, _ask(question, self._db, batch) if answers is None else answers) for batch, answers in sent
                )
            if self._workers.are_worth(is_much=is_much):
                work = partial(_ask_in_worker, question, Path(self._db.filename))
                return self._workers.spread(batches, work, is_much=is_much)
        return ((batch, _ask(question, self._db, batch)) for batch in batches)


def _collect_materials(
    given: Callable[[apsw.Connection, int], Given | None], db: apsw.Connection, sessions: Sequence[int]
) -> list[Given]:
    return [material for session in sessions if (material := given(db, session)) is not None]


def _look_at_all(look: Callable[[Given], Answer], materials: list[Given]) -> list[Answer]:
    return [look(material) for material in materials]


def _ask(question: SessionQuestion[Given, Answer], db: apsw.Connection, sessions: Sequence[int]) -> list[Answer]:
    materials = (question.given(db, session) for session in sessions)
    return [question.look(material) for material in materials if material is not None]


def _ask_in_worker(question: SessionQuestion[Given, Answer], database: Path, sessions: Sequence[int]) -> list[Answer]:
    return _ask(question, _reading(database), sessions)


@cache
def _reading(database: Path) -> apsw.Connection:
    """Kept open as long as the worker lives."""
    return connect_readonly(database)


_PACKER = zstd.Compressor(level=6)  # the highest takes four times as long and saves one percent


class DigestMade(NamedTuple):
    """A digest, ready to be stored."""

    row: DigestRow
    outcome: str
    task_type: str
    is_redone: bool  # after one of another version
    changed: list[str]  # since that one


def digest_pending(
    store: Store, prices: Prices, progress: Progress | None = None, workers: "Workers | None" = None
) -> Digested:
    """Digests what has none of the present version."""
    done = Digested()
    pending = sightings.sessions_to_digest(store.db, VERSION)
    share = SharedSessions(store.db, workers, progress)
    question = SessionQuestion(partial(_to_digest, prices=prices), _make_digest)
    for batch in share.answers(pending, question, "summing up"):
        with transaction(store.db):
            for made in batch:
                _put(store.db, made, done)
            step("digests are written, not committed")
    return done


class _ToDigest(NamedTuple):
    row: SessionRow
    material: "Material"
    is_redone: bool


def _to_digest(db: apsw.Connection, session: int, prices: Prices) -> _ToDigest | None:
    row = session_row(db, session)
    if row is None:
        return None
    material = material_of(db, row, prices)._replace(next_prompt=next_prompt(db, session))
    before = sightings.digest_of(db, session)
    return _ToDigest(row, material, before is not None and before.version != VERSION)


def _make_digest(given: _ToDigest) -> DigestMade:
    from afterwit.digest.digester import digest

    made = digest(given.material)
    packed = DigestRow(given.row.id, VERSION, pack(made))
    changed = _differences(given.row, made) if given.is_redone else []
    return DigestMade(packed, made.verdict.outcome, made.task_type, given.is_redone, changed)


def _put(db: apsw.Connection, made: DigestMade, done: Digested) -> None:
    done.digested += 1
    done.redone += made.is_redone
    done.changed += made.changed
    sightings.put_digest(db, made.row, made.outcome, made.task_type)


def _differences(row: SessionRow, made: Digest) -> list[str]:
    """What lists show of a session and a better digester sees otherwise."""
    shown = (("outcome", row.outcome, made.verdict.outcome), ("task type", row.task_type, made.task_type))
    return [f"{row.native_id}: {name} was {old}, is {new}" for name, old, new in shown if old and old != new]


def material_of(db: apsw.Connection, row: SessionRow, prices: Prices, *, with_results: bool = False) -> "Material":
    """The rows of a session, as a digest needs them; with the times of results, if it is to be cut at a moment."""
    from afterwit.digest.digester import SessionPart, gather  # who only reads digests needs none of it

    parts = [
        SessionPart(
            part.facts,
            list(part_actions(db, part.id)),
            list(part_notes(db, part.id)),
            result_times(db, part.id) if with_results else {},
        )
        for part in parts_of_session(db, row.id)
    ]
    return gather(_identity(db, row, prices), parts)


def _identity(db: apsw.Connection, row: SessionRow, prices: Prices) -> "Identity":
    from afterwit.digest.digester import Identity

    spending = Spending()
    for spent in spend_sums(db, Selection(session=row.id), prices.steps):
        spending.add(spent, cost_of(spent, prices))
    listed = {name: tuple(msgspec.json.decode(getattr(row, name) or "[]")) for name in ("versions", "models")}
    fields = {name: value for name, value in msgspec.structs.asdict(row).items() if name in Identity._fields}
    fields |= {**listed, "is_partial": bool(row.is_partial), "tokens": row.tokens, "cost_usd": spending.cost_usd}
    return Identity(**fields)


def load_digest(db: apsw.Connection, row: SessionRow) -> Digest | None:
    """The digest of a session, with what its row says of it now; None where it has none yet."""
    packed = sightings.digest_of(db, row.id)
    return msgspec.structs.replace(unpack(packed.body), repo=row.repo, user=row.user) if packed else None


def as_document(digest: Digest) -> dict[str, Any]:
    """The digest as `--json` prints it: every field by its name."""
    document = msgspec.structs.asdict(digest)
    document["steps"] = [step._asdict() for step in digest.steps]
    for name in ("rules", "files"):
        document[name] = [msgspec.structs.asdict(struct) for struct in document[name]]
    return document


def pack(made: Digest) -> bytes:
    return _PACKER.compress(msgspec.msgpack.encode(made))


def unpack(body: bytes) -> Digest:
    return msgspec.msgpack.decode(zstd.unpack(body), type=Digest)
