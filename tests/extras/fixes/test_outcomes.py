import pytest

from afterwit.extras.fixes.outcomes import RunOutcome, judge_runs, line_that_tells, outcome_of, unusable
from afterwit.extras.fixes.runners import Runner
from afterwit.extras.fixes.running import RunResult
from afterwit.model.guards import GuardState

_OUTPUTS = {
    Runner.PYTEST: "PASSED tests/test_a.py::test_x\nFAILED tests/test_a.py::test_y[a - b] - assert 1 == 2\n",
    Runner.BUN: "\nsrc/a.test.ts:\n(pass) trees > x [0.12ms]\n(fail) trees > y [1.00ms]\n",
    Runner.VITEST: " ✓ src/a.test.ts > trees > x 2ms\n × src/a.test.ts > trees > y 4ms\n",
    Runner.JEST: "PASS src/a.test.ts\n  trees\n    ✓ x (2 ms)\n    ✕ y (1 ms)\n",
    Runner.NODE: "ok 1 - x\nnot ok 2 - y\nok 3 - z # SKIP\n",
    Runner.GO: "--- PASS: TestX (0.00s)\n--- FAIL: TestY (0.01s)\nFAIL\n",
    Runner.CARGO: "test trees::x ... ok\ntest trees::y ... FAILED\ntest trees::z ... ignored\n",
}


@pytest.mark.parametrize("runner", list(_OUTPUTS))
def test_known_runners_are_read_test_by_test(runner: Runner) -> None:
    outcome = outcome_of(runner, RunResult(1, _OUTPUTS[runner]))
    assert (len(outcome.passed), len(outcome.failed), outcome.is_green) == (1, 1, False)
    assert not any("ms" in name.split() for name in outcome.passed | outcome.failed)


def test_tests_of_one_name_in_two_files_are_two() -> None:
    output = "a.test.ts:\n(pass) x [1ms]\n\nb.test.ts:\n(fail) x [2ms]\n"
    outcome = outcome_of(Runner.BUN, RunResult(1, output))
    assert (set(outcome.passed), set(outcome.failed)) == ({"a.test.ts > x"}, {"b.test.ts > x"})


def outcome(passed: str, failed: str = "", *, is_green: bool | None = None) -> RunOutcome:
    names, bad = frozenset(passed.split()), frozenset(failed.split())
    return RunOutcome(names, bad, not bad if is_green is None else is_green, bool(names or bad))


def state(with_fix: RunOutcome, without: RunOutcome) -> GuardState:
    return judge_runs(with_fix, without, (), 60).state


def test_what_passes_with_the_fix_and_fails_without_guards_it() -> None:
    assert state(outcome("a b"), outcome("a", "b")) is GuardState.GUARDED
    assert state(outcome("a b"), outcome("a b")) is GuardState.GREEN
    assert state(outcome("a", "b"), outcome("a", "b")) is GuardState.CANNOT
    assert state(outcome("a", is_green=False), outcome("a", is_green=False)) is GuardState.CANNOT
    assert state(outcome("a", "b"), outcome("", "a b")) is GuardState.GUARDED


def test_what_is_not_there_without_the_fix_counts_only_if_the_run_failed() -> None:
    assert state(outcome("a b"), outcome("a", is_green=True)) is GuardState.GREEN
    assert state(outcome("a b"), outcome("a", is_green=False)) is GuardState.GUARDED
    verdict = judge_runs(outcome("a b"), outcome("", is_green=False), (), 60)
    assert (verdict.state, verdict.failing) == (GuardState.GUARDED, ("a", "b"))
    assert "do not even load" in verdict.reason


def test_without_names_the_exit_code_decides() -> None:
    green, red = outcome("", is_green=True), outcome("", is_green=False)
    assert state(green, green) is GuardState.GREEN
    assert state(green, red) is GuardState.GUARDED


def test_a_run_that_does_not_end_says_nothing() -> None:
    late = RunResult(-9, "", is_late=True)
    assert unusable(outcome("a"), [late], 7) == "the tests do not end within 7 seconds"
    assert judge_runs(outcome("a"), outcome("", "a"), [late], 7).state is GuardState.CANNOT


def test_why_a_run_says_nothing_is_told_by_the_line_that_tells() -> None:
    missing = RunResult(2, "collecting\nE   ModuleNotFoundError: No module named 'saw'\n1 error in 0.1s\n")
    assert unusable(outcome("", is_green=False), [missing], 9).startswith("something is not installed: E   ModuleNot")
    failing = RunResult(1, "boring\nAssertionError: no trees\nthe end\n")
    reason = unusable(outcome("", "a"), [failing], 9)
    assert reason == "the tests fail with the fix too: AssertionError: no trees"
    skipped = RunResult(0, "2 skipped in 0.01s\n")
    assert unusable(outcome("", is_green=True), [skipped], 9).startswith("no test ran")
    assert unusable(outcome("", is_green=True), [RunResult(0, "fine")], 9) == ""


def test_a_telling_line_is_short() -> None:
    assert len(line_that_tells("TypeError: " + "x" * 1_000)) == 200
    assert line_that_tells("") == ""
