"""What hooks noted of a session is found again with the session, and its end is noted."""

import json
import shutil
from pathlib import Path

import pytest
from tests.e2e.delivery import Scene

pytestmark = pytest.mark.e2e

RUN = "mcp-"  # begins the name of a run of our server, which stands for a session that cannot be told


def test_hooks_name_a_session_as_it_is_captured_and_tell_its_end(scene: Scene, tmp_path: Path) -> None:
    scene.whole_session()
    files = scene.store.glob("spool/*.jsonl")
    records = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    copy = tmp_path / "store"
    shutil.copytree(scene.store, copy)
    scene.afterwit("learn", store=copy)
    listed = scene.asked("sessions", "list", "--limit", "0", store=copy)["sessions"]
    captured = {one["native_id"] for one in listed if one["agent"] == scene.client.name}
    assert {record["session"] for record in records if not record["session"].startswith(RUN)} <= captured
    assert any(record["kind"] == "ended" for record in records)
