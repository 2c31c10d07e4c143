import hashlib
import json
from pathlib import PurePosixPath

import pytest

from afterwit.agents.kimi.reader import Owner, folder_of, owner_by_name, owner_of, primary


@pytest.mark.parametrize(
    ("path", "session", "parent"),
    [
        ("sessions/77/s-1/wire.jsonl", "s-1", ""),
        ("sessions/77/s-1/context.jsonl", "s-1", ""),
        ("sessions/77/s-1/context_12.jsonl", "s-1", ""),
        ("sessions/77/s-1/subagents/a7/wire.jsonl", "s-1/a7", "s-1"),
        ("sessions/77/s-1.jsonl", "s-1", ""),
        ("sessions/77/s-1_2.jsonl", "s-1", ""),
        ("sessions/77/s-1_read_2.jsonl", "s-1/read_2", "s-1"),
    ],
)
def test_each_file_has_its_session(path: str, session: str, parent: str) -> None:
    assert owner_of(PurePosixPath(path)) == Owner(session, parent, "77")


@pytest.mark.parametrize("path", ["kimi.json", "sessions/77/s-1/state.json", "sessions/77/s-1/notes.jsonl"])
def test_other_files_have_none(path: str) -> None:
    assert owner_of(PurePosixPath(path)) is None


def test_the_state_belongs_to_the_wire() -> None:
    wire = PurePosixPath("sessions/77/s-1/wire.jsonl")
    assert primary(wire.with_name("state.json")) == wire
    assert primary(wire) == wire
    assert primary(PurePosixPath("kimi.json")) is None


def test_a_file_in_a_folder_given_by_hand_has_its_session_by_name() -> None:
    assert owner_by_name(PurePosixPath("out/s-1/wire.jsonl")).session == "s-1"
    assert owner_by_name(PurePosixPath("s-1/subagents/a7/context.jsonl")) == Owner("s-1/a7", "s-1", "")
    assert owner_by_name(PurePosixPath("out/77/s-1_read_1.jsonl")) == Owner("s-1/read_1", "s-1", "")
    assert owner_by_name(PurePosixPath("wire.jsonl")).session == "wire"


def test_the_folder_is_known_by_its_hash() -> None:
    wanted = hashlib.md5(b"/w/app", usedforsecurity=False).hexdigest()
    listed = json.dumps({"work_dirs": [None, {"path": 3}, {"path": "/w/other"}, {"path": "/w/app"}]}).encode()
    assert folder_of(wanted, listed) == "/w/app"
    assert folder_of("77", listed) == ""
    assert folder_of(wanted, None) == ""
    assert folder_of(wanted, b"{") == ""
