from tests.every import for_every

from afterwit.actions.failures.failure_class import classify
from afterwit.actions.failures.signature import signature
from afterwit.model.kinds import ActionKind, Status, Step
from afterwit.recall.deck.firing_lines import needed_by_path, needed_by_signature
from afterwit.recall.deck.reader import words_called, words_in

FAILURES = (
    ("pnpm test --fast", "error: unknown option --fast"),
    ("foo --bar", "zsh: command not found: foo"),
    ("foo --bar", "bash: line 1: foo: not found"),
    ("python3.12 -m pytest", "FAILED tests/test_a.py::test_b - assert 1 == 2\n1 failed, 3 passed"),
    ("pip install x==9", "ERROR: No matching distribution found for x==9 (from versions: 1.0, 2.0)"),
    ("curl -f https://x.example/a", "curl: (22) The requested URL returned error: 404"),
    ("git push", "fatal: unable to access 'https://x.example/': Could not resolve host: x.example"),
    ("ls ./nowhere", "ls: cannot access './nowhere': No such file or directory"),
    ("zsh -c 'ls *.zip'", "zsh: no matches found: *.zip"),
    ("cargo build", "error[E0425]: cannot find value `x` in this scope"),
    ("tsc", "src/a.ts(1,2): error TS2322: Type 'string' is not assignable to type 'number'."),
    ("psql -c x", "psql: error: connection to server at 127.0.0.1, port 5432 failed: Connection refused"),
    ("docker compose up", "Error response from daemon: driver failed 12px programming " + "words and " * 30),
    ("FOO=1 sudo make -j4 all", "make: *** No rule to make target 'all'.  Stop."),
)


@for_every("command, error", FAILURES)
def test_a_failure_holds_all_words_that_its_signature_needs(command: str, error: str) -> None:
    step = Step(ActionKind.SHELL, "Bash", command, Status.FAILED, exit_code=1, error=error)
    found = signature(step, classify(step, command), command)
    assert needed_by_signature(found) <= words_in(error) | words_called(command)


def test_a_failure_of_an_own_tool_needs_no_name_of_its_kind() -> None:
    step = Step(ActionKind.EDIT, "Edit", "a.py", Status.FAILED, error="String to replace not found in file.")
    found = signature(step, classify(step))
    assert found.startswith("edit: ")
    assert needed_by_signature(found) == {"string", "to", "replace", "not", "found", "in", "file"}


def test_kinds_are_all_known() -> None:
    assert all(needed_by_signature(f"{kind}: tests fail") == set() for kind in ActionKind)


def test_rules_are_needed_by_their_parts() -> None:
    assert needed_by_signature("bun run lint: rules lint/style/useConst E501") == {
        "bun", "run", "lint", "style", "useconst", "e501",
    }  # fmt: skip


def test_only_whole_names_of_a_pattern_are_needed() -> None:
    assert needed_by_path("src/**/api_*/Model.py") == {"src", "model", "py"}
