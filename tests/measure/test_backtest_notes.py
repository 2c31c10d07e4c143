"""The notes on disk: complete or not there, and gone on with after a kill."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.homes import learned, world_of
from tests.measure.histories import planted
from tests.measure.replaying import replayed

from afterwit.measure.backtest import own_files
from afterwit.measure.backtest_files import NotesFile, examined_as
from afterwit.model.errors import UsageError

_RUN = """
import os, signal, sys
from pathlib import Path
from afterwit.measure import backtest_files
from afterwit.measure.backtest import own_files
from afterwit.sessions.filters import Filter
from tests.homes import world_of
from tests.measure.replaying import replayed

class Dying(backtest_files.NotesFile):
    def put(self, played):
        super().put(played)
        if len(self._pages) == 3:
            self._file.write(b'{"session":"half a pa')
            self._file.flush()
            os.kill(os.getpid(), signal.SIGKILL)

world = world_of(Path(sys.argv[1]), Path(sys.argv[2]))
notes = Dying(Path(sys.argv[3]), ["memoriser"], own_files(world))
replayed(world, "memoriser", notebook=notes)
"""


class _Counting(NotesFile):
    """Counts the sessions that did not have to be played again."""

    kept = 0

    def noted(self, outline):  # type: ignore[no-untyped-def]
        found = super().noted(outline)
        self.kept += found is not None
        return found


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("notes")
    planted(folder / "home")
    learned(folder / "home", folder / "store")
    return folder / "home", folder / "store"


def _noted(homes: tuple[Path, Path], path: Path, player: str = "memoriser") -> _Counting:
    world = world_of(*homes)
    notes = _Counting(path, [player], own_files(world))
    replayed(world, player, notebook=notes)
    return notes


def _killed(homes: tuple[Path, Path], path: Path) -> None:
    command = [sys.executable, "-c", _RUN, *(str(one) for one in (*homes, path))]
    root = Path(__file__).parents[2]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join((str(root), str(root / "src")))}
    assert subprocess.run(command, env=environ, check=False).returncode == -signal.SIGKILL


def test_a_killed_run_is_gone_on_with_and_ends_with_the_same_notes(homes: tuple[Path, Path], tmp_path: Path) -> None:
    _killed(homes, tmp_path / "killed.jsonl")
    assert not (tmp_path / "killed.jsonl").exists()
    assert _noted(homes, tmp_path / "killed.jsonl").kept == 3
    assert _noted(homes, tmp_path / "whole.jsonl").kept == 0
    assert (tmp_path / "killed.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["killed.jsonl", "whole.jsonl"]


def test_the_part_of_another_players_run_is_begun_anew(homes: tuple[Path, Path], tmp_path: Path) -> None:
    _killed(homes, tmp_path / "notes.jsonl")
    assert _noted(homes, tmp_path / "notes.jsonl", "echo").kept == 0


def test_a_damaged_part_is_begun_anew(homes: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl.part").write_bytes(b"\0\0\n\0\n")
    assert _noted(homes, tmp_path / "notes.jsonl").kept == 0


def test_notes_of_several_strategies_need_a_name_for_each(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\{strategy\}"):
        NotesFile(tmp_path / "notes.jsonl", ["echo", "places"], frozenset())


def test_a_subagent_is_named_by_its_own_file() -> None:
    assert examined_as("a-parent/agent-f00d") == "agent-f00d"
