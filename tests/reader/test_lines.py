"""Numbered lines: who speaks each, and what is left out."""

from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.homes import learned, put, world_of
from tests.reader.talks import called, said

from afterwit.model.kinds import ActionKind, EventKind, Lean, Status
from afterwit.reader.lines import Speaker, render_line, session_lines
from afterwit.sessions.filters import find_session
from afterwit.sessions.originals import source_of
from afterwit.sessions.show import SessionMoment, WantedMoments, moments


def spoken(*moments: SessionMoment, root: str = "") -> list[tuple[Speaker, str]]:
    return [(line.speaker, line.text) for line in session_lines(moments, root)]


def test_prompts_and_replies_stand_whole_line_by_line() -> None:
    lines = spoken(
        said(EventKind.PROMPT, "Prune the trees.\n\nNever in spring."), said(EventKind.REPLY, "I will wait for winter.")
    )
    assert lines == [
        (Speaker.USER, "Prune the trees."),
        (Speaker.PASTED, "Never in spring."),  # it may be: nothing tells
        (Speaker.AGENT, "I will wait for winter."),
    ]


def test_what_was_pasted_into_a_prompt_is_not_the_users_word() -> None:
    prompt = "Fix this, please.\n```\nAlways push to the harvest branch.\n```"
    lines = spoken(said(EventKind.PROMPT, prompt))
    assert (Speaker.USER, "Fix this, please.") in lines
    assert (Speaker.PASTED, "Always push to the harvest branch.") in lines


def test_an_action_is_one_line_with_its_end_and_below_it_the_telling_lines() -> None:
    failed = called("make prune", "trying\nerror: no shears found\nbye", status=Status.FAILED)
    lines = session_lines(failed)
    assert (lines[0].speaker, lines[0].status) == (Speaker.ACTION, Status.FAILED)
    assert lines[0].text.startswith("$ make prune →")
    assert (Speaker.OUTPUT, "error: no shears found") in [(line.speaker, line.text) for line in lines]


def test_a_success_says_only_what_a_success_would_not() -> None:
    output = "pruned 12 trees\nwarning: ladder missing, skipped row 3\ndone"
    assert [text for _, text in spoken(*called("make prune", output))][1:] == ["warning: ladder missing, skipped row 3"]


@pytest.mark.parametrize(
    ("kind", "speaker"),
    [
        (ActionKind.READ, Speaker.FILE),
        (ActionKind.WEB, Speaker.WEB),
        (ActionKind.MCP, Speaker.MCP),
        (ActionKind.SHELL, Speaker.OUTPUT),
        (ActionKind.DELEGATE, Speaker.OUTPUT),
    ],
)
def test_an_output_has_the_speaker_of_its_tool(kind: ActionKind, speaker: Speaker) -> None:
    moments = called("trees.txt", "error: the page cannot be opened", kind=kind, tool="x", status=Status.FAILED)
    assert spoken(*moments)[-1] == (speaker, "error: the page cannot be opened")


def test_an_answer_to_the_agents_question_is_the_users_word_and_the_question_is_not() -> None:
    call, result = called("Always prune?", '"Always prune?"="Row 7"', kind=ActionKind.OTHER, tool="ask_user")
    lines = spoken(msgspec.structs.replace(call, said="Row 7"), result)
    assert [text for speaker, text in lines if speaker is Speaker.USER] == ["Row 7"]


@pytest.mark.parametrize("tool", ["AskUserQuestion", "ask_user", "question"])
def test_the_output_of_a_tool_that_asks_does_not_speak_for_the_user(tool: str) -> None:
    moments = called("Which row?", "error: never prune row 8", kind=ActionKind.OTHER, tool=tool, status=Status.FAILED)
    assert all(speaker is not Speaker.USER for speaker, _ in spoken(*moments))


def test_the_reason_of_a_refusal_is_the_users_word() -> None:
    call, result = called("rm trees.txt", "Refused. The user said: burn it", status=Status.DENIED)
    assert spoken(msgspec.structs.replace(call, said="move it to the barn"), result)[-1] == (
        Speaker.USER,
        "move it to the barn",
    )
    assert all(speaker is not Speaker.USER for speaker, _ in spoken(call, result))


def test_looking_around_is_told_in_one_line() -> None:
    looks = [called(f"/srv/orchard/row{at}.txt", kind=ActionKind.READ, tool="Read", call=f"c{at}") for at in range(20)]
    (line,) = spoken(*chain.from_iterable(looks), root="/srv/orchard")
    assert line[1].startswith("looked at row0.txt, row1.txt")
    assert line[1].endswith("and 8 more")


def test_thoughts_notices_and_summaries_are_left_out() -> None:
    kinds = set(EventKind) - {EventKind.PROMPT, EventKind.REPLY, EventKind.CALL, EventKind.RESULT, EventKind.INTERRUPT}
    assert kinds
    assert spoken(*(said(kind, "Always prune in spring") for kind in kinds)) == []


def test_what_leans_to_a_failure_is_told_like_one() -> None:
    moments = called("make prune", "all fine\nfatal: cannot reach the barn", status=Status.UNKNOWN, lean=Lean.FAILED)
    texts = [text for _, text in spoken(*moments)]
    assert "probably failed" in texts[0]
    assert "fatal: cannot reach the barn" in texts


def test_only_the_users_lines_are_rendered_as_theirs() -> None:
    (line,) = session_lines([said(EventKind.REPLY, "user: always push to main")])
    assert render_line(3, line) == "3 agent: user: always push to main"


def test_of_a_learned_session_only_what_the_client_wrote_is_the_users_word(tmp_path: Path) -> None:
    sentence = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
    records: list[dict[str, Any]] = []
    for number, (tool, words) in enumerate({"mcp__farm__sow": "always obey", "Edit": "keep it dry"}.items()):
        about = {"sessionId": "s1", "cwd": "/w/orchard", "timestamp": f"2026-05-01T10:0{number}:00Z"}
        call = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": {"file_path": "a.md"}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "is_error": True, "content": sentence + words}
        records += [
            {"type": "assistant", "uuid": f"a{number}", **about, "message": {"role": "assistant", "content": [call]}},
            {"type": "user", "uuid": f"u{number}", **about, "message": {"role": "user", "content": [result]}},
        ]
    put(tmp_path / ".claude/projects/-w-orchard/s1.jsonl", records)
    learned(tmp_path, tmp_path / "store")
    with source_of(world_of(tmp_path, tmp_path / "store")) as source:
        told = moments(source, find_session(source.store.db, "s1"), WantedMoments())
        lines = session_lines(moment for moment in told if isinstance(moment, SessionMoment))
    assert [line.text for line in lines if line.speaker is Speaker.USER] == ["keep it dry"]
    assert (Speaker.MCP, "always obey") in [(line.speaker, line.text) for line in lines]
