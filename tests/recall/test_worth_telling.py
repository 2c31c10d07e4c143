"""Sessions in, blocks out: what is told without a model is true, specific, and more than every agent knows."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.homes import ORCHARD, learned, world_of
from tests.measure.histories import HOUR_S, Log

from afterwit.knowledge.door.list import all_items
from afterwit.model.knowledge import Item
from afterwit.recall.prompt_block import text_of
from afterwit.recall.recall import ToldBlocks, recalled
from afterwit.recall.situation import tokens
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

_GONE = "Exit code 127\n/bin/bash: line 1: ./gradlew: No such file or directory"
_RED = "Exit code 2\ntest press ... FAILED\ntest result: FAILED. 11 passed; 1 failed"
_GREEN = "test result: ok. 12 passed"
_LINT = """Exit code 1
press.go:3:1: Error return value of `io.Copy` is not checked (errcheck)
press.go:9:1: error returned from interface method should be wrapped (wrapcheck)
press.go:14:6: func `old` is unused (unused)
press.go:20:2: directive `//nolint:gosec` should provide explanation (nolintlint)"""


class Orchard:
    """A home to which sessions are added, and what a new session there would be told."""

    def __init__(self, folder: Path) -> None:
        self._home, self._store = folder / "home", folder / "store"
        self._sessions = 0

    def sessions(self, count: int, work: Callable[[Log], object], cwd: str = ORCHARD) -> None:
        for _ in range(count):
            self._sessions += 1
            log = Log(self._sessions, self._sessions * 5 * HOUR_S, cwd)
            work(log.prompt(f"Press the fruit of row {self._sessions}"))
            log.put(self._home)

    def told(self, task: str = "Press the fruit of row 99") -> ToldBlocks:
        learned(self._home, self._store)
        return recalled(world_of(self._home, self._store), Path(ORCHARD), "orchard", "", task, None)

    def items(self) -> list[Item]:
        learned(self._home, self._store)
        with open_store(Layout(self._store)) as store:
            return list(all_items(store.db))


def _mended(log: Log) -> None:
    log.shell("make test", _RED, fails=True).edit("press.rs").shell("make test", _GREEN)


@pytest.fixture
def orchard(tmp_path: Path) -> Orchard:
    return Orchard(tmp_path)


@pytest.mark.parametrize("command", ["./gradlew test", "./gradlew test 2>&1 | tail -20", "./gradlew test || true"])
def test_a_command_that_ended_with_127_in_six_sessions_never_works_here(orchard: Orchard, command: str) -> None:
    is_shown = command == "./gradlew test"
    orchard.sessions(6, lambda log: log.shell(command, _GONE if is_shown else _GONE[14:], fails=is_shown))
    told = orchard.told()
    assert "gradlew" not in told.start.text
    assert not any(item.advice == "./gradlew test" for item in orchard.items())


def test_successes_that_a_pipe_hides_prove_no_command(orchard: Orchard) -> None:
    orchard.sessions(6, lambda log: log.shell("make test", _RED, fails=True).shell("make test | tail -2", _GREEN))
    assert "make test" not in orchard.told().start.text


def test_of_a_command_that_works_both_sorts_of_evidence_are_kept(orchard: Orchard) -> None:
    orchard.sessions(5, _mended)
    orchard.sessions(1, lambda log: log.shell("make test", "Exit code 127\nbash: make: command not found", fails=True))
    assert "In `orchard`: tests `make test`." in orchard.told().start.text
    (item,) = [item for item in orchard.items() if item.advice == "make test"]
    assert sorted(piece.is_against for piece in item.evidence) == [False] * 5 + [True]


def test_tests_that_fail_because_the_code_is_broken_do_not_speak_against_the_command(orchard: Orchard) -> None:
    orchard.sessions(4, _mended)
    orchard.sessions(3, lambda log: log.shell("make test", _RED, fails=True))
    (item,) = [item for item in orchard.items() if item.advice == "make test"]
    assert not any(piece.is_against for piece in item.evidence)


def test_all_lint_rules_are_one_line_of_ids_at_the_start_and_none_at_a_prompt(orchard: Orchard) -> None:
    orchard.sessions(4, lambda log: log.shell("golangci-lint run", _LINT, fails=True).edit("press.go"))
    told = orchard.told()
    *_, heading, line = told.start.text.splitlines()
    assert heading == "Before a commit, a push or “done”:"
    named = "`errcheck`, `nolintlint`, `unused`, `wrapcheck`"
    assert line == f"- `golangci-lint run` fails most on {named}."
    assert tokens(f"{heading}\n{line}") <= 60
    assert "errcheck" not in text_of(told.prompt)
    assert "returned error" not in told.start.text + text_of(told.prompt)


def test_what_anybody_would_try_first_is_not_told(orchard: Orchard) -> None:
    tried = [("go test ./...", _RED), ("go vet ./...", "Exit code 1\nvet: press.go:3:1: unreachable code")]

    def work(log: Log) -> None:
        for command, output in tried:
            log.shell(command, output, fails=True).edit("press.go").shell(command, "ok")

    orchard.sessions(4, work)
    assert orchard.told().start.text == ""


def test_commands_that_do_not_belong_together_are_not_put_into_one_line(orchard: Orchard) -> None:
    def work(log: Log) -> None:
        log.shell("cargo build", "Finished").shell("pnpm --filter web build", "done in 3s")

    orchard.sessions(4, work)
    told = orchard.told()
    assert "pnpm" not in told.start.text + text_of(told.prompt)
    assert not any("cargo build" in item.sentence and "pnpm" in item.sentence for item in orchard.items())


def test_a_folder_below_the_one_where_the_session_stood_is_not_told_from_the_root(orchard: Orchard) -> None:
    def work(log: Log) -> None:
        log.shell("cd src && make test", _RED, fails=True).edit("press.rs").shell("cd src && make test", _GREEN)

    orchard.sessions(4, work, cwd=f"{ORCHARD}/api")
    orchard.sessions(1, lambda log: log.edit("README.md"))
    assert "cd src" not in orchard.told().start.text


def test_a_folder_of_the_root_is_told_so_that_it_works_from_there(orchard: Orchard) -> None:
    def work(log: Log) -> None:
        log.edit("web/press.ts").shell(f"cd {ORCHARD}/web && npm test", _RED, fails=True)
        log.edit("web/press.ts").shell(f"cd {ORCHARD}/web && npm test", _GREEN)

    orchard.sessions(4, work)
    assert "In `orchard`: tests `cd web && npm test`." in orchard.told().start.text


def test_a_wrong_guess_and_a_type_error_of_one_session_are_no_notes(orchard: Orchard) -> None:
    def work(log: Log) -> None:
        log.shell("cat src/pres.ts", "Exit code 1\ncat: src/pres.ts: No such file or directory", fails=True)
        log.shell("cat src/press.ts", "ripe").edit("src/press.ts")
        log.shell("npx tsc", "Exit code 2\nsrc/press.ts(4,7): error TS2322: Type 'Pear' is no 'Apple'.", fails=True)
        log.edit("src/press.ts").shell("npx tsc")

    orchard.sessions(1, work)
    assert orchard.items() == []
