"""Writes into a part of the deck what a hook asks at the first prompt: the places of its repository, by word.

Each word has one row with the numbers of all that hold it, so that a question reads a row for each of its words and
the facts of what matched, and nothing is built anew. A part keeps what each session and commit put into it. So a part
with one more session is a copy of the one before with the rows of that session's words written anew; a part that is
made from nothing is the same with all sessions. What answers are found does not depend on the way there: numbers of
what is gone are given to what comes, and nothing follows from their order. Not for hooks to import; they read with
`first_prompt`.
"""

import heapq
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import resources
from itertools import chain, count
from typing import NamedTuple

import apsw
import msgspec

from afterwit.model.digest import Digest
from afterwit.model.kinds import CHANGES, Status
from afterwit.model.text import words_of
from afterwit.recall.deck.reader import PLACES
from afterwit.recall.place_index import (
    MEMORY,
    NUMBER_BYTES,
    PlaceIndex,
    PlaceSighting,
    pack_numbers,
    rarity,
    recencies,
)

MOST_SESSIONS = 2_000
MOST_CHANGED = 40  # files that are kept in the order of their changes
_MOST_TEXT = 16_000
_SHORT = 10  # characters of a commit's id
_FILE_KINDS = ("name", "path", "branch")

Redact = Callable[[str], str]
_Terms = Collection[str]
_NONE: _Terms = ()


class PromptChanges(NamedTuple):
    """What is known of a repository now; all that is named by neither is gone."""

    kept: Collection[str] = ()  # keys of works that are as they were
    works: Mapping[str, PlaceSighting] = {}  # others, by key: sessions and commits


class PromptSource(NamedTuple):
    """Where what is known of a repository comes from. It is asked with the keys that the part before has, if that was
    made with another mark, or is known to be stale."""

    mark: str
    changes: Callable[[Collection[str]], PromptChanges]
    is_stale: bool = False


class _Facts(msgspec.Struct, frozen=True, array_like=True):
    """Of one work, what the tables that concern all works are made of."""

    session: str
    at_ms: int
    is_session: bool
    branch: str
    words: int  # how many it is found by
    changed: tuple[str, ...]


_FACTS = msgspec.msgpack.Decoder(_Facts)
_WORDS = msgspec.msgpack.Decoder(list[str])


def update_prompt_tables(part: apsw.Connection, source: PromptSource, redact: Redact) -> None:
    """Brings the tables up to date, within the caller's transaction. Words that go with a secret are not filed."""
    _Update(part, redact).run(source)


def places_of(sightings: Iterable[PlaceSighting], redact: Redact) -> PlaceIndex:
    """An index of these alone, in memory: for who asks of a place that no deck knows."""
    part = apsw.Connection(":memory:")
    part.execute(schema("part.sql"))
    works = {f"{sighting.session} {sighting.branch}": sighting for sighting in sightings}
    update_prompt_tables(part, PromptSource("", lambda _: PromptChanges(works=works)), redact)
    return PlaceIndex(part)


def schema(name: str) -> str:
    """The tables of a deck or of a part of it."""
    return resources.files("afterwit.recall.deck").joinpath(name).read_text("utf-8")


def sighting_of(digest: Digest) -> PlaceSighting:
    """What a digest tells about where work is. Files outside the repository are left out."""
    steps = (step for step in digest.steps if step.kind in CHANGES and step.status is not Status.FAILED)
    changed = dict.fromkeys(path for step in steps for path in step.files if not path.startswith("/"))
    said = (
        digest.task,
        digest.title,
        *(publication.text for publication in digest.publications),
        *(prompt.text for prompt in digest.prompts[1:]),
    )
    at_ms = digest.ended_ms or digest.started_ms or 0
    return PlaceSighting(digest.native_id, "\n".join(said)[:_MOST_TEXT], tuple(changed), digest.branch, at_ms)


def redacted_sighting(sighting: PlaceSighting, redact: Redact) -> PlaceSighting:
    """A path that says what nobody should read is not known. Those of sessions are redacted already."""
    changed = sighting.changed
    if not sighting.is_session:
        changed = [path for path in changed if redact(path) == path]
    return sighting._replace(text=redact(sighting.text), changed=changed)


class _Update:
    """From the works that the part has to those that it is to have. Works and files are filed alike: each under a
    number, with what it was found by before and is found by now."""

    def __init__(self, part: apsw.Connection, redact: Redact) -> None:
        self._db = part
        self._redact = redact
        self._postings = _Postings(part)
        self._numbers: dict[str, int] = {}  # of the works that are there, by key
        self._before: dict[int, _Facts] = {}
        for number, key, facts in part.execute("SELECT number, key, facts FROM prompt_works"):
            self._numbers[key] = number
            self._before[number] = _FACTS.decode(facts)
        self._after: dict[int, _Facts] = {}
        self._gone: dict[int, _Terms] = {}  # words of works that changed or are gone
        self._new: dict[int, _Terms] = {}  # words of those that changed or are new

    def run(self, source: PromptSource) -> None:
        self._put_works(source.changes(self._numbers.keys()))
        files = self._put_files()
        self._postings.write()
        row = self._db.execute("SELECT body FROM indexes WHERE name = ?", (PLACES,)).fetchone()
        totals = {path: total for path, _, _, total, *_ in msgspec.json.decode(row[0])[0]} if row else {}
        if totals.keys() != files.keys():
            totals = _totals(files)
        self._put_index(PLACES, msgspec.json.encode(_places(self._after, files, totals)).decode())

    def _put_works(self, changes: PromptChanges) -> None:
        made = {key: _make_facts(work, self._redact) for key, work in changes.works.items()}
        kept = {self._numbers[key] for key in changes.kept if key not in made}
        self._after = {number: self._before[number] for number in kept}
        self._gone = {number: self._words(number) for number in self._before if number not in kept}
        free = _free_numbers(self._before)
        for key, (facts, words) in sorted(made.items(), key=lambda pair: (_time_of(pair[1][0]), pair[0])):
            number = self._numbers[key] if key in self._numbers else next(free)
            self._after[number], self._new[number] = facts, words
            row = (number, key, msgspec.msgpack.encode(facts), msgspec.msgpack.encode(words))
            self._db.execute("INSERT OR REPLACE INTO main.prompt_works VALUES (?, ?, ?, ?)", row)
        self._delete("prompt_works", self._gone.keys() - self._new.keys())
        for number in _together(self._new, self._gone):
            self._postings.change("said", number, self._gone.get(number, _NONE), self._new.get(number, _NONE))

    def _put_files(self) -> dict[str, "_File"]:
        """Files are found by what all works did to them: those that changed works concern are looked at."""
        rows = self._db.execute("SELECT number, path, words FROM prompt_files")
        files = {path: _File(number, words) for number, path, words in rows}
        free = _free_numbers({file.number for file in files.values()})
        is_changed = self._gone.keys() | self._new.keys()
        works = (facts[work] for facts in (self._before, self._after) for work in is_changed if work in facts)
        concerned = {path for work in works for path in work.changed}
        before, after = (_users(facts.values(), concerned) for facts in (self._before, self._after))
        for path in sorted(concerned):
            if path not in files:
                files[path] = _File(next(free), " ".join(sorted(set(words_of(path)))))
                row = (files[path].number, path, files[path].words)
                self._db.execute("INSERT INTO main.prompt_files VALUES (?, ?, ?)", row)
            filed, wanted = (_terms_of_file(path, files[path], users.get(path)) for users in (before, after))
            for kind in _FILE_KINDS:
                self._postings.change(kind, files[path].number, filed.get(kind, _NONE), wanted.get(kind, _NONE))
        gone = concerned - after.keys()
        self._delete("prompt_files", {files[path].number for path in gone})
        return {path: file for path, file in files.items() if path not in gone}

    def _words(self, work: int) -> list[str]:
        return _WORDS.decode(self._db.execute("SELECT terms FROM prompt_works WHERE number = ?", (work,)).get)

    def _delete(self, table: str, numbers: Iterable[int]) -> None:
        self._db.executemany(f"DELETE FROM main.{table} WHERE number = ?", ((number,) for number in numbers))  # noqa: S608

    def _put_index(self, name: str, body: str | bytes) -> None:
        self._db.execute("INSERT OR REPLACE INTO main.indexes VALUES (?, ?)", (name, body))


class _Postings:
    """The rows of words, with what is to change in them: for each word a list of numbers, each with whether it
    is gone, in one integer, because there are very many."""

    def __init__(self, part: apsw.Connection) -> None:
        self._db = part
        self._is_empty = part.execute("SELECT 1 FROM prompt_terms LIMIT 1").fetchone() is None
        self._edits: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))

    def change(self, kind: str, number: int, before: _Terms, after: _Terms) -> None:
        """What has this number was found by some terms before, and is by others now."""
        edits, code = self._edits[kind], number << 1
        for term in set(after).difference(before):
            edits[term].append(code)
        for term in set(before).difference(after):
            edits[term].append(code | 1)

    def write(self) -> None:
        for kind, edits in self._edits.items():
            bodies = [(kind, term, self._edit_row(kind, term, edits[term])) for term in sorted(edits)]
            full = (row for row in bodies if row[2])
            self._db.executemany("INSERT OR REPLACE INTO main.prompt_terms VALUES (?, ?, ?)", full)
            empty = (row[:2] for row in bodies if not row[2])
            self._db.executemany("DELETE FROM main.prompt_terms WHERE kind = ? AND term = ?", empty)

    def _edit_row(self, kind: str, term: str, codes: list[int]) -> bytes:
        """A row with what changes in it. Where many hold a term, only the few bytes that change are looked for."""
        held = b"" if self._is_empty else self._body(kind, term)
        if not held:
            return pack_numbers(code >> 1 for code in sorted(codes))
        body = bytearray(held)
        for code in codes:
            number = pack_numbers([code >> 1])
            begin = (
                bisect_left(range(len(body) // NUMBER_BYTES), code >> 1, key=partial(_number_at, body)) * NUMBER_BYTES
            )
            end = begin + (NUMBER_BYTES if body[begin : begin + NUMBER_BYTES] == number else 0)
            body[begin:end] = b"" if code & 1 else number
        return bytes(body)

    def _body(self, kind: str, term: str) -> bytes:
        query = "SELECT body FROM prompt_terms WHERE kind = ? AND term = ?"
        row = self._db.execute(query, (kind, term)).fetchone()
        return row[0] if row else b""


class _File(NamedTuple):
    number: int
    words: str  # of its path, each once


def _make_facts(work: PlaceSighting, redact: Redact) -> tuple[_Facts, list[str]]:
    sighting = redacted_sighting(work, redact)
    bag = sighting.words()
    facts = _Facts(
        sighting.session if sighting.is_session else sighting.session[:_SHORT],  # commits are asked for by nobody
        sighting.at_ms,
        sighting.is_session,
        sighting.branch,
        len(bag),
        tuple(sighting.changed),
    )
    return facts, sorted(bag)


def _time_of(facts: _Facts) -> tuple[int, str]:
    return facts.at_ms, facts.session


def _free_numbers(taken: Collection[int]) -> Iterator[int]:
    return (number for number in count() if number not in taken)


def _together(first: Iterable[int], second: Iterable[int]) -> Iterable[int]:
    return dict.fromkeys((*first, *second))


def _number_at(body: bytearray, place: int) -> int:
    return int.from_bytes(body[place * NUMBER_BYTES : (place + 1) * NUMBER_BYTES], "little")


def _users(works: Iterable[_Facts], paths: Collection[str]) -> dict[str, list[_Facts]]:
    """The works that changed these files."""
    users: defaultdict[str, list[_Facts]] = defaultdict(list)
    for work in works:
        for path in work.changed:
            if path in paths:
                users[path].append(work)
    return dict(users)


def _terms_of_file(path: str, file: _File, users: Sequence[_Facts] | None) -> dict[str, _Terms]:
    """Under which words, names and branches a file is found that these works changed; under none where there
    are none."""
    if not users:
        return {}
    return {
        "name": [path.rpartition("/")[2].lower()],
        "path": file.words.split(),
        "branch": {work.branch for work in users},
    }


def _totals(files: Mapping[str, _File]) -> dict[str, float]:
    """What the words of each path tell: it depends on those of all others."""
    words = {path: file.words.split() for path, file in files.items()}
    holders = Counter(chain.from_iterable(words.values()))
    tells = {word: rarity(len(files), held) for word, held in holders.items()}
    return {path: round(sum(tells[word] for word in sorted(own)), 2) for path, own in words.items()}


def _places(works: Mapping[int, _Facts], files: Mapping[str, _File], totals: Mapping[str, float]) -> tuple[object, ...]:
    """What is known of all files and sessions, in the order of time, and which files were changed most."""
    ordered = sorted(works, key=lambda number: _time_of(works[number]))
    changes = Counter(chain.from_iterable(facts.changed for facts in works.values()))
    by_sessions = Counter(chain.from_iterable(facts.changed for facts in works.values() if facts.is_session))
    faded = recencies([works[number].changed for number in reversed(ordered) if works[number].changed][:MEMORY])
    rows = [
        (path, file.number, by_sessions[path], totals[path], *faded.get(path, ()))
        for path, file in sorted(files.items())
    ]
    listed = [
        (facts.session, facts.words, [files[path].number for path in facts.changed], number)
        for number in ordered
        for facts in [works[number]]
    ]
    most = heapq.nsmallest(MOST_CHANGED, files, key=lambda path: (-changes[path], path))
    return rows, listed, [files[path].number for path in most]
