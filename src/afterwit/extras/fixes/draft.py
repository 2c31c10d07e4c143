"""Drafts a test for a fix that nothing guards: gathers what its lines, the tests around it and its session tell.

Nothing is run, and nothing is written: the text is handed to whoever asked. What is asserted follows from the code, or
the draft says that nothing could be derived.
"""

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import apsw

from afterwit.digest.door import load_digest
from afterwit.extras.fixes.assertions import DerivedAssertion, python_assertions, script_assertions
from afterwit.extras.fixes.fixes import is_code
from afterwit.extras.fixes.history import EndedSession, FixPlace, ListedFix
from afterwit.extras.fixes.runners import Runner, is_runnable, plan_tests, python_roots
from afterwit.model.errors import UsageError
from afterwit.model.kinds import ActionKind
from afterwit.model.text import subject_of
from afterwit.redaction.hygiene import clean
from afterwit.redaction.redaction import Redactor
from afterwit.sources.gathering import SourceError
from afterwit.sources.git import FileDiff, TreeEntry, diff_of, text_reader, tree_of
from afterwit.store.rows.session_list import session_of

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
    lines = [f"Guards the fix {source.commit[:10]} of {source.day}: {_quote(source.subject)}"]
    for given in source.inputs:
        lines.append(f"What failed before it: {_quote(given.command)}")
        if given.error:
            lines.append(f"  with: {_quote(given.error)}")
    return [f"{sign}{line}" for line in lines]


def _quote(text: str) -> str:
    line = " ".join(text.split()).replace("*/", "* /").replace('"', "'")
    return f'"{line if len(line) <= _COMMENT_CHARS else line[: _COMMENT_CHARS - 1].rstrip() + "…"}"'


def _what_is_missing(source: SkeletonSource) -> str:
    return (
        f"What {source.file} does since the fix {source.commit[:10]} could not be derived from its lines:"
        " assert it here, with the input that failed before."
    )


def _slug(source: SkeletonSource, between: str) -> str:
    words = _NOT_WORDS.sub(" ", _CONVENTIONAL.sub("", source.subject).lower()).split()
    return between.join(words[:_MOST_WORDS]) or "the_fix"


def _python_path(source: SkeletonSource) -> str:
    folder = source.near.rpartition("/")[0] if source.near else "tests"
    return f"{folder}/" * bool(folder) + f"test_{_name_after(source.file)}_{source.commit[:7]}.py"


def _name_after(path: str) -> str:
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
    body = body or [f"pytest.fail({json.dumps(_what_is_missing(source), ensure_ascii=False)})"]
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
    body = body or [f"throw new Error({json.dumps(_what_is_missing(source), ensure_ascii=False)});"]
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
        f"\tt.Fatal({json.dumps(_what_is_missing(source), ensure_ascii=False)})",
        "}",
        "",
    )
    return "\n".join(lines)


_MOST_INPUTS = 2
_SCRIPTS = frozenset(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"))
_FAMILIES = (frozenset(("py",)), _SCRIPTS, frozenset(("go",)))


def draft_of(place: FixPlace, listed: ListedFix, redactor: Redactor, db: apsw.Connection | None, day: str) -> Skeleton:
    """A test file for a fix. Raises UsageError where none can be written."""
    fix = listed.fix
    if not fix.parent:
        raise UsageError("The parent of this commit is not in this clone, so that its lines are not known.")
    try:
        entries = {entry.path: entry for entry in tree_of(place.git_dir, fix.id)}
        diffs = [diff for diff in diff_of(place.git_dir, fix.parent, fix.id, fix.changes) if is_code(diff.path)]
    except SourceError as error:
        raise UsageError(f"The lines of this commit cannot be read: {error}.") from error
    read = text_reader(place.git_dir, entries)
    sources = [source for diff in diffs if (source := _source(diff, listed, entries, read, day)) is not None]
    if not sources:
        raise UsageError("No test framework is known for the files of this fix. Known are: Python, JavaScript, Go.")
    best = max(sources, key=lambda source: len(source.assertions))
    inputs = inputs_that_failed(db, listed.session) if db is not None else ()
    made = skeleton_of(best._replace(subject=listed.subject, inputs=inputs))
    if made is None:
        raise UsageError(f"No test skeleton is known for {best.runner}.")
    return made._replace(text=_keep_clean(redactor.text(made.text)))


def inputs_that_failed(db: apsw.Connection, session: EndedSession | None) -> tuple[FailedInput, ...]:
    """What failed in a session before it committed, the last first."""
    row = session_of(db, session.agent, session.native_id) if session is not None else None
    digest = load_digest(db, row) if row is not None else None
    if digest is None or session is None:
        return ()
    before = [digest.steps[failure.at] for failure in digest.failures if failure.at < session.at]
    commands = [step for step in before if step.kind is ActionKind.SHELL]
    return tuple(
        FailedInput(clean(step.target), clean(step.error.strip().partition("\n")[0]))
        for step in reversed(commands[-_MOST_INPUTS:])
    )


def _source(
    diff: FileDiff, listed: ListedFix, entries: dict[str, TreeEntry], read: Callable[[str], str], day: str
) -> SkeletonSource | None:
    """What a skeleton for one of the changed files is made of."""
    suffix = diff.path.rpartition(".")[2]
    family = next((endings for endings in _FAMILIES if suffix in endings), None)
    if family is None or diff.path not in entries:
        return None
    paths = frozenset(entries)
    near = _nearest_test(diff.path, (path for path in paths if path.rpartition(".")[2] in family))
    runner = _runner(near or diff.path, suffix, paths, read)
    if runner is None:
        return None
    return SkeletonSource(
        commit=listed.fix.id,
        day=day,
        subject=listed.subject,
        file=diff.path,
        runner=runner,
        near=near,
        near_text=read(near) if near else "",
        module=_module(diff.path, paths),
        assertions=tuple(_assertions(diff, read(diff.path))),
    )


def _runner(near: str, suffix: str, paths: frozenset[str], read: Callable[[str], str]) -> Runner | None:
    if suffix == "py":
        return Runner.PYTEST
    if suffix == "go":
        return Runner.GO
    plan = plan_tests([near], paths, read, "") if is_runnable(near) else None
    return plan.commands[0].runner if plan is not None and plan.commands else Runner.JEST


def _assertions(diff: FileDiff, text: str) -> Sequence[DerivedAssertion]:
    suffix = diff.path.rpartition(".")[2]
    if suffix == "py":
        return python_assertions(text, diff.hunks)
    return script_assertions(text, diff.hunks) if suffix in _SCRIPTS else ()


def _nearest_test(path: str, others: Iterable[str]) -> str:
    """The test that stands nearest: of the same subject first, then in the same folders."""
    parts = path.split("/")

    def nearness(test: str) -> tuple[bool, int, int, str]:
        shared = sum(part in parts for part in test.split("/")[:-1])
        return subject_of(test) == subject_of(path), shared, -test.count("/"), test

    return max((test for test in others if is_runnable(test)), key=nearness, default="")


def _module(path: str, paths: frozenset[str]) -> str:
    """How Python imports a file."""
    roots = sorted((root for root in python_roots(paths) if root and path.startswith(f"{root}/")), key=len)
    inside = path[len(roots[-1]) + 1 :] if roots else path
    return inside.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _keep_clean(text: str) -> str:
    """Clean line by line, with tabs and the indentation as they are."""
    return "\n".join(
        line[: len(line) - len(line.lstrip())] + clean(line.lstrip()) if line.strip() else ""
        for line in text.split("\n")
    )
