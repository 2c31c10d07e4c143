"""What items speak of and no checkout on this machine has: files, and what commands call of a project.

Gone is only what every checkout of a repository lacks, and what can be told: what git ignores, a sparse checkout, a
tree too large to look through, a file of definitions that cannot be read or brings in more, all mean "not gone".
Scripts of a package, targets of a Makefile, recipes and tasks are read from their files, and nothing is run: what else
a file may bring in (includes, patterns, names that are computed) makes its names `open`, and then that a name is not
among them says nothing. What follows from it is up to `knowledge.gone`.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from afterwit.actions.quick_look import fits_path
from afterwit.actions.shell.project_calls import CallKind, ProjectCall
from afterwit.capture.checkouts import MOST_READ, Checkout, Watched, roots_of
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


class TaskNames(NamedTuple):
    """What a file defines."""

    names: frozenset[str]
    is_open: bool = False  # it may define more
    beside: frozenset[str] = frozenset()  # names of programs that dependencies may bring


class TaskFile(NamedTuple):
    """Where tasks of a kind are defined."""

    files: tuple[str, ...]  # by name, the usual one first
    noun: str  # what a task is called there
    read: Callable[[str], TaskNames | None]
    is_only_place: bool = True  # without such a file there are no such tasks
    others: tuple[str, ...] = ()  # places at the root that may define more, and are not read


_MAKE_OPEN = regex(r"^ *(?:-?include|sinclude|define)\b|^[^\t#\n]*\$\(eval\b|^\.DEFAULT\s*:", re.MULTILINE)
_CONTINUED = regex(r"\\\n[ \t]*")
_JUST_RECIPE = regex(r"^@?([A-Za-z_][\w-]*)(?:[ \t][^:\n]*)?:(?!=)", re.MULTILINE)
_JUST_ALIAS = regex(r"^alias\s+([A-Za-z_][\w-]*)\s*:=", re.MULTILINE)
_JUST_OPEN = regex(r"^(?:!include|import\??|mod\??)\s", re.MULTILINE)
_YAML_TASKS = regex(r"^tasks:[ \t]*(?:#[^\n]*)?\n((?:[ \t][^\n]*\n|(?:#[^\n]*)?\n)*)", re.MULTILINE)
_YAML_KEY = regex(r"^( +)(?:'([^'\n]+)'|\"([^\"\n]+)\"|([\w.:*-]+?)):(?=\s|$)", re.MULTILINE)
_YAML_OPEN = regex(r"^includes\s*:|\baliases\s*:|[&*]\w+\s*$|<<\s*:|\t", re.MULTILINE)
_BUNDLED = frozenset(("tsc", "tsserver", "ng", "vue-tsc", "playwright", "nx", "node", "npm", "npx", "corepack", "rw"))


def _of_package(text: str) -> TaskNames | None:
    table = _json(text)
    if table is None:
        return None
    groups = (table.get(f"{group}ependencies") for group in ("d", "devD", "peerD", "optionalD"))
    packages = {name.rpartition("/")[2] for group in groups if isinstance(group, dict) for name in group}
    return TaskNames(_keys(table, "scripts"), beside=frozenset(packages) | _BUNDLED | _keys(table, "bin"))


def _of_make(text: str) -> TaskNames | None:
    lines = _CONTINUED.sub(" ", text)
    targets = frozenset(target for line in lines.split("\n") for target in _targets(line))
    is_open = bool(_MAKE_OPEN.search(lines)) or any("$" in target for target in targets)
    return TaskNames(frozenset(target.replace("%", "*") for target in targets), is_open)


def _targets(line: str) -> Iterator[str]:
    """Of a line of a Makefile the targets that it has a rule for, or calls phony."""
    head, colon, rest = line.partition("#")[0].partition(":")
    is_rule = bool(colon) and not line.startswith((" ", "\t")) and "=" not in head
    if is_rule and not rest.removeprefix(":").removeprefix(":").startswith("="):
        yield from rest.split() if head.strip() == ".PHONY" else head.split()


def _of_just(text: str) -> TaskNames | None:
    names = (*_JUST_RECIPE.findall(text), *_JUST_ALIAS.findall(text))
    return TaskNames(frozenset(names), bool(_JUST_OPEN.search(text)))


def _of_taskfile(text: str) -> TaskNames | None:
    block = _YAML_TASKS.search(f"{text}\n")
    if block is None:
        return None
    keys = [(len(indent), single or double or bare) for indent, single, double, bare in _YAML_KEY.findall(block[1])]
    names = frozenset(name for indent, name in keys if indent == keys[0][0])
    return TaskNames(names, not names or bool(_YAML_OPEN.search(text)))


def _of_mise(text: str) -> TaskNames | None:
    table = _toml(text)
    if table is None:
        return None
    has_more = "task_config" in table or "alias" in text or "vars" in table
    return TaskNames(_keys(table, "tasks"), is_open=has_more)


TASK_FILES: Mapping[CallKind, TaskFile] = {
    CallKind.PACKAGE: TaskFile(("package.json",), "script", _of_package),
    CallKind.MAKE: TaskFile(("Makefile", "makefile", "GNUmakefile"), "target", _of_make),
    CallKind.JUST: TaskFile(("justfile", "Justfile", ".justfile"), "recipe", _of_just),
    CallKind.TASK: TaskFile(
        ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"),
        "task",
        _of_taskfile,
    ),
    CallKind.MISE: TaskFile(
        ("mise.toml", ".mise.toml", "mise.local.toml", ".mise.local.toml"),
        "task",
        _of_mise,
        is_only_place=False,
        others=("mise-tasks", ".mise-tasks", "mise", ".mise", ".config/mise", ".config/mise.toml"),
    ),
}


def defines(tasks: TaskNames, name: str) -> bool:
    """Whether a name is among them, or one of their patterns means it."""
    return name in tasks.names or any("*" in pattern and fits_path(f"/{pattern}", name) for pattern in tasks.names)


def _json(text: str) -> dict[str, Any] | None:
    try:
        table = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return table if isinstance(table, dict) else None


def _toml(text: str) -> dict[str, Any] | None:
    import tomllib  # a glance at what changed does without

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _keys(table: Mapping[str, Any], name: str) -> frozenset[str]:
    inner = table.get(name)
    return frozenset(inner) if isinstance(inner, dict) else frozenset()


_DEFINITION_BYTES = 524_288
_ODD = re.compile(r"[<>{}$|\\\n]|^[/~]|(?:^|/)\.\.(?:/|$)")
_LINE = re.compile(r":\d[\d:,-]*$")
_WILD = ("*", "?")


class NamedSubjects(msgspec.Struct, frozen=True):
    """What items of one repository speak of."""

    files: frozenset[str] = frozenset()
    calls: frozenset[ProjectCall] = frozenset()


class MissingSubjects(msgspec.Struct, frozen=True):
    """What of it is gone from a repository."""

    files: frozenset[str] = frozenset()
    calls: Mapping[ProjectCall, str] = {}  # with the reason, in words
    is_searched: bool = False  # whether whole trees had to be looked through


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
    return MissingSubjects(files, calls, any(tree.was_searched for tree in trees))


def _first_lacks(trees: Sequence["_Tree"], call: ProjectCall) -> bool:
    """Spares the others a look, where the first checkout has it."""
    return bool(trees[0].why_lacking(call))


def _names_to_search(named: NamedSubjects) -> Iterator[str]:
    """The names of files that are looked for in whole trees."""
    for call in named.calls:
        if call.kind is CallKind.FILE:
            yield call.name.rpartition("/")[2]
        else:
            yield from TASK_FILES[call.kind].files
    yield from (path for path in named.files if "/" not in path)


def watch_subjects(named: NamedSubjects, missing: MissingSubjects) -> Watched:
    """What the answer depends on."""
    return Watched(
        paths=sorted(named.files),
        files=sorted({path for call in named.calls for path in _near(call)}),
        names=sorted(set(_names_to_search(named))) if missing.is_searched else [],
    )


def _near(call: ProjectCall) -> list[str]:
    """Where what is called, or its definition, lies in general: in the command's folder, above it, or at the root."""
    names = (call.name,) if call.kind is CallKind.FILE else TASK_FILES[call.kind].files
    parts = call.folder.split("/") if call.folder else []
    folders = ("/".join(parts[:depth]) for depth in range(len(parts), -1, -1))
    return [f"{folder}/{name}" if folder else name for folder in folders for name in names]


class _Definitions(NamedTuple):
    """The files that define tasks of a kind, the nearest first."""

    paths: list[str]
    tasks: list[TaskNames | None]  # None: it cannot be read

    def may_have(self, call: ProjectCall) -> bool:
        return any(tasks is None or tasks.is_open or defines(tasks, call.name) for tasks in self.tasks)


class _Tree:
    """One checkout, looked into as far as it is asked."""

    def __init__(self, root: Path, searched_names: frozenset[str], *, may_search: bool) -> None:
        self._root = root
        self._names = searched_names
        self._may_search = may_search
        self._read: dict[tuple[CallKind, str], TaskNames | None] = {}
        self.was_searched = False

    @cached_property
    def _is_whole(self) -> bool:
        return not is_sparse(self._root)

    @cached_property
    def _everywhere(self) -> NamedFiles:
        if not self._may_search:
            return NamedFiles((), is_whole=True)
        self.was_searched = True
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
        definition = TASK_FILES[call.kind]
        near = self._definitions(call.kind, (path for path in _near(call) if has_path(self._root, path) is not False))
        has_others = any(has_path(self._root, path) is not False for path in definition.others)
        if (near.paths and not call.name) or near.may_have(call) or has_others or not self._is_whole:
            return ""
        names = frozenset(definition.files)
        others = (path for path in self._everywhere.paths if path.rpartition("/")[2] in names)
        every = self._definitions(call.kind, dict.fromkeys((*near.paths, *others)))
        if not self._everywhere.is_whole or (every.paths and not call.name) or every.may_have(call):
            return ""
        if not every.paths:
            is_sure = definition.is_only_place and self._can_lack(_near(call)[0])
            return f"`{definition.files[0]}` is gone from the repository" if is_sure else ""
        if not call.is_only_there and self._may_be_installed(call, every):
            return ""
        if not near.paths:
            return f"no `{every.paths[0].rpartition('/')[2]}` has a {definition.noun} `{call.name}` any more"
        return f"`{near.paths[0]}` has no {definition.noun} `{call.name}` any more"

    def _why_file_lacking(self, call: ProjectCall) -> str:
        near = _near(call)
        if any(has_path(self._root, path) is not False for path in near):
            return ""
        is_lacking = self._can_lack(near[0]) and self._can_lack(call.name) and not self._is_somewhere(call.name)
        return f"`{near[0]}` is gone from the repository" if is_lacking else ""

    def _definitions(self, kind: CallKind, paths: Iterable[str]) -> _Definitions:
        listed = list(paths)
        return _Definitions(listed, [self._tasks(kind, TASK_FILES[kind], path) for path in listed])

    def _tasks(self, kind: CallKind, definition: TaskFile, path: str) -> TaskNames | None:
        if (kind, path) not in self._read:
            text = text_in(self._root, path, _DEFINITION_BYTES)
            self._read[kind, path] = None if text is None else definition.read(text)
        return self._read[kind, path]

    def _may_be_installed(self, call: ProjectCall, every: _Definitions) -> bool:
        """Whether the name may be that of a program, which no definition has to name."""
        if any(call.name.lower() in tasks.beside for tasks in every.tasks if tasks is not None):
            return True
        folders = (path.rpartition("package.json")[0] for path in every.paths)
        return any(has_path(self._root, f"{folder}node_modules/.bin/{call.name}") for folder in folders)

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
