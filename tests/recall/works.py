"""What sessions and commits did, as a part of a deck is made of it."""

import json
from collections.abc import Iterable

import apsw

from afterwit.recall.deck.prompt_tables import PromptChanges, PromptSource
from afterwit.recall.place_index import PlaceSighting, unpack_numbers


def works_of(sightings: Iterable[PlaceSighting]) -> dict[str, PlaceSighting]:
    return {sighting.session: sighting for sighting in sightings}


def source(sightings: Iterable[PlaceSighting] = (), mark: str = "1") -> PromptSource:
    """All that is known, whatever was known before."""
    works = works_of(sightings)
    return PromptSource(mark, lambda _: PromptChanges((), works))


def content_of(part: apsw.Connection) -> dict[str, object]:
    """All that a part says of works and files, by their names instead of their numbers."""
    indexes = dict(part.execute("SELECT name, body FROM indexes"))
    files, works, most = json.loads(indexes["places"])
    paths = {number: path for path, number, *_ in files}
    sessions = {number: session for session, _, _, number in works}
    terms = {}
    for kind, term, body in part.execute("SELECT kind, term, body FROM prompt_terms"):
        holders = sessions if kind == "said" else paths
        terms[kind, term] = sorted(holders[number] for number in unpack_numbers(body))
    return {
        "files": [(path, facts) for path, _, *facts in files],
        "works": [(session, words, [paths[file] for file in own]) for session, words, own, _ in works],
        "most": [paths[file] for file in most],
        "terms": terms,
    }
