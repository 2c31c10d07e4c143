"""The stories of one repository and the files they changed, under the names that hold today.

A file that was moved counts under its new name, and one that was deleted is left out, unless a later story changed it
under the old name: then the move never came in. Only the latest stories count, so that the cost is bounded and what
was long ago does not decide. The outcome depends on the set of sightings, not on their order.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from afterwit.guard.plain_names import is_plain_path
from afterwit.harvest.files.changed_files import Move, changes_of, follow
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Seen, Sighting

MOST_STORIES = 1_000
_EXCERPT_CHARS = 120
_MOST_MOVES = 8  # of one file


class Changed(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """What a session did to files."""

    files: tuple[str, ...] = ()  # changed, the most often changed first
    total: int = 0  # of files changed, also where not all are listed
    moves: tuple[Move, ...] = ()
    missing: tuple[str, ...] = ()
    named: tuple[str, ...] = ()  # of the changed files, those that prompts name


C = TypeVar("C", bound=Changed)


class Story(NamedTuple, Generic[C]):
    """All sessions of one story."""

    name: str
    at_ms: int
    sightings: tuple[Sighting[C], ...]  # in order of time
    files: frozenset[str]  # changed, by today's names
    missing: frozenset[str]  # looked for and not there
    total: int  # of files changed, also where not all are listed
    named: frozenset[str]  # files that prompts name

    @property
    def telling(self) -> Sighting[C]:
        """The first sighting with changes, to quote as evidence."""
        return next((sighting for sighting in self.sightings if sighting.seen.files), self.sightings[0])


class _Moved(NamedTuple):
    at_ms: int
    move: Move


def changed_in(digest: Digest) -> Changed | None:
    """What a session did to files; None where that is nothing."""
    changes = changes_of(digest)
    if not (changes.files or changes.moves or changes.missing):
        return None
    at_s = None if changes.at is None else digest.steps[changes.at].at_s
    return Changed(
        at=changes.at,
        at_ms=None if at_s is None or digest.started_ms is None else digest.started_ms + 1_000 * at_s,
        excerpt=" ".join((digest.title or digest.task).split())[:_EXCERPT_CHARS],
        files=changes.files,
        total=changes.total,
        moves=changes.moves,
        missing=changes.missing,
        named=tuple(_named(digest, changes.files)),
    )


def _named(digest: Digest, files: Iterable[str]) -> Iterator[str]:
    told = " ".join((digest.task, *(prompt.text for prompt in digest.prompts)))
    return (path for path in files if path.rpartition("/")[2] in told)


def stories_of(sightings: Iterable[Sighting[C]]) -> list[Story[C]]:
    """The latest stories that did something to files, in order of time."""
    grouped: defaultdict[str, list[Sighting[C]]] = defaultdict(list)
    for sighting in sightings:
        grouped[sighting.session.story].append(sighting)
    plain = sorted(
        (_plain(name, of_story) for name, of_story in grouped.items()), key=lambda one: (one.at_ms, one.name)
    )
    return _renamed(plain[-MOST_STORIES:])


def misses(stories: Sequence[Story[C]], files: Collection[str]) -> Iterator[Story[C]]:
    """The stories that looked for one of these files in vain, later than any that changed it."""
    alive = {path: story.at_ms for story in stories for path in story.files if path in files}
    for story in stories:
        if any(story.at_ms > alive.get(path, 0) for path in story.missing if path in files):
            yield story


def _plain(name: str, sightings: Iterable[Sighting[C]]) -> Story[C]:
    ordered = tuple(sorted(sightings, key=lambda one: (one.session.at_ms, one.session.agent, one.session.native_id)))
    files = frozenset(path for _, seen in ordered for path in seen.files if is_plain_path(path))
    return Story(
        name,
        ordered[0].session.at_ms,
        ordered,
        files,
        frozenset(path for _, seen in ordered for path in seen.missing),
        len(files) + sum(max(0, seen.total - len(seen.files)) for _, seen in ordered),
        frozenset(path for _, seen in ordered for path in seen.named),
    )


def _renamed(stories: Sequence[Story[C]]) -> list[Story[C]]:
    """The stories with today's names of files."""
    moves: defaultdict[str, list[_Moved]] = defaultdict(list)
    alive: dict[str, int] = {}
    for story in stories:
        alive |= dict.fromkeys(story.files, story.at_ms)
        for _, seen in story.sightings:
            for move in seen.moves:
                moves[move.path].append(_Moved(story.at_ms, move))
    if not moves:
        return list(stories)
    return [
        story._replace(files=frozenset(filter(None, (_today(path, story.at_ms, moves, alive) for path in story.files))))
        for story in stories
    ]


def _today(path: str, at_ms: int, moves: dict[str, list[_Moved]], alive: dict[str, int]) -> str:
    """What a file that was changed at a moment is called now; "" where it was deleted since."""
    for _ in range(_MOST_MOVES):
        concerning = (moved for place in _upwards(path) for moved in moves.get(place, ()))
        since = [moved for moved in concerning if moved.at_ms >= at_ms and alive.get(path, 0) <= moved.at_ms]
        if not since:
            break
        at_ms, move = min(since)
        path = follow(path, move)
    return path


def _upwards(path: str) -> Iterable[str]:
    """The path and all folders above it."""
    while path:
        yield path
        path = path.rpartition("/")[0]
