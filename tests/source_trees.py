"""The source of Afterwit as texts and as trees, each read once in a process: for tests that look at code."""

import ast
from functools import cache
from pathlib import Path

import afterwit

SOURCE = Path(afterwit.__file__).parent


@cache
def texts() -> dict[str, str]:
    """By the path below the package."""
    files = sorted(SOURCE.rglob("*.py"))
    return {file.relative_to(SOURCE).as_posix(): file.read_text(encoding="utf-8") for file in files}


@cache
def parsed(file: str) -> ast.Module:
    return ast.parse(texts()[file])


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a tree, for those who look at it more than once."""
    return tuple(ast.walk(tree))
