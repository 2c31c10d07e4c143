from pathlib import PurePosixPath

import pytest
from tests.agents.transcripts import events, facts, fixture, known_reader, lines, read, spends, texts, unknown

from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Facts, Result, Usage

SESSION = "5f1d0c3e-0000-4000-8000-000000000001"
PATH = f"sessions/-w-app/{SESSION}.jsonl"


def test_a_session_is_read_in_order() -> None:
    readings = read("droid", PATH, fixture("droid", "session.jsonl"))
    assert texts(readings, EventKind.PROMPT) == ["Make the build pass", "[image]\ngo on"]
    assert texts(readings, EventKind.THOUGHT, EventKind.REPLY) == [
        "The makefile comes first.",
        "I look at the makefile.",
    ]
    assert [call.tool for call in events(readings, EventKind.CALL)] == ["Execute", "Read", "Edit"]
    assert unknown("droid", PATH, fixture("droid", "session.jsonl")) == {}


def test_what_nobody_typed_is_a_notice() -> None:
    notices = texts(read("droid", PATH, fixture("droid", "session.jsonl")), EventKind.NOTICE)
    assert notices[1:] == [
        "<system-reminder>The tree is clean.</system-reminder>",
        "the hook says: lint is missing",
        "Nightly check",
    ]


def test_results_say_how_their_calls_ended() -> None:
    results = events(read("droid", PATH, fixture("droid", "session.jsonl")), EventKind.RESULT)
    assert [each.result for each in results] == [
        Result(is_error=True, exit_code=2),
        Result(is_error=False),
        Result(is_error=True, is_cancelled=True),
    ]


def test_turns_that_were_stopped_or_failed_and_compactions_are_told() -> None:
    readings = read("droid", PATH, fixture("droid", "session.jsonl"))
    assert len(events(readings, EventKind.INTERRUPT)) == 1
    assert texts(readings, EventKind.MODEL_ERROR) == ["error"]
    assert texts(readings, EventKind.COMPACTION) == ["The makefile has no target all."]


def test_the_first_line_says_what_the_session_is() -> None:
    assert facts(read("droid", PATH, fixture("droid", "session.jsonl"))) == [
        Facts(session=SESSION, at_ms=1_777_629_600_000, cwd="/w/app", title="Mend the build", is_title_manual=True)
    ]


def test_the_settings_beside_state_the_tokens_of_the_whole_session() -> None:
    used = {
        "inputTokens": 70,
        "outputTokens": 40,
        "cacheCreationTokens": 5,
        "cacheReadTokens": 900,
        "thinkingTokens": 8,
    }
    settings = {"model": "claude-opus-4-8", "tokenUsage": used}
    readings = read("droid", PATH, fixture("droid", "session.jsonl"), {f"{SESSION}.settings.json": settings})
    assert [(each.model, each.usage) for each in spends(readings)] == [("claude-opus-4-8", Usage(70, 900, 5, 40, 8))]
    for damaged in (b"{", b"[]", b"", {"tokenUsage": "many"}):
        assert not spends(read("droid", PATH, lines({}), {f"{SESSION}.settings.json": damaged}))


def test_a_session_that_an_agent_started_has_a_parent_and_no_prompts() -> None:
    readings = read("droid", PATH, fixture("droid", "delegated.jsonl"))
    (about,) = facts(readings)
    assert (about.parent, about.relation, about.parent_call) == (SESSION, Relation.SUBAGENT, "toolu_09ABCDEFGHIJKLMN")
    assert about.title == ""
    assert not events(readings, EventKind.PROMPT)


def test_a_fork_has_a_parent_and_prompts() -> None:
    readings = read("droid", "sessions/0a1b.jsonl", fixture("droid", "flat.jsonl"))
    assert (facts(readings)[0].parent, facts(readings)[0].relation) == (SESSION, Relation.FORK)
    assert texts(readings, EventKind.PROMPT) == ["What does main.c do?"]


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        (PATH, PATH),
        (f"sessions/-w-app/{SESSION}.settings.json", PATH),
        ("sessions/a/b/c.jsonl", None),
        ("x.jsonl", None),
    ],
)
def test_settings_belong_to_their_session(path: str, owner: str | None) -> None:
    assert known_reader("droid").primary(PurePosixPath(path)) == (PurePosixPath(owner) if owner else None)
