"""Builds the packages of a clone, and looks whether they hold what they should.

Building needs no network: what it takes is installed in `.venv`. A wheel is right if its metadata passes the checks of
the package index, if it holds every file of the package and nothing else, manual pages and the scripts for shells, and
if the program in it starts and says its version.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

from packaging.metadata import Metadata

_SHARED = (
    "share/man/man1/afterwit.1",
    "share/man/man1/afterwit-learn.1",
    "share/bash-completion/completions/afterwit",
    "share/zsh/site-functions/_afterwit",
    "share/fish/vendor_completions.d/afterwit.fish",
)
_PROGRAMS = ("afterwit", "afterwit-hook")


class PackageError(Exception):
    """A package that cannot be built; the message is what the builder said."""


def build(root: Path, folder: Path) -> list[Path]:
    """The wheel and the archive of sources, written into the folder."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise PackageError((ran.stderr + ran.stdout).strip())
    return sorted(folder.iterdir())


def wheel_faults(root: Path, wheel: Path, version: str) -> list[str]:
    """What is wrong with a wheel that was built of the clone; nothing, usually."""
    with ZipFile(wheel) as archive:
        return [*_metadata_faults(archive, version), *_content_faults(archive, root), *_start_faults(archive, version)]


def _metadata_faults(archive: ZipFile, version: str) -> Iterator[str]:
    raw = archive.read(_member(archive, "METADATA"))
    try:
        metadata = Metadata.from_email(raw, validate=True)
    except ExceptionGroup as group:
        yield from (f"metadata: {error}" for error in group.exceptions)
        return
    if str(metadata.version) != version:
        yield f"metadata: the version is {metadata.version}, not {version}"
    if metadata.description_content_type != "text/markdown" or not message_from_bytes(raw).get_payload():
        yield "metadata: the README is not in it"
    declared = archive.read(_member(archive, "entry_points.txt")).decode()
    yield from (f"no program {name}" for name in _PROGRAMS if f"\n{name} = " not in declared)


def _content_faults(archive: ZipFile, root: Path) -> Iterator[str]:
    names = {PurePosixPath(name) for name in archive.namelist()}
    package = {name for name in names if name.parts[0] == "afterwit"}
    sources = (path for path in (root / "src" / "afterwit").rglob("*") if path.is_file())
    wanted = {
        PurePosixPath(path.relative_to(root / "src").as_posix()) for path in sources if "__pycache__" not in path.parts
    }
    yield from (f"missing: {name}" for name in sorted(wanted - package))
    yield from (f"left over: {name}" for name in sorted(package - wanted))
    shared = {"/".join(name.parts[2:]) for name in names if name.parts[0].endswith(".data")}
    yield from (f"missing: {name}" for name in _SHARED if name not in shared)


def _start_faults(archive: ZipFile, version: str) -> Iterator[str]:
    """The wheel's own files are run, with the packages that are installed here."""
    with tempfile.TemporaryDirectory() as folder:
        archive.extractall(folder)
        code = f"import sys; sys.path.insert(0, {folder!r}); from afterwit.__main__ import main; main()"
        ran = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=False)
    if ran.stdout != f"afterwit {version}\n":
        yield f"the program does not say its version, but: {(ran.stdout + ran.stderr).strip()}"


def _member(archive: ZipFile, name: str) -> str:
    return next(member for member in archive.namelist() if member.endswith(f".dist-info/{name}"))
