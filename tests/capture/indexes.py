"""Indexes of trees, looked at from outside: all that they answer."""

import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from afterwit.capture.tree_words import TreeWords, unpack_bucket
from afterwit.recall.deck.reader import opened_immutable

Answers = dict[str, dict[str, bool]]


@contextmanager
def words_in(index: Path) -> Iterator[TreeWords]:
    """The words of an index, as a reader has them."""
    with closing(opened_immutable(str(index))) as db:
        yield TreeWords(db)


def answers(db: apsw.Connection) -> Answers:
    """Of each term the files that are found by it, and whether it stands out there."""
    words = TreeWords(db)
    found: Answers = {}
    for term in terms(db):
        holders = words.holders(term)
        paths = words.paths(list(holders))
        found[term] = {path: holders[number] for number, path in paths.items()}
    return {term: files for term, files in found.items() if files}


def answers_at(index: Path) -> Answers:
    with closing(opened_immutable(str(index))) as db:
        return answers(db)


def terms(db: apsw.Connection) -> Mapping[str, list[int]]:
    """All terms, as they lie in the buckets."""
    bodies = [body for (body,) in db.execute("SELECT body FROM buckets")]
    return {term: marks for body in bodies for term, marks in unpack_bucket(body).items()}


def common(db: apsw.Connection) -> set[str]:
    """Terms that too many files hold."""
    return {term for term, marks in terms(db).items() if not marks}


def raw_text(index: Path) -> bytes:
    """All bytes of an index, and what is packed in it."""
    with closing(opened_immutable(str(index))) as db:
        bodies = [body for (body,) in db.execute("SELECT body FROM buckets")]
    return b"\n".join((index.read_bytes(), *map(zlib.decompress, bodies)))
