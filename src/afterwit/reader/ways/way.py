"""How a model is reached: one small interface, which ways there are, and how one is made from a model's name.

A model is named by its way and, where the way knows several, by its own name: `claude-code`, `codex:gpt-5-mini`,
`llm:orca`. A name without a way is that of a model that only files reach.
Others can bring a way: an entry point of the group `afterwit.reading_ways` whose name is the way's and which is a
`WayFactory`. One that cannot be loaded stands in with the reason, and answers nothing. What a way needs is loaded when
it is made.
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from afterwit.config.extras import entry_points
from afterwit.model.errors import install_command
from afterwit.reader.answers import GivenAnswer
from afterwit.reader.requests import ANSWER_TOKENS

GROUP = "afterwit.reading_ways"
_COMMAND_LINES = "afterwit.reader.ways.command_lines"
_OWN = {
    "claude-code": (_COMMAND_LINES, "claude_code"),
    "codex": (_COMMAND_LINES, "codex"),
    "gemini": (_COMMAND_LINES, "gemini"),
    "llm": ("afterwit.reader.ways.llm_models", "llm"),
}


class ModelQuestion(NamedTuple):
    """What is asked: the request's id, the prompt, the text, and the form of the answer."""

    id: str
    system: str
    text: str
    schema: Mapping[str, Any] = {}  # a JSON schema, for models that can be held to one; empty: any form will do
    answer_tokens: int = ANSWER_TOKENS  # at most


class WaySurroundings(NamedTuple):
    """Where a way finds itself. Ways read no environment of their own."""

    environ: Mapping[str, str]
    home: Path  # the user's
    folder: Path  # to work in, below the folder where data is stored; it may not be there yet


class Way(Protocol):
    """One way to a model. An object is made for one model, and may be asked by several threads."""

    most_at_once: int  # calls that may run side by side
    overhead_tokens: int  # about what it adds to every request by itself; reserved with it

    def recipient(self) -> str:
        """Who gets to read what is sent, in words for people."""

    def refusal(self) -> str:
        """Why the model cannot be asked as things are, and what to do; "" where it can. Sends nothing."""

    def answer(self, question: ModelQuestion, seconds: float) -> GivenAnswer:
        """What the model answers within this time; a fault where it does not. Leaves no process and no transcript."""


WayFactory = Callable[[str, WaySurroundings], Way]  # takes the model's own name; "": the one that the way chooses


class MissingWay:
    """Stands in for a way that cannot be used here."""

    most_at_once = 1
    overhead_tokens = 0

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def recipient(self) -> str:
        return "nobody"

    def refusal(self) -> str:
        return self._reason

    def answer(self, question: ModelQuestion, seconds: float) -> GivenAnswer:  # noqa: ARG002 - as the interface has it
        return GivenAnswer(question.id, tokens_in=0, tokens_out=0, fault=self._reason)


def way_of(name: str, surroundings: WaySurroundings) -> Way | None:
    """The way to the model of this name; None where only files reach it."""
    way, _, model = name.partition(":")
    points = {point.name: point for point in entry_points(GROUP)}
    if way not in _OWN and way not in points:
        return None
    try:
        make: WayFactory = getattr(import_module(_OWN[way][0]), _OWN[way][1]) if way in _OWN else points[way].load()
        return make(model, surroundings)
    except Exception as error:  # noqa: BLE001 - a way of others may fail in any way
        remedy = f"Install it: `{install_command('llm')}`." if way == "llm" else "Install it again."
        return MissingWay(f"The way {way!r} to a model cannot be loaded ({error}). {remedy}")


def nearest_way(name: str) -> str:
    """Which way a name probably means that is none, in words; "" where it is nothing like one."""
    close = get_close_matches(name.partition(":")[0], way_names(), 1)
    return f"{name!r} is no way to a model that can be called. Do you mean {close[0]}?" if close else ""


def way_names() -> list[str]:
    """The names of all ways, whether they can be used here or not."""
    return [*_OWN, *sorted(point.name for point in entry_points(GROUP) if point.name not in _OWN)]


def usable_ways(surroundings: WaySurroundings) -> dict[str, Way]:
    """The ways that can be used as things are, by name. Sends nothing."""
    ways = {name: way for name in way_names() if (way := way_of(name, surroundings)) is not None}
    return {name: way for name, way in ways.items() if not way.refusal()}
