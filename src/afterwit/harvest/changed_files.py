"""What sessions did to the files of their repository, and the stories of a repository with the files they changed.

`changes_of` tells of one session which files it changed, moved, deleted, or looked for in vain. Paths are below the
repository; what lies elsewhere is left out, and so is what nobody edits for its own sake: lock files, change logs,
generated, vendored and ignored files, and files that the session took away again itself.

`stories_of` puts sessions together, under the names of files that hold today: one that was moved counts under its new
name, and one that was deleted is left out, unless a later story changed it under the old name: then the move never came
in. Only the latest stories count, so that the cost is bounded and what was long ago does not decide. What follows is up
to the harvesters.
"""

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.tree import Command
from afterwit.digest.digester import TARGET_LIMIT, below
from afterwit.guard.plain_names import is_plain_path
from afterwit.harvest.harvester import grouped_by
from afterwit.harvest.once import once_per_digest
from afterwit.model.digest import Digest, DigestStep
from afterwit.model.kinds import CHANGES, ActionKind, Status
from afterwit.model.knowledge import Seen, Sighting
from afterwit.text.patterns import regex

MOST_FILES = 30
MOST_STORIES = 1_000
_MOST_LOST = 20
_MOST_MOVES = 8  # of one file
_EXCERPT_CHARS = 120
_ABSENT = regex(r"does not exist|no such file|not found|ENOENT", re.IGNORECASE)
_MOVES = regex(r"\b(?:rm|mv)\b")
_PLAIN = regex(r"[\w@+.()\[\]-]+(?:/[\w@+.()\[\]-]+)*")
_SIDE_FOLDERS = frozenset(
    """.cache .entire .git .gradle .idea .next .nuxt .tox .venv .vscode __pycache__
    __snapshots__ bower_components coverage dist generated node_modules site-packages third_party tmp vendor venv
    """.split()  # noqa: SIM905
)
_SIDE_ROOTS = frozenset(("build", "gen", "logs", "out", "target", "temp"))
_SIDE_NAMES = regex(
    r"""(?: change(?:log|s)\b.* | history\.(?:md|rst) | news\.(?:md|rst) | .*\.lock | .*[-.]lock\.\w+ | .*\.lockb
    | go\.sum | npm-shrinkwrap\.json | .*\.(?:log|tmp|bak|orig|rej|map|snap|pyc|class|o|min\.\w+)
    | .*(?:\.generated|\.g|_generated|\.pb|_pb2|_pb2_grpc|\.designer)\.\w+ | zz_generated.*
    | readme(?:\.\w+)* | license(?:\.\w+)? | notice(?:\.\w+)? | authors(?:\.\w+)? | \.env(?:\..*)? | \.ds_store
    | (?:claude|agents|gemini)\.md | version )\Z""",
    re.IGNORECASE | re.VERBOSE,
)


class Move(NamedTuple):
    """A file or a folder that was moved, or deleted where `now` is ""."""

    path: str
    now: str = ""


class Changed(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """What a session did to files."""

    files: tuple[str, ...] = ()  # changed, the most often changed first
    total: int = 0  # of files changed, also where not all are listed
    moves: tuple[Move, ...] = ()
    missing: tuple[str, ...] = ()  # looked for and not there
    named: tuple[str, ...] = ()  # of the changed files, those that prompts name

    @property
    def is_nothing(self) -> bool:
        return not (self.files or self.moves or self.missing)


C = TypeVar("C", bound=Changed)


class FileStory(NamedTuple, Generic[C]):
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


@once_per_digest
def changes_of(digest: Digest) -> Changed:
    """All that a session did to files."""
    root = _root(digest.steps)
    times: Counter[str] = Counter()
    moves: dict[str, Move] = {}
    missing: dict[str, None] = {}
    first: int | None = None
    for at, step in enumerate(digest.steps):
        for move in _moved_by(step, root):
            _follow(move, times)
            moves[move.path] = move
        for path in _changed_by(step):
            first = at if first is None else first
            times[path] += 1
            moves.pop(path, None)
            missing.pop(path, None)
        missing |= dict.fromkeys(_missed_by(step, root))
    files = tuple(sorted(times, key=lambda path: (-times[path], path))[:MOST_FILES])
    at_s = None if first is None else digest.steps[first].at_s
    prompts = " ".join((digest.task, *(prompt.text for prompt in digest.prompts)))
    return Changed(
        at=first,
        at_ms=None if at_s is None or digest.started_ms is None else digest.started_ms + 1_000 * at_s,
        excerpt=" ".join((digest.title or digest.task).split())[:_EXCERPT_CHARS],
        files=files,
        total=len(times),
        moves=tuple(moves.values())[-_MOST_LOST:],
        missing=tuple(missing)[-_MOST_LOST:],
        named=tuple(path for path in files if path.rpartition("/")[2] in prompts),
    )


def stories_of(sightings: Iterable[Sighting[C]]) -> list[FileStory[C]]:
    """The latest stories that did something to files, in order of time."""
    by_story = grouped_by(sightings, lambda sighting: sighting.session.story)
    stories = [_story(name, of_story) for name, of_story in by_story.items()]
    return _renamed(sorted(stories, key=lambda story: (story.at_ms, story.name))[-MOST_STORIES:])


def misses(stories: Sequence[FileStory[C]], files: Collection[str]) -> Iterator[FileStory[C]]:
    """The stories that looked for one of these files in vain, later than any that changed it."""
    alive = {path: story.at_ms for story in stories for path in story.files if path in files}
    for story in stories:
        if any(story.at_ms > alive.get(path, 0) for path in story.missing if path in files):
            yield story


def is_aside(path: str) -> bool:
    """Whether a file changes in passing: generated, vendored, ignored, a lock file, a change log, a README."""
    *folders, name = path.lower().split("/")
    is_beside = not _SIDE_FOLDERS.isdisjoint(folders) or (folders[:1] and folders[0] in _SIDE_ROOTS)
    return bool(is_beside or _SIDE_NAMES.match(name))


def _changed_by(step: DigestStep) -> Iterable[str]:
    if step.kind not in CHANGES or step.status not in (Status.SUCCEEDED, Status.UNKNOWN):
        return ()
    return (path for path in step.files if _PLAIN.fullmatch(path) and not is_aside(path))


def _missed_by(step: DigestStep, root: str) -> Iterable[str]:
    if step.kind is not ActionKind.READ or step.status is not Status.FAILED or not _ABSENT.search(step.error):
        return ()
    path = below(step.target, root, root)
    return (path,) if _PLAIN.fullmatch(path) else ()


def _moved_by(step: DigestStep, root: str) -> Iterator[Move]:
    if step.kind is ActionKind.SHELL and step.has_worked and _MOVES.search(step.target):
        commands = parsed(step.target).commands
        is_cut = len(step.target) >= TARGET_LIMIT
        for command in commands[:-1] if is_cut else commands:
            yield from _moved_by_command(command, root)


def _follow(move: Move, times: Counter[str]) -> None:
    for path in [path for path in times if f"{path}/".startswith(f"{move.path}/")]:
        count, now = times.pop(path), _after(path, move)
        if now and not is_aside(now):
            times[now] += count


def _moved_by_command(command: Command, root: str) -> Iterator[Move]:
    verb, operands = command.program, [word for word in command.arguments if not word.startswith("-")]
    if verb == "git" and operands:
        verb, operands = operands[0], operands[1:]
    paths = [_resolved(path, command.folder, root) for path in operands]
    if verb == "rm" and "--cached" not in command.flags:
        yield from (Move(path) for path in paths if path and not is_aside(path))
    elif verb == "mv" and len(paths) > 1:
        is_folder = len(paths) > 2 or operands[-1].endswith(("/", "."))
        for source in filter(None, paths[:-1]):
            now = posixpath.join(paths[-1], posixpath.basename(source)) if is_folder else paths[-1]
            yield Move(source, now)


def _resolved(path: str, folder: str, root: str) -> str:
    """The path below the repository; "" where it lies elsewhere or is a pattern."""
    whole = posixpath.normpath(below(posixpath.join(folder, path), root, root))
    return whole if whole != "." and _PLAIN.fullmatch(whole) and not whole.startswith("..") else ""


def _root(steps: Sequence[DigestStep]) -> str:
    """The repository's folder as the session's own calls write it; "" where they never write it out."""
    for step in steps:
        if step.kind in CHANGES and len(step.files) == 1 and step.target.startswith("/"):
            root, _, rest = step.target.partition(f"/{step.files[0]}")
            if root and not rest:
                return root
    return ""


def _story(name: str, sightings: Iterable[Sighting[C]]) -> FileStory[C]:
    ordered = tuple(sorted(sightings, key=_order))
    files = frozenset(path for _, seen in ordered for path in seen.files if is_plain_path(path))
    return FileStory(
        name,
        ordered[0].session.at_ms,
        ordered,
        files,
        frozenset(path for _, seen in ordered for path in seen.missing),
        len(files) + sum(max(0, seen.total - len(seen.files)) for _, seen in ordered),
        frozenset(path for _, seen in ordered for path in seen.named),
    )


def _order(sighting: Sighting[C]) -> tuple[int, str, str]:
    return sighting.session.at_ms, sighting.session.agent, sighting.session.native_id


def _after(path: str, move: Move) -> str:
    """The path after a move that concerns it; "" where it was deleted."""
    return f"{move.now}{path[len(move.path) :]}" if move.now else ""


class _Moved(NamedTuple):
    at_ms: int
    move: Move


def _renamed(stories: Sequence[FileStory[C]]) -> list[FileStory[C]]:
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
        path = _after(path, move)
    return path


def _upwards(path: str) -> Iterable[str]:
    """The path and all folders above it."""
    while path:
        yield path
        path = path.rpartition("/")[0]
