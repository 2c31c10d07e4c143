from pathlib import PurePosixPath

import pytest
from tests.every import for_every

from afterwit.agents.claude_code.reader import primary, spilled


@for_every(
    "path, transcript",
    [
        ("projects/p/s1.jsonl", "projects/p/s1.jsonl"),
        ("projects/p/agent-1.jsonl", "projects/p/agent-1.jsonl"),
        ("projects/p/s1/subagents/agent-1.jsonl", "projects/p/s1/subagents/agent-1.jsonl"),
        (
            "projects/p/s1/subagents/workflows/wf_1/agent-1.jsonl",
            "projects/p/s1/subagents/workflows/wf_1/agent-1.jsonl",
        ),
        ("projects/p/s1/subagents/agent-1.meta.json", "projects/p/s1/subagents/agent-1.jsonl"),
        ("projects/p/agent-1.meta.json", "projects/p/agent-1.jsonl"),
        ("projects/p/s1/tool-results/toolu_1.txt", "projects/p/s1.jsonl"),
        ("projects/p/s1/subagents/workflows/wf_1/journal.jsonl", None),
        ("projects/p/s1/subagents/agent-1.log", None),
        ("projects/p/memory/notes.md", None),
        ("projects/p/memory/notes.jsonl", None),
        ("projects/p/s1.json", None),
        ("history.jsonl", None),
        ("projects/s1.jsonl", None),
        ("todos/s1.jsonl", None),
    ],
)
def test_every_file_leads_to_its_transcript_or_to_none(path: str, transcript: str | None) -> None:
    found = primary(PurePosixPath(path))
    assert found == (None if transcript is None else PurePosixPath(transcript))


def test_a_spilled_output_is_looked_for_under_the_stated_name_and_under_the_calls_id() -> None:
    found = spilled(PurePosixPath("projects/p/s1.jsonl"), "s1", "C:\\x\\tool-results\\b1.txt", "toolu_1")
    assert [str(path) for path in found] == [
        "projects/p/s1/tool-results/b1.txt",
        "projects/p/s1/tool-results/toolu_1.txt",
    ]


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("projects/p/s1/subagents/agent-1.jsonl", "projects/p/s1"),
        ("projects/p/s1/subagents/workflows/wf_1/agent-1.jsonl", "projects/p/s1"),
        ("projects/p/agent-1.jsonl", "projects/p/s9"),
    ],
)
def test_a_subagents_outputs_lie_with_its_parent(path: str, folder: str) -> None:
    assert spilled(PurePosixPath(path), "s9", "", "t1") == [PurePosixPath(folder, "tool-results", "t1.txt")]


@for_every("name", ["", "..", "../x", "a/../../b", "a b", "x\0y", ".ssh", "a" * 200, "é"])
def test_a_name_that_is_no_plain_id_becomes_no_path(name: str) -> None:
    found = spilled(PurePosixPath("projects/p/s1.jsonl"), "s1", name, name)
    assert all(path.parent == PurePosixPath("projects/p/s1/tool-results") for path in found)
    assert all(".." not in path.parts and path.stem in {"x", "b"} for path in found)


def test_a_session_that_is_no_plain_id_has_no_folder() -> None:
    assert spilled(PurePosixPath("projects/p/agent-1.jsonl"), "../../etc", "", "t1") == []
