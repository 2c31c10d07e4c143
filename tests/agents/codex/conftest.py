"""Reads the hand-written rollouts beside this file."""

from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import NamedTuple, cast

import pytest

from afterwit.agents.codex.reader import CodexReader, CodexReading
from afterwit.agents.log_reader import SourceFile
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Facts, Problem, Reading, Spend
from afterwit.sources.framing import Framing

FIXTURES = Path(__file__).parent / "fixtures"


class Whole(NamedTuple):
    """All readings of one rollout, by type."""

    reading: CodexReading
    readings: list[Reading]

    @property
    def events(self) -> list[Event]:
        return [reading for reading in self.readings if isinstance(reading, Event)]

    @property
    def facts(self) -> list[Facts]:
        return [reading for reading in self.readings if isinstance(reading, Facts)]

    @property
    def spends(self) -> list[Spend]:
        return [reading for reading in self.readings if isinstance(reading, Spend)]

    @property
    def problems(self) -> list[Problem]:
        return [reading for reading in self.readings if isinstance(reading, Problem)]

    def texts(self, *kinds: EventKind) -> list[str]:
        return [event.text for event in self.events if event.kind in kinds]

    def shared_keys(self) -> list[str]:
        return [reading.key for reading in self.readings if isinstance(reading, Event | Spend)]

    def result_of(self, call_id: str) -> Event:
        return next(e for e in self.events if e.kind is EventKind.RESULT and e.call_id == call_id)

    def call(self, call_id: str) -> Event:
        return next(e for e in self.events if e.kind is EventKind.CALL and e.call_id == call_id)


def _read(data: bytes, path: str) -> Whole:
    reading = cast(CodexReading, CodexReader().start(SourceFile(PurePosixPath(path), lambda _: None)))
    return Whole(reading, list(Framing(reading).read(data.splitlines(keepends=True))))


@pytest.fixture
def read_bytes() -> Callable[[bytes, str], Whole]:
    return _read


@pytest.fixture
def read() -> Callable[[str], Whole]:
    return lambda name: _read((FIXTURES / f"{name}.jsonl").read_bytes(), f"sessions/2026/05/01/rollout-{name}.jsonl")
