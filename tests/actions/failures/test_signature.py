"""Signatures: what is masked, what is kept, and that they do not change with the moment, the machine or the user."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.actions.failures.failure_class import classify
from afterwit.actions.failures.signature import answerable_signature, signature, template
from afterwit.model.kinds import ActionKind, FailureClass, Status, Step


def of_command(command: str, error: str, *rules: str) -> str:
    step = Step(ActionKind.SHELL, "Bash", command, Status.FAILED, None, 1, error=error)
    return signature(step, classify(step, rules=bool(rules)), "", rules)


def of_tool(kind: ActionKind, error: str, tool: str = "Edit") -> str:
    return signature(Step(kind, tool, "", Status.FAILED, None, None, error=error), FailureClass.TOOL_CONTRACT)


SAME = [
    (
        "cat a.txt",
        "cat: a.txt: No such file or directory",
        "cat /srv/b.md",
        "cat: /srv/b.md: No such file or directory",
    ),
    ("pear", "bash: pear: command not found", "pear x", "zsh:1: command not found: pear"),
    ("pear", "/bin/sh: 1: pear: not found", "pear y", "bash: line 3: pear: command not found"),
    ("ls a*", "zsh: no matches found: a*", "ls src/[id]", "zsh:1: no matches found: src/[id]"),
    ("go test ./a", "--- FAIL: TestA (0.00s)", "go test ./b", "--- FAIL: TestB (1.31s)\n    b_test.go:9: no"),
    ("pytest a", "FAILED a.py::test_x - assert 1 == 2", "pytest b", "FAILED b.py::test_y - KeyError: 'z'"),
    (
        "git checkout a1",
        "error: pathspec 'a1' did not match any file(s) known to git",
        "git checkout fix/b",
        "error: pathspec 'fix/b' did not match any file(s) known to git",
    ),
    (
        "curl http://a.example:80/x",
        "curl: (7) Failed to connect to a.example port 80 after 3 ms: Couldn't connect to server",
        "curl http://a.example:81/y",
        "curl: (7) Failed to connect to a.example port 81 after 75063 ms: Couldn't connect to server",
    ),
    (
        "git push",
        "fatal: unable to access 'https://a.example/x.git/': Could not resolve host: a.example",
        "git push origin main",
        "fatal: unable to access 'https://a.example/y.git/': Could not resolve host: a.example",
    ),
    (
        "docker logs a",
        "Error response from daemon: No such container: 3f2a1bc09d11",
        "docker logs b",
        "Error response from daemon: No such container: 77aa1bc09d12",
    ),
    (
        "cargo test",
        "error: test failed, to rerun pass `--lib`",
        "cargo test -p pear",
        "error: test failed, to rerun pass `-p pear --lib`",
    ),
    ("python3 a.py", "KeyError: 'a'", "python b.py", "KeyError: 'b'"),
    (
        "pip3 install a",
        "error: externally-managed-environment",
        "pip install b",
        "error: externally-managed-environment",
    ),
    (
        "./gradlew build",
        "FAILURE: Build failed with an exception.\n* What went wrong:\nJava heap space",
        "./gradlew build",
        "Java heap space",
    ),
    (
        "pip install a",
        "ERROR: no match (from versions: 1.0, 1.1rc1)",
        "pip install a",
        "ERROR: no match (from versions: 2)",
    ),
    (
        "ssh a",
        "ssh: Could not resolve hostname pear: Name or service not known",
        "ssh b",
        "ssh: Could not resolve hostname plum.example: Name or service not known",
    ),
    (
        "ssh a",
        "ssh: connect to host 10.0.0.3 port 22: Connection refused",
        "ssh b",
        "ssh: connect to host plum port 2222: Connection refused",
    ),
    ("git show a", "fatal: bad object deadbeef", "git show b", "fatal: bad object 3f2a1bc"),
]


@for_every("one, first, other, second", SAME)
def test_the_same_mistake_has_the_same_signature(one: str, first: str, other: str, second: str) -> None:
    assert of_command(one, first) == of_command(other, second)


DIFFERENT = [
    ("pear", "bash: pear: command not found", "plum", "bash: plum: command not found"),
    ("gh pr view --json a", 'Unknown JSON field: "stateReason"', "gh pr view --json b", 'Unknown JSON field: "merged"'),
    ("rg --x", "rg: unrecognized flag --x", "rg --y", "rg: unrecognized flag --y"),
    ("npm run a", 'npm error Missing script: "a"', "npm install a", "npm error code E404"),
    ("python a.py", "No module named 'yaml'", "python a.py", "No module named 'requests'"),
    ("docker ps", "unknown flag: --x", "kubectl get", "unknown flag: --x"),
    ("git push", "fatal: no upstream", "git pull", "fatal: no upstream"),
    ("cargo build", "error[E0425]: cannot find value `a`", "cargo build", "error[E0308]: mismatched types"),
    ("tsc", "a.ts(1,2): error TS2304: x", "tsc", "a.ts(1,2): error TS2322: x"),
    ("gh api a", "gh: Not Found (HTTP 404)", "gh api a", "gh: Unprocessable (HTTP 422)"),
    ("gh api a", "HTTP 404", "gh api a", "HTTP 422"),
    (
        "curl -f a",
        "curl: (22) The requested URL returned error: 404",
        "curl -f a",
        "curl: (22) The requested URL returned error: 400",
    ),
    ("python a.py", "bash: python: command not found", "python3 a.py", "bash: python3: command not found"),
    ("vite build", "error during build:\nplum is odd", "vite build", "error during build:\npear is odd"),
    ("pip install a", "no match (from versions: none)", "pip install a", "no match (from versions: 1.0)"),
    ("python a.py", "django.db.utils.OperationalError: x", "python a.py", "django.db.utils.IntegrityError: x"),
]


@for_every("one, first, other, second", DIFFERENT)
def test_different_mistakes_have_different_signatures(one: str, first: str, other: str, second: str) -> None:
    assert of_command(one, first) != of_command(other, second)


def test_rules_decide_about_reports_of_linters() -> None:
    one = of_command("ruff check .", "a.py:1:8: F401 unused", "F401")
    assert one == of_command("ruff check src", "b.py:9:2: F401 unused import `os`", "F401") == "ruff check: rules F401"
    assert one != of_command("ruff check .", "a.py:1:8: E501 line too long", "E501")


def test_the_order_of_the_rules_does_not_matter() -> None:
    assert of_command("ruff check .", "", "F401", "E501") == of_command("ruff check .", "", "E501", "F401")


def test_own_tools_are_named_by_what_they_do_not_by_the_agents_name_for_them() -> None:
    error = "String to replace not found in file."
    assert of_tool(ActionKind.EDIT, error, "Edit") == of_tool(ActionKind.EDIT, error, "str_replace")
    assert of_tool(ActionKind.EDIT, error) == "edit: String to replace not found in file."


def test_a_program_that_speaks_for_itself_gives_the_signature_its_name() -> None:
    assert of_command("make all && jq .a x.json", "jq: error (at x.json:1): Cannot index array") == (
        "jq: error (at <path>): Cannot index array"
    )


@for_every(
    "line, expected",
    [
        ("fatal: bad object 3f2a1bc", "bad object <hash>"),
        ("took 31ms, then 2.5s", "took <n>, then <n>"),
        ("see https://pear.example/a?b=1", "see <url>"),
        (r"Cannot find path C:\orchard\pear.txt", "Cannot find path <path>"),
        ("‹user:3f2a1b› is not in ‹email:77aa01›", "<user> is not in <email>"),
        ("2026-05-01T10:00:00Z ERROR bad thing", "ERROR bad thing"),
        ("error TS2304: Cannot find name 'plum'", "error TS2304: Cannot find name <q>"),
        ("unknown flag: --jsn", "unknown flag: --jsn"),
        ("can't pick 'pear', it isn't ripe", "can't pick <q>, it isn't ripe"),
        ("couldn't find pear and couldn't find plum", "couldn't find pear and couldn't find plum"),
        ("odd value 'the pear's stem' here", "odd value <q> here"),
        ("bad revision abcdefab", "bad revision <hash>"),
        ("HTTP/1.1 404 Not Found", "HTTP 404 Not Found"),
        ("server said 422 Unprocessable Entity after 31 tries", "server said 422 Unprocessable Entity after <n> tries"),
        ("cannot import django.db", "cannot import django.db"),
        ("java.lang.IllegalStateException: no pear", "java.lang.IllegalStateException: no pear"),
        ("django.db.utils.OperationalError in pear.py:3", "django.db.utils.OperationalError in <path>"),
        ("see pear.example.com for more", "see <host> for more"),
        ("Connection closed by 10.0.0.3 port 22", "Connection closed by <host> port <n>"),
    ],
)
def test_values_of_the_moment_are_masked_and_codes_kept(line: str, expected: str) -> None:
    assert template(line) == expected


@pytest.mark.parametrize("output", ["", "pear.py: ripe", "Operation not permitted 3 times"])
def test_the_dump_of_a_sandbox_is_cut_to_its_kind(output: str) -> None:
    line = (
        'exec_command failed for `/bin/zsh -lc "cat pear"`: CreateProcess { message: "Codex(Sandbox(Denied { output: '
    )
    assert template(f"{line}{output}") == "exec_command failed: CreateProcess Codex Sandbox Denied"
    rejected = line.replace("Codex(Sandbox(Denied { output: ", 'Rejected(\\"')
    assert template(f"{rejected}{output}") == "exec_command failed: CreateProcess Rejected"


def test_a_signature_is_one_short_line() -> None:
    found = of_command("pear", "odd " * 500)
    assert len(found) < 200
    assert "\n" not in found


NAMES = st.text(string.ascii_lowercase, min_size=3, max_size=10)
PATHS = st.builds(lambda user, folder, name: f"/home/{user}/{folder}/{name}.py", NAMES, NAMES, NAMES)
NUMBERS = st.integers(0, 10**6).map(str)
HASHES = st.text("0123456789abcdef", min_size=8, max_size=40).map(lambda text: f"a1{text}")
SUFFIXES = st.text("0123456789abcdef", min_size=6, max_size=6)
SLOTS = st.fixed_dictionaries(
    {"path": PATHS, "n": NUMBERS, "hash": HASHES, "q": NAMES, "user": SUFFIXES.map(lambda text: f"‹user:{text}›")}
)
MESSAGES = [
    ("cat {path}", "cat: {path}: No such file or directory"),
    ("cat {path}", "cat: /home/{user}/x: Permission denied"),
    ("git show {hash}", "fatal: bad object {hash}"),
    ("git log", "fatal: ambiguous argument '{q}': unknown revision or path not in the working tree."),
    ("kubectl get pod {q}", 'Error from server (NotFound): pods "{q}" not found'),
    ("docker run -p {n}:80 x", "Bind for 0.0.0.0:{n} failed: port is already allocated"),
    ("psql -h db", 'psql: error: connection to server at "{q}", port {n} failed: Connection refused'),
    ("mypy {path}", "{path}:{n}: error: Incompatible types"),
    ("node {path}", "Error: ENOENT: no such file or directory, open '{path}'"),
    ("terraform apply", "Error acquiring the state lock: ID {hash}, since {n}ms"),
    ("mvn test", "[ERROR] {path}:[{n},{n}] cannot find symbol"),
    ("aws s3 ls", "request id {hash} failed after {n} tries for {user}"),
]


@pytest.mark.parametrize(("command", "message"), MESSAGES)
@given(one=SLOTS, other=SLOTS)
@settings(max_examples=examples(15), deadline=None)
def test_paths_numbers_hashes_quotes_and_users_do_not_change_a_signature(
    command: str, message: str, one: dict[str, str], other: dict[str, str]
) -> None:
    assert of_command(command.format(**one), message.format(**one)) == of_command(
        command.format(**other), message.format(**other)
    )


@given(st.text(max_size=200), st.text(max_size=60), st.sampled_from(list(FailureClass)))
@settings(max_examples=examples(150), deadline=None)
def test_any_text_has_a_signature(error: str, command: str, failure: FailureClass) -> None:
    step = Step(ActionKind.SHELL, "Bash", command, Status.FAILED, None, 1, error=error)
    assert signature(step, failure) == signature(step, failure)


@given(st.text(max_size=200))
@settings(max_examples=examples(150), deadline=None)
def test_a_template_is_bounded_and_single_lined(line: str) -> None:
    found = template(line.replace("\n", " "))
    assert len(found) <= 120
    assert found == found.strip()


def named(kind: ActionKind, target: str, error: str, exit_code: int | None = 1) -> str:
    return answerable_signature(Step(kind, "Bash", target, Status.FAILED, None, exit_code, error=error))


def test_a_wrong_call_and_a_fault_of_the_machine_are_answered() -> None:
    assert named(ActionKind.SHELL, "wrapit cargo", "unrecognized subcommand 'cargo'") == (
        "wrapit: unrecognized subcommand cargo"
    )
    assert named(ActionKind.SHELL, "go vet", "zsh: command not found: go", 127) == "go vet: command not found: go"


@pytest.mark.parametrize(
    ("kind", "target", "error", "exit_code"),
    [
        (ActionKind.SHELL, "pytest", "FAILED tests/test_pears.py::test_a - assert 1 == 2", 1),
        (ActionKind.SHELL, "git push", "connection reset by peer", 1),
        (ActionKind.SHELL, "orchard prune", "unknown option --fast", 130),
        (ActionKind.EDIT, "pears.py", "String to replace not found in file.", None),
    ],
)
def test_work_passing_faults_interrupts_and_own_tools_are_not(
    kind: ActionKind, target: str, error: str, exit_code: int | None
) -> None:
    assert named(kind, target, error, exit_code) == ""
