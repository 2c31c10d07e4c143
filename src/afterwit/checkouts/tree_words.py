"""The words of a repository's files, as they are looked up: which files hold a word, have it in their path, or are
named.

One file a repository, written by `tree_index`, read by hooks. Files have numbers. Terms lie in buckets, by the checksum
of their word: a word of contents as it is, one of paths after a `/`, a name after a `=`. A bucket is one packed JSON
object of term → numbers, each as its distance from the one before, doubled, plus one where the word stands out in the
file. A word that very many files hold tells nothing and has no list. Standard library only, so that a hook can import
it.
"""

import zlib
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any, cast

import apsw

from afterwit.model.quick_json import dumps, loads

VERSION = 1
PATH_MARK, NAME_MARK = "/", "="
_COMMON: list[int] = []

Bucket = dict[str, list[int]]


def bucket_of(term: str, buckets: int) -> int:
    return zlib.crc32(term.lstrip(PATH_MARK + NAME_MARK).encode()) % buckets


def packed(bucket: Bucket) -> bytes:
    return zlib.compress(dumps(bucket).encode(), 9)


def unpacked(body: bytes) -> Bucket:
    return cast(Bucket, loads(zlib.decompress(body).decode()))


class TreeWords:
    """The files of one repository; nothing where there is no index of this version."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        facts = dict(db.execute("SELECT name, value FROM facts")) if db.pragma("user_version") == VERSION else {}
        self._buckets: int = cast(Any, facts.get("buckets", 0))
        self._size: int = cast(Any, facts.get("files", 0))
        self._terms: dict[str, list[int]] = {}
        self._paths: dict[int, str] = {}
        self._read: set[int] = set()

    def size(self) -> int:
        """How many files there are."""
        return self._size

    def look_up(self, terms: Iterable[str]) -> None:
        """Says which terms will be asked for: they are fetched at once."""
        wanted = [term for term in terms if term not in self._terms] if self._buckets else []
        by_bucket: dict[int, list[str]] = {}
        for term in wanted:
            by_bucket.setdefault(bucket_of(term, self._buckets), []).append(term)
        query = """SELECT buckets.number, buckets.body FROM json_each(?) AS given
                   CROSS JOIN buckets ON buckets.number = given.value"""
        for number, body in self._db.execute(query, (dumps(list(by_bucket)),)) if by_bucket else ():
            bucket = unpacked(body)
            for term in by_bucket[number]:
                self._terms[term] = bucket.get(term, _COMMON)
        self._terms.update(dict.fromkeys((term for term in wanted if term not in self._terms), _COMMON))

    def holders(self, term: str) -> Mapping[int, bool]:
        """The files that hold a term, by number, and whether it stands out there; none for one that says nothing."""
        self.look_up((term,))
        marks = self._terms.get(term, _COMMON)
        numbers = accumulate(mark >> 1 for mark in marks)
        return {number: bool(mark & 1) for number, mark in zip(numbers, marks, strict=True)}

    def count(self, term: str) -> int:
        """How many files hold a term."""
        self.look_up((term,))
        return len(self._terms.get(term, _COMMON))

    def paths(self, numbers: Iterable[int]) -> dict[int, str]:
        """The paths of files that are there, by number."""
        missing = [number for number in numbers if number not in self._read]
        query = """SELECT files.number, files.path FROM json_each(?) AS given
                   CROSS JOIN files ON files.number = given.value WHERE files.is_there"""
        self._paths.update(dict(self._db.execute(query, (dumps(missing),))) if missing else {})
        self._read.update(missing)
        return {number: self._paths[number] for number in numbers if number in self._paths}

    def with_path_word(self, word: str) -> list[str]:
        """Files with this word in their path."""
        return sorted(self.paths(list(self.holders(PATH_MARK + word))).values())

    def named(self, name: str) -> list[str]:
        """Files of this name, in lower case, in any folder."""
        return sorted(self.paths(list(self.holders(NAME_MARK + name))).values())
