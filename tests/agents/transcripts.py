"""Reads fixtures and made-up logs for the tests of the readers, and sorts what comes out."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from afterwit.agents.log_reader import FileReading, Reader, Shape, SourceFile
from afterwit.agents.registry import reader_for
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Facts, Problem, Reading, Spend, Usage
from afterwit.sources.documents import read_document, read_text
from afterwit.sources.framing import Framing

HERE = Path(__file__).parent


class Transcript(list[Reading]):
    """All readings of one file."""

    def __init__(self, reading: FileReading, readings: Iterable[Reading]) -> None:
        super().__init__(readings)
        self.reading = reading

    @property
    def events(self) -> list[Event]:
        return events(self)

    @property
    def facts(self) -> list[Facts]:
        return facts(self)

    @property
    def spends(self) -> list[Spend]:
        return spends(self)

    @property
    def problems(self) -> list[Problem]:
        return [each for each in self if isinstance(each, Problem)]

    @property
    def kinds(self) -> list[EventKind]:
        return [event.kind for event in self.events]

    def texts(self, kind: EventKind) -> list[str]:
        return texts(self, kind)

    def of(self, session: str) -> "Transcript":
        """What belongs to one session."""
        return Transcript(
            self.reading, [each for each in self if not isinstance(each, Problem) and each.session == session]
        )

    def call(self, call_id: str) -> Event:
        return next(each for each in self.events if each.kind is EventKind.CALL and each.call_id == call_id)

    def result(self, call_id: str) -> Event:
        return next(each for each in self.events if each.kind is EventKind.RESULT and each.call_id == call_id)

    def usage(self, model: str | None = None) -> Usage:
        """The sum of all that was spent, equal keys once."""
        spent = {each.key: each.usage for each in self.spends if model in (None, each.model)}.values()
        return Usage(
            input=sum(each.input for each in spent),
            cache_read=sum(each.cache_read for each in spent),
            cache_write=sum(each.cache_write for each in spent),
            output=sum(each.output for each in spent),
            reasoning=sum(each.reasoning for each in spent),
        )

    def keys(self, *kinds: EventKind) -> set[str]:
        return {each.key for each in self.events if each.kind in kinds}


def known_reader(agent: str) -> Reader:
    reader = reader_for(agent)
    assert reader is not None
    return reader


def read(reader: Reader | str, path: str, data: bytes, beside: Mapping[str, Any] | None = None) -> Transcript:
    """A file at this path below the home of an agent, which may be given by its name. Other files are given by path or
    by name, as bytes or as the value that they hold as JSON."""
    reader = known_reader(reader) if isinstance(reader, str) else reader
    place = PurePosixPath(path)
    reading = reader.start(SourceFile(place, lambda wanted: _content(beside or {}, wanted)))
    match reader.shape(place):
        case Shape.DOCUMENT:
            return Transcript(reading, read_document(reading, data))
        case Shape.TEXT:
            return Transcript(reading, read_text(reading, data))
    return Transcript(reading, Framing(reading).read(data.splitlines(keepends=True)))


def read_fixture(reader: Reader, folder: str, name: str, beside: Mapping[str, Any] | None = None) -> Transcript:
    """A fixture, at the path that `fixtures.toml` gives it."""
    path = tomllib.loads(fixture(folder, "fixtures.toml").decode())[name]
    return read(reader, path, fixture(folder, name), beside)


def fixture(folder: str, name: str) -> bytes:
    return (HERE / folder / "fixtures" / name).read_bytes()


def unknown(agent: str, path: str, data: bytes) -> dict[str, int]:
    """The types of records that the reader did not know."""
    return dict(read(agent, path, data).reading.unknown)


def lines(*records: Mapping[str, Any]) -> bytes:
    return b"".join(msgspec.json.encode(record) + b"\n" for record in records)


def events(readings: Iterable[Reading], *kinds: EventKind) -> list[Event]:
    found = [each for each in readings if isinstance(each, Event)]
    return [each for each in found if not kinds or each.kind in kinds]


def texts(readings: Iterable[Reading], *kinds: EventKind) -> list[str]:
    return [each.text for each in events(readings, *kinds)]


def facts(readings: Iterable[Reading]) -> list[Facts]:
    return [each for each in readings if isinstance(each, Facts)]


def spends(readings: Iterable[Reading]) -> list[Spend]:
    return [each for each in readings if isinstance(each, Spend)]


def _content(beside: Mapping[str, Any], wanted: PurePosixPath) -> bytes | None:
    content = beside.get(str(wanted), beside.get(wanted.name))
    return content if content is None or isinstance(content, bytes) else msgspec.json.encode(content)
