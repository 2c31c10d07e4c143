"""All real material, file by file: each is found, has a reader, and is read without an error or an unknown record.

`AFTERWIT_CORPUS` names a home folder; the folder `other` beside it, if there is one, is read as one given by hand.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.homes import world_of

from afterwit.agents.log_reader import SourceFile
from afterwit.agents.registry import reader_for
from afterwit.capture.logs import Feeding, open_unit
from afterwit.capture.plan import AgentPlan, Pending, homes, plan, plan_folder
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Problem
from afterwit.sources.discovery import list_home
from afterwit.sources.places import Chunks, lines_of
from afterwit.store.layout import Layout
from afterwit.store.store import rehearse_store

CORPUS = os.environ.get("AFTERWIT_CORPUS", "")
OTHER = Path(CORPUS or ".").absolute().parent / "other"
CALLS = {  # what stands in the bytes of a log with calls, and in no other
    "claude-code": b'"type":"tool_use"',
    "codex": b'_call"',
    "copilot": b"tool.execution_start",
    "gemini": b'"toolCalls"',
    "goose": b"toolRequest",
    "kimi": b'"tool_calls"',
    "mini-swe-agent": b'"assistant"',
    "swe-agent": b'"action"',
}

pytestmark = pytest.mark.skipif(not CORPUS, reason="AFTERWIT_CORPUS names no home folder with real transcripts")
elsewhere = pytest.mark.skipif(not OTHER.is_dir(), reason="beside AFTERWIT_CORPUS lies no folder `other`")


class Told(NamedTuple):
    """What one file tells."""

    agent: str
    path: str
    sessions: int
    actions: int
    prompts: int
    has_calls: bool
    problems: list[str]
    unknown: dict[str, int]


@pytest.fixture(scope="module")
def at_home(tmp_path_factory: pytest.TempPathFactory) -> list[AgentPlan]:
    home, store = Path(CORPUS).absolute(), tmp_path_factory.mktemp("home")
    with rehearse_store(Layout(store)) as opened_store:
        return plan(opened_store.db, homes(world_of(home, store).settings, home))


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> list[AgentPlan]:
    with rehearse_store(Layout(tmp_path_factory.mktemp("other"))) as store:
        return plan_folder(store.db, list_home(OTHER))


def told(plans: list[AgentPlan]) -> Iterator[Told]:
    for one in plans:
        for pending in one.pending:
            yield told_by(pending)


def told_by(pending: Pending) -> Told:
    agent, path = pending.home.agent, pending.unit.transcript.path
    reader = reader_for(agent)
    assert reader is not None
    reading = reader.start(SourceFile(path, lambda _: None))
    with open_unit(agent, pending.unit.home, path) as (file, _, _):
        raw = file.read()
    readings = list(Feeding(reading, reader.shape(path)).read(lines_of(path, Chunks(iter([raw])))))
    events = [each for each in readings if isinstance(each, Event)]
    return Told(
        agent=agent,
        path=str(path),
        sessions=len({event.session for event in events}),
        actions=len({event.call_id for event in events if event.kind is EventKind.CALL}),
        prompts=sum(event.kind is EventKind.PROMPT for event in events),
        has_calls=CALLS[agent] in raw.replace(b'": ', b'":'),
        problems=[each.reason for each in readings if isinstance(each, Problem)],
        unknown=dict(reading.unknown),
    )


def check(plans: list[AgentPlan]) -> None:
    assert [(one.agent, one.no_reader, one.unreadable) for one in plans if one.no_reader or one.unreadable] == []
    found = list(told(plans))
    assert found
    assert [(one.path, one.problems, one.unknown) for one in found if one.problems or one.unknown] == []
    assert [one.path for one in found if bool(one.actions) != one.has_calls] == []
    assert [one.path for one in found if one.actions and not one.sessions] == []


def files_below(folder: Path, *endings: str) -> set[str]:
    return {path for path, *_ in list_home(folder).files if path.endswith(endings)}


def test_every_file_of_the_home_is_read(at_home: list[AgentPlan]) -> None:
    check(at_home)
    read = {
        str(Path(one.unit.home / one.unit.transcript.path).relative_to(Path(CORPUS).absolute()))
        for each in at_home
        for one in each.pending
    }
    assert read == files_below(Path(CORPUS), ".jsonl", ".json")


@elsewhere
def test_every_file_elsewhere_is_read_by_the_reader_of_its_agent(by_hand: list[AgentPlan]) -> None:
    check(by_hand)
    units = {str(one.unit.transcript.path) for each in by_hand for one in each.pending}
    sources = {str(one.file.path) for each in by_hand for one in each.listed}
    single = {path for path in units if not any(path.startswith(f"{source}/") for source in sources)}
    assert single | sources == files_below(OTHER, "")
    assert {(path.partition("/")[0], each.agent) for each in by_hand for path in paths_of(each)} == {
        (folder, folder) for folder in (each.agent for each in by_hand)
    }


def paths_of(one: AgentPlan) -> list[str]:
    units = [str(pending.unit.transcript.path) for pending in one.pending]
    return units + [str(listed.file.path) for listed in one.listed]
