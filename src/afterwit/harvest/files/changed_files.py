"""What one session did to the files of its repository: changed, moved, deleted, or looked for in vain.

Paths are below the repository; what lies elsewhere is left out, and so is what nobody edits for its own sake: lock
files, change logs, generated, vendored and ignored files, and files that the session took away again itself. What
follows over many sessions is up to the harvesters.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.tree import Command
from afterwit.digest.digester import TARGET_LIMIT
from afterwit.digest.paths import below
from afterwit.model.digest import Digest, DigestStep
from afterwit.model.kinds import CHANGES, ActionKind, Lean, Status

MOST_FILES = 30
_MOST_LOST = 20
_ABSENT = re.compile(r"does not exist|no such file|not found|ENOENT", re.IGNORECASE)
_MOVES = re.compile(r"\b(?:rm|mv)\b")
_PLAIN = re.compile(r"[\w@+.()\[\]-]+(?:/[\w@+.()\[\]-]+)*")

_SIDE_FOLDERS = frozenset(
    """.cache .entire .git .gradle .idea .next .nuxt .tox .venv .vscode __pycache__
    __snapshots__ bower_components coverage dist generated node_modules site-packages third_party tmp vendor venv
    """.split()  # noqa: SIM905
)
_SIDE_ROOTS = frozenset(("build", "gen", "logs", "out", "target", "temp"))
_SIDE_NAMES = re.compile(
    r"""(?: change(?:log|s)\b.* | history\.(?:md|rst) | news\.(?:md|rst) | .*\.lock | .*[-.]lock\.\w+ | .*\.lockb
    | go\.sum | npm-shrinkwrap\.json | .*\.(?:log|tmp|bak|orig|rej|map|snap|pyc|class|o|min\.\w+)
    | .*(?:\.generated|\.g|_generated|\.pb|_pb2|_pb2_grpc|\.designer)\.\w+ | zz_generated.*
    | readme(?:\.\w+)* | license(?:\.\w+)? | notice(?:\.\w+)? | authors(?:\.\w+)? | \.env(?:\..*)? | \.ds_store
    | (?:claude|agents|gemini)\.md | version )\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_TEST = re.compile(
    r"(?:^|/)(?:__tests__|tests?|specs?|e2e|testing)/|(?:^|/)(?:test|spec)[_-][^/]*\Z|(?:[._-](?:test|tests|spec|e2e)"
    r"|(?<=[a-z0-9])(?:Tests?|Spec))\.\w+\Z"
)
_TEST_MARK = re.compile(r"^(?:test|spec)[_-]|[_-](?:test|tests|spec|e2e)\Z|(?<=[a-z0-9])(?:Tests?|Spec)\Z")
_PROSE = (".md", ".mdx", ".rst", ".txt")


class Move(NamedTuple):
    """A file or a folder that was moved, or deleted where `now` is ""."""

    path: str
    now: str = ""


class Changes(NamedTuple):
    """What one session did to files worth speaking of."""

    files: tuple[str, ...]  # changed, the most often changed first
    total: int  # of files changed, also where not all are listed
    moves: tuple[Move, ...]
    missing: tuple[str, ...]  # looked for and not there
    at: int | None  # the first step that changed something


def changes_of(digest: Digest) -> Changes:
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
    ranked = sorted(times, key=lambda path: (-times[path], path))
    lost = tuple(moves.values())[-_MOST_LOST:]
    return Changes(tuple(ranked[:MOST_FILES]), len(ranked), lost, tuple(missing)[-_MOST_LOST:], first)


def follow(path: str, move: Move) -> str:
    """The path after a move that concerns it; "" where it was deleted."""
    return f"{move.now}{path[len(move.path) :]}" if move.now else ""


def is_test(path: str) -> bool:
    """Whether a file holds tests, by its path."""
    return bool(_TEST.search(path)) and not path.endswith(_PROSE)


def subject_of(path: str) -> str:
    """The name of a file without endings and without what marks tests: the same for a file and its tests."""
    name = path.rpartition("/")[2]
    return _TEST_MARK.sub("", name.lstrip(".").partition(".")[0] or name)


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
    if step.kind is ActionKind.SHELL and _is_done(step) and _MOVES.search(step.target):
        commands = parsed(step.target).commands
        is_cut = len(step.target) >= TARGET_LIMIT
        for command in commands[:-1] if is_cut else commands:
            yield from _moved_by_command(command, root)


def _follow(move: Move, times: Counter[str]) -> None:
    for path in [path for path in times if f"{path}/".startswith(f"{move.path}/")]:
        count, now = times.pop(path), follow(path, move)
        if now and not is_aside(now):
            times[now] += count


def _is_done(step: DigestStep) -> bool:
    return step.status is Status.SUCCEEDED or (step.status is Status.UNKNOWN and step.lean is Lean.FINE)


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
