"""The reader of OpenHands: event files of both generations, gathered by conversation, and results of evaluations.

A conversation is read as lines, one per event file (`{"file": …, "content": event}`); since version 1 the state of the
conversation comes after them, with its folder, its model and what it used. An `output.jsonl` of an evaluation has a
whole run in each line. What an event says is in `v0` and `v1`. The newer generation was seen in a run of version 1.2.1;
the older one and the evaluations are written from documentation.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.fields import remote_of
from afterwit.agents.log_reader import LinesReader, LinesReading, Place, ReadingMemory, SourceFile, resumed
from afterwit.agents.openhands import v0, v1
from afterwit.agents.openhands.v0 import so_far
from afterwit.model.kinds import EventKind, ReaderEvidence, RecordedEnd
from afterwit.model.readings import Facts, Reading
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record
from afterwit.sources.gathering import Files, Gatherer, Tree, TreeGatherer

_RESULTS = "output.jsonl"
_FOLDERS = ("sessions", "conversations")
_STATE = "base_state.json"


class _State(ReadingMemory):
    model: str = ""


class OpenHandsReader(LinesReader):
    agent = "openhands"
    evidence = ReaderEvidence.REAL_CLIENT

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        is_gathered = path.parent.name in _FOLDERS and path.suffix == ".jsonl"
        return path if is_gathered or path.name == _RESULTS else None

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        if "instance_id" in record and isinstance(record.get("history"), list):
            return True
        event = fields.mapping(record, "content")
        is_event = bool(v0.name_of(event)) or v1.is_known(v1.name_of(event))
        return "/events/" in fields.text(record, "file") and is_event

    def start(self, file: SourceFile, saved: bytes | None = None) -> "OpenHandsReading":
        return OpenHandsReading(file.path, resumed(_State, saved))


class OpenHandsReading(LinesReading[_State]):
    """The reading of one conversation, or of one file of results."""

    def __init__(self, path: PurePosixPath, state: _State) -> None:
        self._session = path.stem
        self._run = str(path.parent)
        super().__init__(state)

    def feed(self, record: Record) -> list[Reading]:
        value = msgspec.json.decode(record.raw, type=dict[str, Any])
        if "instance_id" in value:
            return list(self._evaluation(value, record))
        event = fields.mapping(value, "content")
        if fields.text(value, "file").endswith(f"/{_STATE}"):
            self._state.count("state", is_known=True)
            return list(self._about(event))
        return list(self._event(event, Place.of(self._session, record, ms_from_any(event.get("timestamp")))))

    def _event(self, event: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        newer, older = v1.name_of(event), v0.name_of(event)
        if newer:
            self._state.count(newer, is_known=v1.is_known(newer))
            yield from v1.read(event, place)
        else:
            self._state.count(older, is_known=v0.is_known(older))
            self._state.model = v0.model_of(event) or self._state.model
            yield from v0.read(event, place, self._state.model)

    def _about(self, state: Mapping[str, Any]) -> Iterator[Reading]:
        """What the state says of a conversation as a whole."""
        llm = fields.mapping(fields.mapping(state, "agent"), "llm")
        cwd = fields.text(fields.mapping(state, "workspace"), "working_dir")
        yield Facts(session=self._session, cwd=cwd, origin=fields.text(state, "source"))
        used = fields.mapping(fields.mapping(state, "stats"), "usage_to_metrics")
        for name in used:
            yield from so_far(fields.mapping(used, name), self._session, fields.plain_id(llm, "model"), usage_id=name)

    def _evaluation(self, run: Mapping[str, Any], record: Record) -> Iterator[Reading]:
        """A whole run. In the oldest results an action and its observation lie in one pair."""
        self._state.count("run", is_known=True)
        instance = fields.plain_id(run, "instance_id") or f"at-{record.offset}"
        session = f"{self._run}/{instance}" if self._run != "." else instance
        about = fields.mapping(run, "metadata")
        model = fields.plain_id(fields.mapping(about, "llm_config"), "model") or fields.plain_id(about, "model_name")
        origin = fields.text(about, "agent_class")
        yield Facts(session=session, remote=remote_of(instance), title=instance, origin=origin)
        for event in _flat(run.get("history")):
            place = Place.of(session, record, ms_from_any(event.get("timestamp")))
            yield from self._event(event, place)
        failure = fields.text(run, "error")
        if failure:
            yield Place.of(session, record).said(EventKind.MODEL_ERROR, failure)
        is_solved = fields.flag(fields.mapping(run, "report"), "resolved")
        if is_solved is not None:
            yield Facts(session=session, end=RecordedEnd.DONE if is_solved else RecordedEnd.UNSOLVED)
        yield from so_far(fields.mapping(run, "metrics"), session, model)


def _flat(history: Any) -> Iterator[dict[str, Any]]:
    for entry in history if isinstance(history, list) else []:
        pair = entry if isinstance(entry, list) else [entry]
        yield from (event for event in pair if isinstance(event, dict))


def gatherers() -> tuple[Gatherer, ...]:
    """OpenHands keeps its events one file each, in a folder per conversation."""
    events = Files("{session}/events/*.json")
    state = Files("{session}/base_state.json")
    return (
        TreeGatherer(Tree("sessions", (events,))),
        TreeGatherer(Tree("conversations", (events, state))),
    )
