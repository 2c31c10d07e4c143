"""The tasks that a file of definitions has: scripts of a package, targets of a Makefile, recipes, tasks. Pure.

Text in, names out, or None where the text cannot be read. What else a file may bring in (includes, patterns, names that
are computed) makes its names `open`: then that a name is not among them says nothing. Nothing here runs anything.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from afterwit.actions.quick_look import fits_path
from afterwit.actions.shell.project_calls import CallKind
from afterwit.model.text.patterns import regex


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
_RAKE_TASK = regex(r"^[ \t]*(?:multi)?task[ (]+(?::(\w+)|['\"]([\w:]+)['\"]|(\w+):)", re.MULTILINE)
_BUNDLED = frozenset(("tsc", "tsserver", "ng", "vue-tsc", "playwright", "nx", "node", "npm", "npx", "corepack", "rw"))


def _of_package(text: str) -> TaskNames | None:
    table = _json(text)
    if table is None:
        return None
    groups = (table.get(f"{group}ependencies") for group in ("d", "devD", "peerD", "optionalD"))
    packages = {name.rpartition("/")[2] for group in groups if isinstance(group, dict) for name in group}
    return TaskNames(_keys(table, "scripts"), beside=frozenset(packages) | _BUNDLED | _keys(table, "bin"))


def _of_composer(text: str) -> TaskNames | None:
    table = _json(text)
    return None if table is None else TaskNames(_keys(table, "scripts") | _keys(table, "scripts-aliases"))


def _of_deno(text: str) -> TaskNames | None:
    """Deno runs scripts of a package too."""
    table = _json(text)
    return None if table is None else TaskNames(_keys(table, "tasks") | _keys(table, "scripts"))


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


def _of_rake(text: str) -> TaskNames | None:
    """What Ruby computes is not worked out, so the names are always open."""
    return TaskNames(frozenset(name for names in _RAKE_TASK.findall(text) for name in names if name), is_open=True)


def _of_poe(text: str) -> TaskNames | None:
    table = _toml(text)
    if table is None:
        return None
    own = _table(table, "tool", "poe")
    return TaskNames(_keys(own, "tasks"), is_open="include" in own or "include_script" in own or not own)


def _of_pdm(text: str) -> TaskNames | None:
    return _of_pyproject(text, ("tool", "pdm"))


def _of_hatch(text: str) -> TaskNames | None:
    table = _toml(text)
    if table is None:
        return None
    envs = _table(table, "tool", "hatch", "envs") or _table(table, "envs")
    scripts = {(env, name) for env, own in envs.items() if isinstance(own, dict) for name in _keys(own, "scripts")}
    names = {f"{env}:{name}" for env, name in scripts} | {name for env, name in scripts if env == "default"}
    return TaskNames(frozenset(names), is_open=not scripts, beside=_beside(table) | frozenset(envs))


def _of_scripts(text: str) -> TaskNames | None:
    return _of_pyproject(text, ("tool", "poetry"))


def _of_pyproject(text: str, own: tuple[str, ...]) -> TaskNames | None:
    """Scripts of a Python project. Any other program may come from a dependency of a dependency, so of names that are
    not the project's own nothing is said."""
    table = _toml(text)
    if table is None:
        return None
    project = _table(table, "project")
    names = _keys(project, "scripts") | _keys(project, "gui-scripts") | _keys(_table(table, *own), "scripts")
    return TaskNames(names, is_open=not names, beside=_beside(table))


def _beside(table: Mapping[str, Any]) -> frozenset[str]:
    """The dependencies of a Python project, by name."""
    groups = [_table(table, "project").get("dependencies"), *_table(table, "project", "optional-dependencies").values()]
    groups += _table(table, "dependency-groups").values()
    groups += [list(_table(table, "tool", "poetry", "dependencies"))]
    return frozenset(
        match[0].lower()
        for group in groups
        if isinstance(group, list)
        for entry in group
        if isinstance(entry, str) and (match := re.match(r"[\w.-]+", entry))
    )


TASK_FILES: Mapping[CallKind, TaskFile] = {
    CallKind.PACKAGE: TaskFile(("package.json",), "script", _of_package),
    CallKind.COMPOSER: TaskFile(("composer.json",), "script", _of_composer),
    CallKind.DENO: TaskFile(("deno.json", "deno.jsonc", "package.json"), "task", _of_deno),
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
    CallKind.RAKE: TaskFile(("Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"), "task", _of_rake),
    CallKind.POE: TaskFile(
        ("pyproject.toml",),
        "task",
        _of_poe,
        is_only_place=False,
        others=("poe_tasks.toml", "poe_tasks.yaml", "poe_tasks.json"),
    ),
    CallKind.PDM: TaskFile(("pyproject.toml",), "script", _of_pdm, is_only_place=False),
    CallKind.HATCH: TaskFile(("pyproject.toml", "hatch.toml"), "script", _of_hatch, is_only_place=False),
    CallKind.PYTHON: TaskFile(("pyproject.toml",), "script", _of_scripts, is_only_place=False),
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


def _table(table: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    for name in names:
        inner = table.get(name)
        table = inner if isinstance(inner, dict) else {}
    return table


def _keys(table: Mapping[str, Any], name: str) -> frozenset[str]:
    inner = table.get(name)
    return frozenset(inner) if isinstance(inner, dict) else frozenset()
