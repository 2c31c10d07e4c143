"""Skills that a person calls are noted from what the client writes about them; the client's own commands are not."""

import pytest

from afterwit.capture.assembly.notes import of_notice
from afterwit.model.captured import PartFacts
from afterwit.model.kinds import EventKind, NoteKind
from afterwit.model.readings import Event
from afterwit.redaction.redaction import Redactor

PATH = "/srv/.agents/skills/press/SKILL.md"


def noted(text: str) -> list[tuple[NoteKind, str]]:
    event = Event(session="s", kind=EventKind.NOTICE, offset=0, length=1, text=text)
    return [(note.kind, note.text) for note in of_notice(0, PartFacts(native_id="s"), event, Redactor(b"key"))]


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("<command-message>press</command-message>\n<command-name>/press</command-name>", "press"),
        ("<command-message>press is running…</command-message>\n<command-name>press</command-name>", "press"),
        (f"<skill>\n<name>press</name>\n<path>{PATH}</path>\n---\nname: press", PATH),
        ("<skill><name>press</name>\n---", "press"),
    ],
)
def test_what_a_person_calls_is_noted(text: str, called: str) -> None:
    assert noted(text) == [(NoteKind.SKILL, called)]


@pytest.mark.parametrize(
    "text",
    [
        "<command-name>/clear</command-name>\n<command-message>clear</command-message>",
        "<skills_instructions>press</skills_instructions>",
        "Look at <skill><name>press</name>",
    ],
)
def test_what_the_client_says_of_itself_is_not(text: str) -> None:
    assert noted(text) == []
