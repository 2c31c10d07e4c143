"""What recall keeps of a digest: where its session worked."""

from afterwit.model.digest import Digest
from afterwit.model.kinds import CHANGES, Status
from afterwit.recall.place_index import PlaceSighting

_MOST_TEXT = 16_000


def sighting_of(digest: Digest) -> PlaceSighting:
    """What a digest tells about where work is. Files outside the repository are left out."""
    symbols = {file.path: file.symbols for file in digest.files}
    changed: dict[str, tuple[str, ...]] = {}
    for step in digest.steps:
        if step.kind in CHANGES and step.status is not Status.FAILED:
            changed |= {path: symbols.get(path, ()) for path in step.files if not path.startswith("/")}
    said = (
        digest.task,
        digest.title,
        *(publication.text for publication in digest.publications),
        *(prompt.text for prompt in digest.prompts[1:]),
    )
    at_ms = digest.ended_ms or digest.started_ms or 0
    return PlaceSighting(digest.native_id, "\n".join(said)[:_MOST_TEXT], changed, digest.branch, at_ms)
