"""How the tests of a repository are run: which runner a test file is for, in which folder, with which words. Pure.

A runner is known by what the test file itself says, by the package it belongs to (the nearest manifest above it), or by
its ending. Files of one runner and one package are run together. What a program is called by on this machine is found
out later: here a command names it, and says where a copy of the repository's own may lie.
"""

import json
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from afterwit.model.text import regex

_MANIFESTS = {
    "py": ("pyproject.toml", "pytest.ini", "setup.cfg", "setup.py", "tox.ini"),
    "js": ("package.json",),
    "go": ("go.mod",),
    "rs": ("Cargo.toml",),
}
_SCRIPTS = frozenset(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"))
_PYTHON_TEST = regex(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py\Z")
_SCRIPT_TEST = regex(r"[._-](?:test|spec)\.\w+\Z|(?:^|/)__tests__/[^/]+\Z|(?:^|/)test[_-][^/]*\.\w+\Z")
_GO_TEST = regex(r"_test\.go\Z")
_CARGO_TEST = regex(r"(?:^|/)tests/[^/]+\.rs\Z")
_GO_FUNCTION = regex(r"(?m)^func (Test\w+|Example\w*|Fuzz\w+)\(")
_IMPORTED = regex(
    r"""(?:from\s+|require\(\s*|import\s+)["'](bun:test|vitest|node:test|@jest/globals|@playwright/test)["']"""
)
_MOST_FUNCTIONS = 200
_PLAIN_FILE = regex(r"[^\0\n\r]+\Z")


class Runner(StrEnum):
    PYTEST = "pytest"
    BUN = "bun"
    VITEST = "vitest"
    JEST = "jest"
    NODE = "node"
    GO = "go"
    CARGO = "cargo"
    OWN = "own"  # the command that somebody named


class RunnerCommand(NamedTuple):
    """One command that runs some tests."""

    runner: Runner
    folder: str  # below the repository; "" is its top
    words: tuple[str, ...]
    tests: tuple[str, ...]  # files, below the repository

    @property
    def line(self) -> str:
        return " ".join(self.words)


class RunnerPlan(NamedTuple):
    """How the tests of a fix are run."""

    commands: tuple[RunnerCommand, ...]
    unknown: tuple[str, ...] = ()  # test files that no runner is known for
    reason: str = ""  # why there is no command


Reads = Callable[[str], str]  # the text of a file of the tree, "" where there is none


def is_runnable(path: str) -> bool:
    """Whether a file holds tests that a runner takes by name: no fixture, no helper."""
    suffix = path.rpartition(".")[2]
    if suffix == "py":
        return bool(_PYTHON_TEST.search(path))
    if suffix in _SCRIPTS:
        return bool(_SCRIPT_TEST.search(path))
    return bool(_GO_TEST.search(path) or _CARGO_TEST.search(path))


def plan_tests(tests: Sequence[str], paths: frozenset[str], read: Reads, own: str = "") -> RunnerPlan:
    """How to run these test files, of a tree with these paths. `own` is a command line of the user's with `{files}` in
    it, or without: then the files are put at its end."""
    runnable = [path for path in tests if is_runnable(path) and path in paths and _PLAIN_FILE.match(path)]
    if own and tests:
        return RunnerPlan((_own_command(own, runnable or list(tests)),))
    if not runnable:
        return RunnerPlan((), tuple(tests), "only helpers, fixtures or snapshots of tests came with it")
    groups: defaultdict[tuple[Runner, str], list[str]] = defaultdict(list)
    unknown: list[str] = []
    for path in runnable:
        runner, folder = _runner_of(path, paths, read)
        if runner is None:
            unknown.append(path)
        else:
            groups[runner, folder].append(path)
    commands = tuple(
        RunnerCommand(runner, folder, _words(runner, folder, files, read), tuple(files))
        for (runner, folder), files in sorted(groups.items())
    )
    reason = "" if commands else f"no runner is known for {unknown[0]}; --test names a command"
    return RunnerPlan(commands, tuple(unknown), reason)


def package_of(path: str, paths: frozenset[str], names: Iterable[str]) -> str | None:
    """The nearest folder above a file that holds one of these; None where none does."""
    wanted = tuple(names)
    folder = path.rpartition("/")[0]
    while True:
        if any((f"{folder}/{name}" if folder else name) in paths for name in wanted):
            return folder
        if not folder:
            return None
        folder = folder.rpartition("/")[0]


def python_roots(paths: frozenset[str], first: str = "") -> list[str]:
    """Folders that Python finds this repository's own packages in, so that no installed copy is taken instead; those
    of one package first. A folder that is a package itself is none, whatever its files are called."""
    named = {path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] in ("pyproject.toml", "setup.py")}
    packages = {folder for folder in named if f"{folder}/__init__.py" not in paths}
    roots: dict[str, None] = {}
    for folder in dict.fromkeys((first, "", *sorted(packages))):
        inner = f"{folder}/src" if folder else "src"
        has_inner = any(path.startswith(f"{inner}/") and path.endswith(".py") for path in paths)
        roots[inner if has_inner else folder] = None
    return list(roots)


def _runner_of(path: str, paths: frozenset[str], read: Reads) -> tuple[Runner | None, str]:
    suffix = path.rpartition(".")[2]
    if suffix == "py":
        return Runner.PYTEST, package_of(path, paths, _MANIFESTS["py"]) or ""
    if suffix == "go":
        folder = package_of(path, paths, _MANIFESTS["go"])
        return (None, "") if folder is None else (Runner.GO, folder)
    if suffix == "rs":
        folder = package_of(path, paths, _MANIFESTS["rs"])
        return (None, "") if folder is None else (Runner.CARGO, folder)
    folder = package_of(path, paths, _MANIFESTS["js"]) or ""
    return _script_runner(path, folder, paths, read), folder


def _script_runner(path: str, folder: str, paths: frozenset[str], read: Reads) -> Runner | None:
    """By what the test imports, by how its package runs tests, or by what the whole repository uses."""
    imported = _IMPORTED.search(read(path))
    by_import = {
        "bun:test": Runner.BUN,
        "vitest": Runner.VITEST,
        "node:test": Runner.NODE,
        "@jest/globals": Runner.JEST,
    }
    if imported:
        return by_import.get(imported[1])
    for place in dict.fromkeys((folder, "")):
        runner = _package_runner(read(f"{place}/package.json" if place else "package.json"))
        if runner is not None:
            return runner
    return Runner.BUN if not paths.isdisjoint(("bun.lock", "bun.lockb")) else None


def _package_runner(manifest: str) -> Runner | None:
    try:
        package = json.loads(manifest) if manifest else {}
    except (ValueError, RecursionError):
        return None
    if not isinstance(package, dict):
        return None
    scripts = package.get("scripts")
    script = str(scripts.get("test", "")) if isinstance(scripts, dict) else ""
    by_script = (
        ("vitest", Runner.VITEST),
        ("jest", Runner.JEST),
        ("bun test", Runner.BUN),
        ("node --test", Runner.NODE),
    )
    for word, runner in by_script:
        if word in script:
            return runner
    needs: Mapping[str, object] = {}
    for table in ("dependencies", "devDependencies"):
        wanted = package.get(table)
        needs = {**needs, **wanted} if isinstance(wanted, dict) else needs
    return Runner.VITEST if "vitest" in needs else Runner.JEST if "jest" in needs else None


def _words(runner: Runner, folder: str, files: Sequence[str], read: Reads) -> tuple[str, ...]:
    inside = [path[len(folder) + 1 :] if folder else path for path in files]
    named = tuple(f"./{path}" for path in inside)  # so that none is taken for an option
    match runner:
        case Runner.PYTEST:
            return ("python", "-m", "pytest", "-q", "-rpfE", "-p", "no:cacheprovider", "--tb=short", *named)
        case Runner.BUN:
            return ("bun", "test", *named)
        case Runner.VITEST:
            return ("vitest", "run", "--reporter=verbose", *named)
        case Runner.JEST:
            return ("jest", "--ci", "--verbose", "--runTestsByPath", *named)
        case Runner.GO:
            functions = [name for path in files for name in _GO_FUNCTION.findall(read(path))][:_MOST_FUNCTIONS]
            packages = sorted({f"./{path.rpartition('/')[0]}" if "/" in path else "." for path in inside})
            return ("go", "test", "-v", "-count=1", "-run", f"^({'|'.join(functions) or 'Test.*'})$", *packages)
        case Runner.CARGO:
            tests = [word for path in inside for word in ("--test", path.rpartition("/")[2].removesuffix(".rs"))]
            return ("cargo", "test", "--offline", *tests)
        case _:
            return ("node", "--test", "--test-reporter=tap", *named)


def _own_command(line: str, files: Sequence[str]) -> RunnerCommand:
    named = [f"./{path}" for path in files]
    words: list[str] = []
    for word in shlex.split(line):
        words += named if word == "{files}" else [word]
    if "{files}" not in line:
        words += named
    return RunnerCommand(Runner.OWN, "", tuple(words), tuple(files))
