"""Whose log a file is, in a folder given by hand."""

import json
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from tests.agents.contract_cases import Case, all_cases
from tests.homes import put

from afterwit.agents.log_reader import Shape
from afterwit.agents.registry import AGENTS, reader_for
from afterwit.capture.recognition import Recognition
from afterwit.sources.discovery import Unit
from afterwit.sources.places import LogFile

READERS = [(agent.name, reader) for agent in AGENTS if (reader := reader_for(agent.name))]
LISTS = [case for case in all_cases() if case.shape is Shape.DOCUMENT and case.data.lstrip().startswith(b"[")]
MESSAGES = [{"role": "system", "content": "You prune trees."}, {"role": "user", "content": "Prune row 3"}]


def agent_of(folder: Path, name: str, content: bytes) -> str | None:
    put(folder / name, content)
    return Recognition(READERS).agent_of(Unit(folder, LogFile(PurePosixPath(name), len(content), 0, 0), ()))


@pytest.mark.parametrize("case", LISTS, ids=str)
def test_a_list_of_messages_goes_to_the_agent_that_keeps_such_lists(case: Case, tmp_path: Path) -> None:
    wanted = {"roo": "cline"}.get(case.agent, case.agent)
    assert agent_of(tmp_path, case.file.path.name, case.data) == wanted


@pytest.mark.parametrize("name", ["messages.json", "session_20260501_101500_a1b2c3.json", "chat.json"])
def test_a_list_of_plain_messages_is_nobodys(name: str, tmp_path: Path) -> None:
    assert agent_of(tmp_path, name, json.dumps(MESSAGES).encode()) is None


def test_the_same_messages_as_lines_are_a_chat(tmp_path: Path) -> None:
    lines = b"".join(json.dumps(message).encode() + b"\n" for message in MESSAGES)
    assert agent_of(tmp_path, "messages.jsonl", lines) == "hermes"


@pytest.mark.parametrize("value", [[], {}, [[]], 3, "text"])
def test_a_document_that_says_nothing_is_nobodys(value: Any, tmp_path: Path) -> None:
    assert agent_of(tmp_path, "empty.json", json.dumps(value).encode()) is None
