"""Places: which work happens in which files of a repository, with their tests.

One row a session: what it was about and what it changed. A topic has a place when the stories about it mostly change
the same file, clearly more often than other stories do. A file that carries the topic's words in its path is found by
one search, and one that prompts name needs no item. Stories on one branch are one piece of work. Files that change
whatever the work is are no place. Which files a new prompt needs is guessed from all of history at recall; the items
here are what nobody would find by the name.

What a session was about is told by words of its title, its task and the messages of its commits, one by one or two that
stand side by side, most telling first. A word tells more the more places it comes from. So many are kept that those of
an ordinary task all are: a topic must be known from the stories that changed other files too, or it looks surer than it
is. Words keep their endings, so that people can read them; `stemmed` gives what matching compares.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import msgspec

from afterwit.guard.placeholders import PLACEHOLDER
from afterwit.harvest.changed_files import Changed, FileStory, changes_of, misses, stories_of
from afterwit.harvest.harvester import Grouped, evidence_of
from afterwit.harvest.wording import fitted, shown, shown_repo
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel, Draft, Evidence, Scope, ScopeKind, Sighting, Trigger
from afterwit.text.patterns import regex
from afterwit.text.test_paths import is_test, subject_of
from afterwit.text.words import words_of

MOST_WORDS = 60
MOST_PAIRS = 16
_IN_TITLE, _IN_SUBJECT, _IN_TASK, _FURTHER_DOWN = 3.0, 2.0, 2.0, 0.5
_TASK_CHARS = 400
_MOST_CHARS = 3_000
_MOST_SUBJECTS = 12
_TOKEN = regex(r"[A-Z]?[a-z][a-z0-9]+|[A-Z]{2,}[a-z0-9]*|[^\sA-Za-z0-9_.-]+|\.(?=\s)|\n")
_NO_WORDS = regex(rf"{PLACEHOLDER.pattern}|\b\w++://\S+|(?<!\S)[^\s@]++@\S+|```.*?(?:```|\Z)", re.DOTALL)
_FOLDERS = regex(r"(?<![\w@.~/-])(?:[\w@.~-]*+/)+(?=[\w@-]+\.\w+)")


class Topics(NamedTuple):
    words: tuple[str, ...] = ()  # the most telling first
    pairs: tuple[str, ...] = ()  # two words with a blank between


class _Source(NamedTuple):
    text: str
    weight: float


def topics_of(digest: Digest) -> Topics:
    """What a session was about."""
    words: defaultdict[str, float] = defaultdict(float)
    pairs: defaultdict[str, float] = defaultdict(float)
    for text, weight in _sources(digest):
        chain = _chain(text)
        for word in dict.fromkeys(filter(None, chain)):
            words[word] += weight
        for pair in dict.fromkeys(" ".join(pair) for pair in pairwise(chain) if all(pair) and pair[0] != pair[1]):
            pairs[pair] += weight
    for pair in pairs:
        pairs[pair] += sum(words[word] for word in pair.split())
    return Topics(_best(words, MOST_WORDS), _best(pairs, MOST_PAIRS))


@lru_cache(maxsize=8192)
def stemmed(word: str) -> str:
    """The form in which a word is compared; "" for one that says nothing."""
    stems = words_of(word)
    return stems[0] if len(stems) == 1 else ""


def _sources(digest: Digest) -> Iterator[_Source]:
    task = _bare(digest.task[: 2 * _MOST_CHARS])
    yield _Source(_bare(digest.title), _IN_TITLE)
    yield _Source(task[:_TASK_CHARS], _IN_TASK)
    yield _Source(task[_TASK_CHARS:_MOST_CHARS], _FURTHER_DOWN)
    for publication in digest.publications[:_MOST_SUBJECTS]:
        yield _Source(_bare(publication.text.partition("\n")[0]), _IN_SUBJECT)


def _bare(text: str) -> str:
    """The text without addresses, blocks of code and the folders of paths."""
    return _FOLDERS.sub(" ", _NO_WORDS.sub(" ", text))


def _chain(text: str) -> list[str]:
    """The words in order, with "" where a sentence ends or a word says nothing."""
    return [token.lower() if stemmed(token) else "" for token in _TOKEN.findall(text)]


def _best(weights: Mapping[str, float], most: int) -> tuple[str, ...]:
    """The heaviest; of equals the first that was met."""
    return tuple(sorted(weights, key=lambda term: -weights[term])[:most])


_MOST_PLACES = 12  # of one repository
_MOST_FILES = 5
_SUPPORT = 3  # stories
_SHARE = 0.6  # of the stories about a topic change its file, one more that does not allowed for
_SHARE_BESIDE = 0.4  # the same for further files
_LIFT = 3.0  # over stories about other things
_SURENESS = 16.0  # by the likelihood ratio: about one chance in 15,000, for very many are tried
_HUB = 0.4  # a file that more of all stories change is no place
_SWEEP = 25  # a story that changes more files tells of none
_SAVES = 3.0
_SHARED = frozenset(("", "HEAD", "dev", "develop", "main", "master", "trunk"))


class AboutFiles(Changed, frozen=True, kw_only=True, omit_defaults=True):
    """What a session was about, and what it did to files."""

    words: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    branch: str = ""  # of its own


class _Place(NamedTuple):
    """A topic and the file that it leads to."""

    stems: tuple[str, ...]
    path: str
    about: frozenset[int]  # stories
    sureness: float


class Places:
    name = "places"
    version = 3
    minimum_stories = _SUPPORT
    seen = AboutFiles

    def see(self, digest: Digest) -> Iterator[Grouped[AboutFiles]]:
        if digest.repo and not (changed := changes_of(digest)).is_nothing:
            words, pairs = topics_of(digest) if changed.files else Topics()
            branch = "" if digest.branch in _SHARED else digest.branch
            about = AboutFiles(**msgspec.structs.asdict(changed), words=words, pairs=pairs, branch=branch)
            yield Grouped(digest.repo, about)

    def conclude(self, group: str, sightings: Sequence[Sighting[AboutFiles]]) -> Iterable[Draft]:
        repo = _Repo(group, stories_of(sightings))
        return [repo.draft(place) for place in repo.places()]


class _Repo:
    def __init__(self, name: str, stories: Sequence[FileStory[AboutFiles]]) -> None:
        self._name = name
        self._all = stories
        self._stories = [story for story in stories if story.files and story.total <= _SWEEP]
        self._changing: defaultdict[str, set[int]] = defaultdict(set)  # path → stories
        self._about: defaultdict[str, set[int]] = defaultdict(set)  # stem → stories
        self._spelled: defaultdict[str, Counter[str]] = defaultdict(Counter)  # stem → words
        self._pairs: Counter[tuple[str, str]] = Counter()
        for at, story in enumerate(self._stories):
            self._take(at, story)
        for stem in ("", *words_of(name.rpartition("/")[2])):
            self._about.pop(stem, None)  # whatever the work is, it is about the repository

    def places(self) -> list[_Place]:
        """The surest, without those that say the same as a surer one."""
        places = (place for stems, about in self._topics() if (place := self._place(stems, about)))
        chosen: list[_Place] = []
        for place in sorted(places, key=lambda place: (-place.sureness, place.stems, place.path)):
            if len(chosen) < _MOST_PLACES and not any(self._is_same(place, other) for other in chosen):
                chosen.append(place)
        return chosen

    def draft(self, place: _Place) -> Draft:
        named = self._named(place)
        subjects = {subject_of(path) for path in named if not is_test(path)}
        tests = [path for path in named if is_test(path) and subject_of(path) in subjects]
        return Draft(
            harvester=Places.name,
            key=(place.path,),
            scope=Scope(ScopeKind.REPO, self._name),
            category=Category.FACT,
            sentence=self._sentence(place, [path for path in named[1:] if path not in tests], tests),
            channel=Channel.OUTCOME,
            triggers=(Trigger(topic=tuple(sorted(place.stems))),),
            files=named,
            evidence=tuple(self._evidence(place, frozenset(named))),
            saves=_SAVES,
        )

    def _take(self, at: int, story: FileStory[AboutFiles]) -> None:
        for path in story.files:
            self._changing[path].add(at)
        pairs: set[tuple[str, str]] = set()
        for _, seen in story.sightings:
            for word in seen.words:
                self._about[stemmed(word)].add(at)
                self._spelled[stemmed(word)][word] += 1
            for word, other in (pair.split() for pair in seen.pairs):
                pairs.add((stemmed(word), stemmed(other)))
        self._pairs.update(pairs)

    def _topics(self) -> Iterator[tuple[tuple[str, ...], frozenset[int]]]:
        """Pairs of words, with the stories about them. A single word means too much."""
        for (stem, other), times in self._pairs.items():
            both = self._about.get(stem, set()) & self._about.get(other, set()) if times > 1 and stem != other else ()
            if len(both) >= _SUPPORT:
                yield (stem, other), frozenset(both)

    def _place(self, stems: tuple[str, ...], about: frozenset[int]) -> _Place | None:
        """The file that a topic leads to, if there is one."""
        places = [
            _Place(stems, path, about, sureness)
            for path, count in self._counts(about).items()
            if count >= _SUPPORT
            and (sureness := self._sureness(path, count, len(about))) >= _SURENESS
            and not _speaks_of(path, stems)
            and self._is_untold(path, about)
        ]
        return min(places, key=lambda place: (-place.sureness, place.path), default=None)

    def _sureness(self, path: str, count: int, about: int) -> float:
        """How sure it is that a file that has the support belongs to a topic; 0 where it is no place at all."""
        total, changing = len(self._stories), len(self._changing[path])
        share, elsewhere = count / (about + 1), (changing - count) / max(1, total - about)
        is_place = share >= _SHARE and share >= _LIFT * elsewhere and changing <= _HUB * total
        return _likelihood_ratio(count, about, changing, total) if is_place and not is_test(path) else 0.0

    def _named(self, place: _Place) -> tuple[str, ...]:
        """The files of a place, best first."""
        counts, about, total = self._counts(place.about), len(place.about), len(self._stories)
        beside = [
            path
            for path, count in counts.items()
            if count >= max(_SUPPORT, _SHARE_BESIDE * about)
            and len(self._changing[path]) <= _HUB * total
            and count / about * (total - about) >= _LIFT * (len(self._changing[path]) - count)
        ]
        others = sorted((path for path in beside if path != place.path), key=lambda path: (-counts[path], path))
        return (place.path, *others)[:_MOST_FILES]

    def _is_same(self, place: _Place, other: _Place) -> bool:
        """Whether two places have the same file, or mostly the same stories and files."""
        shares_files = place.path in self._named(other) or other.path in self._named(place)
        return place.path == other.path or (shares_files and _is_mostly(place.about, other.about))

    def _is_untold(self, path: str, about: Iterable[int]) -> bool:
        """Whether enough pieces of work changed the file although most prompts did not name it."""
        changing = [at for at in about if path in self._stories[at].files]
        named = sum(path in self._stories[at].named for at in changing)
        return len({self._work(at) for at in changing}) >= _SUPPORT and 2 * named < len(changing)

    def _work(self, at: int) -> str:
        """The piece of work that a story belongs to: its branch, else itself."""
        story = self._stories[at]
        return next((sighting.seen.branch for sighting in story.sightings if sighting.seen.branch), story.name)

    def _counts(self, about: Iterable[int]) -> Counter[str]:
        return Counter(path for at in about for path in self._stories[at].files)

    def _evidence(self, place: _Place, named: frozenset[str]) -> Iterator[Evidence]:
        """For: stories about the topic that changed its file. Against: the others, and who looked for files in vain."""
        about = [self._stories[at] for at in sorted(place.about)]
        for story in about:
            yield evidence_of(story.telling, Channel.OUTCOME, is_against=place.path not in story.files)
        names = {story.name for story in about}
        for story in misses(self._all, named):
            if story.name not in names:
                yield evidence_of(story.telling, Channel.OUTCOME, is_against=True)

    def _sentence(self, place: _Place, beside: Sequence[str], tests: Sequence[str]) -> str:
        topic = " ".join(self._spelling(stem) for stem in place.stems)
        count, about = self._counts(place.about)[place.path], len(place.about)
        begin = f"In {shown_repo(self._name)}, work on *{topic}* changes "
        first = f"{shown(place.path)} ({count} of {about} sessions)"
        ending = f"; its tests are in {shown(tests[0])}" if tests else ""
        return fitted(begin + first, (f", {shown(path)}" for path in beside), ending)

    def _spelling(self, stem: str) -> str:
        return min(self._spelled[stem].items(), key=lambda item: (-item[1], len(item[0]), item[0]))[0]


def _speaks_of(path: str, stems: tuple[str, ...]) -> bool:
    """Whether a path holds one of the words, or one that begins with it or that it begins with."""
    return any(stem.startswith(word) or word.startswith(stem) for word in words_of(path) for stem in stems)


def _is_mostly(about: frozenset[int], other: frozenset[int]) -> bool:
    return 2 * len(about & other) > min(len(about), len(other))


def _likelihood_ratio(both: int, about: int, changing: int, total: int) -> float:
    """Dunning's G² for the table of stories about a topic against stories that change a file."""
    apart = total - about - changing + both
    split = _log_likelihood(both, about - both) + _log_likelihood(changing - both, apart)
    return 2 * (split - _log_likelihood(changing, total - changing))


def _log_likelihood(yes: int, no: int) -> float:
    return sum(count * math.log(count / (yes + no)) for count in (yes, no) if count)
