from pathlib import Path, PurePosixPath

from tests.agents.transcripts import known_reader

from afterwit.agents.protocol import SourceFile
from afterwit.model.kinds import EventKind, ReaderEvidence
from afterwit.model.readings import Event, Facts, Reading, Result
from afterwit.sources.framing import Framing

FIXTURES = Path(__file__).parent / "fixtures"

READER = known_reader("tool-events")


def read(name: str) -> list[Reading]:
    reading = READER.start(SourceFile(PurePosixPath(name), lambda _: None))
    found = list(Framing(reading).read((FIXTURES / name).read_bytes().splitlines(keepends=True)))
    assert dict(reading.unknown) == {}
    return found


def pairs(name: str) -> list[tuple[str, str, object, Result | None]]:
    """Session, tool, arguments and outcome of every call."""
    found = [each for each in read(name) if isinstance(each, Event)]
    results = {each.call_id: each.result for each in found if each.kind is EventKind.RESULT}
    calls = [each for each in found if each.kind is EventKind.CALL]
    assert {each.call_id for each in calls} == set(results)
    return [(each.session, each.tool, each.arguments, results[each.call_id]) for each in calls]


def test_observations_of_interleaved_sessions_are_joined_by_session_and_tool() -> None:
    assert pairs("observations.jsonl") == [
        (
            "5e55-0001-pear",
            "Bash",
            {"command": "make pick", "description": "Pick the pears"},
            Result(is_error=True, exit_code=127),
        ),
        ("5e55-0002-plum", "Bash", {"command": "make press"}, Result()),
        ("5e55-0001-pear", "Read", {"file_path": "/w/orchard/rows.md"}, Result()),
    ]


def test_the_input_of_hooks_has_prompts_ids_and_failures() -> None:
    assert pairs("tool-events-hooks.jsonl") == [
        ("5e55-0003-quince", "Bash", {"command": "count quinces"}, Result(is_error=True)),
        ("5e55-0003-quince", "Grep", {"pattern": "quince"}, Result()),
    ]
    found = read("tool-events-hooks.jsonl")
    assert [each.text for each in found if isinstance(each, Event) and each.kind is EventKind.PROMPT] == [
        "Count the quinces"
    ]
    assert {each.cwd for each in found if isinstance(each, Facts)} == {"/w/orchard"}


def test_one_line_can_hold_a_call_and_its_result() -> None:
    assert pairs("tool-events-summary.jsonl") == [
        (
            "5e55-0004-fig",
            "shell",
            {"command": "prune figs"},
            Result(is_error=True, exit_code=2, duration_ms=350),
        ),
        ("5e55-0004-fig", "shell", {"raw": "borrow shears"}, Result(is_error=False)),
        ("5e55-0004-fig", "read_file", {"path": "figs.md"}, Result(is_error=True)),
    ]


def test_the_evidence_is_what_the_hooks_that_write_such_logs_say() -> None:
    assert READER.evidence is ReaderEvidence.DOCUMENTATION
