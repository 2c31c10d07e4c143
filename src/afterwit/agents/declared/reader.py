"""Reads a log by its description: any JSON lines whose records are prompts, replies, calls, results or other events.

The rules of a description apply to each record in the order in which they stand; one record can become several events.
A record is known if a rule with `when` fits it, if it is to be ignored, or if a rule finds anything in it. A record
without a session belongs to the session of the last one before it; where no record names one, the file or its folder
does. Where the fields of a result say nothing about the outcome, the output's own words count, as in chat logs.
State: counters, ids, names of models, open calls. What a value is taken for, and which call a result
answers, is left to `values`; what may stand in a description, to `parsing`.
"""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents.chat.messages import outcome_of
from afterwit.agents.declared.description import (
    Condition,
    DeclaredPlace,
    Description,
    EventRule,
    FactsRule,
    SessionFrom,
    SpendRule,
    values_at,
)
from afterwit.agents.declared.parsing import description_of
from afterwit.agents.declared.values import (
    Calls,
    amount,
    arguments_of,
    first_at,
    identity,
    is_id,
    is_wrong,
    joined_text,
    milliseconds,
    moment,
    tokens,
    whole,
    word,
)
from afterwit.agents.descriptor import Agent, matches
from afterwit.agents.places import Place
from afterwit.agents.places import identity as told_apart
from afterwit.agents.protocol import SourceFile
from afterwit.agents.reading import LinesReader, LinesReading, resumed
from afterwit.model.kinds import EventKind, ReaderEvidence
from afterwit.model.readings import Event, Facts, Reading, Result, Spend, Usage
from afterwit.sources.framing import Record

_MOST_TYPES = 50
_MOST_SESSIONS = 100
_MOST_USD = 1e6
_TEXTLESS = frozenset([EventKind.INTERRUPT, EventKind.COMPACTION, EventKind.MODEL_ERROR])


class _State(msgspec.Struct, kw_only=True):
    known: dict[str, int] = {}
    unknown: dict[str, int] = {}
    session: str = ""
    models: dict[str, str] = {}  # the last of each session
    calls: Calls = msgspec.field(default_factory=Calls)


class DeclaredReader(LinesReader):
    """The reader of the logs that one description tells of."""

    def __init__(self, description: Description, evidence: ReaderEvidence = ReaderEvidence.DESCRIPTION) -> None:
        self.agent = description.name
        self.evidence = evidence
        self._description = description

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        return path if matches(self._description.transcripts, path) else None

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        place = DeclaredPlace(record, record)
        return any(condition.holds(place) for condition in self._description.sniff)

    def start(self, file: SourceFile, saved: bytes | None = None) -> "DeclaredReading":
        return DeclaredReading(self._description, file.path, saved)


def described_reader(agent: Agent) -> DeclaredReader:
    """The reader of an agent that needs no code of its own."""
    about = {"name": agent.name, "transcripts": list(agent.transcripts)}
    description = description_of(about | tomllib.loads(agent.description), agent.name)
    return DeclaredReader(description, ReaderEvidence.DOCUMENTATION)


class DeclaredReading(LinesReading[_State]):
    def __init__(self, description: Description, path: PurePosixPath, saved: bytes | None) -> None:
        self._description = description
        self._fallback = _named_by(description.session_from, path)
        super().__init__(resumed(_State, saved))

    def feed(self, record: Record) -> list[Reading]:
        message = msgspec.json.decode(record.raw, type=dict[str, Any])
        turn = _Turn(self._description, self._state, self._fallback, record, message)
        readings = list(turn.read())
        counts = self._state.known if readings or turn.is_expected() else self._state.unknown
        _count(counts, turn.type_name())
        return readings


class _Turn:
    """One record, on its way to readings."""

    def __init__(
        self, description: Description, state: _State, fallback: str, record: Record, message: dict[str, Any]
    ) -> None:
        self._description = description
        self._state = state
        self._record = record
        self._place = DeclaredPlace(message, message)
        state.session = identity(description.session, self._place) or state.session
        self._session = state.session or fallback
        _remember(state.models, self._session, _name(word(description.model, self._place)))
        self._at_ms = moment(description.time, description.time_unit, self._place)
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
        call_id = self._state.calls.made(self._session, given, _name(tool), self._record.offset, number)
        yield self._event(
            EventKind.CALL,
            key=f"call:{self._session}:{call_id}",
            call_id=call_id,
            tool=tool,
            arguments=_arguments(rule, place, tool),
        )

    def _result(self, rule: EventRule, place: DeclaredPlace) -> Event:
        tool = word(rule.tool, place) or rule.tool_name
        call_id = self._state.calls.answered(self._session, identity(rule.id, place), _name(tool), self._record.offset)
        text, result = _outcome(rule, place)
        key = f"result:{self._session}:{call_id}"
        return self._event(EventKind.RESULT, key=key, call_id=call_id, text=text, result=result)

    def _event(self, kind: EventKind, *, key: str = "", **fields: Any) -> Event:
        number = self._given[kind] = self._given.get(kind, 0) + 1
        if not key and self._key:
            key = f"{kind}:{told_apart(self._session, self._at_ms, self._key)}" + (f":{number}" if number > 1 else "")
        return Place.of(self._session, self._record, self._at_ms).event(kind, key, **fields)

    def _facts(self, rule: FactsRule) -> Iterator[Facts]:
        parent = identity(rule.parent, self._place)
        facts = Facts(
            session=self._session,
            at_ms=self._at_ms,
            cwd=word(rule.cwd, self._place),
            branch=word(rule.branch, self._place),
            remote=word(rule.remote, self._place),
            version=word(rule.version, self._place),
            title=word(rule.title, self._place),
            origin=word(rule.origin, self._place),
            provider=word(rule.provider, self._place),
            parent=parent,
            parent_call=identity(rule.parent_call, self._place),
            relation=rule.relation if parent else None,
        )
        if facts != Facts(session=self._session, at_ms=self._at_ms):
            yield facts

    def _spend(self, rule: SpendRule) -> Iterator[Spend]:
        usage = _usage(rule, self._place)
        cost = amount(rule.cost_usd, self._place, _MOST_USD)
        if usage == Usage() and cost is None:
            return
        own = identity(rule.id, self._place) or self._key
        yield Spend(
            session=self._session,
            key=f"{self._session}:{own}" if own else f"{self._session}@{self._record.offset}",
            model=_name(word(rule.model, self._place)) or self._state.models.get(self._session, ""),
            usage=usage,
            at_ms=self._at_ms,
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


def _named_by(source: SessionFrom, path: PurePosixPath) -> str:
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


def _count(counts: dict[str, int], name: str) -> None:
    if name not in counts and len(counts) >= _MOST_TYPES:
        name = "other"
    counts[name] = counts.get(name, 0) + 1
