"""Filters become one SQL condition, and no value of theirs becomes SQL."""

import apsw
import pytest
from tests.store.planted_rows import plant

from afterwit.store.rows.session_list import Selection, select_sessions


@pytest.fixture
def filled(db: apsw.Connection) -> apsw.Connection:
    for name in ("apple", "plum", "plum/agent-1"):
        plant(db, name, f"{name}.jsonl")
    db.execute("UPDATE sessions SET repo = 'git.example/a/orchard', branch = 'fix/rows' WHERE native_id = 'apple'")
    db.execute("UPDATE sessions SET outcome = 'partial', task_type = 'code' WHERE native_id = 'apple'")
    db.execute(
        "UPDATE sessions SET started_ms = 5000, title = 'Prune the PLUMS', agent = 'codex' WHERE native_id = 'plum'"
    )
    db.execute(
        "UPDATE sessions SET parent = 'plum', relation = 'subagent', started_ms = NULL WHERE native_id LIKE '%agent%'"
    )
    return db


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(), {"apple", "plum", "plum/agent-1"}),
        (Selection(agents=frozenset({"codex"})), {"plum"}),
        (Selection(repos=frozenset({"git.example/a/orchard"})), {"apple"}),
        (Selection(repos=frozenset()), set()),
        (Selection(branch="fix/*"), {"apple"}),
        (Selection(branch="fix"), set()),
        (Selection(since_ms=5_000), {"plum"}),
        (Selection(until_ms=5_000), {"apple"}),
        (Selection(text="plums"), {"plum"}),
        (Selection(text="%"), set()),
        (Selection(parent="plum"), {"plum/agent-1"}),
        (Selection(is_top=True), {"apple", "plum"}),
        (Selection(outcomes=frozenset({"success", "partial"})), {"apple"}),
        (Selection(task_types=frozenset({"code"})), {"apple"}),
        (Selection(outcomes=frozenset({"failure"})), set()),
        (Selection(text="' OR 1 --", branch="*' OR '1"), set()),
    ],
)
def test_a_selection_finds_what_it_says(filled: apsw.Connection, selection: Selection, expected: set[str]) -> None:
    assert {row.native_id for row in select_sessions(filled, selection)} == expected
