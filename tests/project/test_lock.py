"""The locks name everything that running and developing take, each in one version with hashes, and keep up with
pyproject."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_ROOT = Path(__file__).parents[2]
_PIN = re.compile(r"^(?P<name>[\w.-]+)(?:\[[\w,-]+\])?==(?P<version>[^\s;]+)(?: ;[^\\]*)? \\$")
_PROJECT = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
_RUNS = _PROJECT["project"]["dependencies"] + _PROJECT["project"]["optional-dependencies"]["web"]
_GROUPS = {"requirements.txt": ("build",), "requirements-dev.txt": ("dev", "bench")}
each_lock = pytest.mark.parametrize("name", _GROUPS)


def _lock(name: str) -> str:
    return (_ROOT / name).read_text(encoding="utf-8")


def _pins(name: str) -> dict[str, str]:
    matches = filter(None, map(_PIN.match, _lock(name).splitlines()))
    return {canonicalize_name(pin["name"]): pin["version"] for pin in matches}


def _asked(group: str) -> Iterator[str]:
    for line in _PROJECT["dependency-groups"][group]:
        yield from [line] if isinstance(line, str) else _asked(line["include-group"])


@each_lock
def test_a_lock_holds_a_fitting_version_of_everything_that_pyproject_asks_for(name: str) -> None:
    pins = _pins(name)
    asked = [Requirement(line) for line in (*_RUNS, *(line for group in _GROUPS[name] for line in _asked(group)))]
    assert len(asked) > 8
    unfit = [str(one) for one in asked if not one.specifier.contains(pins.get(canonicalize_name(one.name), "0"))]
    assert unfit == [], "run `make lock`"


def test_development_runs_with_what_the_program_runs_with() -> None:
    assert _pins("requirements.txt").items() <= _pins("requirements-dev.txt").items()


def test_what_runs_the_program_is_little() -> None:
    assert len(_pins("requirements.txt")) <= 25


@each_lock
def test_every_locked_version_has_a_hash(name: str) -> None:
    entries = re.split(r"\n(?=\S)", _lock(name).partition("\n# ")[2].partition("\n")[2])
    pinned = [entry for entry in entries if "==" in entry.partition("\n")[0]]
    assert len(pinned) == len(_pins(name))
    assert [entry.partition(" ")[0] for entry in pinned if "--hash=sha256:" not in entry] == []


@each_lock
def test_a_lock_names_no_host(name: str) -> None:
    assert not re.search(r"https?://|--(?:extra-)?index-url|--find-links|file:", _lock(name))


def test_the_package_itself_asks_for_ranges_alone() -> None:
    extras = _PROJECT["project"]["optional-dependencies"].values()
    lines = [*_PROJECT["project"]["dependencies"], *(line for extra in extras for line in extra)]
    assert [line for line in lines if re.search("==|<", line.partition(";")[0])] == []
