"""The player *places*: at the first prompt it names the files where the work is likely to be. Needs no items."""

from collections import defaultdict
from collections.abc import Iterable

from afterwit.measure.notes import Saying
from afterwit.measure.player import Here, Player
from afterwit.model.digest import Digest
from afterwit.model.kinds import CHANGES, Status
from afterwit.recall.place_index import PlaceIndex, Sighting
from afterwit.recall.places import Place, Question, guess

_MOST_TEXT = 16_000


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


def sighting_of(digest: Digest) -> Sighting:
    """What a digest tells about where work is. Files outside the repository are left out."""
    symbols = {file.path: file.symbols for file in digest.files}
    changed: dict[str, tuple[str, ...]] = {}
    for step in digest.steps:
        if step.kind in CHANGES and step.status is not Status.FAILED:
            changed |= {path: symbols.get(path, ()) for path in step.files if not path.startswith("/")}
    said = (
        digest.task,
        digest.title,
        *(one.text for one in digest.publications),
        *(one.text for one in digest.prompts[1:]),
    )
    at_ms = digest.ended_ms or digest.started_ms or 0
    return Sighting(digest.native_id, "\n".join(said)[:_MOST_TEXT], changed, digest.branch, at_ms)
