"""Takes secrets and traces of people out of text, before anything is stored, indexed, logged or shown.

A secret becomes a typed, keyed placeholder; the name before it stays. Redacting twice equals redacting once, no text
makes it raise, and each string is judged by itself. Rules are data (`rules/`); what is weighed in code is in `judging`
and `people`. Names in running text are not found, and neither is a secret without a known form or a telling name.
"""

import functools
import re
from collections.abc import Iterable, Iterator
from typing import Any

import re2

from afterwit.guard.encodings import Encoding, Encodings
from afterwit.guard.matching import Matcher
from afterwit.guard.people import HOME_TRIGGER, NOBODY, ExactNames, People, home_spans
from afterwit.guard.placeholders import placeholder
from afterwit.guard.ruleset import Rule, rules
from afterwit.guard.spans import Span, replaced, united

_SHORTEST_SECRET = 7
_SHORTEST_NAME = 3
_CACHED_LENGTH = 256
_CACHE_SIZE = 1 << 15
_MOST_PASSES = 8
_LONGEST_FIELD = 8192
_ENCODINGS = tuple(Encoding)
# Nearly half of the short texts of a log. Without a name before it, an id is no secret.
_ID_OR_MOMENT = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]{8,16}Z?")
_SECRET_NAME = re.compile(r"pass|pwd|secret|token|key|auth|cred|cookie|session", re.IGNORECASE)


class Redactor:
    """Redacts with one machine's key. Costly to make, cheap to use; make one for a run and share it."""

    def __init__(self, key: bytes, people: People = NOBODY, allow: tuple[str, ...] = ()) -> None:
        self._key = key
        self._allowed = re2.compile("|".join(f"(?:{pattern})" for pattern in allow)) if allow else None
        self._exact = ExactNames(people)
        self._shortest = _SHORTEST_NAME if self._exact else _SHORTEST_SECRET
        known = rules()
        self._encodings = Encodings(_blob_keywords(known), self._kind_of)
        extra = [HOME_TRIGGER, self._exact.pattern] if self._exact else [HOME_TRIGGER]
        self._matcher = Matcher(known, [*extra, *self._encodings.triggers.values()])
        self._home_hit = self._matcher.size
        self._first_encoded_hit = self._home_hit + len(extra)
        self._short = functools.lru_cache(maxsize=_CACHE_SIZE)(self._redacted)

    def text(self, text: str) -> str:
        """The text without secrets and traces of people."""
        length = len(text)
        if length > _CACHED_LENGTH:
            return self._redacted(text)
        return text if length < self._shortest or _ID_OR_MOMENT.fullmatch(text) else self._short(text)

    def path(self, path: str) -> str:
        """The same for a path, where the user of a home folder is what is usually found."""
        return self.text(path)

    def value(self, value: Any) -> Any:
        """Decoded JSON of the same shape, keys redacted too. A key that names a secret counts as its context."""
        root = [value]
        open_places: list[tuple[Any, Any]] = [(root, 0)]
        while open_places:
            holder, place = open_places.pop()
            found = holder[place]
            if isinstance(found, str):
                holder[place] = self._field(place, found) if isinstance(place, str) else self.text(found)
            elif isinstance(found, dict):
                copy = {self.text(key) if isinstance(key, str) else key: item for key, item in found.items()}
                holder[place] = copy
                open_places.extend((copy, key) for key in copy)
            elif isinstance(found, list | tuple):
                items = list(found)
                holder[place] = items
                open_places.extend((items, index) for index in range(len(items)))
        return root[0]

    def _field(self, name: str, value: str) -> str:
        redacted = self.text(value)
        if redacted != value or len(value) > _LONGEST_FIELD or not _SECRET_NAME.search(name):
            return redacted
        quote = next((mark for mark in "\"'`" if mark not in value), "")
        before = f'"{name}": {quote}'
        together = self.text(f"{before}{value}{quote}")
        if not together.startswith(before) or together == f"{before}{value}{quote}":
            return redacted
        return together[len(before) : len(together) - len(quote)]

    def _redacted(self, text: str) -> str:
        data = text.encode("utf-8", "surrogatepass")
        hits = self._matcher.hits(data)
        if not hits:
            return text
        for _ in range(_MOST_PASSES):
            spans = [span for span in united(self._spans(data, hits), data) if not self._is_allowed(data, span)]
            if not spans:
                break
            data = replaced(data, spans, self._mark)
            if hits == [self._home_hit]:
                break  # nothing but a home folder was there: another pass would find nothing new
            hits = self._matcher.hits(data)
        return data.decode("utf-8", "surrogatepass")

    def _spans(self, data: bytes, hits: list[int]) -> Iterator[Span]:
        yield from self._matcher.spans(data, hits)
        for hit in hits:
            if hit == self._home_hit:
                yield from home_spans(data)
            elif hit >= self._first_encoded_hit:
                yield from self._encodings.spans(data, _ENCODINGS[hit - self._first_encoded_hit])
            elif hit > self._home_hit:
                yield from self._exact.spans(data)

    def _is_allowed(self, data: bytes, span: Span) -> bool:
        """Whether the user has said that this value is no secret."""
        return self._allowed is not None and self._allowed.fullmatch(data[span.start : span.end]) is not None

    def _kind_of(self, decoded: bytes) -> str | None:
        return self._matcher.secret_kind(decoded)

    def _mark(self, kind: str, value: bytes) -> bytes:
        return placeholder(kind, value, self._key).encode()


def _blob_keywords(known: Iterable[Rule]) -> list[str]:
    """Words that show a secret in a decoded text; the bare names of services show nothing."""
    secrets = (rule for rule in known if not rule.is_about_people)
    return [
        word for rule in secrets for word in rule.keywords if rule.is_generic or not (word.islower() and word.isalpha())
    ]
