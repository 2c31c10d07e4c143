"""The outside examiner, where one is at hand: `AFTERWIT_JUDGE` names its script."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

needs_judge = pytest.mark.skipif("AFTERWIT_JUDGE" not in os.environ, reason="AFTERWIT_JUDGE names no examiner")


def judged(home: Path, notes: Path) -> dict[str, Any]:
    """The examiner's figures for a file of notes."""
    return dict(json.loads(_run("score", str(home), str(notes), "--json")))


def played(home: Path, player: str) -> list[dict[str, Any]]:
    """What the examiner's own player says."""
    return [json.loads(line) for line in _run("play", str(home), player).splitlines()]


def _run(*arguments: str) -> str:
    command = [sys.executable, os.environ["AFTERWIT_JUDGE"], *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
