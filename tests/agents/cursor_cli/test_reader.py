from tests.agents.transcripts import events, facts, fixture, read, texts, unknown

from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Facts

FOLDER = "projects/w-app/agent-transcripts"
PATH = f"{FOLDER}/0a1b2c3d/0a1b2c3d.jsonl"


def test_a_persons_words_are_told_from_what_was_injected_around_them() -> None:
    readings = read("cursor-cli", PATH, fixture("cursor_cli", "transcript.jsonl"))
    assert texts(readings, EventKind.PROMPT) == ["Make the build pass", "and the tests?"]
    assert [text.splitlines()[0] for text in texts(readings, EventKind.NOTICE)] == [
        "<open_and_recently_viewed_files>",
        "<system_notification>",
    ]
    assert unknown("cursor-cli", PATH, fixture("cursor_cli", "transcript.jsonl")) == {}


def test_calls_without_ids_are_told_apart() -> None:
    calls = events(read("cursor-cli", PATH, fixture("cursor_cli", "transcript.jsonl")), EventKind.CALL)
    assert [call.tool for call in calls] == ["Shell", "Read", "StrReplace", "Task"]
    assert len({call.call_id for call in calls}) == 4


def test_a_subagent_knows_its_parent_and_has_no_prompts() -> None:
    path = f"{FOLDER}/0a1b2c3d/subagents/9f8e7d6c.jsonl"
    readings = read("cursor-cli", path, fixture("cursor_cli", "subagent.jsonl"))
    assert facts(readings) == [Facts(session="9f8e7d6c", parent="0a1b2c3d", relation=Relation.SUBAGENT)]
    assert texts(readings, EventKind.NOTICE) == ["Run the tests and say what fails."]


def test_a_plain_text_is_cut_at_its_markers() -> None:
    readings = read("cursor-cli", f"{FOLDER}/4d5e6f70.txt", fixture("cursor_cli", "plain.txt"))
    behind_an_output = "<attached_files>\nmain.c\n</attached_files>\n<user_query>go on</user_query>"
    assert [(each.kind, each.text or each.tool) for each in events(readings)] == [
        (EventKind.PROMPT, "Make the build pass"),
        (EventKind.THOUGHT, "The makefile comes first."),
        (EventKind.REPLY, "I look at it."),
        (EventKind.CALL, "Shell"),
        (EventKind.RESULT, "There is no rule."),
        (EventKind.CALL, "Read"),
        (EventKind.REPLY, f"It needs a target — all.\n\nuser:\n{behind_an_output}"),
        (EventKind.NOTICE, "The budget is nearly used up."),
        (EventKind.RESULT, "build:\nDone."),
    ]


def test_a_plain_result_answers_the_oldest_open_call_of_its_tool() -> None:
    text = b"[Tool call] A\n  x: 1\n[Tool call] B\n[Tool call] A\n[Tool result] A\none\n[Tool result] A\ntwo\n"
    readings = read("cursor-cli", f"{FOLDER}/4d5e6f70.txt", text)
    calls, results = events(readings, EventKind.CALL), events(readings, EventKind.RESULT)
    assert [each.call_id for each in results] == [calls[0].call_id, calls[2].call_id]


def test_arguments_of_a_plain_call_can_have_many_lines() -> None:
    text = b"[Tool call] Write\n  path: a.c\n  contents: int main\n    (void);\n\n"
    (call,) = events(read("cursor-cli", f"{FOLDER}/4d5e6f70.txt", text))
    assert call.arguments == {"path": "a.c", "contents": "int main\n    (void);"}
