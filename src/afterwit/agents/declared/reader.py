"""Reads a log by its description: any JSON lines whose records are prompts, replies, calls, results or other events.

Rules apply to each record in their order; one record can become several events. A record is known if a rule with `when`
fits it, if it is to be ignored, or if a rule finds anything in it. One without a session belongs to that of the last
before it; where none names one, to the file or its folder. Where no field says how a call ended, the output's words do.

Values of unusable shape come back empty. Only a short text without spaces is an id, which may go into keys and state;
another becomes a hash. Ids such as `call_0` may come again: from its second use on one gets a number ("call_0#2"), and
a result belongs to the latest call of its id; without one to the call in the same record, else the oldest open of its
session and tool.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.actions.tools import kind_of
from afterwit.agents import fields
from afterwit.agents.declared.description import (
    Condition,
    DeclaredPlace,
    Description,
    EventRule,
    FactsRule,
    Paths,
    SessionFrom,
    SpendRule,
    TimeUnit,
    values_at,
)
from afterwit.agents.declared.parsing import description_of
from afterwit.agents.log_reader import FileReading, LinesReading, Place, Reader, ReadingMemory, SourceFile
from afterwit.agents.log_reader import identity as told_apart
from afterwit.agents.messages import outcome_of, text_of
from afterwit.agents.registry import agent as agent_named
from afterwit.model.kinds import ActionKind, EventKind, ReaderEvidence
from afterwit.model.readings import Event, Facts, Reading, Result, Spend, Usage
from afterwit.model.text import regex
from afterwit.model.times import ms_from_any

_MOST_OPEN = 100
_MOST_USES = 5000
_ID = regex(r"[\w.:/@#+-]{1,120}")
_BLOB = regex(r"[A-Za-z0-9+/]{200,}={0,2}")
_PATH = regex(r"[^\s\"'{}]{1,400}")
_FILE_KINDS = (ActionKind.READ, ActionKind.EDIT, ActionKind.WRITE)
_MOST_TOKENS = 1 << 40
_MOST_CODE = 1 << 32
_MOST_MS = 1e12
_PER_MS = {
    TimeUnit.SECONDS: 1000.0,
    TimeUnit.MILLISECONDS: 1.0,
    TimeUnit.MICROSECONDS: 1e-3,
    TimeUnit.NANOSECONDS: 1e-6,
}


class OpenCall(msgspec.Struct, array_like=True):
    """A call without a result so far."""

    session: str
    id: str
    tool: str
    offset: int


class Calls(msgspec.Struct, kw_only=True):
    """The calls of a log so far: how often each id was used, and what is not answered yet."""

    uses: dict[str, int] = {}
    open: list[OpenCall] = []

    def made(self, session: str, given: str, tool: str, offset: int, number: int) -> str:
        """The id of a new call, told apart from earlier calls that had the same."""
        call_id = self._used(session, given) if given else f"at-{offset}-{number}"
        self.open.append(OpenCall(session, call_id, tool, offset))
        del self.open[:-_MOST_OPEN]
        return call_id

    def answered(self, session: str, given: str, tool: str, offset: int) -> str:
        """The id of the call that a result belongs to, which is open no longer."""
        if given:
            times = self.uses.get(f"{session} {given}", 1)
            call_id = given if times == 1 else f"{given}#{times}"
        else:
            call_id = self._oldest(session, tool, offset) or f"at-{offset}"
        self.open = [call for call in self.open if (call.session, call.id) != (session, call_id)]
        return call_id

    def _used(self, session: str, given: str) -> str:
        name = f"{session} {given}"
        if name not in self.uses and len(self.uses) >= _MOST_USES:
            self.uses.pop(next(iter(self.uses)))
        self.uses[name] = self.uses.get(name, 0) + 1
        return given if self.uses[name] == 1 else f"{given}#{self.uses[name]}"

    def _oldest(self, session: str, tool: str, offset: int) -> str:
        waiting = [call for call in self.open if call.session == session and tool in ("", call.tool)]
        beside = [call for call in waiting if call.offset == offset]
        return next((call.id for call in beside or waiting), "")


def found_at(paths: Paths, place: DeclaredPlace) -> list[Any]:
    """The values of the first path that leads to any."""
    for path in paths:
        if values := values_at(path, place):
            return values
    return []


def first_at(paths: Paths, place: DeclaredPlace) -> Any:
    """The first of these values, or None."""
    return next(iter(found_at(paths, place)), None)


def joined_text(paths: Paths, place: DeclaredPlace, *, is_output: bool = False) -> str:
    """What all paths lead to, as one text: texts and parts of messages. An output may be anything else, too, and is
    then shown as JSON."""
    texts = (_text(value, is_output=is_output) for path in paths for value in values_at(path, place))
    return "\n".join(text for text in texts if text.strip())


def word(paths: Paths, place: DeclaredPlace) -> str:
    """The first text of one line or more."""
    return next((value for value in found_at(paths, place) if isinstance(value, str) and value.strip()), "")


def identity(paths: Paths, place: DeclaredPlace) -> str:
    """The first id: a name or a number."""
    for value in found_at(paths, place):
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if isinstance(text, str) and text.strip():
            return text if is_id(text) else _hash(text)
    return ""


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def moment(paths: Paths, unit: TimeUnit, place: DeclaredPlace) -> int | None:
    """Milliseconds since 1970."""
    for value in found_at(paths, place):
        if unit is not TimeUnit.AUTO and (number := _number(value)) is not None:
            value = number * _PER_MS[unit]
        at_ms = ms_from_any(value)
        if at_ms is not None:
            return at_ms
    return None


def tokens(paths: Paths, place: DeclaredPlace) -> int:
    numbers = (_number(value) for value in found_at(paths, place))
    total = sum(int(number) for number in numbers if number is not None and 0 < number < _MOST_TOKENS)
    return min(total, _MOST_TOKENS)


def amount(paths: Paths, place: DeclaredPlace, most: float) -> float | None:
    """The first number from 0 up to `most`."""
    numbers = (_number(value) for value in found_at(paths, place))
    return next((number for number in numbers if number is not None and 0 <= number < most), None)


def whole(paths: Paths, place: DeclaredPlace) -> int | None:
    """The first whole number, such as an exit code."""
    for value in found_at(paths, place):
        number = _number(value)
        if number is not None and number == int(number) and abs(number) < _MOST_CODE:
            return int(number)
    return None


def milliseconds(in_ms: Paths, in_seconds: Paths, place: DeclaredPlace) -> int | None:
    number = amount(in_ms, place, _MOST_MS)
    if number is None and (seconds := amount(in_seconds, place, _MOST_MS / 1000)) is not None:
        number = seconds * 1000
    return None if number is None else round(number)


def is_wrong(paths: Paths, place: DeclaredPlace) -> bool | None:
    """Whether a field says that something failed: true, a number other than 0, or the text of an error."""
    for value in found_at(paths, place):
        if isinstance(value, str):
            return value.strip().lower() not in ("", "false", "0", "no", "none", "null")
        return bool(value)
    return None


def arguments_of(value: Any, tool: str = "") -> dict[str, Any]:
    """The arguments of a call: an object, the JSON text of one, or anything else as it is. A log that only sums up what
    went in has plain text there: for a shell that is the command line, for a tool of files the path."""
    if value and isinstance(value, str):
        try:
            msgspec.json.decode(value)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return {_name_of(value, tool): value}
    return fields.arguments(value)


def _name_of(text: str, tool: str) -> str:
    """As what a text counts that stands for all arguments. One that was cut is none of them."""
    kind = kind_of({}, tool, {})
    if text.lstrip().startswith(("{", "[")):
        return "raw"
    if kind is ActionKind.SHELL:
        return "command"
    return "path" if kind in _FILE_KINDS and _PATH.fullmatch(text) else "raw"


def _text(value: Any, *, is_output: bool) -> str:
    if isinstance(value, int | float):
        return "" if isinstance(value, bool) else str(value)
    text = text_of(value) or ""
    if text or not is_output or not isinstance(value, dict | list) or not value:
        return text
    return _BLOB.sub("[data]", msgspec.json.encode(value).decode())


def _number(value: Any) -> float | int | None:
    if isinstance(value, str):
        text = value.strip()
        return float(text) if re.fullmatch(r"-?\d{1,20}(?:\.\d{1,12})?", text) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) < 1e30 else None


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


_MOST_SESSIONS = 100
_FACTS = ("cwd", "branch", "remote", "version", "title", "origin", "provider")
_MOST_USD = 1e6
_TEXTLESS = frozenset([EventKind.INTERRUPT, EventKind.COMPACTION, EventKind.MODEL_ERROR])


class _State(ReadingMemory):
    session: str = ""
    models: dict[str, str] = msgspec.field(default_factory=dict)  # the last of each session
    calls: Calls = msgspec.field(default_factory=Calls)


class DeclaredReading(LinesReading[_State]):
    state_type = _State

    def __init__(self, description: Description, file: SourceFile, saved: bytes | None) -> None:
        super().__init__(file, saved)
        self._description = description
        self._fallback = _session_name(description.session_from, file.path)

    def read(self, value: dict[str, Any], place: Place) -> list[Reading]:
        turn = _Turn(self._description, self._state, self._fallback, place, value)
        readings = list(turn.read())
        self._state.count(turn.type_name(), is_known=bool(readings) or turn.is_expected())
        return readings


class DeclaredReader(Reader):
    """The reader of the logs that one description tells of."""

    def __init__(self, description: Description, evidence: ReaderEvidence = ReaderEvidence.DESCRIPTION) -> None:
        self.paths = description.transcripts
        super().__init__(description.name)
        self.evidence = evidence
        self._description = description

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        place = DeclaredPlace(record, record)
        return any(condition.holds(place) for condition in self._description.sniff)

    def lines(self, file: SourceFile, saved: bytes | None) -> FileReading:
        return DeclaredReading(self._description, file, saved)


def described_reader(name: str) -> DeclaredReader:
    """The reader of an agent that needs no code of its own."""
    agent = agent_named(name)
    about = {"name": name, "transcripts": list(agent.transcripts)}
    description = description_of(about | tomllib.loads(agent.description), name)
    return DeclaredReader(description, ReaderEvidence.DOCUMENTATION)


class _Turn:
    """One record, on its way to readings."""

    def __init__(
        self, description: Description, state: _State, fallback: str, at: Place, message: dict[str, Any]
    ) -> None:
        self._description = description
        self._state = state
        self._place = DeclaredPlace(message, message)
        state.session = identity(description.session, self._place) or state.session
        self._session = state.session or fallback
        _remember(state.models, self._session, _name(word(description.model, self._place)))
        at_ms = moment(description.time, description.time_unit, self._place)
        self._at = at._replace(session=self._session, at_ms=at_ms)
        self._key = identity(description.key, self._place)
        self._given: dict[EventKind, int] = {}  # events of each kind so far

    def read(self) -> Iterator[Reading]:
        for facts in self._description.facts:
            if self._fits(facts.when):
                yield from self._facts(facts)
        for rule in self._description.event:
            if self._fits(rule.when):
                yield from self._events(rule)
        for spend in self._description.spend:
            if self._fits(spend.when):
                yield from self._spend(spend)

    def is_expected(self) -> bool:
        """Whether the description speaks of such records, even if this one says nothing."""
        said = self._description
        rules: list[EventRule | SpendRule | FactsRule] = [*said.event, *said.spend, *said.facts]
        conditions = [rule.when for rule in rules if rule.when is not None]
        return any(condition.holds(self._place) for condition in (*conditions, *said.ignore))

    def type_name(self) -> str:
        return _name(word(self._description.type, self._place)) or "no type"

    def _fits(self, condition: Condition | None) -> bool:
        return condition is None or condition.holds(self._place)

    def _events(self, rule: EventRule) -> Iterator[Event]:
        for element in values_at(rule.each, self._place) if rule.each else [self._place.record]:
            place = DeclaredPlace(element, self._place.record)
            if rule.where is None or rule.where.holds(place):
                yield from self._event_at(rule, place)

    def _event_at(self, rule: EventRule, place: DeclaredPlace) -> Iterator[Event]:
        if rule.kind is EventKind.CALL:
            yield from self._call(rule, place)
        elif rule.kind is EventKind.RESULT:
            yield self._result(rule, place)
        else:
            text = joined_text(rule.text, place)
            if text or rule.kind in _TEXTLESS:
                yield self._event(rule.kind, text=text)

    def _call(self, rule: EventRule, place: DeclaredPlace) -> Iterator[Event]:
        tool = word(rule.tool, place) or rule.tool_name
        if not tool:
            return
        number = self._given.get(EventKind.CALL, 0)
        given = identity(rule.id, place)
        call_id = self._state.calls.made(self._session, given, _name(tool), self._at.offset, number)
        yield self._event(
            EventKind.CALL,
            key=f"call:{self._session}:{call_id}",
            call_id=call_id,
            tool=tool,
            arguments=_arguments(rule, place, tool),
        )

    def _result(self, rule: EventRule, place: DeclaredPlace) -> Event:
        tool = word(rule.tool, place) or rule.tool_name
        call_id = self._state.calls.answered(self._session, identity(rule.id, place), _name(tool), self._at.offset)
        text, result = _outcome(rule, place)
        key = f"result:{self._session}:{call_id}"
        return self._event(EventKind.RESULT, key=key, call_id=call_id, text=text, result=result)

    def _event(self, kind: EventKind, *, key: str = "", **fields: Any) -> Event:
        number = self._given[kind] = self._given.get(kind, 0) + 1
        if not key and self._key:
            key = f"{kind}:{told_apart(self._session, self._at.at_ms, self._key)}" + (
                f":{number}" if number > 1 else ""
            )
        return self._at.event(kind, key, **fields)

    def _facts(self, rule: FactsRule) -> Iterator[Facts]:
        parent = identity(rule.parent, self._place)
        said: dict[str, Any] = {name: word(getattr(rule, name), self._place) for name in _FACTS}
        facts = Facts(
            session=self._session,
            at_ms=self._at.at_ms,
            **said,
            parent=parent,
            parent_call=identity(rule.parent_call, self._place),
            relation=rule.relation if parent else None,
        )
        if facts != Facts(session=self._session, at_ms=self._at.at_ms):
            yield facts

    def _spend(self, rule: SpendRule) -> Iterator[Spend]:
        usage = _usage(rule, self._place)
        cost = amount(rule.cost_usd, self._place, _MOST_USD)
        if usage == Usage() and cost is None:
            return
        own = identity(rule.id, self._place) or self._key
        yield Spend(
            session=self._session,
            key=f"{self._session}:{own}" if own else f"{self._session}@{self._at.offset}",
            model=_name(word(rule.model, self._place)) or self._state.models.get(self._session, ""),
            usage=usage,
            at_ms=self._at.at_ms,
            cost_usd=None if cost is None else float(cost),
        )


def _usage(rule: SpendRule, place: DeclaredPlace) -> Usage:
    given, cached, written = (tokens(paths, place) for paths in (rule.input, rule.cache_read, rule.cache_write))
    return Usage(
        input=max(given - cached - written, 0) if rule.input_includes_cache else given,
        cache_read=cached,
        cache_write=written,
        output=tokens(rule.output, place),
        reasoning=tokens(rule.reasoning, place),
    )


def _arguments(rule: EventRule, place: DeclaredPlace, tool: str) -> dict[str, Any]:
    arguments = arguments_of(first_at(rule.arguments.whole, place), tool)
    single = {name: first_at(paths, place) for name, paths in rule.arguments.single}
    return arguments | {name: value for name, value in single.items() if value is not None}


def _outcome(rule: EventRule, place: DeclaredPlace) -> tuple[str, Result]:
    """The output, and how the call ended: by its fields, or else by the output's own words."""
    text = joined_text(rule.text, place, is_output=True)
    result = Result(
        is_error=_is_error(rule, place),
        exit_code=whole(rule.exit_code, place),
        is_denied=_holds(rule.denied, place),
        is_cancelled=_holds(rule.cancelled, place),
        is_running=_holds(rule.running, place),
    )
    if result == Result():
        text, result = outcome_of(text)
    duration_ms = milliseconds(rule.duration_ms, rule.duration_seconds, place)
    return text, result if duration_ms is None else msgspec.structs.replace(result, duration_ms=duration_ms)


def _is_error(rule: EventRule, place: DeclaredPlace) -> bool | None:
    if _holds(rule.failed, place):
        return True
    if _holds(rule.succeeded, place):
        return False
    return is_wrong(rule.is_error, place)


def _holds(condition: Condition | None, place: DeclaredPlace) -> bool:
    return condition is not None and condition.holds(place)


def _session_name(source: SessionFrom, path: PurePosixPath) -> str:
    own = path.name.partition(".")[0] or path.name
    return path.parent.name or own if source is SessionFrom.FOLDER else own


def _name(text: str) -> str:
    """A name that may go into state; other texts may not."""
    return text if is_id(text) else ""


def _remember(models: dict[str, str], session: str, model: str) -> None:
    if model:
        models.pop(session, None)
        models[session] = model
        while len(models) > _MOST_SESSIONS:
            del models[next(iter(models))]
