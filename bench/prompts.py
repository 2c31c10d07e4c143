"""What a repository with a history knows at the first prompt: invented sessions, with what they changed and said.

As many words, files and turns as sessions of real repositories have; always the same ones.
"""

import random
from collections.abc import Sequence

from afterwit.recall.deck.prompt_tables import PromptChanges, PromptSource
from afterwit.recall.place_index import PlaceSighting
from bench.texts import path, sentence

SESSIONS = 400
TASK = (
    "Make the press of the cider mill faster, sort the crates by weight, and keep the ledger of the harvest as it is."
)
_FILES = 150
_SENTENCES = 24
_HOUR_MS = 3_600_000
_SEED = 7


def history(sessions: int = SESSIONS, commits: Sequence[PlaceSighting] = ()) -> PromptSource:
    """What is known of one repository, with what its commits say."""
    return PromptSource(str(sessions), lambda _: PromptChanges((), _works(sessions, commits)))


def _works(sessions: int, commits: Sequence[PlaceSighting]) -> dict[str, PlaceSighting]:
    rng = random.Random(_SEED)
    files = [path(rng) for _ in range(_FILES)]
    works = {f"session {number}": _session(rng, files, number) for number in range(sessions)}
    return works | {f"{commit.session} {commit.branch}": commit for commit in commits}


def _session(rng: random.Random, files: list[str], number: int) -> PlaceSighting:
    at_ms, name = number * _HOUR_MS, f"session-{number}"
    text = " ".join(sentence(rng) for _ in range(_SENTENCES))
    return PlaceSighting(name, text, rng.sample(files, rng.randint(1, 6)), "main", at_ms)
