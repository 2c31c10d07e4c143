"""What a description of a log says, as values: one struct for each table of the TOML file.

A path may be one text or several; of several the first that leads to something counts (texts are joined instead).
Everything here is frozen and hashable, so a description goes to other processes and serves as the key of a cache.
What is allowed and what is wrong with a file is told by `parsing`.

A path points into a record: `message.content` goes down by names, `message.parts[].text` walks every element of a list
on its way, `parts[0]` takes one. A name that has dots itself stands in quotes: `attributes."session.id"`. Inside a rule
with `each`, paths start at the element; `$.id` starts at the record all the same. Looking up never raises: a path that
leads nowhere yields nothing.

A condition asks for fields that have one of some values, or that are there, or are not. All requirements of a
condition must hold. A path that walks a list holds where any of its values does. A value is compared as it is: the text
"1" is not the number 1, and true is no number.
"""

from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

import msgspec

from afterwit.model.kinds import EventKind, Relation
from afterwit.model.text import regex

Scalar = str | int | float | bool
RECORD = "$"
_EVERY = -1
_STEP = regex(
    r"""(?x)
    (?:^|(?<=.)\.)(?:"(?P<quoted>[^"]+)"|(?P<name>[^."\[\]\s][^."\[\]]*))  # a name
    | \[(?P<place>\d{0,6})\]                                         # all elements of a list, or one
    """,
)


class DeclaredPlace(NamedTuple):
    """Where to look: the element of a list that a rule is at, and the record that it lies in."""

    element: Any
    record: Any


class FieldPath(NamedTuple):
    """A parsed path. A step is a name, the number of an element, or `_EVERY`."""

    steps: tuple[str | int, ...]
    is_from_record: bool


@cache
def parsed(text: str) -> FieldPath:
    """Raises ValueError on a text that is no path."""
    steps: list[str | int] = []
    at = 0
    while at < len(text):
        step = _STEP.match(text, at)
        if step is None:
            raise ValueError(f"{text!r} is no path: expected names and dots, such as message.parts[].text")
        place = step["place"]
        steps.append(step["quoted"] or step["name"] if place is None else int(place) if place else _EVERY)
        at = step.end()
    is_from_record = steps[:1] == [RECORD]
    if not steps or (is_from_record and len(steps) == 1):
        raise ValueError("a path must not be empty")
    return FieldPath(tuple(steps[1:] if is_from_record else steps), is_from_record)


def values_at(text: str, place: DeclaredPlace) -> list[Any]:
    """All values that the path leads to, in order. An absent field and a null are no values."""
    path = parsed(text)
    return _below(place.record if path.is_from_record else place.element, path.steps)


def _below(value: Any, steps: tuple[str | int, ...]) -> list[Any]:
    for number, step in enumerate(steps):
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        elif isinstance(value, list):
            elements = value if step == _EVERY else value[step : step + 1]
            rest = steps[number + 1 :]
            return [inner for element in elements for inner in _below(element, rest)]
        else:
            value = None
        if value is None:
            return []
    return [] if value is None else [value]


class Requirement(msgspec.Struct, frozen=True):
    """One field: any of these values, or, without values, whether it is there."""

    path: str  # or several, as `tool|tool_name`: the first that leads to something
    values: tuple[Scalar, ...] = ()
    exists: bool = True


class Condition(msgspec.Struct, frozen=True):
    requirements: tuple[Requirement, ...]

    def holds(self, place: DeclaredPlace) -> bool:
        return all(_holds(requirement, place) for requirement in self.requirements)


def _holds(requirement: Requirement, place: DeclaredPlace) -> bool:
    values = next(filter(None, (values_at(path, place) for path in requirement.path.split("|"))), [])
    if not requirement.values:
        return bool(values) is requirement.exists
    return any(_is_same(value, wanted) for value in values for wanted in requirement.values)


def _is_same(value: Any, wanted: Scalar) -> bool:
    return isinstance(value, bool) is isinstance(wanted, bool) and bool(value == wanted)


Paths = tuple[str, ...]


class TimeUnit(StrEnum):
    """In what a number in the log counts time."""

    AUTO = "auto"  # ISO text, seconds or milliseconds, as the value looks
    SECONDS = "s"
    MILLISECONDS = "ms"
    MICROSECONDS = "us"
    NANOSECONDS = "ns"


class SessionFrom(StrEnum):
    """What names the session where no record does."""

    FILE = "file"
    FOLDER = "folder"


class Arguments(msgspec.Struct, frozen=True, kw_only=True):
    """Where the arguments of a call are: an object with all of them, or a field for each."""

    whole: Paths = ()
    single: tuple[tuple[str, Paths], ...] = ()


class EventRule(msgspec.Struct, frozen=True, kw_only=True):
    """Records, or elements of a list in them, that become events of one kind."""

    kind: EventKind
    when: Condition | None = None  # of the record
    each: str = ""  # the list whose elements become events
    where: Condition | None = None  # of the element
    text: Paths = ()
    id: Paths = ()
    tool: Paths = ()
    tool_name: str = ""  # where all calls are of one tool
    arguments: Arguments = Arguments()
    is_error: Paths = ()
    exit_code: Paths = ()
    duration_ms: Paths = ()
    duration_seconds: Paths = ()
    failed: Condition | None = None
    succeeded: Condition | None = None
    denied: Condition | None = None
    cancelled: Condition | None = None
    running: Condition | None = None


class SpendRule(msgspec.Struct, frozen=True, kw_only=True):
    """Records that say what a response of the model used."""

    when: Condition | None = None
    id: Paths = ()
    model: Paths = ()
    input: Paths = ()
    cache_read: Paths = ()
    cache_write: Paths = ()
    output: Paths = ()
    reasoning: Paths = ()
    cost_usd: Paths = ()
    input_includes_cache: bool = False


class FactsRule(msgspec.Struct, frozen=True, kw_only=True):
    """Records that say something about the session as a whole."""

    when: Condition | None = None
    cwd: Paths = ()
    branch: Paths = ()
    remote: Paths = ()
    version: Paths = ()
    title: Paths = ()
    origin: Paths = ()
    provider: Paths = ()
    parent: Paths = ()
    parent_call: Paths = ()
    relation: Relation = Relation.SUBAGENT  # to the parent, where one is named


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """A log that people have described."""

    name: str
    transcripts: tuple[str, ...]
    sniff: tuple[Condition, ...]  # one of the first records fits one of these
    homes: tuple[str, ...] = ()
    session: Paths = ()
    session_from: SessionFrom = SessionFrom.FILE
    time: Paths = ()
    time_unit: TimeUnit = TimeUnit.AUTO
    type: Paths = ("type", "event", "kind", "role")  # names a record in the counts of what is known and unknown
    key: Paths = ()  # the record's own id, equal in copies of it
    model: Paths = ()  # remembered from record to record
    ignore: tuple[Condition, ...] = ()  # records that are known to say nothing
    event: tuple[EventRule, ...] = ()
    spend: tuple[SpendRule, ...] = ()
    facts: tuple[FactsRule, ...] = ()
