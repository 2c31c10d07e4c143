"""Rows of what models were asked to read: the requests, how they were answered, what was refused, what it took.

They follow from entries of the journal, in whatever order these come from several machines: an answer without its
request is kept, and a request that is asked again keeps its answer. Each time that a request is asked it counts, on
that day: as what was reserved for it, and when the answer is there as what it took. A call that failed counts as what
it took, or else as what was reserved.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import apsw

from afterwit.store.database import columns_of, insert_into, only_row


class ReadingRow(NamedTuple):
    """One request."""

    id: str
    agent: str
    native_id: str
    repo: str
    part: int
    parts: int
    first_line: int
    end_line: int
    lines_hash: str
    ended_ms: int
    model: str
    prompt: str
    asked_ms: int
    answered_ms: int | None
    notes: int
    asked_by: str = ""  # CALLED, or "" for a file
    items: str = ""  # ids of the notes that it asks about, with spaces; "": it asks about a session


CALLED = "call"


class ReadingFailure(NamedTuple):
    """A request whose calls failed since it was answered last."""

    request: str
    model: str
    failures: int
    failed_ms: int  # the last time
    fault: str


class ReadingSpendRow(NamedTuple):
    request: str
    asked_ms: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None


class ReadingRejectionRow(NamedTuple):
    request: str
    agent: str
    native_id: str
    repo: str
    model: str
    answered_ms: int | None
    sentence: str
    reason: str
    detail: str


class ReadingSpend(NamedTuple):
    """What requests of one day, model and repository took, or may yet take."""

    day: str
    model: str
    repo: str
    requests: int
    answered: int
    notes: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    unpriced: int  # requests without a known price


class SpentSince(NamedTuple):
    cost_usd: float
    unpriced_tokens: int  # of models without a known price


_COLUMNS = columns_of(ReadingRow)
_SPENDS = columns_of(ReadingSpendRow)
_NOT_ASKED_HERE = {"part": 0, "parts": 0, "first_line": 0, "end_line": 0, "lines_hash": "", "ended_ms": 0}


def put_request(db: apsw.Connection, at_ms: int, request: Mapping[str, Any]) -> None:
    """A request that was asked, or asked again."""
    before = request_row(db, request["id"])
    answered = (before.answered_ms, before.notes) if before is not None else (None, 0)
    given = {name: request[name] for name in ReadingRow._fields if name in request}
    row = ReadingRow(**given, asked_ms=at_ms, answered_ms=answered[0], notes=answered[1])
    db.execute(insert_into("reading_requests", _COLUMNS, "INSERT OR REPLACE"), row)
    _put_spend(db, row.id, at_ms, request)


def put_answer(db: apsw.Connection, at_ms: int, body: Mapping[str, Any]) -> None:
    """The answer to a request; a later one replaces it."""
    before, about = request_row(db, body["request"]), body.get("session", body)
    if before is None:
        asked = {name: about.get(name, "") for name in ("agent", "native_id", "repo")}
        asked |= {"id": body["request"], "model": body["model"], "prompt": body["prompt"], **_NOT_ASKED_HERE}
        before = ReadingRow(**asked, asked_ms=at_ms, answered_ms=None, notes=0, items=" ".join(body.get("items", ())))
    row = before._replace(answered_ms=at_ms, notes=len(body.get("drafts", ())))
    db.execute(insert_into("reading_requests", _COLUMNS, "INSERT OR REPLACE"), row)
    _put_spend(db, row.id, row.asked_ms, body.get("usage", {}))
    db.execute("DELETE FROM reading_rejections WHERE request = ?", (row.id,))
    refused = [
        (row.id, ordinal, proposal["sentence"], proposal["reason"], proposal.get("detail", ""))
        for ordinal, proposal in enumerate(body.get("rejected", ()))
    ]
    db.executemany("INSERT INTO reading_rejections VALUES (?, ?, ?, ?, ?)", refused)


def put_spent_call(db: apsw.Connection, at_ms: int, body: Mapping[str, Any]) -> None:
    """What a call took that brought no answer; with a fault it failed, without it is asked once more."""
    _put_spend(db, body["request"], body["asked_ms"], body["usage"])
    if body.get("fault"):
        db.execute("INSERT OR REPLACE INTO reading_failures VALUES (?, ?, ?)", (body["request"], at_ms, body["fault"]))


def _put_spend(db: apsw.Connection, request: str, asked_ms: int, usage: Mapping[str, Any]) -> None:
    tokens = (usage.get("tokens_in", 0), usage.get("tokens_out", 0))
    row = ReadingSpendRow(request, asked_ms, *tokens, usage.get("cost_usd"))
    db.execute(insert_into("reading_spends", _SPENDS, "INSERT OR REPLACE"), row)


def request_row(db: apsw.Connection, request: str) -> ReadingRow | None:
    row = db.execute(f"SELECT {_COLUMNS} FROM reading_requests WHERE id = ?", (request,)).fetchone()  # noqa: S608
    return ReadingRow(*row) if row else None


def requests_for(db: apsw.Connection, prompt: str, model: str) -> Iterator[ReadingRow]:
    """All that was asked with this prompt and model."""
    query = f"SELECT {_COLUMNS} FROM reading_requests WHERE prompt = ? AND model = ? ORDER BY id"  # noqa: S608
    return (ReadingRow(*row) for row in db.execute(query, (prompt, model)))


def requests_failed(db: apsw.Connection) -> list[ReadingFailure]:
    """Requests that failed and were not answered since, the latest failure first."""
    query = """SELECT request, model, count(*), max(failed_ms), fault
               FROM reading_failures JOIN reading_requests ON reading_requests.id = request
               WHERE failed_ms > ifnull(answered_ms, 0)
               GROUP BY request ORDER BY max(failed_ms) DESC, request"""
    return [ReadingFailure(*row) for row in db.execute(query)]


def count_unanswered(db: apsw.Connection) -> int:
    """Requests that were asked and not answered."""
    query = "SELECT count(*) FROM reading_requests WHERE answered_ms IS NULL AND lines_hash <> ''"
    return int(only_row(db, query)[0])


def was_called(db: apsw.Connection, model: str) -> bool:
    """Whether this model was ever called."""
    query = "SELECT EXISTS (SELECT 1 FROM reading_requests WHERE model = ? AND asked_by = ?)"
    return bool(only_row(db, query, (model, CALLED))[0])


def requests_about_notes(db: apsw.Connection) -> Iterator[ReadingRow]:
    """All that was asked about notes by id."""
    query = f"SELECT {_COLUMNS} FROM reading_requests WHERE items != '' ORDER BY id"  # noqa: S608
    return (ReadingRow(*row) for row in db.execute(query))


def last_model(db: apsw.Connection) -> str:
    """The model that was asked last; "" where none was."""
    row = db.execute("SELECT model FROM reading_requests ORDER BY asked_ms DESC, id LIMIT 1").fetchone()
    return row[0] if row else ""


def last_spend(db: apsw.Connection, request: str) -> ReadingSpendRow | None:
    """What a request took, or may take, when it was asked last."""
    query = f"SELECT {_SPENDS} FROM reading_spends WHERE request = ? ORDER BY asked_ms DESC LIMIT 1"  # noqa: S608
    row = db.execute(query, (request,)).fetchone()
    return ReadingSpendRow(*row) if row else None


def proposals_rejected(db: apsw.Connection) -> list[ReadingRejectionRow]:
    """What was refused, the latest answer first."""
    query = """SELECT request, agent, native_id, repo, model, answered_ms, sentence, reason, detail
               FROM reading_rejections JOIN reading_requests ON reading_requests.id = request
               ORDER BY answered_ms DESC, request, ordinal"""
    return [ReadingRejectionRow(*row) for row in db.execute(query)]


def spent_since(db: apsw.Connection, since_ms: int) -> SpentSince:
    """What all requests from a moment on took, or may yet take."""
    query = """SELECT ifnull(sum(cost_usd), 0.0), ifnull(sum(iif(cost_usd IS NULL, tokens_in + tokens_out, 0)), 0)
               FROM reading_spends WHERE asked_ms >= ?"""
    return SpentSince(*only_row(db, query, (since_ms,)))


def spending(db: apsw.Connection) -> list[ReadingSpend]:
    """The ledger, the latest day first. A request that was asked several times counts as answered the last time."""
    query = """SELECT day, model, repo, count(*), sum(is_last AND answered_ms IS NOT NULL), sum(iif(is_last, notes, 0)),
               sum(tokens_in), sum(tokens_out), sum(cost_usd), sum(cost_usd IS NULL)
               FROM (SELECT date(spends.asked_ms / 1000, 'unixepoch') AS day, model, repo, answered_ms, notes,
                     tokens_in, tokens_out, cost_usd, spends.asked_ms = requests.asked_ms AS is_last
                     FROM reading_spends AS spends JOIN reading_requests AS requests ON requests.id = spends.request)
               GROUP BY day, model, repo ORDER BY day DESC, model, repo"""
    return [ReadingSpend(*row) for row in db.execute(query)]
