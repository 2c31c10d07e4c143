"""What the contract of readers is tested on: every fixture of every reader in the registry.

The fixtures of a reader in `afterwit.agents.<folder>` are `tests/agents/<folder>/fixtures/*.jsonl`. Where a fixture
lies below the home of its agent is made up by `_usual_path`; where that will not do, `fixtures.toml` beside it says so:
`"name.jsonl" = "path/below/the/home.jsonl"`. Companion files are not there.
"""

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from afterwit.agents.protocol import FileReading, Reader, SourceFile
from afterwit.agents.registry import AGENTS, reader_for
from afterwit.model.readings import Problem, Reading
from afterwit.sources.framing import UNFINISHED, Framing

HERE = Path(__file__).parent
WITH_READER = tuple(agent.name for agent in AGENTS if agent.reader is not None)


class Case(NamedTuple):
    """One fixture, read as a file of one agent."""

    agent: str
    folder: str
    name: str

    @property
    def reader(self) -> Reader:
        reader = reader_for(self.agent)
        assert reader is not None
        return reader

    @property
    def file(self) -> SourceFile:
        return SourceFile(_path(self), lambda _: None)

    @property
    def data(self) -> bytes:
        return _data(self)

    def start(self, saved: bytes | None = None) -> FileReading:
        return self.reader.start(self.file, saved)

    def __str__(self) -> str:
        return f"{self.agent}-{self.name.removesuffix('.jsonl')}"


class Step(NamedTuple):
    """One line of a fixture, the state before it, and what it yields."""

    offset: int
    line: bytes
    before: bytes
    readings: list[Reading]


def folder_of(agent: str) -> str:
    spec = next(each.reader for each in AGENTS if each.name == agent)
    assert spec is not None
    return spec.split(".")[2]


def all_cases() -> list[Case]:
    found = [(agent, folder_of(agent)) for agent in WITH_READER]
    return [
        Case(agent, folder, fixture.name)
        for agent, folder in found
        for fixture in sorted((HERE / folder / "fixtures").glob("*.jsonl"))
    ] + [Case(agent, "histories", f"{folder}.jsonl") for agent, folder in found if _has_history(folder)]


def _has_history(folder: str) -> bool:
    return (HERE / "histories" / "fixtures" / f"{folder}.jsonl").exists()


def lines_of(data: bytes) -> list[bytes]:
    parts = data.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def read(reading: FileReading, data: bytes, start: int = 0) -> list[Reading]:
    return list(Framing(reading, start).read(lines_of(data)))


def without_tail(readings: list[Reading]) -> list[Reading]:
    """All but the note on an unfinished last line."""
    return [each for each in readings if not (isinstance(each, Problem) and each.reason == UNFINISHED)]


@cache
def steps(case: Case) -> tuple[Step, ...]:
    return tuple(_steps(case))


@cache
def whole(case: Case) -> tuple[Reading, ...]:
    return tuple(read(case.start(), case.data))


def _steps(case: Case) -> Iterator[Step]:
    reading = case.start()
    offset = 0
    for line in lines_of(case.data):
        before = reading.save()
        yield Step(offset, line, before, read(reading, line, offset))
        offset += len(line)


@cache
def _data(case: Case) -> bytes:
    return (HERE / case.folder / "fixtures" / case.name).read_bytes()


@cache
def _path(case: Case) -> PurePosixPath:
    index = HERE / case.folder / "fixtures" / "fixtures.toml"
    named = tomllib.loads(index.read_text()) if index.exists() else {}
    return PurePosixPath(named.get(case.name) or _usual_path(case))


def _usual_path(case: Case) -> str:
    if case.folder == "claude_code":
        return f"projects/-w-app/{case.name}"
    if case.folder == "codex":
        is_named = case.name.startswith("rollout-")
        return f"sessions/2026/05/01/{'' if is_named else 'rollout-2026-05-01T10-00-00-'}{case.name}"
    return f"sessions/{case.name}"
