"""Drafts a test for a fix that nothing guards: gathers what its lines, the tests around it and its session tell.

Nothing is run, and nothing is written: the text is handed to whoever asked. What is asserted follows from the code, or
the draft says that nothing could be derived.
"""

from collections.abc import Callable, Iterable, Sequence

import apsw

from afterwit.digest.door import load_digest
from afterwit.extras.fixes.assertions import DerivedAssertion, python_assertions, script_assertions
from afterwit.extras.fixes.fixes import is_code
from afterwit.extras.fixes.history import EndedSession, FixPlace, ListedFix
from afterwit.extras.fixes.runners import Runner, is_runnable, planned_tests, python_roots
from afterwit.extras.fixes.skeletons import FailedInput, Skeleton, SkeletonSource, skeleton_of
from afterwit.model.errors import UsageError
from afterwit.model.kinds import ActionKind
from afterwit.model.text import subject_of
from afterwit.redaction.hygiene import clean
from afterwit.redaction.redaction import Redactor
from afterwit.sources.gathering import SourceError
from afterwit.sources.git import FileDiff, TreeEntry, diff_of, text_reader, tree_of
from afterwit.store.rows.session_list import session_of

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
    inputs = failed_inputs(db, listed.session) if db is not None else ()
    made = skeleton_of(best._replace(subject=listed.subject, inputs=inputs))
    if made is None:
        raise UsageError(f"No test skeleton is known for {best.runner}.")
    return made._replace(text=_kept_clean(redactor.text(made.text)))


def failed_inputs(db: apsw.Connection, session: EndedSession | None) -> tuple[FailedInput, ...]:
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
    plan = planned_tests([near], paths, read, "") if is_runnable(near) else None
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


def _kept_clean(text: str) -> str:
    """Clean line by line, with tabs and the indentation as they are."""
    return "\n".join(
        line[: len(line) - len(line.lstrip())] + clean(line.lstrip()) if line.strip() else ""
        for line in text.split("\n")
    )
