"""Test files for fixes that nothing guards, in the framework that the repository uses. Pure.

A skeleton imports what the fix changed, names the fix and what failed before it, and asserts what follows from the
lines. Where nothing follows, its test fails on purpose and says what to write: an empty test would be green, and green
is what is wrong. Words of commits and sessions stand in comments and strings alone, one line each.
"""

import json
import posixpath
import re
from collections.abc import Sequence
from typing import NamedTuple

from afterwit.extras.fixes.assertions import DerivedAssertion
from afterwit.extras.fixes.runners import Runner
from afterwit.model.text import subject_of

_NOT_WORDS = re.compile(r"[^a-z0-9]+")
_CONVENTIONAL = re.compile(r"^\w+(?:\([^)]*\))?!?:\s*")
_MOST_WORDS = 8
_COMMENT_CHARS = 160
_HASH, _SLASHES = "# ", "// "
_IMPORTS = {
    Runner.BUN: 'import { expect, test } from "bun:test";',
    Runner.VITEST: 'import { expect, test } from "vitest";',
    Runner.JEST: "",
    Runner.NODE: 'import assert from "node:assert/strict";\nimport { test } from "node:test";',
}
_EXTENSION = re.compile(r"""from\s+["']\.{1,2}/[^"']+\.(js|ts|mjs)["']""")


class FailedInput(NamedTuple):
    """What failed in the session before the fix: a command line, and the line of its output that tells."""

    command: str
    error: str


class SkeletonSource(NamedTuple):
    """What a skeleton is made of. Texts are redacted."""

    commit: str
    day: str
    subject: str
    file: str  # of the code
    runner: Runner
    near: str  # an existing test to stand beside; "" where there is none
    near_text: str
    module: str  # how Python imports the file
    assertions: tuple[DerivedAssertion, ...] = ()
    inputs: tuple[FailedInput, ...] = ()


class Skeleton(NamedTuple):
    path: str  # where it would go, below the repository
    text: str
    asserts: bool  # something real, not only a failure that says what to write


def skeleton_of(source: SkeletonSource) -> Skeleton | None:
    """The test file for a fix; None where its framework is not one that is known."""
    if source.runner is Runner.PYTEST:
        return Skeleton(_python_path(source), _python(source), bool(source.assertions))
    if source.runner in _IMPORTS:
        can_assert = source.runner is not Runner.NODE
        own = source if can_assert else source._replace(assertions=())
        return Skeleton(_script_path(source), _script(own), bool(own.assertions))
    if source.runner is Runner.GO:
        return Skeleton(_go_path(source), _go(source), asserts=False)
    return None


def _about(source: SkeletonSource, sign: str) -> list[str]:
    lines = [f"Guards the fix {source.commit[:10]} of {source.day}: {_quoted(source.subject)}"]
    for given in source.inputs:
        lines.append(f"What failed before it: {_quoted(given.command)}")
        if given.error:
            lines.append(f"  with: {_quoted(given.error)}")
    return [f"{sign}{line}" for line in lines]


def _quoted(text: str) -> str:
    line = " ".join(text.split()).replace("*/", "* /").replace('"', "'")
    return f'"{line if len(line) <= _COMMENT_CHARS else line[: _COMMENT_CHARS - 1].rstrip() + "…"}"'


def _missing(source: SkeletonSource) -> str:
    return (
        f"What {source.file} does since the fix {source.commit[:10]} could not be derived from its lines:"
        " assert it here, with the input that failed before."
    )


def _slug(source: SkeletonSource, between: str) -> str:
    words = _NOT_WORDS.sub(" ", _CONVENTIONAL.sub("", source.subject).lower()).split()
    return between.join(words[:_MOST_WORDS]) or "the_fix"


def _python_path(source: SkeletonSource) -> str:
    folder = source.near.rpartition("/")[0] if source.near else "tests"
    return f"{folder}/" * bool(folder) + f"test_{_named_after(source.file)}_{source.commit[:7]}.py"


def _named_after(path: str) -> str:
    """The name of a file, or of its folder where the file's own says nothing."""
    folder = path.rpartition("/")[0]
    return subject_of(folder if path.endswith("/__init__.py") else path).strip("_")


def _python(source: SkeletonSource) -> str:
    names = sorted({assertion.name for assertion in source.assertions})
    body = [line for assertion in source.assertions for line in assertion.lines]
    needs_re = any("re.escape(" in line for line in body)
    needs_pytest = not body or any("pytest." in line for line in body)
    head = [*_about(source, _HASH), ""]
    head += ["import re", ""] if needs_re else []
    head += ["import pytest", ""] if needs_pytest else []
    head += [f"from {source.module} import {', '.join(names)}"] if names else [f"import {source.module}  # noqa: F401"]
    body = body or [f"pytest.fail({json.dumps(_missing(source), ensure_ascii=False)})"]
    return "\n".join([*head, "", "", f"def test_{_slug(source, '_')}():", *(f"    {line}" for line in body), ""])


def _script_path(source: SkeletonSource) -> str:
    stem, _, ending = source.file.rpartition(".")
    near_ending = re.search(r"\.(?:test|spec)\.\w+\Z", source.near)
    mark = near_ending[0] if near_ending else f".test.{ending}"
    folder = posixpath.dirname(source.near) if source.near else posixpath.dirname(source.file)
    return posixpath.join(folder, f"{posixpath.basename(stem)}.{source.commit[:7]}{mark}")


def _script(source: SkeletonSource) -> str:
    names = sorted({assertion.name for assertion in source.assertions})
    target = posixpath.relpath(source.file.rpartition(".")[0], posixpath.dirname(_script_path(source)) or ".")
    ending = _EXTENSION.search(source.near_text)
    place = f"{target if target.startswith('.') else f'./{target}'}{f'.{ending[1]}' if ending else ''}"
    body = [line for assertion in source.assertions for line in assertion.lines]
    is_async = any(assertion.is_async for assertion in source.assertions)
    imported = f"import {{ {', '.join(names)} }} from {json.dumps(place)};" if names else f"import {json.dumps(place)};"
    body = body or [f"throw new Error({json.dumps(_missing(source), ensure_ascii=False)});"]
    head = [line for line in (*_about(source, _SLASHES), _IMPORTS[source.runner], imported) if line]
    begin = f"test({json.dumps(_slug(source, ' '))}, {'async ' * is_async}() => {{"
    return "\n".join([*head, "", begin, *(f"  {line}" for line in body), "});", ""])


def _go_path(source: SkeletonSource) -> str:
    return f"{source.file.removesuffix('.go')}_{source.commit[:7]}_test.go"


def _go(source: SkeletonSource) -> str:
    package = re.search(r"^package (\w+)", source.near_text, re.MULTILINE)
    name = package[1] if package else posixpath.basename(posixpath.dirname(source.file)) or "main"
    title = "".join(word.capitalize() for word in _slug(source, " ").split())
    lines: Sequence[str] = (
        *_about(source, _SLASHES),
        f"package {name}",
        "",
        'import "testing"',
        "",
        f"func Test{title}(t *testing.T) {{",
        f"\tt.Fatal({json.dumps(_missing(source), ensure_ascii=False)})",
        "}",
        "",
    )
    return "\n".join(lines)
