"""It does not matter which module is loaded first, nor when: they import each other in no circle, and read nothing of
their surroundings. So tests may fork processes from one that has loaded everything (`tests.processes`)."""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import PurePosixPath

from tests.processes import READS_SURROUNDINGS
from tests.source_trees import parsed, texts

_READING = ("environ", "environb", "getenv", "argv")


@cache
def _trees() -> dict[str, ast.Module]:
    return {_name(file): parsed(file) for file in texts()}


def _name(file: str) -> str:
    parts = ("afterwit", *PurePosixPath(file).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _at_loading(node: ast.AST, kind: type[ast.AST]) -> Iterator[ast.AST]:
    """What runs when a module is loaded, down to nodes that are not of this kind: not the bodies of functions, nor
    what is for type checkers and programs."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and _is_for_others(child.test):
            continue
        if isinstance(child, kind):
            yield child
            yield from _at_loading(child, kind)


def _is_for_others(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id in ("TYPE_CHECKING", "__name__") for node in ast.walk(test))


def _imported(module: ast.Module) -> Iterator[str]:
    for node in _at_loading(module, ast.stmt):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in _trees() else node.module for name in inner)


def _loaded_for(name: str) -> Iterator[str]:
    """The modules that this one loads, and the packages around them which are not loaded already."""
    for imported in _imported(_trees()[name]):
        if imported in _trees():
            yield imported
            parts = imported.split(".")
            packages = (".".join(parts[:number]) for number in range(1, len(parts)))
            yield from (package for package in packages if not f"{name}.".startswith(f"{package}."))


def test_modules_import_each_other_in_no_circle() -> None:
    imports = {name: set(_loaded_for(name)) for name in _trees()}
    assert sum(map(len, imports.values())) > len(imports)
    TopologicalSorter(imports).prepare()  # raises, and names the circle


def test_one_module_reads_its_surroundings_when_it_is_loaded() -> None:
    reading = {
        name
        for name, tree in _trees().items()
        for node in _at_loading(tree, ast.AST)
        if isinstance(node, ast.Attribute) and node.attr in _READING
    }
    assert reading == {READS_SURROUNDINGS}
