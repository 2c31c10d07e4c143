"""What tests need besides the tree: the dependencies that the checkout has installed, linked into the work tree.

A virtual environment and a vendor folder are linked whole. Of `node_modules` each package is linked by itself, because
packages of the same repository are links in there: these lead to the work tree instead, or the tests would run the code
of the checkout. For the same reason Python looks into the work tree first. Programs are looked for where the repository
has its own, nearest first, and then on the user's path.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from afterwit.extras.fixes.outcomes import NOT_HERE
from afterwit.extras.fixes.runners import Runner, RunnerCommand, python_roots
from afterwit.model.errors import AfterwitError

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


def located(command: RunnerCommand, folder: Path, environ: Mapping[str, str]) -> list[str]:
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
