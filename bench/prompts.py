"""What a repository with a history knows at the first prompt: invented sessions, with what they changed and said.

As many words, files and turns as sessions of real repositories have; always the same ones.
"""

import random
from collections.abc import Iterator

from afterwit.recall.deck.prompt_tables import PromptIndex, PromptSource
from afterwit.recall.place_index import PlaceSighting
from afterwit.recall.talks import AGENT, USER, Sentence, Talk, TalkTurn, counts_of, terms_of
from bench.texts import identifier, path, sentence

SESSIONS = 400
TASK = (
    "Make the press of the cider mill faster, sort the crates by weight, and keep the ledger of the harvest as it is."
)
_FILES = 150
_TURNS = 6
_SENTENCES = 4
_HOUR_MS = 3_600_000
_SEED = 7


def history(sessions: int = SESSIONS) -> PromptSource:
    """What is known of one repository."""
    return PromptSource(str(sessions), lambda: _index(sessions))


def _index(sessions: int) -> PromptIndex:
    rng = random.Random(_SEED)
    files = [path(rng) for _ in range(_FILES)]
    found = [_session(rng, files, number) for number in range(sessions)]
    return PromptIndex([sighting for sighting, _ in found], [talk for _, talk in found])


def _session(rng: random.Random, files: list[str], number: int) -> tuple[PlaceSighting, Talk]:
    at_ms = number * _HOUR_MS
    turns = tuple(_turns(rng, at_ms))
    text = "\n".join(one.text for turn in turns for one in turn.sentences)
    changed = {file: (identifier(rng), identifier(rng)) for file in rng.sample(files, rng.randint(1, 6))}
    name = f"session-{number}"
    return PlaceSighting(name, text, changed, "main", at_ms), Talk(name, at_ms, turns, counts_of(text))


def _turns(rng: random.Random, at_ms: int) -> Iterator[TalkTurn]:
    for number in range(_TURNS):
        said = tuple(Sentence(sentence(rng), rng.choice((0.0, 0.0, 1.0))) for _ in range(_SENTENCES))
        terms = frozenset(term for one in said for term in terms_of(one.text))
        yield TalkTurn(USER if number % 2 == 0 else AGENT, at_ms + number, said, terms)
