from pathlib import PurePosixPath

from tests.agents.transcripts import read_fixture

from afterwit.agents.pi.reader import OpenClawReader
from afterwit.model.kinds import EventKind

READER = OpenClawReader()
SESSION = PurePosixPath("agents/main/sessions/a-1.jsonl")


def test_checkpoints_belong_to_their_session() -> None:
    assert READER.primary(SESSION) == SESSION
    assert READER.primary(SESSION.with_name("a-1.checkpoint.7.jsonl")) == SESSION
    assert READER.primary(SESSION.with_name("sessions.json")) is None
    assert READER.primary(SESSION.with_name("a-1.jsonl.deleted.2026")) is None


def test_only_what_came_from_outside_is_a_prompt() -> None:
    transcript = read_fixture(READER, "openclaw", "session.jsonl")
    assert transcript.texts(EventKind.PROMPT) == ["Is the backup there?"]
    assert transcript.texts(EventKind.NOTICE) == ["Another session asks for a report", "It is there."]
    assert transcript.texts(EventKind.REPLY) == []
    assert not transcript.reading.unknown


def test_a_command_in_the_background_is_running() -> None:
    result = read_fixture(READER, "openclaw", "session.jsonl").result("toolu_1").result
    assert result is not None
    assert result.running_as == "brisk-cove"
