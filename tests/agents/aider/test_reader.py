import pytest
from tests.agents.transcripts import events, facts, fixture, read, spends, texts

from afterwit.model.kinds import EventKind
from afterwit.model.readings import Facts, Result, Usage

PATH = "work/app/.aider.chat.history.md"
FIRST, SECOND = "work/app@2026-05-01T10:00:00", "work/app@2026-05-02T09:30:00"


def test_every_launch_is_a_session() -> None:
    found = facts(read("aider", PATH, fixture("aider", "history.md")))
    assert found == [
        Facts(session=FIRST, at_ms=1_777_629_600_000),
        Facts(session=FIRST, version="0.86.1"),
        Facts(session=SECOND, at_ms=1_777_714_200_000),
        Facts(session=SECOND, version="0.86.1"),
        Facts(session=f"{SECOND}#2", at_ms=1_777_714_200_000),
    ]


def test_what_people_typed_is_told_from_orders_to_the_program() -> None:
    readings = read("aider", PATH, fixture("aider", "history.md"))
    assert texts(readings, EventKind.PROMPT) == [
        "Make the build pass\nand keep it short",
        "/ask why did it fail?",
        "tidy up",
        "once more",
    ]
    assert "/add Makefile" in texts(readings, EventKind.NOTICE)


def test_marks_inside_of_code_are_content() -> None:
    reply = texts(read("aider", PATH, fixture("aider", "history.md")), EventKind.REPLY)[0]
    assert "#### not typed\n> not said" in reply
    assert reply.endswith("Then run it.")


def test_a_fence_that_was_never_closed_ends_with_the_launch() -> None:
    launch = b"# aider chat started at 2026-05-01 10:00:00\n\n"
    data = launch + b"```\n#### x\n\n" + launch + b"#### y\n"
    assert texts(read("aider", PATH, data), EventKind.PROMPT) == ["y"]


def test_edits_and_commands_are_calls() -> None:
    readings = read("aider", PATH, fixture("aider", "history.md"))
    assert [(call.tool, call.arguments) for call in events(readings, EventKind.CALL)] == [
        ("edit", {"path": "Makefile"}),
        ("run", {"command": "make"}),
        ("edit", {"path": "src/main.c"}),
    ]
    assert [each.result for each in events(readings, EventKind.RESULT)] == [
        Result(is_error=False),
        Result(is_error=True),
    ]


def test_interrupts_and_failures_of_the_model_are_told() -> None:
    readings = read("aider", PATH, fixture("aider", "history.md"))
    assert len(events(readings, EventKind.INTERRUPT)) == 1
    assert texts(readings, EventKind.MODEL_ERROR) == ["litellm.RateLimitError: too many requests"]


def test_tokens_and_cost_of_each_message_count() -> None:
    first, second = spends(read("aider", PATH, fixture("aider", "history.md")))
    assert (first.model, first.usage, first.cost_usd) == (
        "anthropic/claude-sonnet-4",
        Usage(6000, 2500, 1100, 328),
        0.003,
    )
    assert (second.model, second.usage, second.cost_usd) == ("gpt-5-mini", Usage(10_000, 0, 0, 1200), None)


@pytest.mark.parametrize(
    ("line", "usage"),
    [
        ("Tokens: 850 sent, 12 received.", Usage(850, 0, 0, 12)),
        ("Tokens: 1.2M sent, 1,024 received. Cost: $1.20 message, $2 session.", Usage(1_200_000, 0, 0, 1024)),
    ],
)
def test_figures_are_rounded_in_the_log(line: str, usage: Usage) -> None:
    log = f"# aider chat started at 2026-05-01 10:00:00\n\n> {line}\n> Tokens: many\n"
    assert [spend.usage for spend in spends(read("aider", ".aider.chat.history.md", log.encode()))] == [usage]


def test_a_history_at_the_top_has_a_name_too() -> None:
    assert events(read("aider", ".aider.chat.history.md", b"#### hello\n"))[0].session == "aider@0"
