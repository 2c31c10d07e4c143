"""Items for tests of recall, with invented content."""

from typing import Any

from tests.knowledge.drafting import NOW_MS, ORCHARD, draft, piece, pieces

from afterwit.knowledge.brief import Page
from afterwit.knowledge.weighing import WeighingContext, weigh
from afterwit.model.brief import Heading, Line, id_of_line
from afterwit.model.knowledge import READ, Category, Channel, Item, Trigger
from afterwit.recall.situation import Situation

HERE = Situation(ORCHARD.name, "codex")


def item(sentence: str, stories: int = 5, **more: Any) -> Item:
    """What comes of a draft that so many stories show."""
    given: dict[str, Any] = {"evidence": pieces(stories), **more}
    return weigh(draft(sentence, **given), WeighingContext(now_ms=NOW_MS, minimum_stories={READ: 1}))


def read(sentence: str, channel: Channel = Channel.USER, stories: int = 1, **more: Any) -> Item:
    """What a model read in so many sessions."""
    evidence = tuple(piece(f"s{number}", channel=channel) for number in range(stories))
    given: dict[str, Any] = {"stated_confidence": 0.9, "category": Category.FACT, **more}
    return item(sentence, harvester=READ, channel=channel, evidence=evidence, **given)


def correction(stories: int = 5, **more: Any) -> Item:
    trigger = Trigger(program="wrapit", words=("cargo",), signature="wrapit: unrecognized subcommand cargo")
    return item(
        "Instead of `wrapit cargo …`, which fails, call `cargo …`.",
        stories,
        advice="wrapit cargo → cargo",
        triggers=(trigger,),
        **more,
    )


def rule(name: str, stories: int = 5, **more: Any) -> Item:
    return item(f"In `orchard`, `{name}` keeps failing: prune it.", stories, triggers=(Trigger(rule=name),), **more)


def command(line: str, stories: int = 5) -> Item:
    return item(f"In `orchard`, run the tests with `{line}`.", stories, advice=line, category=Category.FACT)


def line(text: str, heading: Heading | None = Heading.TRAP, *notes: Item | str, **more: Any) -> Line:
    """What was compiled of these notes."""
    names = tuple(note if isinstance(note, str) else note.id for note in notes)
    return Line(id=id_of_line(ORCHARD.name, text), text=text, heading=heading, notes=names, **more)


def page(*compiled: Line, **more: Any) -> Page:
    asked = frozenset(name for each in compiled for name in each.notes)
    return Page(ORCHARD.name, compiled, **{"asked": asked, **more})
