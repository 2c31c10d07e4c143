"""How to start this program again."""

import sys
from pathlib import Path

import pytest

from afterwit.cli.terminal.options import own_command


def test_the_command_is_called_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "afterwit"
    program.touch()
    monkeypatch.setattr(sys, "argv", [str(program), "mcp"])
    assert own_command() == (str(program),)


def test_else_the_package_is_not_looked_for_where_it_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["-c"])
    assert own_command() == (sys.executable, "-P", "-m", "afterwit")
