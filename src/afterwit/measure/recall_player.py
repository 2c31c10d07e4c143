"""The product's players: what recall would have said, from what was harvested of earlier sessions and what models read
in them; *places* alone names the files where the work is likely to be, and needs no items.

Each note is told once in a session, as hooks do it, with the one exception that a fix may be said again after its
failure.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from afterwit.actions.activities import activities_of
from afterwit.harvest.door.stories import GivenTask, Tasks
from afterwit.harvest.registry import HARVESTERS
from afterwit.knowledge.gate import rejection, wants_review
from afterwit.knowledge.library import Library
from afterwit.knowledge.needless import needless
from afterwit.knowledge.weighing import WeighingContext, weighed
from afterwit.knowledge.whose_words import Listener, Names, listener
from afterwit.measure.past_repositories import NO_REPOSITORIES, PastRepositories
from afterwit.measure.player import Player, Saying, Whereabouts
from afterwit.measure.read_notes import NOTHING_READ, Readings, ReadShelf
from afterwit.model.digest import Digest, DigestStep
from afterwit.model.kinds import Outcome
from afterwit.model.knowledge import EVERYWHERE, READ, Draft, Item, Scope, ScopeKind, SessionRef
from afterwit.recall.at_activity import FirstAction, at_activity, command_of
from afterwit.recall.at_failure import FailedAction, fix_for
from afterwit.recall.at_prompt import at_later_prompt, at_prompt
from afterwit.recall.doubles import told_once
from afterwit.recall.from_digest import sighting_of
from afterwit.recall.place_index import PlaceIndex
from afterwit.recall.places import KnownRepo, LikelyPlace, Question, guess
from afterwit.recall.prompt_block import action_tokens, later_tokens
from afterwit.recall.situation import Situation
from afterwit.recall.start_block import start_block
from afterwit.redaction.accounts import is_person


class PastPlaces:
    """Where work was by the time that is replayed, by repository."""

    def __init__(self, past: PastRepositories) -> None:
        self._past = past
        self._indexes: defaultdict[str, PlaceIndex] = defaultdict(PlaceIndex)
        self._told: defaultdict[str, dict[str, str]] = defaultdict(dict)  # by repository and branch, the last commit

    @property
    def mark(self) -> str:
        """Changes with the repositories."""
        named = [f"{name} {repository.mark}" for name, repository in sorted(self._past.items())]
        return hashlib.sha256("\n".join(named).encode()).hexdigest()[:16] if named else ""

    def know(self, digest: Digest) -> None:
        self._indexes[digest.repo].put(sighting_of(digest))

    def of(self, here: Whereabouts) -> KnownRepo:
        """All that was known of a repository when a session began."""
        repository, work = self._past.get(here.repo), self._indexes[here.repo]
        if repository is None:
            return KnownRepo(work)
        for sighting in repository.work_before(here.began_ms, here.branch, self._told[here.repo]):
            work.put(sighting)
        return KnownRepo(work, repository.tree_before(here.began_ms, here.branch), repository.is_there)


class PlacesPlayer(Player):
    name = "places"
    version = 3

    def __init__(self, past: PastRepositories = NO_REPOSITORIES) -> None:
        self._places = PastPlaces(past)

    @property
    def mark(self) -> str:
        return f"{self.version} {self._places.mark}".strip()

    def know(self, digest: Digest) -> None:
        self._places.know(digest)

    def prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        places = guess(self._places.of(here), Question(prompt, here.branch, here.parent))
        if places:
            yield Saying(text=_line(places), items=("places",), files=tuple(place.path for place in places))


def _line(places: list[LikelyPlace]) -> str:
    return f"A guess at the files: {', '.join(place.path for place in places)}"


_MINIMUM = {READ: 1} | {harvester.name: harvester.minimum_stories for harvester in HARVESTERS}
_WORKED = {Outcome.SUCCESS: True, Outcome.FAILURE: False}


def _is_let_in(draft: Draft) -> bool:
    return rejection(draft) is None and needless(draft) is None and not wants_review(draft)


class RecallPlayer(Player):
    name = "afterwit"
    version = 7

    def __init__(self, readings: Readings = NOTHING_READ, past: PastRepositories = NO_REPOSITORIES) -> None:
        self._library = Library(HARVESTERS, _is_let_in)
        self._readings = readings
        self.shelf = ReadShelf(readings, _is_let_in)
        self._places = PastPlaces(past)
        self._parents: dict[str, str] = {}
        self._tasks = Tasks()
        self._first: dict[str, str] = {}  # session that got the task of a session at the root of others
        self._stories: defaultdict[Scope, set[str]] = defaultdict(set)
        self._latest: Counter[str] = Counter()
        self._weighed: dict[tuple[Situation, str], tuple[Item, ...]] = {}  # by user too, until more is known
        self._users: defaultdict[str, set[str]] = defaultdict(set)  # by repository
        self._told: defaultdict[str, set[str]] = defaultdict(set)  # by session
        self._answered: set[tuple[str, str]] = set()
        self._later_chars: Counter[str] = Counter()  # by session: told with later prompts
        self._activity_chars: Counter[str] = Counter()  # by session: told because of what an action did

    @property
    def mark(self) -> str:
        read = [(*key, reading) for key, reading in sorted(self._readings.items())]
        return (
            f"{self.version} {hashlib.sha256(msgspec.json.encode(read)).hexdigest()[:16]} {self._places.mark}".strip()
        )

    def know(self, digest: Digest) -> None:
        self._parents[digest.native_id] = digest.parent
        story = self._story(digest)
        self._stories[Scope(ScopeKind.REPO, digest.repo)].add(story)
        self._stories[EVERYWHERE].add(story)
        at_ms = digest.ended_ms or digest.started_ms or 0
        for place in (digest.repo, ""):
            self._latest[place] = max(self._latest[place], at_ms)
        self._library.know(digest, _session(digest, story))
        self._places.know(digest)
        self._users[digest.repo].add(digest.user)
        self._weighed.clear()

    def end(self, digest: Digest) -> None:
        self.shelf.end(_session(digest, self._story(digest)))
        self._weighed.clear()

    def start(self, here: Whereabouts) -> Iterable[Saying]:
        counts = {scope: len(stories) for scope, stories in self._stories.items()}
        block = start_block(self._items(here), _situation(here), counts)
        if block.text:
            items = tuple(item.id for item in block.items)
            self._told[here.session].update(items)
            yield Saying(text=block.text, items=items)

    def prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        question = Question(prompt, here.branch, here.parent)
        told = self._told[here.session]
        block = at_prompt(self._items(here), _situation(here), question, self._places.of(here), told)
        if block.text:
            told.update(block.items)
            yield Saying(text=block.text, items=block.items, files=block.files)

    def later_prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        question = Question(prompt, here.branch, here.parent)
        work, told = self._places.of(here).work, self._told[here.session]
        room = later_tokens(self._later_chars[here.session])
        block = at_later_prompt(self._items(here), _situation(here), question, work, told, room)
        if block.text:
            self._later_chars[here.session] += len(block.text)
            told.update(block.items)
            yield Saying(text=block.text, items=block.items)

    def after(self, here: Whereabouts, step: DigestStep) -> Iterable[Saying]:
        failed = FailedAction(step.kind, step.tool, step.target, step.error)
        fix = fix_for(self._items(here), _situation(here), failed)
        if fix is not None and (here.session, fix.item.id) not in self._answered:
            self._answered.add((here.session, fix.item.id))
            self._told[here.session].add(fix.item.id)
            yield Saying(text=fix.text, items=(fix.item.id,), advice=fix.advice)

    def activity(self, here: Whereabouts, step: DigestStep, paths: Sequence[str]) -> Iterable[Saying]:
        action = FirstAction(activities_of(step.kind, step.target), tuple(paths), command_of(step.kind, step.target))
        if action.is_any:
            told, room = self._told[here.session], action_tokens(self._activity_chars[here.session])
            lines = at_activity(self._items(here), _situation(here), action, told, room)
            if lines:
                told.update(line.item for line in lines)
                text = "\n".join(f"- {line.text}" for line in lines)
                self._activity_chars[here.session] += len(text)
                yield Saying(text=text, items=tuple(line.item for line in lines))

    def _items(self, here: Whereabouts) -> tuple[Item, ...]:
        situation = _situation(here)
        key = (situation, here.user)
        if key not in self._weighed:
            now_ms = self._latest[here.repo] or self._latest[""]
            scopes = frozenset(situation.scopes())
            unions = (*self.shelf.reported(self._library.unions(scopes)), *self.shelf.unions(scopes))
            items = weighed(unions, WeighingContext(now_ms=now_ms, minimum_stories=_MINIMUM))
            self._weighed[key] = tuple(told_once(items, self._listener(here)))
        return self._weighed[key]

    def _listener(self, here: Whereabouts) -> Listener:
        """Whoever the replayed session belongs to: they are told nobody else's words."""
        return listener(Names(frozenset((here.user,))), self._users, is_known=is_person(here.user))

    def _story(self, digest: Digest) -> str:
        root = self._root(digest.native_id)
        if root == digest.native_id:
            given = GivenTask(digest.repo, digest.branch, digest.started_ms or 0, digest.task)
            self._first[root] = self._tasks.first(root, given)
        return self._first.get(root, root)

    def _root(self, session: str) -> str:
        seen = {session}
        while (above := self._parents.get(session)) and above not in seen and above in self._parents:
            seen.add(above)
            session = above
        return session


def _situation(here: Whereabouts) -> Situation:
    return Situation(here.repo, here.agent)


def _session(digest: Digest, story: str) -> SessionRef:
    return SessionRef(
        agent=digest.agent,
        native_id=digest.native_id,
        story=story,
        repo=digest.repo,
        user=digest.user,
        version=digest.versions[-1] if digest.versions else "",
        at_ms=digest.started_ms or 0,
        worked=_WORKED.get(digest.verdict.outcome),
    )
