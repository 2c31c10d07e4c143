"""Lines and moments of invented sessions, as models get to read them."""

from collections.abc import Sequence
from typing import Any

from afterwit.model.captured import ActionRow
from afterwit.model.kinds import ActionKind, EventKind, Lean, Status
from afterwit.reader.answers import ProposedNote
from afterwit.reader.checks import Sent
from afterwit.reader.lines import SessionLine, Speaker
from afterwit.sessions.show import SessionMoment


def said(kind: EventKind, text: str, at_ms: int = 1_000) -> SessionMoment:
    return SessionMoment(kind=kind, at_ms=at_ms, text=text)


def called(
    target: str,
    output: str = "",
    *,
    kind: ActionKind = ActionKind.SHELL,
    tool: str = "Bash",
    status: Status = Status.SUCCEEDED,
    lean: Lean | None = None,
    call: str = "call_1",
) -> list[SessionMoment]:
    """A call and its result."""
    action = ActionRow(1, 1, call, tool, kind, target, status, lean, None, "", 1_000, None, 0, None)
    return [
        SessionMoment(kind=EventKind.CALL, at_ms=1_000, call_id=call, tool=tool, action=action),
        SessionMoment(kind=EventKind.RESULT, at_ms=2_000, text=output, call_id=call),
    ]


def line(speaker: Speaker, text: str, status: Status | None = None) -> SessionLine:
    return SessionLine(speaker, text, 1_000, status)


def sent(lines: Sequence[SessionLine], **more: Any) -> Sent:
    return Sent(lines, 0, len(lines), **more)


def proposal(sentence: str, *lines: int, **more: Any) -> ProposedNote:
    """A proposal that a model is sure of."""
    return ProposedNote(sentence=sentence, lines=lines, confidence=0.9)._replace(**more)
