"""Which ways to a model there are, and how one is made from a model's name.

Others can bring one: an entry point of the group `afterwit.reading_ways` whose name is the way's and which is a
`way.WayFactory`. One that cannot be loaded stands in with the reason, and answers nothing. What a way needs is loaded
when it is made.
"""

from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from afterwit.model.errors import install_command
from afterwit.reader.answers import GivenAnswer
from afterwit.reader.ways.way import ModelQuestion, Way, WayFactory, WaySurroundings

GROUP = "afterwit.reading_ways"
_COMMAND_LINES = "afterwit.reader.ways.command_lines"
_OWN = {
    "claude-code": (_COMMAND_LINES, "claude_code"),
    "codex": (_COMMAND_LINES, "codex"),
    "gemini": (_COMMAND_LINES, "gemini"),
    "llm": ("afterwit.reader.ways.llm_models", "llm"),
}


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
    points = {point.name: point for point in _points()}
    if way not in _OWN and way not in points:
        return None
    try:
        make: WayFactory = getattr(import_module(_OWN[way][0]), _OWN[way][1]) if way in _OWN else points[way].load()
        return make(model, surroundings)
    except Exception as error:  # noqa: BLE001 - a way of others may fail in any way
        remedy = f"Install it: `{install_command('llm')}`." if way == "llm" else "Install it again."
        return MissingWay(f"The way {way!r} to a model cannot be loaded ({error}). {remedy}")


def meant_way(name: str) -> str:
    """Which way a name probably means that is none, in words; "" where it is nothing like one."""
    close = get_close_matches(name.partition(":")[0], way_names(), 1)
    return f"{name!r} is no way to a model that can be called. Do you mean {close[0]}?" if close else ""


def way_names() -> list[str]:
    """The names of all ways, whether they can be used here or not."""
    return [*_OWN, *sorted(point.name for point in _points() if point.name not in _OWN)]


def usable_ways(surroundings: WaySurroundings) -> dict[str, Way]:
    """The ways that can be used as things are, by name. Sends nothing."""
    ways = {name: way for name in way_names() if (way := way_of(name, surroundings)) is not None}
    return {name: way for name, way in ways.items() if not way.refusal()}


def _points() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))
