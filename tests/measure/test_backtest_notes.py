"""The notes on disk, as an outside examiner reads them."""

from pathlib import Path

import pytest

from afterwit.measure.backtest import NotesFile, examined_as
from afterwit.model.errors import UsageError


def test_notes_of_several_strategies_need_a_name_for_each(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\{strategy\}"):
        NotesFile(tmp_path / "notes.jsonl", ["frequent", "places"], frozenset())


def test_a_subagent_is_named_by_its_own_file() -> None:
    assert examined_as("a-parent/agent-f00d") == "agent-f00d"
