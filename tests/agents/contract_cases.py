"""What the contract of readers is tested on: every fixture of every reader in the registry.

The fixtures of a reader in `afterwit.agents.<folder>` are the files in `tests/agents/<folder>/fixtures/`; the reader
says which of them are lines, documents or texts. A fixture lies in `sessions/` below the home of its agent, unless
`fixtures.toml` beside it says otherwise: `"name.jsonl" = "path/below/the/home.jsonl"`, or for all of them
`"*" = "path/{name}"`. Companion files are not there. An agent without fixtures is read with those of the agent whose
reader it has.

Sessions that are no files of their own come from `name.sql`, the text of a database, and from `name.home/`, a home with
folders of many files: each session that is gathered from them is a case.
"""

import tomllib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import NamedTuple

import apsw

from afterwit.agents.declared.parsing import description_from
from afterwit.agents.log_reader import FileReading, Reader, Shape, SourceFile
from afterwit.agents.registry import AGENTS, gatherers_for, reader_for
from afterwit.agents.registry import agent as agent_named
from afterwit.capture.logs import look_into, sessions_in
from afterwit.model.readings import Problem, Reading
from afterwit.sources.discovery import list_home
from afterwit.sources.framing import UNFINISHED, Framing

HERE = Path(__file__).parent
_NO_TRANSCRIPTS = (".toml", ".sql")
DESCRIPTIONS = tuple(
    description_from(file.read_text(), file.name)
    for file in sorted((HERE / "declared" / "fixtures").glob("*.toml"))
    if file.name != "fixtures.toml"
)
_BUILT_IN = tuple(agent.name for agent in AGENTS if agent.is_read)
WITH_READER = (*_BUILT_IN, *(each.name for each in DESCRIPTIONS))


class Case(NamedTuple):
    """One fixture, read as a file of one agent."""

    agent: str
    folder: str
    name: str
    rendered: PurePosixPath | None = None  # where the session is rendered, if the fixture holds many

    @property
    def reader(self) -> Reader:
        reader = reader_for(self.agent, DESCRIPTIONS)
        assert reader is not None
        return reader

    @property
    def file(self) -> SourceFile:
        return SourceFile(_path(self), lambda _: None)

    @property
    def data(self) -> bytes:
        return _data(self)

    @property
    def shape(self) -> Shape:
        return self.reader.shape(self.file.path)

    def start(self, saved: bytes | None = None) -> FileReading:
        return self.reader.start(self.file, saved)

    def __str__(self) -> str:
        session = f"-{self.rendered.stem}" if self.rendered else ""
        return f"{self.agent}-{self.name.removesuffix('.jsonl')}{session}"


def agent_of(case: Case) -> str:
    return case.agent


class Step(NamedTuple):
    """One line of a fixture, the state before it, and what it yields."""

    offset: int
    line: bytes
    before: bytes
    readings: list[Reading]


def folder_of(agent: str) -> str:
    """That of the agent itself, or of the one whose reader reads its logs."""
    known = agent_named(agent)
    return known.folder if (HERE / known.folder / "fixtures").exists() else known.reader.partition(".")[0]


@cache
def all_cases() -> list[Case]:
    found = [(agent, folder_of(agent)) for agent in _BUILT_IN]
    return [
        Case(agent, folder, fixture.name)
        for agent, folder in found
        for fixture in sorted((HERE / folder / "fixtures").glob("*"))
        if fixture.is_file() and fixture.suffix not in _NO_TRANSCRIPTS
    ] + [
        *(Case(each.name, "declared", f"{each.name}.jsonl") for each in DESCRIPTIONS),
        *(case for agent, folder in found for case in _gathered(agent, folder)),
    ]


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


def _gathered(agent: str, folder: str) -> Iterator[Case]:
    """The sessions of databases and of folders of many files."""
    for fixture in sorted((HERE / folder / "fixtures").glob("*")):
        if fixture.suffix in (".sql", ".home"):
            with _home(folder, fixture.name) as home:
                for path in _renderings(agent, home):
                    yield Case(agent, folder, fixture.name, path)


def _renderings(agent: str, home: Path) -> Iterator[PurePosixPath]:
    lying = look_into(list_home(home), agent_named(agent), reader_for(agent))
    for source in lying.sources:
        for unit in sessions_in(source):
            yield unit.transcript.path


@contextmanager
def _home(folder: str, name: str) -> Iterator[Path]:
    """The fixture as a home of its agent."""
    fixture = HERE / folder / "fixtures" / name
    if fixture.is_dir():
        yield fixture
        return
    with TemporaryDirectory() as place:
        path = Path(place) / _places(folder)[name]
        make_database(fixture, path)
        yield Path(place)


def make_database(script: Path, path: Path) -> None:
    """The database that an SQL text describes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(apsw.Connection(str(path))) as db:
        db.pragma("synchronous", 0)
        db.execute(script.read_text())


@cache
def _data(case: Case) -> bytes:
    if case.rendered is not None:
        gatherer = next(each for each in gatherers_for(case.agent) if each.renders(case.rendered))
        with _home(case.folder, case.name) as home:
            return gatherer.render(home, case.rendered).data
    return (HERE / case.folder / "fixtures" / case.name).read_bytes()


@cache
def _path(case: Case) -> PurePosixPath:
    places = _places(case.folder)
    usual = places.get("*", "sessions/{name}").format(name=case.name)
    return case.rendered or PurePosixPath(places.get(case.name) or usual)


@cache
def _places(folder: str) -> dict[str, str]:
    index = HERE / folder / "fixtures" / "fixtures.toml"
    return tomllib.loads(index.read_text()) if index.exists() else {}
