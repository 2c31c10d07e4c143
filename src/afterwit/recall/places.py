"""Where a task's work is likely to be: files that earlier sessions of the repository changed, best first, with chances.

A logistic model with fixed weights over a handful of features: what the prompt names, how alike earlier tasks were, how
recently and how often a file was changed. A file is named by its whole path, or by an end of it: the fewer known files
share that end, the more it says. While few files are known, the latest ones would be named whatever the task is; so
nothing is said then unless the prompt itself points there. Deterministic; nothing is read but the index.
"""

import heapq
import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

from afterwit.recall.place_index import KnownPlaces
from afterwit.text.words import words_of

MOST = 5
_LEAST = 0.1  # chance of a file that is named
_CANDIDATES = 40  # taken from each source of candidates
_MEMORY = 400  # sessions that tell how recently a file was changed, and sessions that are compared
_RARE_PATHS = 60  # a path word that more files share brings none of them in
_FEW_FILES = 12
_POINTED = 1.2  # what the prompt's own words must count for a file, while few are known
_TOKEN = re.compile(r"[~/]?[\w$@.+-]+(?:/[\w$@.+-]+)*")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]{3,60}")
_TRUNKS = frozenset(("", "main", "master", "HEAD", "develop", "dev", "trunk"))


class Question(NamedTuple):
    """A task that has just been given."""

    prompt: str
    branch: str = ""
    parent: str = ""  # the session that this one was started from


class LikelyPlace(NamedTuple):
    path: str
    chance: float


class Features(NamedTuple):
    """What is known about one file with regard to a question, each about between 0 and 3."""

    bias: float
    path: float  # the prompt names the path
    name: float  # the prompt names an end of the path, divided by the files that share it
    stem: float  # the prompt has the file's name without its ending
    last: float  # the last session changed it
    recent: float  # changed in recent sessions
    lately: float
    ever: float
    alike: float  # the most alike session that changed it; one that changed many files says less of each
    about: float  # words of all sessions that changed it
    words: float  # words of the path
    symbols: float  # names defined in it
    parent: float  # the parent session changed it
    branch: float  # a session on the same branch changed it


WEIGHTS = Features(-4.0, 3.5, 2.0, 0.8, 0.3, 0.6, 0.5, 0.5, 2.0, 0.3, 1.2, 0.8, 1.0, 0.6)


def guess(index: KnownPlaces, question: Question, most: int = MOST) -> list[LikelyPlace]:
    """The likeliest files; none that would be a shot in the dark."""
    rated = features(index, question)
    is_short = len(index.changed_most(_FEW_FILES)) < _FEW_FILES
    if is_short and not any(_pointed(values) >= _POINTED for values in rated.values()):
        return []
    places = (LikelyPlace(path, _chance(values)) for path, values in rated.items())
    likely = (place for place in places if place.chance >= _LEAST)
    return sorted(likely, key=lambda place: (-round(place.chance, 9), place.path))[:most]


def features(index: KnownPlaces, question: Question) -> dict[str, Features]:
    """What is known about every file worth a look."""
    asked = _Asked(index, question)
    return {path: asked.features(path) for path in sorted(asked.candidates())}


class _Asked:
    """A question, with all that is the same for every file."""

    def __init__(self, index: KnownPlaces, question: Question) -> None:
        self._index, self._question = index, question
        self._words = sorted(set(words_of(question.prompt)))
        self._bag = frozenset(self._words)
        self._identifiers = frozenset(name.lower() for name in _IDENTIFIER.findall(question.prompt))
        index.look_up(self._bag, self._identifiers)
        self._rarity = {word: index.rarity(word) for word in self._words}
        self._paths, self._names = named_files(index, question.prompt)
        self._alike = _alike(index, self._words)
        self._ages: defaultdict[str, list[int]] = defaultdict(list)
        for age, changed in enumerate(index.latest_changes(_MEMORY)):
            for path in changed:
                self._ages[path].append(age)
        self._of_parent = index.changed_by(question.parent)

    def candidates(self) -> set[str]:
        """Files of alike and of recent sessions, changed often, named, or with a telling word in the path."""
        index = self._index
        chosen = {path for path, ages in self._ages.items() if ages[0] < _CANDIDATES}
        chosen.update(heapq.nsmallest(_CANDIDATES, self._alike, key=lambda path: (-self._alike[path], path)))
        chosen.update(index.changed_most(_CANDIDATES))
        chosen.update(self._paths, self._names, self._of_parent)
        for word in self._words:
            paths = list(index.with_path_word(word))
            if len(paths) <= _RARE_PATHS:
                chosen.update(paths)
        return chosen

    def features(self, path: str) -> Features:
        index = self._index
        ages = self._ages.get(path, [])
        base = path.rpartition("/")[2].lower().partition(".")[0]
        counts = sorted(index.told_of(path, self._bag).items())
        told = (self._rarity[word] * count / (count + 2.0) for word, count in counts)
        branch = self._question.branch
        return Features(
            bias=1.0,
            path=float(path in self._paths),
            name=self._names.get(path, 0.0),
            stem=float(len(base) > 3 and base in self._identifiers),
            last=float(0 in ages),
            recent=_faded(ages, 2),
            lately=_faded(ages, 8),
            ever=_faded(ages, 40),
            alike=self._alike.get(path, 0.0),
            about=math.log1p(sum(told)),
            words=index.path_share(path, self._bag),
            symbols=math.log1p(index.defined_in(path, self._identifiers)),
            parent=float(path in self._of_parent),
            branch=float(branch not in _TRUNKS and index.is_on_branch(path, branch)),
        )


def named_files(index: KnownPlaces, prompt: str) -> tuple[set[str], dict[str, float]]:
    """Files named by their whole path, and files named by an end of it with how clearly."""
    paths: set[str] = set()
    names: dict[str, float] = {}
    for raw in sorted(set(_TOKEN.findall(prompt))):
        token = raw.rstrip(".").removeprefix("@").removeprefix("./").lower()
        same = list(index.named(token.rpartition("/")[2]))
        if token.startswith(("/", "~")):
            paths.update(path for path in same if token.endswith(f"/{path.lower()}") and "/" in path)
            continue
        ending = [path for path in same if f"/{path.lower()}".endswith(f"/{token}")]
        for path in ending:
            if "/" in token and path.lower() == token:
                paths.add(path)
            else:
                names[path] = max(names.get(path, 0.0), 1 / len(ending))
    return paths, names


def _alike(index: KnownPlaces, words: Collection[str]) -> dict[str, float]:
    likeness = index.likeness(words)
    best = heapq.nsmallest(_MEMORY, likeness, key=lambda session: (-likeness[session], session))
    marks: dict[str, float] = {}
    for session in best:
        changed = index.changed_by(session)
        for path in changed:
            marks[path] = max(marks.get(path, 0.0), 2 * likeness[session] / math.sqrt(len(changed)))
    return marks


def _faded(ages: Iterable[int], half: float) -> float:
    return math.log1p(sum(math.exp(-age / half) for age in ages))


def _pointed(features: Features) -> float:
    """What the prompt's own words count for a file."""
    path, name, stem = WEIGHTS.path * features.path, WEIGHTS.name * features.name, WEIGHTS.stem * features.stem
    alike, words = WEIGHTS.alike * features.alike, WEIGHTS.words * features.words
    return path + name + stem + alike + words + WEIGHTS.symbols * features.symbols


def _chance(features: Features) -> float:
    mark = sum(weight * value for weight, value in zip(WEIGHTS, features, strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, mark))))
