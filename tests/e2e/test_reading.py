"""The command lines of agents read sessions for us, apart from all that is the user's."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.clients import CLIENTS
from tests.e2e.history import PLANTED
from tests.e2e.install import obstacle
from tests.e2e.reader import NOTHING, SESSIONS, Reader, reading

from afterwit.redaction.markers import READING

pytestmark = pytest.mark.e2e

READERS = [client for client in CLIENTS if client.name in ("claude-code", "codex", "gemini")]
SECRET = "the gate opens with 4711"
MOST_AROUND = 6_000  # characters that a client adds to what we send, its own schema and ids included


@pytest.fixture(params=READERS, ids=[client.label for client in READERS])
def reader(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reader]:
    if reason := obstacle(request.param):
        pytest.skip(reason)
    with reading(request.param, tmp_path) as prepared:
        yield prepared


def test_five_sessions_are_read_and_nothing_of_that_is_learned_or_noted(reader: Reader) -> None:
    logs, spooled = reader.logs(), reader.spooled()
    run = reader.read()
    assert (run["sessions"], run["failed"]) == (SESSIONS, [])
    assert (run["tokens_in"], run["tokens_out"]) == (100 * SESSIONS, 20 * SESSIONS)
    assert len(reader.server.requests) == SESSIONS
    reader.must_end()
    assert (reader.logs(), reader.spooled()) == (logs, spooled)
    assert [path.name for path in (reader.store / "reading").rglob("*")] == ["work"]
    reader.afterwit("learn")
    listed = reader.asked("sessions", "list", "--limit", "0")["sessions"]
    assert len(listed) == SESSIONS
    assert all(session["native_id"].startswith(PLANTED) for session in listed)


def test_a_request_holds_our_text_and_little_else(reader: Reader) -> None:
    (reader.home / ".claude").mkdir(exist_ok=True)
    (reader.home / ".claude/CLAUDE.md").write_text("Answer in verse.\n", encoding="utf-8")
    (reader.home / ".gemini").mkdir(exist_ok=True)
    (reader.home / ".gemini/GEMINI.md").write_text("Answer in verse.\n", encoding="utf-8")
    reader.read()
    prompt = reader.asked("read", "--prompt")["text"]
    for asked in reader.server.requests:
        ours = asked.text[asked.text.index(READING) :]
        assert prompt.strip()[:200] in asked.text
        assert "fence make test" in ours
        assert "Answer in verse" not in asked.text
        assert len(asked.text) - len(ours) - len(prompt) < MOST_AROUND
        assert not {"Bash", "exec_command", "shell", "run_shell_command", "Read", "read_file"} & {*asked.tools}


def test_a_session_that_names_a_file_does_not_have_it_sent(reader: Reader) -> None:
    secret = reader.home / "secret.txt"
    secret.write_text(SECRET, encoding="utf-8")
    for log in reader.home.glob(".claude/projects/*/*.jsonl"):
        told = log.read_text(encoding="utf-8")
        names = f"Done. See @{secret} and @~/secret.txt and @../../../../../secret.txt"
        log.write_text(told.replace('"text": "Done."', f'"text": "{names}"'), encoding="utf-8")
    reader.afterwit("learn")
    reader.read()
    assert any("secret.txt" in asked.text for asked in reader.server.requests)
    assert not any(SECRET in asked.text for asked in reader.server.requests)


def test_a_kill_in_the_middle_loses_nothing_doubles_nothing_and_leaves_no_process(reader: Reader) -> None:
    reader.read_and_kill()
    asked = reader.asked("read", "--plan", "--with", reader.client.name)["asked"]
    assert 1 <= asked < SESSIONS
    reader.server.play(NOTHING)
    again = reader.read()
    later = reader.read(is_later=True)
    assert (again["sessions"], later["sessions"]) == (SESSIONS - asked, asked)
    assert (again["failed"], later["failed"], len(reader.server.requests)) == ([], [], SESSIONS)
    listed = reader.asked("read", "--plan", "--with", reader.client.name)
    assert (listed["waiting"], listed["asked"], listed["read"]) == (0, 0, SESSIONS)
    assert [path.name for path in (reader.store / "reading").rglob("*")] == ["work"]
