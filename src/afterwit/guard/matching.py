"""Finds the places in a text that hold a secret or a trace of a person.

A pass of a set of small triggers says which rules could match; nearly always that is none. Only those rules then
run, and only their candidates are judged. Patterns are compiled when first needed. What replaces a place is left to
`redaction`; encoded secrets to `encodings`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import re2

from afterwit.guard import judging, numbers, people
from afterwit.guard.patterns import PatternSet, byte_options
from afterwit.guard.ruleset import Judge, Rule
from afterwit.guard.spans import Span

_BEFORE_BYTES = 96

_JUDGES: dict[Judge, Callable[[str, bool], bool]] = {
    Judge.PASSWORD: lambda value, is_bare: judging.is_password(value, is_bare=is_bare),
    Judge.GIVEN: lambda value, _: judging.is_given(value),
    Judge.SECRET: lambda value, is_bare: judging.is_secret(value, is_bare=is_bare),
    Judge.TOKEN: lambda value, _: judging.is_token(value),
    Judge.URL: lambda value, _: judging.is_url_password(value),
    Judge.ENCODED: lambda value, _: judging.is_encoded(value),
    Judge.BASIC: lambda value, _: judging.is_basic_credential(value),
    Judge.NAME: lambda value, _: people.is_personal_name(value),
    Judge.PHONE: lambda value, _: numbers.is_phone(value),
    Judge.CARD: lambda value, _: numbers.is_card(value),
    Judge.IBAN: lambda value, _: numbers.iban_end(value) > 0,
}
_LOOKS_BEFORE: dict[Judge, Callable[[str, bytes], bool]] = {
    Judge.EMAIL: people.is_personal_email,
    Judge.IP: people.is_personal_ip,
}
_NEXT_PARAMETER = re.compile(rb"&(?:&|[A-Za-z_][\w.-]*=)")  # where a bare value ends in a query or a command line


class Finder:
    """One rule, ready to run."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self._pattern: Any = None
        self._groups: list[tuple[int, bool]] = []

    def spans(self, data: bytes) -> Iterator[Span]:
        """Where the rule finds a value that its judge takes for real."""
        for match in self._compiled().finditer(data):
            for group, is_bare in self._groups:
                start, end = match.span(group)
                if is_bare and (more := _NEXT_PARAMETER.search(data, start, end)):
                    end = more.start()
                elif self.rule.judge is Judge.IBAN:
                    end = start + numbers.iban_end(data[start:end].decode("ascii"))
                if start >= 0 and self._is_real(data, start, end, is_bare):
                    yield Span(start, end, self.rule.type)

    def _compiled(self) -> Any:
        if self._pattern is None:
            self._pattern = re2.compile(self.rule.pattern.encode(), byte_options())
            named = self._pattern.groupindex
            self._groups = sorted((index, name.endswith(b"_bare")) for name, index in named.items())
        return self._pattern

    def _is_real(self, data: bytes, start: int, end: int, is_bare: bool) -> bool:
        value = data[start:end].decode("utf-8", "replace")
        if self.rule.judge is Judge.FORMAT:
            return judging.entropy(value) >= self.rule.min_entropy
        if self.rule.judge in _LOOKS_BEFORE:
            return _LOOKS_BEFORE[self.rule.judge](value, data[max(0, start - _BEFORE_BYTES) : start])
        return _JUDGES[self.rule.judge](value, is_bare)


class Matcher:
    """All rules behind one pre-filter. Further triggers can ride along in the same pass (`extra`), or in a second one
    (`apart`), where the rules for prefixes are: two small automata are made in half the time of one that knows every
    mixture of both."""

    def __init__(self, rules: Iterable[Rule], extra: Sequence[bytes] = (), apart: Sequence[bytes] = ()) -> None:
        self._finders = [Finder(rule) for rule in rules]
        self.size = len(self._finders)
        prefixed = [number for number, finder in enumerate(self._finders) if finder.rule.has_prefix]
        others = [number for number, finder in enumerate(self._finders) if not finder.rule.has_prefix]
        first_apart = self.size + len(extra)
        self._numbers = [*others, *range(self.size, first_apart)]
        self._numbers_apart = [*prefixed, *range(first_apart, first_apart + len(apart))]
        triggers = [trigger(finder.rule) for finder in self._finders]
        self._found = PatternSet([*(triggers[number] for number in others), *extra]).found
        self._found_apart = PatternSet([*(triggers[number] for number in prefixed), *apart]).found

    def hits(self, data: bytes) -> list[int] | None:
        """The numbers of the triggers that were hit: those of the rules, then `extra`, then `apart`."""
        found, apart = self._found(data), self._found_apart(data)
        if not found and not apart:
            return None
        numbers, numbers_apart = self._numbers, self._numbers_apart
        return [*(numbers[hit] for hit in found or ()), *(numbers_apart[hit] for hit in apart or ())]

    def spans(self, data: bytes, hits: Iterable[int]) -> Iterator[Span]:
        """The places of the rules whose triggers were hit; a rule that comes earlier comes first."""
        for hit in sorted(hits):
            if hit < self.size:
                yield from self._finders[hit].spans(data)

    def secret_kind(self, data: bytes) -> str | None:
        """The type of a secret in this text, whatever else the text tells about people."""
        for hit in sorted(self.hits(data) or ()):
            if hit < self.size and not self._finders[hit].rule.is_about_people:
                for span in self._finders[hit].spans(data):
                    return span.kind
        return None


def trigger(rule: Rule) -> bytes:
    """What must occur in a text before the rule can match."""
    if rule.trigger:
        return rule.trigger.encode()
    literals = b"|".join(re2.escape(keyword.encode()) for keyword in rule.keywords)
    return b"(?i:" + literals + b")" if "(?i" in rule.pattern else literals
