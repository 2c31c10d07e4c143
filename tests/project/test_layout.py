"""A stranger finds things by their names: a class has one that no other class has, a folder can be read at a glance,
and a variable is called after what it holds."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.source_trees import nodes, parsed, texts

_MOST_MODULES = 25
_MANY = {"agents"}  # has a folder for every agent, and what they share
_EMPTY_NAMES = {"one", "found", "known", "each"}


@cache
def _trees() -> dict[Path, ast.Module]:
    return {Path(file): parsed(file) for file in texts()}


def _bound(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The variables and parameters that a module binds, with their lines. The fields of a class are not among them:
    what is stored or read may be called so."""
    bodies = (node.body for node in nodes(tree) if isinstance(node, ast.ClassDef))
    fields = {id(part.target) for body in bodies for part in body if isinstance(part, ast.AnnAssign)}
    for node in nodes(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) if id(node) not in fields:
                yield name, node.lineno
            case ast.arg(arg=name) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name, node.lineno
            case ast.ExceptHandler(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name, node.lineno
            case _:
                pass


def test_public_classes_have_names_of_their_own() -> None:
    classes = (node for tree in _trees().values() for node in nodes(tree) if isinstance(node, ast.ClassDef))
    counts = Counter(node.name for node in classes if not node.name.startswith("_"))
    assert len(counts) > 100
    assert [name for name, count in counts.items() if count > 1] == []


def test_no_folder_holds_more_modules_than_one_can_take_in() -> None:
    counts = Counter(path.parent.as_posix() for path in _trees())
    assert {folder for folder, count in counts.items() if count > _MOST_MODULES} <= _MANY


def test_variables_are_called_after_what_they_hold() -> None:
    bound = [(path, line, name) for path, tree in _trees().items() for name, line in _bound(tree)]
    assert len(bound) > 1000
    assert [place for place in bound if place[2] in _EMPTY_NAMES] == []
