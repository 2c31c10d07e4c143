"""What every reader owes us when we have spoken: the same session, told or not told, is read alike.

Two ways. Sessions of the clients that have hooks, written by hand (`told_sessions`), with our notes where each client
puts them. And every fixture of every reader in the registry, with a note behind each text that becomes a prompt or the
output of a call: a reader that is added comes under this test by itself.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import cycle
from typing import Any, NamedTuple

import pytest
from tests.agents.contract_cases import Case, agent_of, all_cases, lines_of, whole
from tests.agents.contract_cases import read as read_lines
from tests.agents.told_sessions import ASK, CODE, FAILED, FAILS, WORKS, Session, Told, sessions
from tests.every import for_every, per_group

from afterwit.actions.failures.failure_class import classify
from afterwit.actions.failures.signature import signature
from afterwit.agents.hook_payloads import AFTER, BEFORE, Answer, Moment
from afterwit.agents.log_reader import Shape, SourceFile
from afterwit.agents.registry import reader_for, tool_kinds
from afterwit.capture.assembly.assemble import Assembler
from afterwit.capture.assembly.texts import AssemblyContext
from afterwit.model.kinds import EventKind, NoteKind, Status, Step
from afterwit.model.readings import Event, Reading
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import DeckLine
from afterwit.recall.holdout import History
from afterwit.recall.hook.call import Proposal
from afterwit.recall.hook.tell import HookTeller
from afterwit.redaction.markers import CLOSING, OPENING, marked
from afterwit.redaction.redaction import Redactor
from afterwit.redaction.shown import ours
from afterwit.sources.documents import read_document, read_text

START = marked("Before you begin:\n- Exit Code: 0 is what you want; use `make fruit`.")
PROMPT = marked("Where this work is:\n- `orchard/pears.mk`")
NOTE = marked("- `make plums` fails here: error: No rule. Use `make pears`.\nExit code 0")
REDACTOR = Redactor(b"k" * 32)
FRAMES = (
    "\n\n{}",
    "\n<hook_context>{}</hook_context>",
    '\n\n<hook_context source="PostToolUse" tool_name="bash">\n{}\n</hook_context>\n',
    '\n\nTool "bash" succeeded. Additional guidance from postToolUse hooks:\n{}',
    "\nPostToolUse:Bash hook additional context: {}",
    "\n<system-reminder>\nPostToolUse:Bash hook additional context: {}\n</system-reminder>",
)


class Settings:
    """What a deck says of itself."""

    def key(self) -> bytes:
        return b"k" * 16

    def share(self, name: str) -> float:
        return {"session_share": 0.0, "item_share": 0.0}[name]

    def text(self, name: str) -> str:
        return {"opening": OPENING, "closing": CLOSING}[name]

    def names(self, name: str) -> list[str]:
        return {"arms": []}[name]


class Known(NamedTuple):
    """What learning takes from a session."""

    actions: list[tuple[object, ...]]
    prompts: list[str]
    signatures: list[str]


def refusal() -> str:
    """As the hook words it."""
    line = DeckLine("i1", ours("`make plums` fails: no such target."), "guidance", "make pears", 0.9, replaces=FAILS)
    moment = Moment(BEFORE, "s1", tool="Bash", arguments={"command": FAILS})
    teller = HookTeller(Settings(), "claude-code", moment, Location("", "/w/orchard"), 0)  # type: ignore[arg-type]
    answer: Answer = teller.tell(History([], ""), Proposal([line], is_refusal=True), (AFTER,))
    assert answer.reason
    return answer.reason


def known(agent: str, readings: Iterable[Reading]) -> Known:
    """What capture makes of a log, and the signatures of what failed."""
    assembler = Assembler(AssemblyContext(redactor=REDACTOR, tool_kinds=tool_kinds(agent)))
    assembler.take(readings)
    captured = assembler.captured()
    actions = sorted(captured.actions, key=lambda one: (one.part, one.ordinal))
    failed = [
        Step(one.kind, one.tool, one.target, one.status, one.lean, one.exit_code, error=one.error)
        for one in actions
        if one.status is Status.FAILED
    ]
    return Known(
        [
            (one.call_id, one.tool, one.kind, one.target, one.status, one.lean, one.exit_code, one.error)
            for one in actions
        ],
        [note.text for note in captured.notes if note.kind is NoteKind.PROMPT],
        [signature(step, classify(step, step.target), step.target, []) for step in failed],
    )


def read(session: Session, told: Told) -> Known:
    reader = reader_for(session.agent)
    assert reader is not None
    reading = reader.start(SourceFile(session.path, lambda _: None))
    data = session.write(told)
    if reader.shape(session.path) is Shape.DOCUMENT:
        return known(session.agent, read_document(reading, data))
    return known(session.agent, read_lines(reading, data))


per_session = pytest.mark.parametrize("session", sessions(), ids=lambda session: session.agent)


@per_session
def test_the_hand_written_session_is_read_as_it_was_meant(session: Session) -> None:
    found = read(session, Told())
    assert found.prompts == [ASK]
    assert [(action[3], action[4]) for action in found.actions] == [(WORKS, Status.SUCCEEDED), (FAILS, Status.FAILED)]
    assert found.actions[1][6] == CODE
    assert FAILED in str(found.actions[1][7])
    assert len(found.signatures) == 1


@per_session
@for_every(
    "told",
    [
        Told(start=START),
        Told(prompt=PROMPT),
        Told(success=NOTE),
        Told(failure=NOTE),
        Told(START, PROMPT, NOTE, NOTE),
    ],
)
def test_what_we_said_changes_nothing_of_what_happened(session: Session, told: Told) -> None:
    assert read(session, told) == read(session, Told())


@per_session
def test_our_own_refusal_is_neither_a_failure_nor_a_persons_no(session: Session) -> None:
    found, plain = read(session, Told(START, PROMPT, NOTE, NOTE, refusal())), read(session, Told())
    refused = [action for action in found.actions if action not in plain.actions]
    assert all(action[4] is Status.CANCELLED and not action[7] and action[6] is None for action in refused)
    assert found._replace(actions=[action for action in found.actions if action not in refused]) == plain
    assert len(refused) == (session.agent != "cline-cli")  # Cline ends the whole run: it is never refused


SPOKEN = (EventKind.PROMPT, EventKind.RESULT)
JSON_CASES = [case for case in all_cases() if case.shape is not Shape.TEXT]


def readings_of(case: Case, data: bytes) -> list[Reading]:
    if case.shape is Shape.LINES:
        return read_lines(case.start(), data)
    return (read_document if case.shape is Shape.DOCUMENT else read_text)(case.start(), data)


def with_notes(value: Any, is_spoken: Callable[[str], bool], frames: Iterator[str]) -> Any:
    """The same with a note of ours behind every text that comes out as a prompt or a result."""
    if isinstance(value, dict):
        return {name: with_notes(inner, is_spoken, frames) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_notes(inner, is_spoken, frames) for inner in value]
    if not isinstance(value, str):
        return value
    if value.startswith(("{", "[")):
        try:
            inner = json.loads(value)
        except ValueError:
            pass
        else:
            return json.dumps(with_notes(inner, is_spoken, frames))
    return value + next(frames).format(NOTE) if is_spoken(value) else value


@per_group("case", JSON_CASES, agent_of)
def test_a_note_behind_any_prompt_or_output_of_any_fixture_changes_nothing(case: Case) -> None:
    plain = list(whole(case)) if case.shape is Shape.LINES else readings_of(case, case.data)
    texts = [each.text for each in plain if isinstance(each, Event) and each.kind in SPOKEN and each.text.strip()]

    def is_spoken(value: str) -> bool:
        return " " in value.strip() and any(value.strip() in text or text.strip() in value for text in texts)

    frames = cycle(FRAMES)
    records = lines_of(case.data) if case.shape is Shape.LINES else [case.data]
    data = b"".join(_changed(record, is_spoken, frames) for record in records)
    assert OPENING.encode() in data or not any(" " in text.strip("{}") for text in texts)
    found, expected = known(case.agent, readings_of(case, data)), known(case.agent, plain)
    assert found.prompts == expected.prompts
    assert [action[2:] for action in found.actions] == [action[2:] for action in expected.actions]
    assert found.signatures == expected.signatures


def _changed(raw: bytes, is_spoken: Callable[[str], bool], frames: Iterator[str]) -> bytes:
    try:
        value = json.loads(raw)
    except ValueError:
        return raw
    return json.dumps(with_notes(value, is_spoken, frames)).encode() + b"\n"
