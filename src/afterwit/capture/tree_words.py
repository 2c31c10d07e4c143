"""The words of a repository's files, as they are looked up: which files hold a word, have it in their path, or are
named.

One file a repository, written by `tree_index`, read by hooks. Files have numbers. Terms lie in buckets, by the checksum
of their word: a word of contents as it is, one of paths after a `/`, a name after a `=`. A bucket is one packed JSON
object of term → numbers, each as its distance from the one before, doubled, plus one where the word stands out in the
file. A word that very many files hold tells nothing and has no list. What is damaged is not there. Standard library
only, so that a hook can import it.
"""

import zlib
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any, cast

import apsw

from afterwit.model.quick_json import dumps, loads

VERSION = 2
PATH_MARK, NAME_MARK = "/", "="
_COMMON: list[int] = []

Bucket = dict[str, list[int]]


def bucket_of(term: str, buckets: int) -> int:
    return zlib.crc32(term.lstrip(PATH_MARK + NAME_MARK).encode()) % buckets


def unpack_bucket(body: bytes) -> Bucket:
    return cast(Bucket, loads(zlib.decompress(body).decode()))


def _unpack_sound(body: Any) -> Bucket:
    """A bucket, empty where it is damaged."""
    try:
        return unpack_bucket(body)
    except (zlib.error, ValueError, TypeError):
        return {}


class TreeWords:
    """The files of one repository; nothing where there is no sound index of this version."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        facts = dict(self._rows("SELECT name, value FROM facts")) if self._is_of_this_version() else {}
        self._buckets, self._size = (
            count if isinstance(count := facts.get(name), int) else 0 for name in ("buckets", "files")
        )
        self._terms: dict[str, list[int]] = {}
        self._paths: dict[int, str] = {}
        self._read: set[int] = set()

    def size(self) -> int:
        """How many files there are."""
        return self._size

    def look_up(self, terms: Iterable[str]) -> None:
        """Says which terms will be asked for: they are fetched at once."""
        wanted = [term for term in terms if term not in self._terms]
        by_bucket: dict[int, list[str]] = {}
        for term in wanted if self._buckets else ():
            by_bucket.setdefault(bucket_of(term, self._buckets), []).append(term)
        query = """SELECT buckets.number, buckets.body FROM json_each(?) AS given
                   CROSS JOIN buckets ON buckets.number = given.value"""
        for number, body in self._rows(query, by_bucket) if by_bucket else ():
            bucket = _unpack_sound(body)
            for term in by_bucket[number]:
                self._terms[term] = bucket.get(term, _COMMON)
        self._terms.update(dict.fromkeys((term for term in wanted if term not in self._terms), _COMMON))

    def holders(self, term: str) -> Mapping[int, bool]:
        """The files that hold a term, by number, and whether it stands out there; none for one that says nothing."""
        self.look_up((term,))
        marks = self._terms.get(term, _COMMON)
        numbers = accumulate(mark >> 1 for mark in marks)
        return {number: bool(mark & 1) for number, mark in zip(numbers, marks, strict=True)}

    def paths(self, numbers: Iterable[int]) -> dict[int, str]:
        """The paths of files that are there, by number."""
        missing = [number for number in numbers if number not in self._read]
        query = """SELECT files.number, files.path FROM json_each(?) AS given
                   CROSS JOIN files ON files.number = given.value WHERE files.is_there"""
        rows = self._rows(query, missing) if missing else ()
        self._paths.update({number: path for number, path in rows if isinstance(path, str)})
        self._read.update(missing)
        return {number: self._paths[number] for number in numbers if number in self._paths}

    def _is_of_this_version(self) -> bool:
        try:
            return bool(self._db.pragma("user_version") == VERSION)
        except apsw.Error:
            return False

    def _rows(self, query: str, numbers: Iterable[int] | None = None) -> list[tuple[Any, ...]]:
        """What a query finds, with these numbers if it takes any; nothing where the file is damaged."""
        try:
            return list(self._db.execute(query, () if numbers is None else (dumps(list(numbers)),)))
        except (apsw.Error, ValueError):
            return []

    def named(self, name: str) -> list[str]:
        """Files of this name, in lower case, in any folder."""
        return sorted(self.paths(list(self.holders(NAME_MARK + name))).values())
