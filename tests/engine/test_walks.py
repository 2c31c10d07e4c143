"""How far a tool call walks: few types from a line of a log to a hook's answer, and few frames to its rows and back."""

import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.demo_store import learned_demo
from tests.homes import NOW_MS

import afterwit
from afterwit.agents.log_reader import FileReading
from afterwit.capture.assembly import assemble, calls
from afterwit.digest.digester import Material, steps_of
from afterwit.extras.demo.run import DemoPlace, demo_of
from afterwit.harvest.harvester import Harvester
from afterwit.knowledge.weighing import weigh
from afterwit.model.captured import ActionRow, EventRow
from afterwit.model.digest import Digest
from afterwit.model.kinds import Step
from afterwit.model.knowledge import Draft, Item, Seen
from afterwit.model.readings import Event
from afterwit.recall.deck.firing_lines import FiringLine, lines_of
from afterwit.recall.deck.reader import Deck, DeckLine
from afterwit.sessions.filters import Filter
from afterwit.sessions.list import Order, list_sessions
from afterwit.sources.framing import Record
from afterwit.store.rows import parts

_SOURCE = str(Path(afterwit.__file__).parent)

# The forms of one call, in the order in which it takes them. What only holds many of them (the rows of a file, the
# material of a session, its digest, a proposal of lines) is no form of a call.
WAY = (Record, Event, calls.PendingCall, ActionRow, Step, Seen, Draft, Item, FiringLine, DeckLine)
LINKS: tuple[tuple[Callable[..., Any], str, str], ...] = (
    (FileReading.feed, "Record", "Event"),
    (calls.take_calls, "Event", "PendingCall"),
    (calls.close_row, "PendingCall", "ActionRow"),
    (steps_of, "Material", "Step"),
    (Harvester.see, "Digest", "Grouped"),
    (Harvester.conclude, "Sighting", "Draft"),
    (weigh, "Draft", "Item"),
    (lines_of, "Item", "FiringLine"),
    (Deck.lines, "str", "DeckLine"),
)


def test_a_call_takes_at_most_ten_types_from_the_log_to_the_answer() -> None:
    assert len(WAY) <= 10
    for function, taken, given in LINKS:
        arguments, _, answer = str(inspect.signature(function)).partition(" -> ")
        assert taken in arguments, function
        assert given in answer, function
    assert "ActionRow" in str(Material.__annotations__["actions"])
    assert "Step" in str(Digest.__annotations__["steps"])


def _ours(frame: FrameType | None) -> Iterator[str]:
    """The functions of ours that are under way, the innermost first; a generator counts once."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(_SOURCE):
            yield frame.f_code.co_qualname if hasattr(frame.f_code, "co_qualname") else frame.f_code.co_name
        frame = frame.f_back


def _below(names: list[str], function: str) -> int:
    """How many of these are below a function; those are told from the innermost on."""
    return names.index(function) if function in names else 0


def test_a_line_of_a_log_is_few_frames_from_its_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[list[str]] = []
    written: list[list[str]] = []
    put_rows = parts.put_rows

    def note_row(*fields: Any) -> EventRow:
        read.append(list(_ours(sys._getframe(1))))
        return EventRow(*fields)

    def note_rows(*given: Any) -> None:
        written.append(["put_rows", *_ours(sys._getframe(1))])
        put_rows(*given)

    monkeypatch.setattr(assemble, "EventRow", note_row)
    monkeypatch.setattr(parts, "put_rows", note_rows)
    learned_demo(tmp_path)
    assert 0 < max(_below(names, "learn") + 1 for names in read) <= 15
    assert 0 < max(_below(names, "learn") + 1 for names in written) <= 12


def test_listing_sessions_is_few_frames_deep(tmp_path: Path) -> None:
    learned_demo(tmp_path)
    world = demo_of(DemoPlace(tmp_path, sys.platform), NOW_MS).world
    deepest: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        nonlocal deepest
        if event == "call":
            deepest = max(deepest, list(_ours(frame)), key=len)

    sys.setprofile(note)
    try:
        list_sessions(world, Filter(), Order.START, 20)
    finally:
        sys.setprofile(None)
    assert 0 < len(deepest) <= 8, deepest
