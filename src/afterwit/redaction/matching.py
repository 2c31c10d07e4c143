"""Finds the places in a text that hold a secret or a trace of a person.

A pass of a set of small triggers says which rules could match; nearly always that is none. Only those rules then
run, and only their candidates are judged. Patterns are compiled when first needed. What replaces a place is left to
`redaction`; encoded secrets to `encodings`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import re2

from afterwit.redaction import judging, people
from afterwit.redaction.placeholders import SecretSpan
from afterwit.redaction.ruleset import Judge, RedactionRule, byte_options

_BEFORE_BYTES = 96

_JUDGES: dict[Judge, Callable[[str, bool], bool]] = {
    Judge.PASSWORD: lambda value, is_bare: judging.is_password(value, is_bare=is_bare),
    Judge.GIVEN: lambda value, _: judging.is_given(value),
    Judge.SECRET: lambda value, is_bare: judging.is_secret(value, is_bare=is_bare),
    Judge.TOKEN: lambda value, _: judging.is_token(value),
    Judge.DRAWN: lambda value, _: judging.is_drawn(value),
    Judge.SPOKEN: lambda value, _: judging.is_spoken(value),
    Judge.TOLD: lambda value, _: judging.is_told(value),
    Judge.URL: lambda value, _: judging.is_url_password(value),
    Judge.COLUMN: lambda value, _: judging.is_told(value) or judging.is_drawn(value),
    Judge.ENCODED: lambda value, _: judging.is_encoded(value),
    Judge.BASIC: lambda value, _: judging.is_basic_credential(value),
    Judge.NAME: lambda value, _: people.is_personal_name(value),
    Judge.PHONE: lambda value, _: people.is_phone(value),
    Judge.CARD: lambda value, _: people.is_card(value),
    Judge.IBAN: lambda value, _: people.iban_end(value) > 0,
}
_LOOKS_BEFORE: dict[Judge, Callable[[str, bytes], bool]] = {
    Judge.EMAIL: people.is_personal_email,
    Judge.IP: people.is_personal_ip,
}
_NAME_BYTES = 40
_UUID_RULE = "uuid-key"
_SERVICE_RULE = "service-value"  # two hundred names: beside other names they make many mixtures, beside formats few
# Keys that open nothing: they are found by, or given to everybody.
_OPEN_KEY = re.compile(
    rb"(?:public|publishable|cache|partition|idempotency|sort|primary|foreign|object|dedup\w*|range|row|routing|group)"
    rb"""[ _.-]?key["'`\])]*\s*[:=,]?[>]?\s*["'`@$]*\Z""",
    re.IGNORECASE,
)
_WEIGHED = frozenset({Judge.TOKEN, Judge.DRAWN, Judge.SECRET, Judge.SPOKEN})
_HEAD_CELL = re.compile(rb"[\w .\"'`*()-]{0,40}\r?")
_LARGEST_TABLE = 1 << 16
_NEXT_PARAMETER = re.compile(rb"&(?:&|[A-Za-z_][\w.-]*=)")  # where a bare value ends in a query or a command line


class PatternSet:
    """Says in one pass which of many patterns occur in a text."""

    def __init__(self, patterns: Iterable[bytes]) -> None:
        self._set = re2.Set.SearchSet(byte_options(captures=False))
        for pattern in patterns:
            self._set.Add(pattern)
        self._set.Compile()
        self.matches: Callable[[bytes], list[int] | None] = self._set.Match  # None where nothing matches


class Finder:
    """One rule, ready to run."""

    def __init__(self, rule: RedactionRule) -> None:
        self.rule = rule
        self._pattern: Any = None
        self._groups: list[tuple[int, bool]] = []

    def spans(self, data: bytes) -> Iterator[SecretSpan]:
        """Where the rule finds a value that its judge takes for real."""
        for match in self._compiled().finditer(data):
            for group, is_bare in self._groups:
                start, end = match.span(group)
                if self.rule.judge is Judge.COLUMN:
                    cells = [cell for cell in _cells_below(data, start) if self._is_real(data, *cell, is_bare)]
                    yield from (SecretSpan(*cell, self.rule.type) for cell in cells)
                    continue
                if is_bare and (more := _NEXT_PARAMETER.search(data, start, end)):
                    end = more.start()
                elif self.rule.judge is Judge.IBAN:
                    end = start + people.iban_end(data[start:end].decode("ascii"))
                if start >= 0 and self._is_real(data, start, end, is_bare):
                    yield SecretSpan(start, end, self.rule.type)

    def _compiled(self) -> Any:
        if self._pattern is None:
            self._pattern = re2.compile(self.rule.pattern.encode(), byte_options())
            named = self._pattern.groupindex
            self._groups = sorted((index, name.endswith(b"_bare")) for name, index in named.items())
        return self._pattern

    def _is_real(self, data: bytes, start: int, end: int, is_bare: bool) -> bool:
        value = data[start:end].decode("utf-8", "replace")
        if self.rule.judge is Judge.FORMAT:
            if self.rule.id == _UUID_RULE and _OPEN_KEY.search(data, max(0, start - _NAME_BYTES), start):
                return False
            is_printed = not self.rule.is_about_people and judging.is_printed(value)
            return judging.entropy(value) >= self.rule.min_entropy and not is_printed
        if self.rule.judge in _WEIGHED and _OPEN_KEY.search(data, max(0, start - _NAME_BYTES), start):
            return False
        if self.rule.judge in _LOOKS_BEFORE:
            return _LOOKS_BEFORE[self.rule.judge](value, data[max(0, start - _BEFORE_BYTES) : start])
        return _JUDGES[self.rule.judge](value, is_bare)


def _cells_below(data: bytes, name: int) -> Iterator[tuple[int, int]]:
    """Where the cells below this name are, in a table of CSV or of Markdown."""
    at = data.rfind(b"\n", 0, name) + 1
    end, mark = data.find(b"\n", name), data[name : name + 1]
    names, place = data[at:end].split(mark), data.count(mark, at, name + 1)
    at = end + 1
    for row in data[at : at + _LARGEST_TABLE].split(b"\n") if end > 0 and all(map(_HEAD_CELL.fullmatch, names)) else ():
        cells = row.split(mark)
        if len(cells) != len(names):
            return
        value = cells[place].strip(b" \t\r\"'`*")
        cell = at + len(mark.join(cells[:place])) + 1 + cells[place].index(value)
        yield cell, cell + len(value)
        at += len(row) + 1


class Matcher:
    """All rules behind one pre-filter, with further triggers (`extra`) that ride along.

    The pre-filter is several sets, each of which passes over the text: an automaton is made while it reads, a state for
    every mixture of what its triggers have seen so far, and many small ones have far fewer mixtures than one large one.
    """

    def __init__(self, rules: Iterable[RedactionRule], extra: Sequence[bytes] = ()) -> None:
        self._finders = [Finder(rule) for rule in rules]
        self.size = len(self._finders)
        triggers = [*(trigger(finder.rule) for finder in self._finders), *extra]
        parts = _parts([finder.rule for finder in self._finders], len(extra))
        self._sets = [(PatternSet(triggers[number] for number in part).matches, part) for part in parts]

    def hits_in(self, texts: Sequence[bytes]) -> list[list[int]]:
        """For each text the numbers of the triggers that were hit: those of the rules, then `extra`. An automaton that
        reads many texts one after the other stays in the cache of the processor, which is most of its speed."""
        hits: list[list[int]] = [[] for _ in texts]
        for matches, part in self._sets:
            for number, data in enumerate(texts):
                if hit := matches(data):
                    hits[number] += [part[place] for place in hit]
        return hits

    def hits(self, data: bytes) -> list[int]:
        """The same for one text."""
        return [part[place] for matches, part in self._sets for place in matches(data) or ()]

    def spans(self, data: bytes, hits: Iterable[int]) -> Iterator[SecretSpan]:
        """The places of the rules whose triggers were hit; a rule that comes earlier comes first."""
        for hit in sorted(hits):
            if hit < self.size:
                yield from self._finders[hit].spans(data)

    def secret_kind(self, data: bytes) -> str | None:
        """The type of a secret in this text, whatever else the text tells about people."""
        return next((span.kind for span in self.secret_spans(data)), None)

    def secret_spans(self, data: bytes) -> Iterator[SecretSpan]:
        """The places of secrets alone, in a text of which nothing is known."""
        yield from self.spans(data, filter(self.is_about_secrets, self.hits(data)))

    def is_about_secrets(self, hit: int) -> bool:
        return hit < self.size and not self._finders[hit].rule.is_about_people


def trigger(rule: RedactionRule) -> bytes:
    """What must occur in a text before the rule can match."""
    if rule.trigger:
        return rule.trigger.encode()
    literals = b"|".join(re2.escape(keyword.encode()) for keyword in rule.keywords)
    return b"(?i:" + literals + b")" if "(?i" in rule.pattern else literals


def _parts(rules: Sequence[RedactionRule], extra: int) -> list[list[int]]:
    """Which triggers share a set: the generic ones, the formats, and what is looked for as it is. Measured on texts of
    all lengths: fewer sets have too many states to make, and each more costs a call for every text."""
    generic = [
        number
        for number, rule in enumerate(rules)
        if (rule.is_generic or rule.is_about_people) and rule.id != _SERVICE_RULE
    ]
    prefixed = [number for number, rule in enumerate(rules) if rule.has_prefix]
    formats = sorted(set(range(len(rules))) - set(generic) - set(prefixed))
    parts = [generic, formats, [*prefixed, *range(len(rules), len(rules) + extra)]]
    return [part for part in parts if part]
