"""What sessions and commits did and said, as a part of a deck is made of it."""

import json
from collections.abc import Iterable

import apsw

from afterwit.recall.deck.first_prompt import unpack_numbers, unpack_weighted
from afterwit.recall.deck.prompt_tables import PromptChanges, PromptSource, PromptWork
from afterwit.recall.place_index import PlaceSighting
from afterwit.recall.talks import Talk


def works_of(sightings: Iterable[PlaceSighting] = (), talks: Iterable[Talk] = ()) -> dict[str, PromptWork]:
    """Each session with its talks."""
    places = {sighting.session: sighting for sighting in sightings}
    said: dict[str, list[Talk]] = {}
    for talk in talks:
        said.setdefault(talk.quote.session, []).append(talk)
    return {
        name: PromptWork(places.get(name, PlaceSighting(name, "", {})), said.get(name, ()))
        for name in dict.fromkeys((*places, *said))
    }


def source(sightings: Iterable[PlaceSighting] = (), talks: Iterable[Talk] = (), mark: str = "1") -> PromptSource:
    """All that is known, whatever was known before."""
    works = works_of(sightings, talks)
    return PromptSource(mark, lambda _: PromptChanges((), works))


def content_of(part: apsw.Connection) -> dict[str, object]:
    """All that a part says of works, talks and files, by their names instead of their numbers."""
    indexes = dict(part.execute("SELECT name, body FROM indexes"))
    files, works, most = json.loads(indexes["places"])
    names = {
        "file": {number: path for path, number, *_ in files},
        "said": {number: session for session, _, _, number in works},
        "talk": {
            number: row for number, *row in part.execute("SELECT number, quote, at_ms, session FROM prompt_talks")
        },
    }
    order = unpack_numbers(indexes["talks"])
    assert sorted(order) == sorted(names["talk"])
    terms = {}
    for kind, term, body in part.execute("SELECT kind, term, body FROM prompt_terms"):
        weighted = unpack_weighted(body) if kind == "talk" else [(number, 0.0) for number in unpack_numbers(body)]
        holders = names.get(kind, names["file"])
        terms[kind, term] = sorted((holders[number], weight) for number, weight in weighted)
    return {
        "files": [(path, facts) for path, _, *facts in files],
        "works": [(session, words, [names["file"][file] for file in own]) for session, words, own, _ in works],
        "most": [names["file"][file] for file in most],
        "talks": [names["talk"][number] for number in order],
        "terms": terms,
    }
