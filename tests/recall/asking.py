"""What hooks would say of some items, from a deck that is made for the question."""

import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.recall.knowing import HERE
from tests.recall.works import source

from afterwit.agents.hook_payloads import AFTER, PROMPT, Moment
from afterwit.model.knowledge import Item
from afterwit.recall.deck.firing_lines import FiringLine, lines_of
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck, DeckLine
from afterwit.recall.deck.write import DeckContent, DeckSettings, write_deck
from afterwit.recall.holdout import DRAW, History
from afterwit.recall.hook.call import Permissions, Proposal, proposed
from afterwit.recall.place_index import PlaceSighting
from afterwit.recall.prompt_block import MOST_AT_ACTION

PLACE = Location(HERE.repo, "/srv/orchard")
_NOTHING = Permissions(refuse=False, rewrite=False)


@contextmanager
def deck_of(
    items: Iterable[Item], sightings: Sequence[PlaceSighting] = (), lines: Iterable[FiringLine] = ()
) -> Iterator[Deck]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "deck.db")
        content = DeckContent(
            DeckSettings(key=b"k" * 16, most_lines=1),
            lines=(*lines_of(items), *lines),
            prompts={HERE.repo: source(sightings)},
        )
        write_deck(path, content)
        yield Deck(str(path))


def called(tool: str, output: str = "", *, fails: bool = False, **arguments: object) -> Moment:
    """A call that is over."""
    return Moment(
        AFTER,
        "s1",
        cwd=PLACE.root,
        tool=tool,
        arguments=arguments,
        output=output,
        is_error=fails,
        exit_code=int(fails),
    )


def proposal_at(
    items: Iterable[Item], moment: Moment, told: Collection[str] = (), lines: Iterable[FiringLine] = ()
) -> Proposal | None:
    """What could be said in a session that was told these items."""
    records: list[dict[str, object]] = [{"kind": DRAW, "items": dict.fromkeys(told, 1)}]
    with deck_of(items, lines=lines) as deck:
        return proposed(deck, HERE.agent, moment, PLACE, _NOTHING, lambda: History(records, ""))


def fix_for(items: Iterable[Item], line: str, error: str) -> DeckLine | None:
    """What is said after a command failed."""
    found = proposal_at(items, called("Bash", error, fails=True, command=line))
    return found.lines[0] if found and found.lines else None


def awaited(
    items: Iterable[Item], moment: Moment, told: Collection[str] = (), lines: Iterable[FiringLine] = ()
) -> list[str]:
    """What is told because of what an action does."""
    found = proposal_at(items, moment, told, lines)
    return [line.item for line in found.awaited][:MOST_AT_ACTION] if found else []


def at_prompt(
    items: Iterable[Item],
    prompt: str,
    sightings: Sequence[PlaceSighting] = (),
    lines: Iterable[FiringLine] = (),
) -> Proposal:
    """What fits the first prompt of a session."""
    with deck_of(items, sightings, lines) as deck:
        found = proposed(deck, HERE.agent, Moment(PROMPT, "s1", prompt=prompt), PLACE, _NOTHING)
    return found or Proposal([])
