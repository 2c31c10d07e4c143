"""What items speak of and no checkout on this machine has: files, and what commands call of a project.

Gone is only what every checkout of a repository lacks, and what can be told: what git ignores, a sparse checkout, a
tree too large to look through, a file of definitions that cannot be read or brings in more, all mean "not gone". A
script, target or task is there as long as the text of a file that may define it holds its name as a word; nothing is
run. What follows from it is up to `knowledge.gone`.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import msgspec

from afterwit.actions.shell.project_calls import CallKind, ProjectCall
from afterwit.capture.checkouts import MOST_READ, Checkout, roots_of
from afterwit.model.text import regex
from afterwit.sources.checkout import (
    NamedFiles,
    files_named,
    has_path,
    has_work_tree,
    is_sparse,
    may_be_untracked,
    text_in,
)

_NEVER = regex(r"(?!)")


class TaskFile(NamedTuple):
    """Where tasks of a kind are defined."""

    files: tuple[str, ...]  # by name, the usual one first
    noun: str  # what a task is called there
    more: re.Pattern[str] = _NEVER  # what brings in names that do not stand in the file
    recipes: re.Pattern[str] = _NEVER  # what of it defines nothing
    is_only_place: bool = True  # without such a file there are no such tasks
    others: tuple[str, ...] = ()  # places at the root that may define more, and are not read


TASK_FILES: Mapping[CallKind, TaskFile] = {
    CallKind.PACKAGE: TaskFile(("package.json",), "script"),
    CallKind.MAKE: TaskFile(
        ("Makefile", "makefile", "GNUmakefile"),
        "target",
        regex(
            r"(?m)^ *(?:-?include|sinclude|define)\b|^[^\t#\n]*\$\(eval\b|^[^\t#=\n]*[$%][^=\n]*:|^\.DEFAULT\s*:",
        ),
        regex(r"(?m)^\t[^\n]*$"),
    ),
    CallKind.JUST: TaskFile(
        ("justfile", "Justfile", ".justfile"), "recipe", regex(r"(?m)^(?:!include|import\??|mod\??)\s")
    ),
    CallKind.TASK: TaskFile(
        ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"),
        "task",
        regex(r"(?m)^includes\s*:|\baliases\s*:|[&*]\w+\s*$|<<\s*:|\t"),
    ),
    CallKind.MISE: TaskFile(
        ("mise.toml", ".mise.toml", "mise.local.toml", ".mise.local.toml"),
        "task",
        regex(r"\b(?:task_config|alias|vars)\b"),
        is_only_place=False,
        others=("mise-tasks", ".mise-tasks", "mise", ".mise", ".config/mise", ".config/mise.toml"),
    ),
}
"""Of other kinds nothing is said: a program that a Python project runs may come from a dependency of a dependency."""

_BUNDLED = frozenset(("tsc", "tsserver", "ng", "vue-tsc", "playwright", "nx", "node", "npm", "npx", "corepack", "rw"))
_DEFINITION_BYTES = 524_288
_ODD = regex(r"[<>{}$|\\\n]|^[/~]|(?:^|/)\.\.(?:/|$)")
_LINE = regex(r":\d[\d:,-]*$")
_WILD = ("*", "?")
_TASK_WORDS = frozenset(
    (
        "test", "tests", "lint", "format", "fmt", "check", "checks", "types", "typecheck", "build", "docs", "dev",
        "serve", "start", "release", "ci", "cov", "coverage", "clean", "verify", "bench", "fix", "generate",
    )
)  # fmt: skip


def may_define(definition: TaskFile, path: str, text: str | None, name: str) -> bool:
    """Whether a file may define a task of this name. One that cannot be read may define any."""
    if text is None or not _is_whole(path, text):
        return True
    rules = definition.recipes.sub("", text.replace("\\\n", " "))
    return bool(definition.more.search(rules)) or _has_word(rules, name)


def _is_whole(path: str, text: str) -> bool:
    try:
        return not path.endswith(".json") or isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


class NamedSubjects(msgspec.Struct, frozen=True):
    """What items of one repository speak of."""

    files: frozenset[str] = frozenset()
    calls: frozenset[ProjectCall] = frozenset()


class MissingSubjects(msgspec.Struct, frozen=True):
    """What of it is gone from a repository."""

    files: frozenset[str] = frozenset()
    calls: Mapping[ProjectCall, str] = {}  # with the reason, in words


def find_missing(
    places: Iterable[Checkout], named: Mapping[str, NamedSubjects], readable: Iterable[Checkout]
) -> dict[str, MissingSubjects]:
    """What is gone, of each repository that has a checkout. Where not all checkouts of it may be read, files are only
    asked for, and nothing is said of calls."""
    open_to_us = set(readable)
    missing: dict[str, MissingSubjects] = {}
    for repo, roots in roots_of(places).items():
        if repo in named:
            is_readable = all(Checkout(repo, root) in open_to_us for root in roots)
            missing[repo] = _find_missing_in(roots, named[repo], is_readable=is_readable)
    return missing


def _find_missing_in(roots: Sequence[Path], named: NamedSubjects, *, is_readable: bool) -> MissingSubjects:
    if not is_readable:
        lost = (path for path in named.files if not any(has_path(root, path) is not False for root in roots))
        return MissingSubjects(frozenset(lost))
    wanted = frozenset(_names_to_search(named))
    with_files = (root for root in roots if has_work_tree(root))
    trees = [_Tree(root, wanted, may_search=at < MOST_READ) for at, root in enumerate(with_files)]
    if not trees:
        return MissingSubjects()
    calls: dict[ProjectCall, str] = {}
    for call in sorted(named.calls):
        reasons = [tree.why_lacking(call) for tree in trees] if _first_lacks(trees, call) else [""]
        if all(reasons):
            calls[call] = reasons[0]
    files = frozenset(path for path in named.files if all(tree.lacks(path) for tree in trees))
    return MissingSubjects(files, calls)


def _first_lacks(trees: Sequence["_Tree"], call: ProjectCall) -> bool:
    """Spares the others a look, where the first checkout has it."""
    return bool(trees[0].why_lacking(call))


def _names_to_search(named: NamedSubjects) -> Iterator[str]:
    """The names of files that are looked for in whole trees."""
    for call in named.calls:
        if call.kind is CallKind.FILE:
            yield call.name.rpartition("/")[2]
        elif call.kind in TASK_FILES:
            yield from TASK_FILES[call.kind].files
    yield from (path for path in named.files if "/" not in path)


def _near(call: ProjectCall) -> list[str]:
    """Where what is called, or its definition, lies in general: in the command's folder, above it, or at the root."""
    names = (call.name,) if call.kind is CallKind.FILE else TASK_FILES[call.kind].files
    parts = call.folder.split("/") if call.folder else []
    folders = ("/".join(parts[:depth]) for depth in range(len(parts), -1, -1))
    return [f"{folder}/{name}" if folder else name for folder in folders for name in names]


class _Tree:
    """One checkout, looked into as far as it is asked."""

    def __init__(self, root: Path, searched_names: frozenset[str], *, may_search: bool) -> None:
        self._root = root
        self._names = searched_names
        self._may_search = may_search
        self._texts: dict[str, str | None] = {}

    @cached_property
    def _is_whole(self) -> bool:
        return not is_sparse(self._root)

    @cached_property
    def _everywhere(self) -> NamedFiles:
        if not self._may_search:
            return NamedFiles((), is_whole=True)
        return files_named(self._root, self._names)

    def lacks(self, path: str) -> bool:
        """Whether a path, or what is before the first `*` of a pattern, is surely not there."""
        looked_for = _literal(path)
        if not looked_for or has_path(self._root, looked_for) is not False:
            return False
        if not self._can_lack(looked_for):
            return False
        return "/" in path or not self._is_somewhere(looked_for)

    def why_lacking(self, call: ProjectCall) -> str:
        """Why what is called is surely not there, in words; "" where it is, or may be."""
        if call.kind is CallKind.FILE:
            return self._why_file_lacking(call)
        definition = TASK_FILES.get(call.kind)
        if definition is None:
            return ""
        near = [path for path in _near(call) if has_path(self._root, path) is not False]
        has_others = any(has_path(self._root, path) is not False for path in definition.others)
        if has_others or not self._is_whole or self._may_have(call, definition, near):
            return ""
        others = (path for path in self._everywhere.paths if path.rpartition("/")[2] in definition.files)
        every = list(dict.fromkeys((*near, *others)))
        if not self._everywhere.is_whole or self._may_have(call, definition, every):
            return ""
        if not every:
            is_sure = definition.is_only_place and self._can_lack(_near(call)[0])
            return f"`{definition.files[0]}` is gone from the repository" if is_sure else ""
        if not call.is_only_there and self._may_be_installed(call, every):
            return ""
        if not near:
            return f"no `{every[0].rpartition('/')[2]}` has a {definition.noun} `{call.name}` any more"
        return f"`{near[0]}` has no {definition.noun} `{call.name}` any more"

    def _why_file_lacking(self, call: ProjectCall) -> str:
        near = _near(call)
        if any(has_path(self._root, path) is not False for path in near):
            return ""
        is_lacking = self._can_lack(near[0]) and self._can_lack(call.name) and not self._is_somewhere(call.name)
        return f"`{near[0]}` is gone from the repository" if is_lacking else ""

    def _may_have(self, call: ProjectCall, definition: TaskFile, paths: Sequence[str]) -> bool:
        """Whether one of these files may define what is called; each has something that runs by default."""
        if not call.name:
            return bool(paths)
        return any(may_define(definition, path, self._text(path), call.name) for path in paths)

    def _text(self, path: str) -> str | None:
        if path not in self._texts:
            self._texts[path] = text_in(self._root, path, _DEFINITION_BYTES)
        return self._texts[path]

    def _may_be_installed(self, call: ProjectCall, every: Sequence[str]) -> bool:
        """Whether the name may be that of a program, which no definition has to name."""
        if call.kind is CallKind.PACKAGE:
            folders = (path.rpartition("package.json")[0] for path in every)
            return call.name.lower() in _BUNDLED or any(
                has_path(self._root, f"{folder}node_modules/.bin/{call.name}") for folder in folders
            )
        first = re.split(r"[-_:.]", call.name.lower(), maxsplit=1)[0]
        return first not in _TASK_WORDS and not any(
            _has_word((self._text(path) or "").lower(), first) for path in every
        )

    def _is_somewhere(self, path: str) -> bool:
        """Whether the tree has it below some other folder, or is too large to say."""
        everywhere = self._everywhere
        return not everywhere.is_whole or any(f"/{there}".endswith(f"/{path}") for there in everywhere.paths)

    def _can_lack(self, path: str) -> bool:
        return self._is_whole and not may_be_untracked(self._root, path)


def _literal(path: str) -> str:
    """The part of a path or pattern that can be looked for; "" where there is none."""
    if _ODD.search(path):
        return ""
    names = _LINE.sub("", path).removeprefix("./").strip("/").split("/")
    wild = next((at for at, name in enumerate(names) if any(sign in name for sign in _WILD)), len(names))
    return "/".join(names[:wild])
