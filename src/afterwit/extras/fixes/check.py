"""Judges fixes: are the tests that came with a fix red without it?

Each fix is judged in folders of its own, which are gone afterwards: the tree of the commit, and the same tree with all
files that are no tests put back to what they were before. Only the tests that the fix added or changed are run, first
with the fix and then without. What a command can do is bounded by `running`; that foreign code is run at all was agreed
to before. A verdict is recorded as soon as it is there, so that nothing is lost when the rest is stopped.
"""

import os
import shlex
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from afterwit.capture.checkouts import GitCheckout
from afterwit.config.world import World
from afterwit.extras.fixes.fixes import is_code
from afterwit.extras.fixes.history import ListedFix, subject_to_show
from afterwit.extras.fixes.outcomes import (
    Judgement,
    RunOutcome,
    judge_runs,
    line_that_tells,
    outcome_of,
    together,
    unusable,
)
from afterwit.extras.fixes.runners import RunnerCommand, RunnerPlan, is_runnable, plan_tests
from afterwit.extras.fixes.running import Confinement, RunResult, confinement_here, environment, run
from afterwit.extras.fixes.work_tree import (
    MissingProgramError,
    link_dependencies,
    locate,
    materialise,
    put_back,
    variables,
)
from afterwit.knowledge.door.settle import settle
from afterwit.model.guards import GuardState, GuardVerdict
from afterwit.model.learn_run import Progress
from afterwit.model.text import is_test
from afterwit.recall.deck.compile import compile_deck
from afterwit.redaction.hygiene import clean
from afterwit.redaction.redaction import Redactor
from afterwit.sources.gathering import SourceError
from afterwit.sources.git import diff_of, text_reader, tree_of
from afterwit.store.decide import FIX_CHECKED, catch_up, decide
from afterwit.store.rows.sessions import count_sessions
from afterwit.store.store import hold_lease, open_store

SECONDS = 120.0
_SETUP_SECONDS = 900.0
_WAIT_SECONDS = 60
_MOST_FILES = 40
_MOST_LINES = 12
_SHORTEST_LINE, _LONGEST_LINE, _FEWEST_LETTERS = 14, 160, 8
_INLINE_TEST = ("#[test]", "#[cfg(test)]", "#[tokio::test]")


class CheckOptions(NamedTuple):
    """How tests are run."""

    seconds: float = SECONDS  # for each command
    setup: str = ""  # a command line that prepares a work tree
    test: str = ""  # a command line that runs tests, with {files}
    links: bool = True  # link what the checkout has installed

    @property
    def setup_words(self) -> list[str]:
        return shlex.split(self.setup)


class PlannedCheck(NamedTuple):
    """A fix, and how it would be judged."""

    listed: ListedFix
    plan: RunnerPlan
    reason: str = ""  # for a verdict that needs no run
    state: GuardState = GuardState.UNCHECKED

    @property
    def is_run(self) -> bool:
        return bool(self.plan.commands)


def plan_check(place: GitCheckout, listed: ListedFix, options: CheckOptions) -> PlannedCheck:
    """How a fix would be judged. Nothing is run and nothing is written."""
    fix = listed.fix
    nothing = RunnerPlan(())
    if not fix.parent:
        return PlannedCheck(listed, nothing, "its parent is not in this clone", GuardState.CANNOT)
    if not fix.tests:
        return _without_tests(place, listed)
    try:
        entries = {entry.path: entry for entry in tree_of(place.git_dir, fix.id)}
        plan = plan_tests(fix.tests, frozenset(entries), text_reader(place.git_dir, entries), options.test)
    except SourceError as error:
        return PlannedCheck(listed, nothing, str(error), GuardState.CANNOT)
    if plan.commands:
        return PlannedCheck(listed, plan)
    has_tests = any(map(is_runnable, fix.tests))
    return PlannedCheck(listed, plan, plan.reason, GuardState.CANNOT if has_tests else GuardState.UNGUARDED)


def check(
    world: World,
    place: GitCheckout,
    redactor: Redactor,
    planned: Sequence[PlannedCheck],
    options: CheckOptions,
    progress: Progress,
) -> list[GuardVerdict]:
    """Judges these fixes one after the other, and records each verdict."""
    made: list[GuardVerdict] = []
    progress.begin(len(planned), len(planned))
    for wanted in planned:
        judgement = _judge(world, place, wanted, options)
        verdict = _verdict(place, redactor, wanted, judgement)
        if verdict.state is GuardState.GUARDED:
            verdict = msgspec.structs.replace(verdict, lines=lines_under_guard(place, redactor, wanted.listed))
        record(world, verdict)
        made.append(verdict)
        progress.advance(1, 1)
    return made


def record(world: World, verdict: GuardVerdict) -> None:
    """Journals a verdict and applies it."""
    with hold_lease(world.layout.lease, _WAIT_SECONDS), open_store(world.layout) as store:
        decide(store, FIX_CHECKED, msgspec.to_builtins(verdict), world.now_ms)


def lines_under_guard(place: GitCheckout, redactor: Redactor, listed: ListedFix) -> dict[str, tuple[str, ...]]:
    """Lines that a fix brought, by file: those by which an edit of that place is recognised."""
    fix = listed.fix
    try:
        diffs = diff_of(place.git_dir, fix.parent, fix.id, fix.changes)
    except SourceError:
        return {}
    chosen: dict[str, tuple[str, ...]] = {}
    for diff in diffs[:_MOST_FILES]:
        added = dict.fromkeys(line.strip() for hunk in diff.hunks for line in hunk.after)
        telling = [line for line in added if _SHORTEST_LINE <= len(line) <= _LONGEST_LINE and is_telling(line)]
        kept = [line for line in telling if clean(redactor.text(line)) == line][:_MOST_LINES]
        if is_code(diff.path) and kept:
            chosen[diff.path] = tuple(kept)
    return chosen


def is_telling(line: str) -> bool:
    """Whether a line of code is hardly anywhere else: no comment, no import, no bare word."""
    is_common = line.startswith(("#", "//", "*", "/*", "import ", "from ", "return;", "} else"))
    return not is_common and " " in line and sum(letter.isalpha() for letter in line) >= _FEWEST_LETTERS


def _without_tests(place: GitCheckout, listed: ListedFix) -> PlannedCheck:
    """No test file came with the fix; in some languages tests stand in the file of the code."""
    fix, nothing = listed.fix, RunnerPlan(())
    rust = [change for change in fix.changes if change.path.endswith(".rs")]
    try:
        diffs = diff_of(place.git_dir, fix.parent, fix.id, rust) if rust else []
    except SourceError as error:
        return PlannedCheck(listed, nothing, str(error), GuardState.CANNOT)
    added = (line for diff in diffs for hunk in diff.hunks for line in hunk.after)
    if any(line.strip().startswith(_INLINE_TEST) for line in added):
        reason = "its tests stand in the files of the code, so that one cannot be taken back without the other"
        return PlannedCheck(listed, nothing, reason, GuardState.CANNOT)
    return PlannedCheck(listed, nothing, "", GuardState.UNGUARDED)


def folders_to_protect(world: World, place: GitCheckout) -> list[Path]:
    """What no test may write into, wherever it lies: the checkout with its repository, the store, and the home."""
    return [world.user_home, place.root, place.git_dir, world.layout.root]


def _judge(world: World, place: GitCheckout, wanted: PlannedCheck, options: CheckOptions) -> Judgement:
    if not wanted.is_run:
        return Judgement(wanted.state, wanted.reason)
    with tempfile.TemporaryDirectory(prefix="afterwit-guards-", ignore_cleanup_errors=True) as name:
        folder = Path(os.path.realpath(name))
        confinement = confinement_here(folder, folders_to_protect(world, place))
        bench = _Bench(world, place, wanted, options, confinement, folder)
        try:
            return bench.judgement()
        except (SourceError, _SetupError) as error:
            return Judgement(GuardState.CANNOT, str(error))


class _SetupError(Exception):
    """What prepares a work tree failed."""


class _Bench:
    """Where one fix is judged: a folder with the work trees and a home, all of it ours."""

    def __init__(
        self,
        world: World,
        place: GitCheckout,
        wanted: PlannedCheck,
        options: CheckOptions,
        confinement: Confinement,
        folder: Path,
    ) -> None:
        self._world = world
        self._place = place
        self._fix = wanted.listed.fix
        self._commands = wanted.plan.commands
        self._options = options
        self._confinement = confinement
        self._folder = folder

    def judgement(self) -> Judgement:
        seconds = self._options.seconds
        results = self._run_in(self._tree("with", is_fixed=True))
        with_fix = self._outcome(results)
        reason = unusable(with_fix, results, seconds)
        if reason:
            return Judgement(GuardState.CANNOT, reason)
        results = self._run_in(self._tree("without", is_fixed=False))
        return judge_runs(with_fix, self._outcome(results), results, seconds)

    def _tree(self, name: str, *, is_fixed: bool) -> Path:
        """A work tree with the fix, or without it."""
        folder = self._folder / name / self._place.root.name
        folder.mkdir(parents=True)
        left_out = materialise(self._place.git_dir, self._fix.id, folder)
        if left_out.missing:
            raise SourceError(f"{left_out.missing:,} of its files are missing from this clone")
        if not is_fixed:
            back = [change for change in self._fix.changes if not is_test(change.path)]
            put_back(self._place.git_dir, self._fix.parent, back, folder)
        if self._options.links:
            link_dependencies(self._place.root, folder, _paths(folder))
        if self._options.setup:
            self._prepare(folder)
        return folder

    def _prepare(self, folder: Path) -> None:
        """With a network: most of what prepares a tree fetches something."""
        words = self._options.setup_words
        result = run(words, folder, self._environ({}), max(_SETUP_SECONDS, self._options.seconds))
        if result.exit_code or result.is_late:
            raise _SetupError(f"the setup failed: {line_that_tells(result.output) or result.exit_code}")

    def _run_in(self, folder: Path) -> list[RunResult]:
        return [self._ran(command, folder) for command in self._commands]

    def _ran(self, command: RunnerCommand, folder: Path) -> RunResult:
        environ = self._environ(variables(command, folder, _paths(folder), self._world.user_home))
        try:
            words = locate(command, folder, environ)
        except MissingProgramError as error:  # tests of other commands may still tell
            return RunResult(127, str(error))
        result = run(words, folder / command.folder, environ, self._options.seconds, self._confinement)
        return result._replace(output=result.output.replace(f"{folder}/", ""))

    def _environ(self, more: Mapping[str, str]) -> dict[str, str]:
        return environment(self._folder / "home", self._world.environ, more)

    def _outcome(self, results: Iterable[RunResult]) -> RunOutcome:
        return together(
            outcome_of(command.runner, result) for command, result in zip(self._commands, results, strict=True)
        )


def _paths(folder: Path) -> frozenset[str]:
    """The files of a work tree, without what was linked into it."""
    paths: set[str] = set()
    for top, folders, files in os.walk(folder):
        inner = os.path.relpath(top, folder)
        folders[:] = [name for name in folders if name != "node_modules" and not name.startswith(".")]
        paths.update(name if inner == os.curdir else f"{inner}/{name}" for name in files)
    return frozenset(paths)


def _verdict(place: GitCheckout, redactor: Redactor, wanted: PlannedCheck, judgement: Judgement) -> GuardVerdict:
    fix = wanted.listed.fix

    def shown(text: str) -> str:
        return " ".join(clean(redactor.text(text)).split())

    return GuardVerdict(
        commit=fix.id,
        repo=place.repo,
        state=judgement.state,
        reason=shown(judgement.reason),
        subject=subject_to_show(fix, redactor),
        at_ms=fix.at_ms,
        files=tuple(map(shown, fix.files[:_MOST_FILES])),
        tests=tuple(map(shown, fix.tests[:_MOST_FILES])),
        failing=tuple(map(shown, judgement.failing)),
        runs=tuple(shown(command.line) for command in wanted.plan.commands),
    )


def settle_notes(world: World) -> None:
    """Lets the notes say what was found out."""
    with hold_lease(world.layout.lease, _WAIT_SECONDS), open_store(world.layout) as store:
        catch_up(store)
        if count_sessions(store.db):
            settle(store, world)
            compile_deck(store, world)
