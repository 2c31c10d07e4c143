from pathlib import PurePosixPath

import msgspec
import pytest
from tests.agents.transcripts import events, facts, fixture, known_reader, read, spends, texts, unknown

from afterwit.agents.cline.reader import tagged_calls
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Facts, Result, Usage

SESSION = "1777629600000"
PATH = f"tasks/{SESSION}/api_conversation_history.json"


def test_a_persons_words_are_told_from_results_and_from_what_the_editor_shows() -> None:
    readings = read("cline", PATH, fixture("cline", "native.json"))
    assert texts(readings, EventKind.PROMPT) == ["Make the build pass", "and the tests?"]
    assert unknown("cline", PATH, fixture("cline", "native.json")) == {"chorus": 1}


def test_results_that_come_as_texts_answer_the_open_call_of_their_tool() -> None:
    results = events(read("cline", PATH, fixture("cline", "native.json")), EventKind.RESULT)
    assert [(each.call_id[6:8], each.text.splitlines()[0], each.result) for each in results] == [
        ("01", "build:", Result()),
        ("02", "Command executed with exit code 2.", Result(is_error=True, exit_code=2)),
        (
            "03",
            "The user denied this operation and provided the following feedback:",
            Result(is_denied=True, said="keep build as it is", is_worded=True),
        ),
        ("04", "[ERROR] The tool execution failed with the following error:", Result(is_error=True)),
    ]


def test_calls_in_tags_are_read_with_their_arguments() -> None:
    readings = read("cline", PATH, fixture("cline", "tagged.json"))
    assert [(each.tool, each.arguments) for each in events(readings, EventKind.CALL)] == [
        ("read_file", {"path": "main.c"}),
        ("execute_command", {"command": "find . -name main.c", "requires_approval": "false"}),
        ("attempt_completion", {"result": "It adds two numbers."}),
    ]
    assert texts(readings, EventKind.THOUGHT, EventKind.REPLY) == ["I must read it.", "I read the file."]
    calls, results = events(readings, EventKind.CALL), events(readings, EventKind.RESULT)
    assert [each.call_id for each in results] == [each.call_id for each in calls]


def test_tags_of_no_tool_and_calls_that_were_cut_off_are_text() -> None:
    text = "<b>bold</b> <read_file><path>a.c</path>"
    assert tagged_calls(text) == ([], text)


def test_the_screen_states_what_each_request_used() -> None:
    said = {"tokensIn": 12, "tokensOut": 90, "cacheReads": 4000, "cacheWrites": 7, "cost": 0.004}
    shown = [
        {"ts": 1777629602000, "type": "say", "say": "api_req_started", "text": msgspec.json.encode(said).decode()},
        {"ts": 1777629603000, "type": "say", "say": "api_req_started", "text": "no json"},
        {"ts": 1777629604000, "type": "say", "say": "text", "text": "hello"},
    ]
    (spend,) = spends(read("cline", PATH, fixture("cline", "native.json"), {"ui_messages.json": shown}))
    assert (spend.model, spend.usage, spend.cost_usd) == ("claude-opus-4-8", Usage(12, 4000, 7, 90), 0.004)


def test_without_the_screen_a_message_states_its_own_request() -> None:
    (spend,) = spends(read("cline", PATH, fixture("cline", "native.json")))
    assert (spend.model, spend.usage) == ("claude-opus-4-8", Usage(12, 4000, 0, 90))


def test_the_editor_shows_where_the_task_ran() -> None:
    assert facts(read("cline", PATH, fixture("cline", "native.json"))) == [
        Facts(session=SESSION, at_ms=1_777_629_600_000, cwd="/w/app")
    ]
    assert facts(read("cline", PATH, fixture("cline", "tagged.json")))[0].cwd == "C:\\w\\app"


def test_roo_says_where_a_task_ran_and_who_started_it() -> None:
    about = {"id": SESSION, "workspace": "/w/roo", "parentTaskId": "1777629500000", "mode": "code"}
    (found,) = facts(read("roo", PATH, fixture("cline", "native.json"), {"history_item.json": about}))
    assert (found.cwd, found.parent, found.relation) == ("/w/roo", "1777629500000", Relation.SUBAGENT)
    assert known_reader("roo").agent == "roo"


def test_a_history_that_was_cut_keeps_the_keys_of_its_messages() -> None:
    messages = msgspec.json.decode(fixture("cline", "native.json"))
    whole = events(read("cline", PATH, msgspec.json.encode(messages)), EventKind.PROMPT)
    cut = events(read("cline", PATH, msgspec.json.encode(messages[4:])), EventKind.PROMPT)
    assert [each.key for each in cut] == [each.key for each in whole][1:]
    assert len({each.key for each in whole} - {""}) == 2


@pytest.mark.parametrize("name", ["ui_messages.json", "history_item.json"])
def test_files_beside_belong_to_the_conversation(name: str) -> None:
    assert known_reader("cline").primary(PurePosixPath(f"tasks/1/{name}")) == PurePosixPath(
        "tasks/1/api_conversation_history.json"
    )
