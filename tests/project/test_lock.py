"""The lock names everything that development needs, each in one version with hashes, and keeps up with pyproject."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_ROOT = Path(__file__).parents[2]
_PIN = re.compile(r"^(?P<name>[\w.-]+)(?:\[[\w,-]+\])?==(?P<version>[^\s;]+)(?: ;[^\\]*)? \\$")
_PROJECT = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
_LOCK = (_ROOT / "requirements-dev.txt").read_text(encoding="utf-8")


def _pins() -> dict[str, str]:
    matches = filter(None, map(_PIN.match, _LOCK.splitlines()))
    return {canonicalize_name(pin["name"]): pin["version"] for pin in matches}


def test_the_lock_holds_a_fitting_version_of_everything_that_pyproject_asks_for() -> None:
    pins = _pins()
    groups = _PROJECT["dependency-groups"]
    asked = [Requirement(line) for line in (*_PROJECT["project"]["dependencies"], *groups["dev"], *groups["bench"])]
    assert len(asked) > 10
    unfit = [str(one) for one in asked if not one.specifier.contains(pins.get(canonicalize_name(one.name), "0"))]
    assert unfit == [], "run `make lock`"


def test_every_locked_version_has_a_hash() -> None:
    entries = re.split(r"\n(?=\S)", _LOCK.partition("\n# ")[2].partition("\n")[2])
    pinned = [entry for entry in entries if "==" in entry.partition("\n")[0]]
    assert len(pinned) == len(_pins())
    assert [entry.partition(" ")[0] for entry in pinned if "--hash=sha256:" not in entry] == []


def test_the_lock_names_no_host() -> None:
    assert not re.search(r"https?://|--(?:extra-)?index-url|--find-links|file:", _LOCK)


def test_the_package_itself_asks_for_ranges_alone() -> None:
    extras = _PROJECT["project"]["optional-dependencies"].values()
    lines = [*_PROJECT["project"]["dependencies"], *(line for extra in extras for line in extra)]
    assert [line for line in lines if "==" in line or "<" in line] == []
