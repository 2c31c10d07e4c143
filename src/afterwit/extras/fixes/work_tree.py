"""The tree of a commit as files in a folder of our own, to run its tests there. The repository is not touched.

Git's own work trees are not used: making one writes into the repository, and runs its hooks and filters. What is
written here is what the objects hold, byte for byte. Names come from anyone: one that leads out of the folder, into a
`.git` or nowhere is not written, and a link is made only if it stays inside. Submodules are left out, and so is what
is too large. All of it is counted, so that a verdict can say what was missing.
"""

import os
import posixpath
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from afterwit.extras.fixes.outcomes import NOT_HERE
from afterwit.extras.fixes.runners import Runner, RunnerCommand, python_roots
from afterwit.model.errors import AfterwitError
from afterwit.sources.gathering import SourceError
from afterwit.sources.git import CommittedChange, TreeEntry, contents, tree_of

MOST_FILES = 60_000
MOST_BYTES = 1 << 30
MOST_BLOB_BYTES = 32 << 20
_BATCH_BYTES = 16 << 20
_BATCH = 256
_LINK, _SUBMODULE, _EXECUTABLE = "120000", "160000", "100755"
_LONGEST_TARGET = 1_024
_LONGEST_NAME = 255


class Unwritten(NamedTuple):
    """What of a tree was not written."""

    names: int = 0  # that could lead elsewhere
    links: int = 0  # that do
    submodules: int = 0
    large: int = 0
    missing: int = 0  # objects that this clone does not have


def materialise(git_dir: Path, commit: str, folder: Path) -> Unwritten:
    """Writes the tree of a commit into an empty folder. What does not fit the limits is an error of the source."""
    entries = tree_of(git_dir, commit)
    if len(entries) > MOST_FILES:
        raise SourceError(f"its tree has {len(entries):,} files, more than {MOST_FILES:,}")
    plain = [entry for entry in entries if is_safe(entry.path)]
    submodules = [entry for entry in plain if entry.mode == _SUBMODULE]
    blobs = [entry for entry in plain if entry.mode != _SUBMODULE]
    small = [entry for entry in blobs if entry.size_bytes is not None and entry.size_bytes <= MOST_BLOB_BYTES]
    if sum(entry.size_bytes or 0 for entry in small) > MOST_BYTES:
        raise SourceError(f"its tree holds more than {MOST_BYTES >> 20:,} MiB")
    files = [entry for entry in small if entry.mode != _LINK]
    written = [_write(folder, entry, body) for entry, body in _bodies(git_dir, files)]
    links = [entry for entry in small if entry.mode == _LINK]
    made = [_link(folder, entry.path, body) for entry, body in _bodies(git_dir, links)]
    return Unwritten(
        names=len(entries) - len(plain) + written.count(False),
        links=made.count(False),
        submodules=len(submodules),
        large=sum(entry.size_bytes is not None and entry.size_bytes > MOST_BLOB_BYTES for entry in blobs),
        missing=sum(entry.size_bytes is None for entry in blobs),
    )


def put_back(git_dir: Path, parent: str, changes: Iterable[CommittedChange], folder: Path) -> None:
    """Gives these files the contents that they had before: what was added goes, what was deleted comes back."""
    changed = [change for change in changes if is_safe(change.path)]
    before = {entry.path: entry for entry in tree_of(git_dir, parent)} if changed else {}
    for change in changed:
        _remove(folder, change.path)
    wanted = [before[change.path] for change in changed if change.path in before]
    files = [entry for entry in wanted if entry.mode not in (_LINK, _SUBMODULE)]
    if any(entry.size_bytes is None or entry.size_bytes > MOST_BLOB_BYTES for entry in files):
        raise SourceError("what the fix changed is missing from this clone, or too large")
    for entry, body in _bodies(git_dir, files):
        _write(folder, entry, body)
    for entry, body in _bodies(git_dir, [entry for entry in wanted if entry.mode == _LINK and entry.size_bytes]):
        _link(folder, entry.path, body)


def is_safe(path: str) -> bool:
    """Whether a name from a tree leads to a file inside, on any system, and to nothing of git's own."""
    parts = path.split("/")
    return (
        bool(path)
        and not any(character in path for character in "\0\n\r\\")
        and not any(
            part in ("", ".", "..") or len(os.fsencode(part)) > _LONGEST_NAME or _is_of_git(part) for part in parts
        )
    )


def _is_of_git(part: str) -> bool:
    """As file systems read it that ignore case, dots at the end and characters that nobody sees."""
    bare = "".join(character for character in part if character.isprintable()).rstrip(". ").casefold()
    return bare == ".git" or bare.startswith(("git~", ".git:"))


def _bodies(git_dir: Path, entries: Sequence[TreeEntry]) -> Iterator[tuple[TreeEntry, bytes]]:
    batch: list[TreeEntry] = []
    size = 0
    for entry in (*entries, None):
        is_full = entry is None or len(batch) >= _BATCH or size + (entry.size_bytes or 0) > _BATCH_BYTES
        if batch and is_full:
            yield from zip(batch, contents(git_dir, [some.object for some in batch]), strict=True)
            batch, size = [], 0
        if entry is not None:
            batch.append(entry)
            size += entry.size_bytes or 0


def _write(folder: Path, entry: TreeEntry, body: bytes) -> bool:
    """Writes a file; False where its name is taken, or one that this file system cannot hold."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    mode = 0o700 if entry.mode == _EXECUTABLE else 0o600
    place = _place(folder, entry.path)
    if place is None:
        return False
    try:
        descriptor = os.open(place, flags, mode)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        return False
    with os.fdopen(descriptor, "wb") as file:
        file.write(body)
    return True


def _link(folder: Path, path: str, target: bytes) -> bool:
    """Makes a link that stays inside; whether it does."""
    text = os.fsdecode(target)
    leads_to = posixpath.normpath(posixpath.join(posixpath.dirname(path), text))
    is_inside = 0 < len(text) <= _LONGEST_TARGET and not text.startswith("/") and is_safe(leads_to)
    place = _place(folder, path) if is_inside else None
    if place is None or not _is_within(place.parent / text, folder) or os.path.lexists(place):
        return False
    place.symlink_to(text)
    return True


def _place(folder: Path, path: str) -> Path | None:
    """Where a file goes, with the folders above it made; None where one of them is none, or leads elsewhere."""
    place = folder / path
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        return None
    return place if _is_within(place.parent, folder) else None


def _is_within(place: Path, folder: Path) -> bool:
    try:
        return place.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        return False


def _remove(folder: Path, path: str) -> None:
    place = folder / path
    if _is_within(place.parent, folder) and (place.is_symlink() or place.is_file()):
        place.unlink()


_WHOLE = (".venv", "venv", "vendor")
_MODULES = "node_modules"
_KEPT_HIDDEN = (".bin", ".pnpm", ".bun", ".store")
_MOST_ENTRIES = 20_000
_MANIFEST_NAMES = ("package.json", "pyproject.toml", "setup.py", "setup.cfg", "go.mod", "composer.json", "Gemfile")
_PYTHONS = ("python3", "python")
_NEEDS_HOME = {Runner.GO: ("GOMODCACHE", "go/pkg/mod"), Runner.CARGO: ("CARGO_HOME", ".cargo")}


class MissingProgramError(AfterwitError):
    """A runner is not installed here."""


def link_dependencies(checkout: Path, folder: Path, paths: frozenset[str]) -> None:
    """Links what the checkout has installed into a work tree with these files."""
    folders = {"", *(path.rpartition("/")[0] for path in paths if path.endswith(_MANIFEST_NAMES))}
    for inner in sorted(folders):
        if not (folder / inner).is_dir():
            continue
        for name in _WHOLE:
            _link_whole(checkout / inner / name, folder / inner / name)
        if (checkout / inner / _MODULES).is_dir():
            _link_modules(checkout, folder, Path(inner) / _MODULES)


def variables(command: RunnerCommand, folder: Path, paths: frozenset[str], user_home: Path) -> dict[str, str]:
    """What a runner has to be told."""
    if command.runner is Runner.PYTEST:
        return {"PYTHONPATH": os.pathsep.join(str(folder / root) for root in python_roots(paths, command.folder))}
    if command.runner in _NEEDS_HOME:
        name, place = _NEEDS_HOME[command.runner]
        return {name: str(user_home / place)}
    return {}


def locate(command: RunnerCommand, folder: Path, environ: Mapping[str, str]) -> list[str]:
    """The words of a command with the program that is there. Raises MissingProgramError where none is."""
    program, *rest = command.words
    if command.runner is Runner.OWN:
        return list(command.words)
    for place in _upwards(folder / command.folder, folder):
        inside = (
            *(place / name / "bin" / "python" for name in (".venv", "venv") if command.runner is Runner.PYTEST),
            place / _MODULES / ".bin" / program,
        )
        own = next((path for path in inside if path.exists()), None)
        if own is not None:
            return [str(own), *rest]
    names = _PYTHONS if command.runner is Runner.PYTEST else (program,)
    path = environ.get("PATH", os.defpath)
    outside = next((where for name in names if (where := shutil.which(name, path=path))), None)
    if outside is None:
        raise MissingProgramError(f"{program} {NOT_HERE}")
    return [outside, *rest]


def _link_whole(source: Path, target: Path) -> None:
    if source.is_dir() and not os.path.lexists(target):
        target.symlink_to(source.resolve(), target_is_directory=True)


def _link_modules(checkout: Path, folder: Path, inner: Path) -> None:
    target = folder / inner
    if os.path.lexists(target):
        return
    target.mkdir()
    for number, entry in enumerate(_packages(checkout / inner)):
        if number >= _MOST_ENTRIES:
            break
        place = target / entry.relative_to(checkout / inner)
        place.parent.mkdir(exist_ok=True)
        place.symlink_to(_leads_to(entry, checkout, folder))


def _packages(modules: Path) -> Iterator[Path]:
    """The packages of a folder, those of a scope one by one."""
    for entry in sorted(modules.iterdir()):
        if entry.name.startswith("@") and entry.is_dir() and not entry.is_symlink():
            yield from sorted(entry.iterdir())
        elif not entry.name.startswith(".") or entry.name in _KEPT_HIDDEN:
            yield entry


def _leads_to(entry: Path, checkout: Path, folder: Path) -> Path:
    """Where a package really lies: one of the repository's own in the work tree, all others where they are."""
    real, top = entry.resolve(), checkout.resolve()
    if entry.is_symlink() and real.is_relative_to(top) and _MODULES not in real.relative_to(top).parts:
        return folder / real.relative_to(top)
    return real


def _upwards(place: Path, top: Path) -> Iterator[Path]:
    while True:
        yield place
        if place == top or place == place.parent:
            return
        place = place.parent
