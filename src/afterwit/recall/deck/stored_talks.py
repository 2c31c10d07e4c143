"""Talks in the tables of a deck, as `recall.talks.Talks` asks for them. For hooks: reads only what a question names."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import apsw

from afterwit.model.quick_json import dumps, loads
from afterwit.recall.deck.packing import unpack_weighted
from afterwit.recall.talks import Sentence, Turn


class StoredTalks:
    """The talks of one repository; none where the deck knows nothing of it."""

    def __init__(self, db: apsw.Connection, repo: str) -> None:
        self._db = db
        row = db.execute("SELECT id, talks FROM prompt_repos WHERE repo = ?", (repo,)).fetchone()
        self._repo: int = row[0] if row else -1
        self._size: int = row[1] if row else 0
        self._numbers: dict[str, int] = {}  # of the sessions that were named
        self._names: dict[int, str] = {}
        self._turns: dict[str, Sequence[Turn]] = {}

    def size(self) -> int:
        return self._size

    def holders(self, terms: Iterable[str]) -> Mapping[str, Mapping[str, float]]:
        found: dict[str, Mapping[str, float]] = {}
        query = """SELECT given.value, terms.body FROM json_each(?) AS given CROSS JOIN prompt_terms AS terms
                   ON terms.repo = ? AND terms.kind = 'talk' AND terms.term = given.value"""
        for term, body in self._db.execute(query, (dumps(list(terms)), self._repo)):
            found[term] = {self._name(number): weight for number, weight in unpack_weighted(body)}
        return found

    def turns(self, session: str) -> Sequence[Turn]:
        if session not in self._turns:
            query = "SELECT body FROM prompt_talks WHERE repo = ? AND number = ?"
            row = self._db.execute(query, (self._repo, self._numbers[session])).fetchone()
            self._turns[session] = [_turn(each) for each in cast(list[Any], loads(row[0] if row else "[]"))]
        return self._turns[session]

    def _name(self, number: int) -> str:
        if not self._names:
            rows = self._db.execute("SELECT number, session FROM prompt_talks WHERE repo = ?", (self._repo,))
            self._names = dict(rows)
            self._numbers = {session: at for at, session in self._names.items()}
        return self._names[number]


def _turn(row: list[Any]) -> Turn:
    speaker, at_ms, sentences, terms, is_change = row
    return Turn(
        speaker, at_ms, tuple(Sentence(*sentence) for sentence in sentences), frozenset(terms.split()), is_change
    )
