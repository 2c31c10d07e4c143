"""Keeps the index of a repository's files: which are there, and the words that they are found by.

A file's contents are read once, however often they are committed: what has the same object id has the same words. A
file that changed gets a new number; where many are out of use, the numbers are made anew without reading anything.
Written in a copy that takes the place of the old index at the end. All text goes through redaction first. A word stands
out where it occurs often for the length of the file, or where something is defined by it.
"""

import shutil
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import apsw
import msgspec

from afterwit.capture.tree_words import NAME_MARK, PATH_MARK, VERSION, Bucket, bucket_of, unpack_bucket
from afterwit.model.errors import StoreError, StoreFullError
from afterwit.model.text import definitions_in, words_of
from afterwit.redaction.markers import PLACEHOLDER
from afterwit.redaction.plain_names import is_plain_path
from afterwit.sources.git import Blob, beginnings, blobs
from afterwit.store.atomic import PRIVATE, sync
from afterwit.store.database import transaction

MOST_CHARS = 200_000  # of a file that are looked at
_LONGEST_WORD = 24
_MOST_DIGITS = 2
_MOST_DEFINITIONS = 200
_USUAL_WORDS = 600  # of a file
_OFTEN = 3.0  # times, in a file of that length


def terms_of(path: str, text: str) -> dict[str, bool]:
    """The terms under which a file is found, and whether each stands out in it. The text is redacted."""
    counts = Counter(words_of(PLACEHOLDER.sub(" ", text[:MOST_CHARS])))
    words = Counter({word: count for word, count in counts.items() if _is_word(word)})
    often = max(2.0, _OFTEN * (0.5 + 0.5 * words.total() / _USUAL_WORDS))
    defined = set(words_of(" ".join(definitions_in(text, _MOST_DEFINITIONS))))
    terms = {word: count >= often or word in defined for word, count in words.items()}
    terms |= {PATH_MARK + word: False for word in words_of(path)}
    return terms | {NAME_MARK + path.rpartition("/")[2].lower(): False}


def _is_word(word: str) -> bool:
    return len(word) <= _LONGEST_WORD and sum(letter.isdigit() for letter in word) <= _MOST_DIGITS


Redact = Callable[[str], str]

MOST_FILES = 60_000
_LARGEST = 300_000  # bytes of a file whose words are read
_BATCH_FILES = 400
_BUCKET_TEXT = 40_000  # bytes of text for which there is one bucket
_FEWEST_BUCKETS, _MOST_BUCKETS = 16, 4_096
_FEW = 30  # files that may hold any word
_COMMON_SHARE = 0.12  # of all files: a word that more hold tells nothing
_ID_BYTES = 10  # of an object id that tell it from others
_SPARE = 500  # numbers out of use that are kept in any case
_OUTGROWN = 4  # times as many buckets as there are
_DAMAGE = (apsw.Error, StoreError, zlib.error, ValueError, TypeError)


class TreeUpdate(NamedTuple):
    """What an update came to."""

    files: int
    read: int  # files whose words were read


class TreeIndex:
    """An index, open for writing."""

    def __init__(self, db: apsw.Connection, redact: Redact, rules: str = "") -> None:
        """`rules` names what text is redacted by: made by others, an index is made anew."""
        self._db, self._redact, self._rules = db, redact, rules
        if db.pragma("user_version") != VERSION or _facts(db).get("rules") != rules:
            _create(db, rules)
        facts = _facts(db)
        self._buckets = int(facts.get("buckets", 0))

    @property
    def commit(self) -> str:
        """The commit whose tree it has."""
        return str(_facts(self._db).get("commit", ""))

    def update(self, git_dir: Path, commit: str, proceed: Callable[[], bool] = lambda: True) -> TreeUpdate:
        """Brings the index to the tree of a commit. Where it may not proceed it stops between two batches, and the
        commit is not noted."""
        tree = {blob.path: blob for blob in blobs(git_dir, commit) if self._is_listed(blob)}
        listed = dict(sorted(tree.items())[:MOST_FILES])
        self._settle_buckets(sum(blob.size_bytes for blob in listed.values()))
        new = self._match_files(listed)
        limit = max(_FEW, int(_COMMON_SHARE * len(listed)))
        read = 0
        for start in range(0, len(new), _BATCH_FILES):
            if not proceed():
                return TreeUpdate(len(listed), read)
            batch = new[start : start + _BATCH_FILES]
            with transaction(self._db):
                self._put(batch, git_dir, limit)
            read += len(batch)
        with transaction(self._db):
            self._tidy(len(listed))
            facts = {"commit": commit, "files": len(listed)}
            self._db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts.items())
        return TreeUpdate(len(listed), read)

    def _is_listed(self, blob: Blob) -> bool:
        return is_plain_path(blob.path) and self._redact(blob.path) == blob.path

    def _settle_buckets(self, size_bytes: int) -> None:
        fit = max(_FEWEST_BUCKETS, min(_MOST_BUCKETS, size_bytes // _BUCKET_TEXT))
        if fit > _OUTGROWN * self._buckets:
            _create(self._db, self._rules)
            self._buckets = fit
            with transaction(self._db):
                self._db.execute("INSERT OR REPLACE INTO facts VALUES ('buckets', ?)", (self._buckets,))

    def _match_files(self, tree: dict[str, Blob]) -> list[Blob]:
        """Says of each known file whether it is there. Returns those that are not known."""
        unchanged: set[str] = set()
        states: list[tuple[int, int]] = []
        for number, path, object_, is_there in self._db.execute("SELECT number, path, object, is_there FROM files"):
            blob = tree.get(path)
            is_same = blob is not None and path not in unchanged and _short(blob) == object_
            unchanged.update((path,) if is_same else ())
            states += [(int(is_same), number)] if is_same != bool(is_there) else []
        with transaction(self._db):
            self._db.executemany("UPDATE files SET is_there = ? WHERE number = ?", states)
        return [blob for path, blob in tree.items() if path not in unchanged]

    def _put(self, batch: Sequence[Blob], git_dir: Path, limit: int) -> None:
        first = next(self._db.execute("SELECT coalesce(max(number), -1) + 1 FROM files"))[0]
        added: dict[int, dict[str, array[int]]] = {}
        for number, (blob, text) in enumerate(_texts(git_dir, batch), first):
            for term, stands_out in terms_of(blob.path, self._redact(text)).items():
                terms = added.setdefault(bucket_of(term, self._buckets), {})
                terms.setdefault(term, array("q")).append(number * 2 + stands_out)
        rows = ((number, blob.path, _short(blob), 1) for number, blob in enumerate(batch, first))
        self._db.executemany("INSERT INTO files VALUES (?, ?, ?, ?)", rows)
        there = {number for (number,) in self._db.execute("SELECT number FROM files WHERE is_there")}
        for bucket, terms in sorted(added.items()):
            self._add(bucket, terms, limit, there)

    def _add(self, number: int, terms: dict[str, "array[int]"], limit: int, there: set[int]) -> None:
        """Whether a word is common is up to the files that are there. Names never are: they belong to paths."""
        row = self._db.execute("SELECT body FROM buckets WHERE number = ?", (number,)).fetchone()
        bucket = unpack_bucket(row[0]) if row else {}
        for term, marks in terms.items():
            before = bucket.get(term)
            if before == []:  # common already
                continue
            joined = [*_together(before or []), *marks]
            is_common = len(joined) > limit and sum(mark >> 1 in there for mark in joined) > limit
            bucket[term] = [] if is_common and not term.startswith(NAME_MARK) else _apart(joined)
        self._db.execute("INSERT OR REPLACE INTO buckets VALUES (?, ?)", (number, pack_bucket(bucket)))

    def _tidy(self, files: int) -> None:
        """Makes the numbers anew where many are out of use."""
        total = next(self._db.execute("SELECT count(*) FROM files"))[0]
        if total - files <= max(_SPARE, files // 2):
            return
        numbers = [row[0] for row in self._db.execute("SELECT number FROM files WHERE is_there ORDER BY number")]
        renumbered = {number: at for at, number in enumerate(numbers)}
        for number, body in list(self._db.execute("SELECT number, body FROM buckets")):
            bucket = {term: _renumber(marks, renumbered) for term, marks in unpack_bucket(body).items()}
            kept = {term: marks for term, marks in bucket.items() if marks is not None}
            self._db.execute("UPDATE buckets SET body = ? WHERE number = ?", (pack_bucket(kept), number))
        self._db.execute("DELETE FROM files WHERE NOT is_there")
        self._db.executemany(
            "UPDATE files SET number = ? WHERE number = ?", ((at, old) for old, at in renumbered.items())
        )


def update_tree(
    path: Path, git_dir: Path, commit: str, redact: Redact, rules: str = "", proceed: Callable[[], bool] = lambda: True
) -> TreeUpdate | None:
    """Brings the index at this path to a commit, in a copy that takes its place. None where it is there
    already."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    try:
        return _update_copy(path, git_dir, commit, redact, rules, proceed)
    except StoreFullError:
        raise
    except _DAMAGE:
        path.unlink(missing_ok=True)
        return _update_copy(path, git_dir, commit, redact, rules, proceed)


def _update_copy(
    path: Path, git_dir: Path, commit: str, redact: Redact, rules: str, proceed: Callable[[], bool]
) -> TreeUpdate | None:
    beside = path.with_name(f"{path.name}.new")
    if not beside.exists() and path.exists():
        shutil.copyfile(path, beside)
    beside.touch(PRIVATE)
    try:
        with closing(_open_index(beside)) as db:
            index = TreeIndex(db, redact, rules)
            if index.commit == commit and path.exists():
                beside.unlink()
                return None
            done = index.update(git_dir, commit, proceed)
            is_whole = index.commit == commit
    except _DAMAGE:  # such a copy is of no use
        beside.unlink(missing_ok=True)
        raise
    if is_whole:
        sync(beside)
        beside.replace(path)
    return done


def _open_index(path: Path) -> apsw.Connection:
    db = apsw.Connection(str(path))
    db.execute("PRAGMA page_size = 1024; PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF")
    return db


def _facts(db: apsw.Connection) -> dict[str, str | int]:
    return dict(db.execute("SELECT name, value FROM facts"))


def _create(db: apsw.Connection, rules: str) -> None:
    with transaction(db):
        for (name,) in list(db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")):
            db.execute(f'DROP TABLE "{name}"')
        db.execute(
            """CREATE TABLE facts (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
               CREATE TABLE files (number INTEGER PRIMARY KEY, path TEXT NOT NULL, object BLOB NOT NULL,
                   is_there INTEGER NOT NULL) STRICT;
               CREATE TABLE buckets (number INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT"""
        )
        db.execute("INSERT INTO facts VALUES ('rules', ?)", (rules,))
        db.pragma("user_version", VERSION)


def _texts(git_dir: Path, batch: Sequence[Blob]) -> Iterator[tuple[Blob, str]]:
    """The text of each file; "" of one that is large or not text."""
    small = [blob for blob in batch if blob.size_bytes <= _LARGEST]
    contents = dict(zip((blob.path for blob in small), beginnings(git_dir, small, _LARGEST), strict=True))
    for blob in batch:
        body = contents.get(blob.path, b"")
        yield blob, "" if b"\0" in body else body.decode("utf-8", "replace")


def _short(blob: Blob) -> bytes:
    return bytes.fromhex(blob.object)[:_ID_BYTES]


def pack_bucket(bucket: Bucket) -> bytes:
    return zlib.compress(msgspec.json.encode(bucket), 9)


def _together(marks: Sequence[int]) -> list[int]:
    """Marks with whole numbers, of marks with distances."""
    whole, number = [], 0
    for mark in marks:
        number += mark >> 1
        whole.append(number * 2 + (mark & 1))
    return whole


def _apart(marks: Sequence[int]) -> list[int]:
    """Marks with distances, of marks with whole numbers."""
    before = 0
    distances = []
    for mark in sorted(marks):
        distances.append((mark >> 1) - before << 1 | mark & 1)
        before = mark >> 1
    return distances


def _renumber(marks: Sequence[int], numbers: dict[int, int]) -> list[int] | None:
    """None for a term that no file holds any more; one that is common stays so."""
    if not marks:
        return []
    kept = [numbers[mark >> 1] * 2 + (mark & 1) for mark in _together(marks) if mark >> 1 in numbers]
    return _apart(kept) or None
