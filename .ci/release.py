"""Makes a release on this machine: checks, version, changelog, packages, commit, tag. Pushes and uploads nothing.

    python .ci/release.py 1.2.3                 makes it
    python .ci/release.py 1.2.3 --dry-run       does the same in a scratch clone, shows the difference, changes nothing
    python .ci/release.py 1.2.3 --checked       without `make check`, which was just run

Everything that can go wrong is done in a scratch clone of the last commit first: the changes are made, the packages
built and looked at there. Only then are the changed files taken over, committed and tagged, and the packages put into
`dist/`. Exits 1 with the reason where something is wrong; the clone is then as it was.
"""

import argparse
import datetime as dt
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from package import PackageError, build, wheel_faults
from packaging.version import Version

_BRANCH = "main"
_FORM = re.compile(r"(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:(?:a|b|rc)[1-9]\d*)?")
_VERSION_FILE, _CHANGELOG = "src/afterwit/__init__.py", "CHANGELOG.md"
_SET = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)
_UNRELEASED = "## [Unreleased]\n"
_NEXT_HEADING = re.compile(r"^## \[", re.MULTILINE)


class ReleaseError(Exception):
    """Why there is no release; the message says what to do."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes a release; see docs/how-to/release.md.")
    parser.add_argument("version", metavar="VERSION", help="such as 1.2.3, or 1.2.3rc1")
    parser.add_argument("--dry-run", action="store_true", help="change nothing, show the difference")
    parser.add_argument("--checked", action="store_true", help="`make check` was just run")
    options = parser.parse_args()
    try:
        root = Path(_git(Path.cwd(), "rev-parse", "--show-toplevel"))
        _refuse_what_is_not_ready(root, options.version)
        if not options.checked:
            _check(root)
        _release(root, options.version, is_dry_run=options.dry_run)
    except (ReleaseError, PackageError) as error:
        sys.stderr.write(f"No release: {error}\n")
        return 1
    return 0


def _refuse_what_is_not_ready(root: Path, version: str) -> None:
    if not _FORM.fullmatch(version):
        raise ReleaseError(f"{version!r} is no version. Say one: make release VERSION=1.2.3 (or 1.2.3rc1)")
    branch = _git(root, "rev-parse", "--abbrev-ref", "HEAD")
    if branch != _BRANCH:
        raise ReleaseError(f"releases are made on {_BRANCH}, and this is {branch}. `git switch {_BRANCH}`")
    if changed := _git(root, "status", "--porcelain"):
        raise ReleaseError(f"the tree is not clean. Commit or remove this first:\n{changed}")
    if _git(root, "tag", "--list", f"v{version}"):
        raise ReleaseError(f"there is a tag v{version} already. Choose the next version.")
    past = [_set_version(root), *(tag.removeprefix("v") for tag in _git(root, "tag", "--list", "v[0-9]*").split())]
    latest = max((Version(name) for name in past if _FORM.fullmatch(name)), default=Version("0"))
    if Version(version) < latest:
        raise ReleaseError(f"{version} is before {latest}, which is there. Choose a later version.")
    _changed_changelog(root, version)


def _check(root: Path) -> None:
    _say("make check ...")
    if subprocess.call(["make", "check"], cwd=root):
        raise ReleaseError("`make check` found something. Mend it, commit, and come back.")


def _release(root: Path, version: str, *, is_dry_run: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        scratch, packages = Path(folder) / "clone", Path(folder) / "dist"
        _git(root, "clone", "-q", "--shared", str(root), str(scratch))
        _prepare(scratch, version)
        built = build(scratch, packages)
        wheel = next(path for path in built if path.suffix == ".whl")
        if faults := wheel_faults(scratch, wheel, version):
            raise ReleaseError("\n".join([f"{wheel.name} is not as it should be:", *faults]))
        names = ", ".join(path.name for path in built)
        if is_dry_run:
            sys.stdout.write(_git(scratch, "diff") + "\n")
            _say(f"Built and checked: {names}. Nothing was changed here.")
            return
        _take_over(root, scratch, version)
        (root / "dist").mkdir(exist_ok=True)
        for path in built:
            shutil.copy(path, root / "dist" / path.name)
    _say(f"Committed and tagged v{version}; dist/ holds {names}.")
    _say(f"Publish it: git push origin {_BRANCH} v{version}")
    _say(f"Or undo it: git tag -d v{version} && git reset --keep HEAD~1")


def _prepare(scratch: Path, version: str) -> None:
    """Sets the version in its one place, and writes what follows from it."""
    text = (scratch / _VERSION_FILE).read_text(encoding="utf-8")
    (scratch / _VERSION_FILE).write_text(_SET.sub(f'__version__ = "{version}"', text), encoding="utf-8")
    (scratch / _CHANGELOG).write_text(_changed_changelog(scratch, version), encoding="utf-8")
    code = f"import runpy, sys; sys.path.insert(0, {str(scratch / 'src')!r}); sys.argv[1:] = []; "
    code += "runpy.run_module('afterwit.agents.plugins', run_name='__main__')"
    _run([sys.executable, "-P", "-c", code], scratch)


def _set_version(root: Path) -> str:
    found = _SET.search((root / _VERSION_FILE).read_text(encoding="utf-8"))
    if found is None:
        raise ReleaseError(f'{_VERSION_FILE} has no line `__version__ = "…"`.')
    return found[1]


def _changed_changelog(root: Path, version: str) -> str:
    """The changelog with what is not released yet under the version and today's date."""
    text = (root / _CHANGELOG).read_text(encoding="utf-8")
    before, heading, after = text.partition(_UNRELEASED)
    if not heading:
        raise ReleaseError(f"{_CHANGELOG} has no line `{_UNRELEASED.strip()}`. Add it above the latest version.")
    if f"## [{version}]" in text:
        raise ReleaseError(f"{_CHANGELOG} has a part about {version} already. Choose the next version.")
    if not re.search(r"^- ", _NEXT_HEADING.split(after, maxsplit=1)[0], re.MULTILINE):
        raise ReleaseError(f"{_CHANGELOG} says nothing under {_UNRELEASED.strip()}. Write what users will notice.")
    return f"{before}{heading}\n## [{version}] - {dt.datetime.now(tz=dt.UTC).date()}\n{after}"


def _take_over(root: Path, scratch: Path, version: str) -> None:
    changed = [name for name in _git(scratch, "diff", "--name-only", "-z").split("\0") if name]
    try:
        for name in changed:
            shutil.copy(scratch / name, root / name)
        _git(root, "commit", "-q", "-m", f"Release {version}", "--", *changed)
    except (OSError, ReleaseError) as error:
        _git(root, "checkout", "-q", "HEAD", "--", *changed)
        raise ReleaseError(f"it cannot be committed, and nothing was changed: {error}") from error
    try:
        _git(root, "tag", "-a", f"v{version}", "-m", f"Afterwit {version}")
    except ReleaseError as error:
        raise ReleaseError(
            f"it is committed, but not tagged. `git reset --keep HEAD~1` undoes that. {error}"
        ) from error


def _git(folder: Path, *words: str) -> str:
    return _run(["git", *words], folder)


def _run(command: list[str], folder: Path) -> str:
    try:
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise ReleaseError(f"{command[0]} is missing on this machine.") from None
    if ran.returncode:
        what = " ".join(command[:2]) if command[0] == "git" else "making the plugins"
        raise ReleaseError(f"{what} failed: {(ran.stderr + ran.stdout).strip()}")
    return ran.stdout.rstrip("\n")


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
