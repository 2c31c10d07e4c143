"""The player *places*: at the first prompt it names the files where the work is likely to be. Needs no items."""

from collections import defaultdict
from collections.abc import Iterable

from afterwit.measure.notes import Saying
from afterwit.measure.player import Here, Player
from afterwit.model.digest import Digest
from afterwit.recall.place_index import PlaceIndex
from afterwit.recall.places import Place, Question, guess
from afterwit.recall.talk_reading import sighting_of


class PlacesPlayer(Player):
    name = "places"

    def __init__(self) -> None:
        self._repos: defaultdict[str, PlaceIndex] = defaultdict(PlaceIndex)

    def know(self, digest: Digest) -> None:
        self._repos[digest.repo].put(sighting_of(digest))

    def prompt(self, here: Here, prompt: str) -> Iterable[Saying]:
        found = guess(self._repos[here.repo], Question(prompt, here.branch, here.parent))
        if found:
            yield Saying(text=_line(found), items=("places",), files=tuple(place.path for place in found))


def _line(found: list[Place]) -> str:
    return f"Work like this was done in: {', '.join(place.path for place in found)}"
