from pathlib import PurePosixPath

from tests.agents.transcripts import events, facts, fixture, known_reader, read, spends, texts, unknown

from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Facts, Result, Usage

SESSION = "1777629600000_a1b2"
PATH = f"sessions/{SESSION}/{SESSION}.messages.json"


def test_a_session_is_read_in_order() -> None:
    readings = read("cline-cli", PATH, fixture("cline_cli", "session.json"))
    assert texts(readings, EventKind.PROMPT) == ["Make the build pass", "and the tests?"]
    assert [each.result for each in events(readings, EventKind.RESULT)] == [Result(is_error=True, exit_code=2)]
    assert unknown("cline-cli", PATH, fixture("cline_cli", "session.json")) == {"chorus": 1}


def test_a_message_states_what_it_used() -> None:
    (spend,) = spends(read("cline-cli", PATH, fixture("cline_cli", "session.json")))
    assert (spend.model, spend.usage, spend.cost_usd) == ("claude-opus-4-8", Usage(12, 4000, 100, 90), 0.004)


def test_the_manifest_says_what_the_session_is() -> None:
    manifest = {
        "session_id": SESSION,
        "cwd": "/w/app",
        "started_at": "2026-05-01T10:00:00Z",
        "metadata": {"title": "Mend the build"},
        "parent_session_id": "1777629500000_c3d4",
        "source": "cli",
    }
    data = fixture("cline_cli", "session.json")
    assert facts(read("cline-cli", PATH, data, {f"{SESSION}.json": manifest})) == [
        Facts(
            session=SESSION,
            at_ms=1_777_629_600_000,
            cwd="/w/app",
            title="Mend the build",
            parent="1777629500000_c3d4",
            relation=Relation.SUBAGENT,
            version="3.0.65",
            origin="cli",
        )
    ]
    assert facts(read("cline-cli", PATH, data)) == [Facts(session=SESSION, version="3.0.65")]


def test_commands_that_run_together_are_one_script_with_one_result() -> None:
    readings = read("cline-cli", PATH, fixture("cline_cli", "session.json"))
    (call,), (result,) = events(readings, EventKind.CALL), events(readings, EventKind.RESULT)
    assert call.arguments == {"commands": ["make", "ls"], "command": "make\nls"}
    assert result.text.splitlines()[-2:] == ["no rule to make target", "Makefile"]


def test_the_manifest_belongs_to_the_messages() -> None:
    manifest = PurePosixPath(f"sessions/{SESSION}/{SESSION}.json")
    assert known_reader("cline-cli").primary(manifest) == PurePosixPath(PATH)
    assert known_reader("cline-cli").primary(PurePosixPath("settings/config.json")) is None
