"""Where a task's work is likely to be: files of the repository, best first, with chances.

A logistic model with few fixed weights: what the prompt names comes first, then how far a file's path and contents hold
the prompt's rare words and how alike earlier work was that changed it; how recently and how often it was changed
decides where the prompt says little. Addresses and names of trunks name no place. While few files are known, the
latest ones would be named whatever the task is; so nothing is said then unless the prompt itself points there. What is
gone, or what a note forbids to change, is not named. Sessions are told less than people who ask: only what is clear.
Deterministic; nothing is read but the two indexes.
"""

import heapq
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

from afterwit.model.text import is_test, names_of_tests, regex, words_of
from afterwit.recall.place_index import PlaceIndex, rarity

MOST = 5
_LEAST = 0.06  # chance of a file that is named
_CANDIDATES = 40  # taken from each source of candidates
_COMPARED = 150  # pieces of work that are compared
_LOOKED_UP = 120  # words of a prompt that are looked for in files
_TELLING = 60  # of these, the rarest count
_BY_CONTENTS = 100  # files that are rated by their contents
_STANDS_OUT, _STANDS_THERE = 1.5, 0.7  # what a word of a file weighs
_CLEAR = 12.0  # what the words of a file must weigh to count for half
_USUAL_RARITY = 4.0  # of a word of a path that the prompt does not have
_RARE_PATHS = 60  # a path word or a name that more files share brings none of them in
_USUAL_SIZE = 1_000  # files of a repository whose files nobody counted
_FEW_FILES = 12
_MOST_TOLD = 3  # files of a list that a session is told
_CLEAR_CHANCE = 0.2  # of each of them
_CLEARLY_POINTED = 0.75  # what the prompt's own words must count for each
_FEWEST_WORDS = 3  # of a prompt that says what to do
_FILE_NAME = regex(  # `@folder/…` too
    r"(?m)(?:^|[\s`'\"(@])[\w@./-]{1,120}\.(?:[a-z]{1,4}|[jt]sx)(?=[\s`'\"),:;?!]|\.?$)|(?:^|\s)@[\w.-]+/"
)
_HIDDEN = regex("REDACTED|‹")  # a name of which a part was taken out leads nowhere
_FORBIDS = regex(r"(?i)\b(?:never|not|don['’]t)\s+(?:\w+\s+)?(?:edit|chang|touch|modif|writ|overwrit|commit)")
_CLAUSE_END = regex(r"[;:,.]\s+|\s[—-]\s|\b(?:but|instead)\b")
_POINTED = 0.6  # what the prompt's own words must count for a file, while few are known
_TOKEN = regex(r"[~/]?[\w$@.+-]+(?:/[\w$@.+-]+)*")
_IDENTIFIER = regex(r"[A-Za-z_$][\w$]{3,60}")
_TRUNKS = frozenset(("", "main", "master", "HEAD", "develop", "dev", "trunk"))
_NO_PLACE = regex(r"https?://\S+|(?<![\w./@-])(?:origin/)?(?:main|master|trunk|HEAD)(?![\w/-]|\.\w)")


class Question(NamedTuple):
    """A task that has just been given."""

    prompt: str
    branch: str = ""


class LikelyPlace(NamedTuple):
    path: str
    chance: float
    test: str = ""  # the file with its tests, if there is one by name


class KnownNames(Protocol):
    """Whatever knows files by their names."""

    def named(self, name: str) -> Iterable[str]: ...


class Features(NamedTuple):
    """What is known about one file with regard to a question, each about between 0 and 3."""

    bias: float = 0.0
    path: float = 0.0  # the prompt names the path
    name: float = 0.0  # the prompt names an end of the path, divided by the files that share it
    stem: float = 0.0  # the prompt has the file's name without its ending
    last: float = 0.0  # the last work changed it
    recent: float = 0.0  # changed by recent work
    lately: float = 0.0
    ever: float = 0.0
    sessions: float = 0.0  # how many sessions changed it
    alike: float = 0.0  # the most alike work that changed it; what changed many files says less of each
    words: float = 0.0  # words of the path
    cover: float = 0.0  # how much of what the prompt says stands in the path, squared: a little of it says nothing
    contents: float = 0.0  # words of the file itself
    branch: float = 0.0  # work on the same branch changed it


WEIGHTS = Features(
    bias=-3.6,
    path=3.0,
    name=1.0,
    stem=0.5,
    last=0.25,
    recent=0.25,
    lately=0.125,
    ever=0.25,
    sessions=0.25,
    alike=2.0,
    words=0.5,
    cover=5.0,
    contents=0.5,
    branch=1.0,
)


class KnownTree(Protocol):
    """The files of a repository that are there, each under a number; terms are words of contents, and words of paths
    and names after a mark. As it stands here, nothing is there."""

    def size(self) -> int:
        """How many files there are."""
        return 0

    def look_up(self, terms: Iterable[str]) -> None:
        """Says which terms will be asked for."""
        del terms

    def holders(self, term: str) -> Mapping[int, bool]:
        """The files that hold a term, and whether it stands out there; none for one that very many hold."""
        del term
        return {}

    def paths(self, numbers: Iterable[int]) -> Mapping[int, str]:
        """The paths of files that are there."""
        del numbers
        return {}

    def named(self, name: str) -> Iterable[str]:
        """Files of this name, in lower case, in any folder."""
        del name
        return ()


class _NoTree(KnownTree):
    """Where no checkout is at hand."""


NO_TREE = _NoTree()


def _is_anywhere(path: str) -> bool:
    """Where nobody can tell, a file is there."""
    return bool(path)


class KnownRepo(NamedTuple):
    """All that is known of a repository."""

    work: PlaceIndex
    tree: KnownTree = NO_TREE
    is_there: Callable[[str], bool] = _is_anywhere  # whether a file is, as far as can be told


def guess(repo: KnownRepo, question: Question, most: int = MOST) -> list[LikelyPlace]:
    """The likeliest files that are there; none that would be a shot in the dark."""
    rated = features(repo, question)
    is_short = len(repo.work.changed_most(_FEW_FILES)) < _FEW_FILES
    if is_short and not any(pointed(values) >= _POINTED for values in rated.values()):
        return []
    places = (LikelyPlace(path, _chance(values)) for path, values in rated.items())
    likely = (place for place in places if place.chance >= _LEAST)
    best = sorted(likely, key=lambda place: (-round(place.chance, 9), place.path))
    there = (place for place in best if repo.is_there(place.path) and not _HIDDEN.search(place.path))
    return list(islice(there, most))


def clear(repo: KnownRepo, question: Question, places: Sequence[LikelyPlace]) -> list[LikelyPlace]:
    """Those places that a session is to be told: likely, and by the prompt's own words, not by habit. None where the
    prompt names a file itself or does not say what to do."""
    prompt = without_addresses(question.prompt)
    is_task = len(set(words_of(prompt))) >= _FEWEST_WORDS
    likely = [place for place in places if place.chance >= _CLEAR_CHANCE]
    if not is_task or not likely or _FILE_NAME.search(prompt):
        return []
    paths, names = named_files(_Named(repo.work, repo.tree, prompt), prompt)
    if any(map(repo.is_there, (*paths, *names))):
        return []
    rated = features(repo, question)
    return [place for place in likely if pointed(rated[place.path]) >= _CLEARLY_POINTED][:_MOST_TOLD]


def without_addresses(prompt: str) -> str:
    """A prompt without what looks like a name and names no file: addresses, trunks."""
    return _NO_PLACE.sub(" ", prompt)


def without_forbidden(repo: KnownRepo, notes: Iterable[str]) -> KnownRepo:
    """The same without the files and folders that these notes forbid to change."""
    forbidden = {f"/{token}/" for note in notes if _FORBIDS.search(note) for token in _forbidden_in(note)}

    def may_be_named(path: str) -> bool:
        return not any(token in f"/{path.lower()}/" for token in forbidden) and repo.is_there(path)

    return repo._replace(is_there=may_be_named) if forbidden else repo


def _forbidden_in(note: str) -> Iterator[str]:
    """The paths beside the words that forbid, or else those just before: what comes after may be what to do instead."""
    before: list[str] = []
    for clause in _CLAUSE_END.split(note):
        named = [token for token in _tokens(clause) if "." in token or "/" in token or f"{token}/" in clause.lower()]
        if _FORBIDS.search(clause):
            yield from named or before
        before = named


def with_tests(repo: KnownRepo, places: Sequence[LikelyPlace]) -> list[LikelyPlace]:
    """The same, each with the file of its tests that lies nearest, unless that is among them."""
    listed = {place.path for place in places}
    repo.tree.look_up(f"={name}" for place in places for name in names_of_tests(place.path))
    files = _Named(repo.work, repo.tree)
    return [place._replace(test=_test_of(place.path, files, repo.is_there, listed)) for place in places]


def _test_of(path: str, files: "_Named", is_there: Callable[[str], bool], listed: Collection[str]) -> str:
    if is_test(path):
        return ""
    tests = {test for name in names_of_tests(path) for test in files.named(name) if is_test(test)}
    if tests & set(listed):
        return ""
    nearest = sorted(tests, key=lambda test: (-_count_shared_folders(path, test), test))
    return next((test for test in nearest if is_there(test)), "")


def _count_shared_folders(path: str, other: str) -> int:
    """How many folders of two paths have the same name."""
    return len(set(path.split("/")[:-1]) & set(other.split("/")[:-1]))


def features(repo: KnownRepo, question: Question) -> dict[str, Features]:
    """What is known about every file worth a look."""
    asked = _Asked(repo.work, question, repo.tree)
    return {path: asked.features(path) for path in sorted(asked.candidates())}


class _Asked:
    """A question, with all that is the same for every file."""

    def __init__(self, index: PlaceIndex, question: Question, tree: KnownTree) -> None:
        self._index, self._question = index, question
        prompt = without_addresses(question.prompt)
        ordered = list(dict.fromkeys(words_of(prompt)))
        self._words = sorted(ordered)
        self._bag = frozenset(self._words)
        self._identifiers = frozenset(name.lower() for name in _IDENTIFIER.findall(prompt))
        index.look_up(self._bag)
        self._contents, self._by_path = _in_files(tree, ordered[:_LOOKED_UP])
        self._tells = {word: self._path_rarity(word, tree) for word in ordered[:_LOOKED_UP]}
        self._paths, self._names = named_files(_Named(index, tree, prompt), prompt)
        self._alike = _alike(index, self._words)
        self._has_branch = question.branch not in _TRUNKS

    def candidates(self) -> set[str]:
        """Files of alike and of recent work, changed often, named, or with telling words in them or in the path."""
        index = self._index
        chosen = set(index.latest_files(_CANDIDATES))
        chosen.update(heapq.nsmallest(_CANDIDATES, self._alike, key=lambda path: (-self._alike[path], path)))
        chosen.update(index.changed_most(_CANDIDATES))
        chosen.update(self._paths, self._names, self._by_path)
        chosen.update(heapq.nsmallest(_CANDIDATES, self._contents, key=lambda path: (-self._contents[path], path)))
        chosen.update(self._with_path_words())
        return chosen

    def _with_path_words(self) -> list[str]:
        """The files whose paths have the most telling of the prompt's words."""
        tells: dict[str, float] = {}
        for word in self._words:
            paths = self._index.with_path_word(word)
            if len(paths) <= _RARE_PATHS:
                for path in paths:
                    tells[path] = tells.get(path, 0.0) + 1 / len(paths)
        return heapq.nsmallest(_CANDIDATES, tells, key=lambda path: (-round(tells[path], 9), path))

    def features(self, path: str) -> Features:
        index = self._index
        base = path.rpartition("/")[2].lower().partition(".")[0]
        named = (
            1.0,
            float(path in self._paths),
            self._names.get(path, 0.0),
            float(len(base) > 3 and base in self._identifiers),
        )
        words = index.path_share(path, self._bag) if index.knows(path) else self._path_share(path)
        cover = self._cover(path) if words else 0.0
        if not index.knows(path):
            return Features(*named, words=words, cover=cover, contents=self._contents.get(path, 0.0))
        return Features(
            *named,
            *index.recency(path),
            sessions=math.log1p(index.sessions_of(path)),
            alike=self._alike.get(path, 0.0),
            words=words,
            cover=cover,
            contents=self._contents.get(path, 0.0),
            branch=float(self._has_branch and index.is_on_branch(path, self._question.branch)),
        )

    def _path_rarity(self, word: str, tree: KnownTree) -> float:
        held = max(len(self._index.with_path_word(word)), len(tree.holders(f"/{word}")))
        return rarity(tree.size() or _USUAL_SIZE, held)

    def _cover(self, path: str) -> float:
        told = sum(self._tells.get(word, 0.0) for word in sorted(set(words_of(path))))
        return (told / sum(self._tells.values())) ** 2

    def _path_share(self, path: str) -> float:
        """How much of what a path says that no work changed stands in the prompt; its other words are like most."""
        told = self._by_path.get(path, 0.0)
        others = sum(word not in self._bag for word in set(words_of(path)))
        return told / (told + _USUAL_RARITY * others) if told else 0.0


class _Named:
    """Files by their names, known or there."""

    def __init__(self, index: PlaceIndex, tree: KnownTree, prompt: str = "") -> None:
        self._index, self._tree = index, tree
        tree.look_up(f"={token.rpartition('/')[2]}" for token in _tokens(prompt))

    def named(self, name: str) -> Iterable[str]:
        return {*self._index.named(name), *self._tree.named(name)}


def _in_files(tree: KnownTree, words: Sequence[str]) -> tuple[dict[str, float], dict[str, float]]:
    """How clearly the contents of files speak of these words, up to 1, and what those in their paths tell."""
    size = tree.size()
    if not size:
        return {}, {}
    tree.look_up([*words, *(f"/{word}" for word in words)])
    contents = _weigh_files(tree, sorted(words, key=lambda word: (len(tree.holders(word)), word)), size)
    paths = _weigh_files(tree, [f"/{word}" for word in words if len(tree.holders(f"/{word}")) <= _RARE_PATHS], size)
    best = heapq.nsmallest(_BY_CONTENTS, contents, key=lambda number: (-contents[number], number))
    named = heapq.nsmallest(_CANDIDATES, paths, key=lambda number: (-paths[number], number))
    there = tree.paths([*best, *named])
    most = max((contents[number] for number in best if number in there), default=0.0)
    clear = {there[number]: contents[number] / (most + _CLEAR) for number in best if number in there}
    return clear, {there[number]: paths[number] for number in named if number in there}


def _weigh_files(tree: KnownTree, terms: Iterable[str], size: int) -> dict[int, float]:
    """What the rarest of these terms tell of the files that hold them."""
    weights: dict[int, float] = {}
    held = [(term, holders) for term in terms if (holders := tree.holders(term))]
    for _, holders in held[:_TELLING]:
        tells = rarity(size, len(holders))
        for number, stands_out in holders.items():
            weights[number] = weights.get(number, 0.0) + tells * (_STANDS_OUT if stands_out else _STANDS_THERE)
    return weights


def named_files(index: KnownNames, prompt: str) -> tuple[set[str], dict[str, float]]:
    """Files named by their whole path, and files named by an end of it with how clearly."""
    paths: set[str] = set()
    names: dict[str, float] = {}
    for token in _tokens(prompt):
        same = list(index.named(token.rpartition("/")[2]))
        if token.startswith(("/", "~")):
            paths.update(path for path in same if token.endswith(f"/{path.lower()}") and "/" in path)
            continue
        ending = [path for path in same if f"/{path.lower()}".endswith(f"/{token}")]
        for path in ending:
            if "/" in token and path.lower() == token:
                paths.add(path)
            elif len(ending) <= _RARE_PATHS:
                names[path] = max(names.get(path, 0.0), 1 / len(ending))
    return paths, names


def _tokens(prompt: str) -> list[str]:
    """What may be a path or the end of one."""
    raw = sorted(set(_TOKEN.findall(prompt)))
    return [token.rstrip(".").removeprefix("@").removeprefix("./").lower() for token in raw]


def _alike(index: PlaceIndex, words: Collection[str]) -> dict[str, float]:
    likeness = index.likeness(words)
    best = heapq.nsmallest(_COMPARED, likeness, key=lambda session: (-likeness[session], session))
    marks: dict[str, float] = {}
    for session in best:
        changed = index.changed_by(session)
        for path in changed:
            marks[path] = max(marks.get(path, 0.0), 2 * likeness[session] / math.sqrt(len(changed)))
    return marks


def pointed(features: Features) -> float:
    """What the prompt's own words count for a file."""
    own = ("path", "name", "stem", "alike", "words", "cover", "contents")
    return math.fsum(getattr(WEIGHTS, name) * getattr(features, name) for name in own)


def _chance(features: Features) -> float:
    mark = sum(weight * value for weight, value in zip(WEIGHTS, features, strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, mark))))
