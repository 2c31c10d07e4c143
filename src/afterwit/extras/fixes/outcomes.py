"""What a run of tests says: which passed, which failed, and whether they were loaded at all. Pure.

Known runners are read test by test, so that a test that fails with the fix too does not hide those that tell. Of other
commands the exit code alone counts. The verdict compares two runs: with the fix, and without. A line of the output that
tells why tests cannot be run is quoted: it is foreign text, one line, bounded.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from afterwit.extras.fixes.runners import Runner
from afterwit.extras.fixes.running import RunResult
from afterwit.model.guards import GuardState
from afterwit.model.text import regex

_NOT_LOADED = "the tests do not even load without the fix"
_LONGEST = 200
_MOST_NAMED = 12
_ANSI = regex(r"\x1b\[[0-9;?]*[A-Za-z]")
_DURATION = regex(r" (?:\[[\d.,]{1,12} ?m?s\]|\(?[\d.,]{1,12} ?m?s\)?)\Z")
_LINES = {
    Runner.PYTEST: regex(r"(?P<how>PASSED|XPASS|FAILED|ERROR) (?P<name>\S+?::.*?)(?: - .*)?\Z"),
    Runner.BUN: regex(r"\((?P<how>pass|fail)\) (?P<name>.+)\Z"),
    Runner.VITEST: regex(r"\s*(?P<how>[✓√×✗]) (?P<name>\S.* > .+)\Z"),
    Runner.JEST: regex(r"\s+(?P<how>[✓√✕×]) (?P<name>.+)\Z"),
    Runner.NODE: regex(r"\s*(?P<how>ok|not ok) \d+ - (?P<name>.+?)(?P<skip> # (?:SKIP|TODO).*)?\Z"),
    Runner.GO: regex(r"\s*--- (?P<how>PASS|FAIL): (?P<name>\S+)"),
    Runner.CARGO: regex(r"test (?P<name>.+?) \.\.\. (?P<how>ok|FAILED)\Z"),
}
_PASSING = frozenset(("PASSED", "XPASS", "pass", "PASS", "ok", "✓", "√"))
_FILE = {
    Runner.BUN: regex(r"(\S.*\.(?:[cm]?[jt]sx?)):\Z"),
    Runner.JEST: regex(r"(?:PASS|FAIL) (\S+)"),
    Runner.GO: regex(r"(?:ok|FAIL)\s+(\S+)"),
}
_NO_TESTS = regex(
    r"(?i)\bno tests? (?:ran|found|to run|files? found)\b|\b0 tests\b|did not match any test files|collected 0 items",
)
_TELLING = regex(
    r"(?m)ModuleNotFoundError|ImportError|Cannot find (?:module|package)|Module not found|Could not resolve"
    r"|command not found|No such file or directory|not installed|no required module|cannot find package"
    r"|unrecognized arguments|fixture '.*' not found|requires? (?:python|go|node)|go: |^error(?:\[|:)|^E  |"
    r"(?:Type|Syntax|Reference|Assertion|Runtime|Name|Attribute|Value|Key|OS|Permission|Timeout)Error|^\(fail\)"
    r"|^FAILED |^ERROR |^panic:|^error:",
)
NOT_HERE = "is not installed here"
_SKIPPED = regex(r"\b([1-9]\d{0,5}) skip(?:ped)?\b")
_MISSING = regex(
    r"is not installed here|No module named|ModuleNotFoundError|Cannot find (?:module|package)|command not found"
    r"|no required module|cannot find package|Could not resolve|unrecognized arguments"
    r"|missing go.sum entry|can't find crate"
)


class RunOutcome(NamedTuple):
    """What one command, or several together, said of tests."""

    passed: frozenset[str]
    failed: frozenset[str]
    is_green: bool  # all commands ended with 0
    is_known: bool  # whether tests were read one by one


class Judgement(NamedTuple):
    state: GuardState
    reason: str = ""
    failing: tuple[str, ...] = ()


def outcome_of(runner: Runner, result: RunResult) -> RunOutcome:
    """What a run says. Names are made unique by the file that they stand under, where the runner prints it."""
    passed: set[str] = set()
    failed: set[str] = set()
    pattern, heading = _LINES.get(runner), _FILE.get(runner)
    file = ""
    for raw in _ANSI.sub("", result.output).splitlines():
        line = raw.rstrip()
        if heading is not None and (head := heading.match(line)):
            file = head[1] if runner is not Runner.GO else file
        result_line = pattern.match(line) if pattern is not None else None
        if result_line is None or result_line.groupdict().get("skip"):
            continue
        name = _DURATION.sub("", result_line["name"]).strip()
        whole = f"{file} > {name}" if file else name
        (passed if result_line["how"] in _PASSING else failed).add(whole)
    is_green = result.exit_code == 0 and not result.is_late
    return RunOutcome(frozenset(passed - failed), frozenset(failed), is_green, bool(passed or failed))


def together(outcomes: Iterable[RunOutcome]) -> RunOutcome:
    """What several commands said of all tests of a fix."""
    every = list(outcomes)
    return RunOutcome(
        frozenset().union(*(outcome.passed for outcome in every)),
        frozenset().union(*(outcome.failed for outcome in every)),
        all(outcome.is_green for outcome in every),
        any(outcome.is_known for outcome in every),
    )


def unusable(outcome: RunOutcome, results: Iterable[RunResult], seconds: float) -> str:
    """Why the run with the fix says nothing, in words; "" where some test passed."""
    runs = list(results)
    late = next((run for run in runs if run.is_late), None)
    if late is not None:
        return f"the tests do not end within {seconds:g} seconds"
    if outcome.is_known and outcome.passed:
        return ""
    texts = "\n".join(run.output for run in runs)
    if outcome.is_green:
        is_nothing = not outcome.is_known and (_NO_TESTS.search(texts) or _all_skipped(texts))
        return "no test ran: all are skipped, or none was found" if is_nothing else ""
    line = line_that_tells(texts)
    if line.endswith(NOT_HERE):
        return line
    missing = "something is not installed" if _MISSING.search(texts) else "the tests fail with the fix too"
    return f"{missing}: {line}" if line else missing


def judge_runs(with_fix: RunOutcome, without: RunOutcome, results: Iterable[RunResult], seconds: float) -> Judgement:
    """Whether the tests notice that the fix is gone. Where some fail with the fix too, these may be the ones that tell:
    that the others do not notice says nothing."""
    runs = list(results)
    if any(run.is_late for run in runs):
        return Judgement(GuardState.CANNOT, f"without the fix the tests do not end within {seconds:g} seconds")
    already = len(with_fix.failed)
    aside = f"{already} of them fail with the fix too" if already else ""
    if not with_fix.is_known:
        if without.is_green:
            return Judgement(GuardState.GREEN)
        return Judgement(GuardState.GUARDED, "by the exit code alone")
    missing = with_fix.passed - without.passed - without.failed if not without.is_green else frozenset()
    failing = (with_fix.passed & without.failed) | missing
    if not failing and not with_fix.is_green:
        hidden = aside or "some of them do not load with the fix"
        return Judgement(GuardState.CANNOT, f"{hidden}, and the others pass without it")
    if not failing:
        skipped = sum(int(count) for run in runs for count in _SKIPPED.findall(run.output))
        return Judgement(GuardState.GREEN, f"{skipped} of them are skipped" if skipped else "")
    is_loaded = bool(without.passed or without.failed)
    reasons = filter(None, ("" if is_loaded else _NOT_LOADED, aside))
    return Judgement(GuardState.GUARDED, "; ".join(reasons), tuple(sorted(failing))[:_MOST_NAMED])


def line_that_tells(output: str) -> str:
    """The line of an output that tells most, shortened."""
    lines = [line.strip() for line in _ANSI.sub("", output).splitlines() if line.strip()]
    telling = [line for line in lines if _MISSING.search(line)] or [line for line in lines if _TELLING.search(line)]
    line = telling[0] if telling else lines[-1] if lines else ""
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"


def _all_skipped(output: str) -> bool:
    counts = re.search(r"\b(\d+) skipped\b", output)
    return bool(counts and not re.search(r"\b[1-9]\d* (?:passed|pass)\b", output))
