import json
from contextlib import closing
from pathlib import Path, PurePosixPath

import apsw
from tests.agents.gathered import readings_of
from tests.agents.transcripts import known_reader
from tests.homes import learned, put, world_of

from afterwit.agents.log_reader import SourceFile
from afterwit.agents.registry import gatherers_for
from afterwit.model.kinds import EventKind, ReaderEvidence
from afterwit.model.readings import Event, Facts, Reading, Result
from afterwit.recall.recall import recalled
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
    return called(read(name))


def called(readings: list[Reading]) -> list[tuple[str, str, object, Result | None]]:
    found = [each for each in readings if isinstance(each, Event)]
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
        ("5e55-0004-fig", "shell", {"command": "borrow shears"}, Result(is_error=False)),
        ("5e55-0004-fig", "read_file", {"path": "figs.md"}, Result(is_error=True)),
    ]


def test_a_summary_of_what_went_in_is_the_command_or_the_path_unless_it_was_cut() -> None:
    assert pairs("tool-events-named.jsonl") == [
        ("5e55-0007-kiwi", "Bash", {"command": "make tie"}, Result()),
        ("5e55-0007-kiwi", "Bash", {"raw": '{"command": "make tie --al'}, Result(is_error=True)),
    ]
    assert {each.cwd for each in read("tool-events-named.jsonl") if isinstance(each, Facts)} == {"/w/orchard"}


def test_a_table_with_one_row_a_call_is_read_like_lines() -> None:
    found = readings_of("tool-events", "memory.sql", "5e55-0005-date")
    assert called(found) == [
        ("5e55-0005-date", "Bash", {"command": "make dry"}, Result(is_error=True)),
        ("5e55-0005-date", "Bash", {"command": "make drying"}, Result(is_error=False)),
    ]
    assert {each.cwd for each in found if isinstance(each, Facts)} == {"/w/orchard"}
    assert called(readings_of("tool-events", "memory.sql", "5e55-0006-nut")) == [
        ("5e55-0006-nut", "Read", {"path": "rows.md"}, Result(is_error=False)),
    ]


def test_a_database_of_another_kind_has_no_sessions_here(tmp_path: Path) -> None:
    (gatherer,) = gatherers_for("tool-events")
    with closing(apsw.Connection(str(tmp_path / "other.db"))) as db:
        db.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, session_id TEXT, body TEXT)")
    (tmp_path / "text.db").write_text("no database at all")
    assert gatherer.sessions(tmp_path, PurePosixPath("other.db"), ()) == []
    assert gatherer.sessions(tmp_path, PurePosixPath("text.db"), ()) == []


def test_the_evidence_is_what_the_hooks_that_write_such_logs_say() -> None:
    assert READER.evidence is ReaderEvidence.DOCUMENTATION


def test_a_program_that_was_missing_three_times_teaches_although_the_log_never_says_how_calls_ended(
    tmp_path: Path,
) -> None:
    calls = [("pytest -q", "bash: pytest: command not found"), ("uv run pytest -q", "4 passed in 0.1s")]
    for day in (1, 2, 3):
        moments = [
            {
                "timestamp": f"2026-05-0{day}T09:0{at}:00Z",
                "event": event,
                "tool": "Bash",
                "session": f"pear-{day}",
                **said,
            }
            for at, (command, output) in enumerate(calls)
            for event, said in (
                ("tool_start", {"input": json.dumps({"command": command}), "cwd": "/w/orchard"}),
                ("tool_complete", {"output": json.dumps({"stdout": "", "stderr": output})}),
            )
        ]
        put(tmp_path / "logs" / f"day-{day}" / "observations.jsonl", moments)
    learned(tmp_path, tmp_path / "store", folder=tmp_path / "logs")
    told = recalled(world_of(tmp_path, tmp_path / "store"), tmp_path, "orchard", "claude-code", "", None).start.text
    assert "When `pytest` is not found here, call `uv run pytest …`." in told
