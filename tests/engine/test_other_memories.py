"""What another memory wrote down of tool calls, one row a call, teaches like a transcript."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest
from tests.homes import learned, put, world_of
from tests.knowledge_home import FACT

from afterwit.knowledge.door.list import ItemFilter, listed
from afterwit.recall.recall import recalled

CALLS = (("rtk make count", "error: unrecognized subcommand 'make'", 0), ("make count", "42 trees", 1))


def rows() -> list[dict[str, object]]:
    """Three sessions in which a wrapper fails, and the next call leaves it out."""
    return [
        {
            "session_id": f"s{session}",
            "project": "/w/orchard",
            "tool_name": "Bash",
            "input_summary": command,
            "output_summary": output,
            "success": success,
            "created_at": f"2026-05-0{1 + session}T10:00:0{number}Z",
        }
        for session in range(3)
        for number, (command, output, success) in enumerate(CALLS)
    ]


def as_lines(folder: Path) -> None:
    put(folder / "calls.jsonl", rows())


def as_table(folder: Path) -> None:
    columns = list(rows()[0])
    with closing(apsw.Connection(str(folder / "memory.sqlite3"))) as db:
        db.execute(f"CREATE TABLE tool_calls (id INTEGER PRIMARY KEY, {', '.join(columns)})")
        places = ", ".join("?" for _ in columns)
        query = f"INSERT INTO tool_calls ({', '.join(columns)}) VALUES ({places})"
        db.executemany(query, [tuple(row.values()) for row in rows()])


@pytest.mark.parametrize("write", [as_lines, as_table])
def test_rows_of_tool_calls_in_a_note_for_the_next_session_out(write: object, tmp_path: Path) -> None:
    folder = tmp_path / "other-memory"
    folder.mkdir()
    assert callable(write)
    write(folder)
    report = learned(tmp_path / "home", tmp_path / "store", folder=folder)
    world = world_of(tmp_path / "home", tmp_path / "store")
    assert report.sessions == 3
    assert FACT in [item.sentence for item in listed(world, ItemFilter()).items]
    assert FACT in recalled(world, tmp_path, "orchard", "claude-code", "", None).start.text
