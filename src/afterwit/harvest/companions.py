"""Companions: files of a repository that change together without showing it, so that nobody forgets the other.

One row a session: the files it changed. Files that nearly always go together make one item, in whatever number; where
only one of two needs the other, the item says so in that direction. What shows itself is left out: a file and its
tests, neighbours in one folder, paths that share a telling word, and files that the prompts named together. Between
files of different kinds, as a template and the code that uses it, no compiler shows the bond: there the prompts may
have named them. Stories that changed one file without its companion speak against.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from afterwit.harvest.changed_files import MOST_FILES, Changed, FileStory, changes_of, misses, stories_of
from afterwit.harvest.harvester import Grouped, evidence_of
from afterwit.harvest.wording import sentence, shown, shown_repo
from afterwit.model.digest import Digest
from afterwit.model.knowledge import (
    SENTENCE_LIMIT,
    Category,
    Channel,
    Draft,
    Evidence,
    Scope,
    ScopeKind,
    Sighting,
    Trigger,
)
from afterwit.text.test_paths import is_test, subject_of
from afterwit.text.words import words_of

_MOST_ITEMS = 20  # of one repository
_MOST_FILES = 4  # in one group
_SUPPORT = 4  # stories
_CONFIDENCE = 0.7
_LIFT = 3.0
_LATEST = 2  # stories that must not speak against it
_SWEEP = 20  # that two files are among more than these says nothing; that one is missing does
_NEAR = frozenset(("__tests__", "test", "tests", "spec", "__mocks__"))
_SAYS_LITTLE = frozenset(
    words_of(
        "src lib libs app apps package packages internal pkg cmd index main mod init test tests spec component"
        " components hook hooks util utils helper helpers shared common core type types model models module modules"
        " frontend backend client server web api service services view views page pages"
    )
)
_KINDS = (
    ".c .cc .cpp .h .hpp",
    ".js .jsx .mjs .ts .tsx .vue .svelte",
    ".java .kt .scala .groovy",
    ".md .mdx .rst .txt .adoc",
    ".css .scss .sass .less",
    ".json .yaml .yml .toml .ini .cfg",
)  # that one compiler or reader takes together
_KIND_OF = {ending: number for number, endings in enumerate(_KINDS) for ending in endings.split()}


class _Bond(NamedTuple):
    """Files that change together."""

    causes: tuple[str, ...]  # whoever changes one of these …
    effects: tuple[str, ...]  # … changes these too; empty: all causes change together
    together: frozenset[int]  # stories
    apart: frozenset[int]

    @property
    def files(self) -> tuple[str, ...]:
        return (*self.causes, *self.effects)

    @property
    def order(self) -> tuple[int, int, tuple[str, ...]]:
        return -len(self.together), len(self.apart), self.files


class Companions:
    name = "companions"
    version = 3
    minimum_stories = _SUPPORT
    seen = Changed

    def see(self, digest: Digest) -> Iterator[Grouped[Changed]]:
        if digest.repo and not (changed := changes_of(digest)).is_nothing:
            yield Grouped(digest.repo, changed)

    def conclude(self, group: str, sightings: Sequence[Sighting[Changed]]) -> Iterable[Draft]:
        repo = _Repo(group, stories_of(sightings))
        return [repo.draft(bond) for bond in repo.bonds()]


class _Repo:
    def __init__(self, name: str, stories: Sequence[FileStory[Changed]]) -> None:
        self._name = name
        self._all = stories
        self._stories = [story for story in stories if story.files and story.total <= MOST_FILES]
        self._sweeps = {at for at, story in enumerate(self._stories) if story.total > _SWEEP}
        self._changing: defaultdict[str, set[int]] = defaultdict(set)
        for at, story in enumerate(self._stories):
            for path in story.files:
                self._changing[path].add(at)

    def bonds(self) -> list[_Bond]:
        """The strongest bonds; no file leads to the same companion twice."""
        pairs = list(self._pairs())
        groups = self._groups(pairs)
        bound = {frozenset(pair) for group in groups for pair in combinations(group.causes, 2)}
        bonds = [*groups, *self._one_way(pairs, bound)]
        return sorted(bonds, key=lambda bond: bond.order)[:_MOST_ITEMS]

    def draft(self, bond: _Bond) -> Draft:
        return Draft(
            harvester=Companions.name,
            key=tuple(sorted(bond.files)),
            scope=Scope(ScopeKind.REPO, self._name),
            category=Category.PATTERN,
            sentence=self._sentence(bond),
            channel=Channel.OUTCOME,
            triggers=tuple(Trigger(path=path) for path in bond.causes),
            files=bond.effects or bond.causes,
            evidence=tuple(self._evidence(bond)),
        )

    def _pairs(self) -> Iterator[tuple[str, str]]:
        """Pairs with support and lift that nobody would guess."""
        often = {path for path, stories in self._changing.items() if len(stories) >= _SUPPORT}
        counts: Counter[tuple[str, str]] = Counter()
        for story in self._stories:
            counts.update(combinations(sorted(often & story.files), 2))
        for (path, other), count in sorted(counts.items()):
            expected = len(self._changing[path]) * len(self._changing[other]) / len(self._stories)
            if count >= _SUPPORT and count >= _LIFT * expected and self._is_hidden(path, other):
                yield path, other

    def _is_hidden(self, path: str, other: str) -> bool:
        """Whether neither the paths show that two files belong together, nor the prompts of most stories."""
        if is_obvious(path, other):
            return False
        both = self._changing[path] & self._changing[other]
        named = sum({path, other} <= self._stories[at].named for at in both)
        return _kind(path) != _kind(other) or 2 * named < len(both)

    def _groups(self, pairs: Iterable[tuple[str, str]]) -> list[_Bond]:
        """Files that need each other, the strongest first, grown as long as all go together."""
        mutual = [bond for pair in pairs if (bond := self._mutual(pair))]
        groups: list[_Bond] = []
        for bond in sorted(mutual, key=lambda bond: bond.order):
            if not any(set(bond.causes) <= set(group.causes) for group in groups):
                groups = self._joined(groups, bond)
        return groups

    def _joined(self, groups: list[_Bond], bond: _Bond) -> list[_Bond]:
        """The groups with one more pair: in the first group that it can join, or beside them."""
        for at, group in enumerate(groups):
            both = tuple(sorted({*group.causes, *bond.causes}))
            shares = len(both) < len(group.causes) + len(bond.causes)
            grown = self._mutual(both) if shares and len(both) <= _MOST_FILES else None
            if grown is not None:
                return [*groups[:at], grown, *groups[at + 1 :]]
        return [*groups, bond]

    def _mutual(self, files: tuple[str, ...]) -> _Bond | None:
        """The bond of files that nearly always change all at once."""
        changing = [self._changing[path] for path in files]
        together, any_of = set.intersection(*changing), set.union(*changing)
        return self._bond(files, (), together, any_of) if not any(map(is_test, files)) else None

    def _one_way(self, pairs: Iterable[tuple[str, str]], bound: set[frozenset[str]]) -> Iterator[_Bond]:
        """Bonds in which one file needs others, which are changed without it too."""
        needed: defaultdict[str, list[str]] = defaultdict(list)
        for pair in pairs:
            bonds = [bond for ends in (pair, pair[::-1]) if (bond := self._led(ends[0], ends[1:]))]
            if bonds and frozenset(pair) not in bound:
                cause, effect = min(bonds, key=lambda bond: (len(bond.apart), bond.causes)).files
                needed[cause].append(effect)
        for cause, effects in needed.items():
            yield from self._widest(cause, effects)

    def _widest(self, cause: str, effects: list[str]) -> Iterator[_Bond]:
        """The bond of a file with as many of its companions as change all at once; the others on their own."""
        of_cause = self._changing[cause]
        ranked = sorted(effects, key=lambda path: (-len(of_cause & self._changing[path]), path))
        taken: tuple[str, ...] = ()
        for effect in ranked:
            if len(taken) < _MOST_FILES - 1 and self._led(cause, (*taken, effect)):
                taken = (*taken, effect)
        for some in (taken, *((path,) for path in ranked if path not in taken)):
            if bond := self._led(cause, some):
                yield bond

    def _led(self, cause: str, effects: tuple[str, ...]) -> _Bond | None:
        """The bond of a file with those that change whenever it does. Tests follow; they do not lead."""
        together = set.intersection(*(self._changing[path] for path in (cause, *effects)))
        return None if is_test(cause) else self._bond((cause,), effects, together, self._changing[cause])

    def _bond(
        self, causes: tuple[str, ...], effects: tuple[str, ...], together: set[int], of: set[int]
    ) -> _Bond | None:
        """The bond, if it is strong enough with one more failure allowed for, and still held at the end."""
        apart, together = of - together, together - self._sweeps
        is_strong = len(together) >= max(_SUPPORT, _CONFIDENCE * (len(together) + len(apart) + 1))
        if not is_strong or not apart.isdisjoint(sorted(together | apart)[-_LATEST:]):
            return None
        return _Bond(causes, effects, frozenset(together), frozenset(apart))

    def _evidence(self, bond: _Bond) -> Iterator[Evidence]:
        stories = sorted(bond.together | bond.apart)
        for at in stories:
            yield evidence_of(self._stories[at].telling, Channel.OUTCOME, is_against=at in bond.apart)
        names = {self._stories[at].name for at in stories}
        for story in misses(self._all, bond.files):
            if story.name not in names:
                yield evidence_of(story.telling, Channel.OUTCOME, is_against=True)

    def _sentence(self, bond: _Bond) -> str:
        """With as many companions as fit."""
        together, of = len(bond.together), len(bond.together) + len(bond.apart)
        first, *others = bond.files
        for most in range(len(others), 0, -1):
            names = [shown(path) for path in others[:most]]
            if bond.effects:
                verb = "change" if most > 1 else "changes"
                begin = f"When you change {shown(first)} in {shown_repo(self._name)}, "
                text = f"{begin}{_joined_up(names)} {verb} too ({together} of {of} sessions)."
            else:
                begin = f"In {shown_repo(self._name)}, {_joined_up([shown(first), *names])} change together "
                text = f"{begin}({together} of {of} sessions)."
            if len(text) <= SENTENCE_LIMIT:
                break
        return sentence(text)


def _joined_up(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def is_obvious(path: str, other: str) -> bool:
    """Whether two paths show that they belong together: a file and its tests; of one kind, also neighbours and paths
    that share a telling word."""
    is_near = _home(path) == _home(other)
    if is_near and subject_of(path) == subject_of(other):
        return True
    return _kind(path) == _kind(other) and (is_near or not _telling(path).isdisjoint(_telling(other)))


def _telling(path: str) -> frozenset[str]:
    return frozenset(words_of(path.rpartition(".")[0] or path)) - _SAYS_LITTLE


def _kind(path: str) -> int | str:
    """The same for files of one kind."""
    ending = path[path.rfind(".") :] if "." in path.rpartition("/")[2] else ""
    return _KIND_OF.get(ending, ending)


def _home(path: str) -> str:
    folder = path.rpartition("/")[0]
    above, _, last = folder.rpartition("/")
    return above if last in _NEAR else folder
