import pytest
from tests.agents.transcripts import events, facts, fixture, read, spends, texts, unknown

from afterwit.agents.amp.reader import output_of, result_of
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Facts, Result, Usage

SESSION = "T-0a1b2c3d-0000-4000-8000-000000000001"
PATH = f"threads/{SESSION}.json"


def test_a_thread_is_read_in_order() -> None:
    readings = read("amp", PATH, fixture("amp", "thread.json"))
    assert texts(readings, EventKind.PROMPT) == ["Make the build pass", "stop, look at main.c\n[image]"]
    assert [call.tool for call in events(readings, EventKind.CALL)] == [
        "Bash",
        "Read",
        "edit_file",
        "Grep",
        "web_search",
    ]
    assert unknown("amp", PATH, fixture("amp", "thread.json")) == {"chorus": 1}


def test_results_have_the_state_of_their_run() -> None:
    results = events(read("amp", PATH, fixture("amp", "thread.json")), EventKind.RESULT)
    assert [(each.text, each.result) for each in results] == [
        ("no rule to make target", Result(is_error=True, exit_code=2)),
        ("1: build:", Result(is_error=False)),
        ("not this file", Result(is_denied=True, said="not this file")),
        ("the pattern is not valid", Result(is_error=True)),
        ("", Result(is_cancelled=True)),
    ]


@pytest.mark.parametrize(
    ("run", "text"),
    [
        ({"result": "plain"}, "plain"),
        ({"result": {"files": ["a.c"]}}, '{"files":["a.c"]}'),
        ({}, ""),
        ({"result": 5}, ""),
    ],
)
def test_a_result_of_any_shape_has_a_text(run: dict[str, object], text: str) -> None:
    assert output_of(run) == text


def test_a_run_that_goes_on_has_not_ended() -> None:
    assert result_of({"status": "in-progress"}, None) == Result(is_running=True)


def test_stopped_and_failed_messages_are_told() -> None:
    readings = read("amp", PATH, fixture("amp", "thread.json"))
    assert len(events(readings, EventKind.INTERRUPT)) == 1
    assert texts(readings, EventKind.MODEL_ERROR) == ["overloaded"]


def test_a_thread_says_where_it_ran_and_what_it_used() -> None:
    readings = read("amp", PATH, fixture("amp", "thread.json"))
    assert facts(readings) == [
        Facts(
            session=SESSION,
            at_ms=1_777_629_600_000,
            cwd="/w/my app",
            branch="main",
            remote="https://example.org/w/app.git",
            version="0.0.1777600000-g0a1b2c",
            title="Mend the build",
            origin="CLI",
        )
    ]
    assert [(each.model, each.usage) for each in spends(readings)] == [("claude-opus-4-8", Usage(9, 8000, 1200, 310))]


@pytest.mark.parametrize(
    ("uri", "cwd"),
    [(b"file:///C:/w/app", "C:/w/app"), (b"vscode-remote://x/w", ""), (b"http://[", "")],
)
def test_only_a_folder_of_this_machine_is_a_place(uri: bytes, cwd: str) -> None:
    data = fixture("amp", "thread.json").replace(b"file:///w/my%20app", uri)
    assert facts(read("amp", PATH, data))[0].cwd == cwd


def test_messages_are_known_again_by_their_numbers() -> None:
    prompts = events(read("amp", PATH, fixture("amp", "thread.json")), EventKind.PROMPT)
    assert [each.key for each in prompts] == [f"prompt:{SESSION}:0", f"prompt:{SESSION}:4"]
