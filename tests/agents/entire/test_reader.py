import json
from pathlib import Path, PurePosixPath

import pytest

from afterwit.agents.entire.reader import EntireReader, Native, native_of
from afterwit.agents.log_reader import FileReading, Shape, SourceFile
from afterwit.model.readings import Event
from afterwit.sources.documents import read_document
from afterwit.sources.framing import Framing

FIXTURES = Path(__file__).parent / "fixtures"
CHAT = b'{"role":"user","content":"Hello"}\n'


def started(name: str) -> FileReading:
    return EntireReader().start(SourceFile(PurePosixPath(name), lambda _: None))


def events(name: str, data: bytes) -> list[tuple[str, str, str]]:
    found = Framing(started(name)).read(data.splitlines(keepends=True))
    return [(each.session, each.kind.value, each.text or each.tool) for each in found if isinstance(each, Event)]


def test_a_transcript_is_read_by_the_reader_of_its_agent() -> None:
    assert events("a/.git/claude-code@9a01.jsonl", (FIXTURES / "claude.jsonl").read_bytes()) == [
        ("9a01", "prompt", "Graft the apple tree"),
        ("9a01", "call", "Bash"),
        ("9a01", "result", "Exit code 2\nno rule to make target graft"),
    ]
    thread = "01970009-0000-7000-8000-00000000000b"
    found = events(f"a/.git/codex@{thread}.jsonl", (FIXTURES / "codex.jsonl").read_bytes())
    assert [(session, kind) for session, kind, _ in found] == [
        (thread, "prompt"),
        (thread, "call"),
        (thread, "result"),
    ]


def test_a_log_without_session_ids_is_named_by_the_checkpoint() -> None:
    assert events("a/.git/chat@s%2F1.jsonl", CHAT) == [("s-1", "prompt", "Hello")]


def test_what_nobody_recognises_is_counted_as_unknown_across_appends() -> None:
    reading = started("a/.git/unrecognised@s-1.jsonl")
    assert list(Framing(reading).read([b'{"a":1}\n', b'{"b":1}\n'])) == []
    again = EntireReader().start(
        SourceFile(PurePosixPath("a/.git/unrecognised@s-1.jsonl"), lambda _: None), reading.save()
    )
    assert len(list(Framing(again).read([b'{"c":1}\n', b"odd\n"]))) == 1
    assert (dict(again.known), dict(again.unknown)) == ({}, {"unrecognised": 3})


@pytest.mark.parametrize(
    ("path", "is_primary"),
    [
        ("orchard/.git/codex@a.jsonl", True),
        ("orchard.git/codex@a.json", True),
        ("orchard/codex@a.jsonl", False),
        ("orchard/.git/refs/codex@a.jsonl", False),
        ("orchard/.git/config", False),
    ],
)
def test_only_what_is_rendered_from_a_repository_is_a_transcript(path: str, is_primary: bool) -> None:
    where = PurePosixPath(path)
    assert EntireReader().primary(where) == (where if is_primary else None)


def test_the_shape_is_that_of_the_agent_s_own_logs() -> None:
    reader = EntireReader()
    assert reader.shape(PurePosixPath(".git/claude-code@a.jsonl")) is Shape.LINES
    assert reader.shape(PurePosixPath(".git/unrecognised@a.jsonl")) is Shape.LINES


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_the_agent_is_told_by_content(name: str) -> None:
    data = (FIXTURES / f"{name}.jsonl").read_bytes()
    agent = {"claude": "claude-code", "codex": "codex"}[name]
    assert native_of(data, True) == Native(agent, ".jsonl")
    assert native_of(data[:-40], False) == Native(agent, ".jsonl")


def test_a_document_is_read_as_one() -> None:
    data = (FIXTURES.parents[1] / "gemini" / "fixtures" / "document.json").read_bytes()
    assert native_of(data, True) == Native("gemini", ".json")
    assert native_of(data[:200], False) is None
    path = PurePosixPath("a/.git/gemini@s-1.json")
    assert EntireReader().shape(path) is Shape.DOCUMENT
    assert any(isinstance(each, Event) for each in read_document(started(str(path)), data))


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"12", b"no json\n", b'{"a":1}\n' * 100, b"\xff\xfe\n"])
def test_what_no_agent_writes_is_nobody_s(data: bytes) -> None:
    assert native_of(data, True) is None


def test_half_a_first_line_is_not_judged() -> None:
    line = json.dumps({"role": "user", "content": "x" * 100}).encode()
    assert native_of(line[:-1], False) is None
