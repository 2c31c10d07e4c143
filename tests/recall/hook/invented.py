"""Invented failures: command lines of many shapes, with messages of many programs. And the calls that they ended."""

from hypothesis import strategies as st

from afterwit.agents.hook_payloads import AFTER, Moment

PROGRAMS = (
    *(
        "wrapit cargo",
        "orchard prune",
        "git push",
        "gh pr view 7",
        "npm run lint",
        "npm test",
        "make pears",
        "cat",
        "rg x",
    ),
    *(
        "python",
        "python3 -m press",
        "go test ./...",
        "docker compose up",
        "pytest -q",
        "ruff check",
        "./press",
        "rm -f",
    ),
    *("node", "bun run dev", "ls", "sed -n 1p", "grep -r x", "test -f x", "pip3 install", "cargo run", "which x"),
)
ARGUMENTS = ("--fast", "src/quince.py", "'two words'", "7", "-c", "--help", "cargo", "unlink", "--out=pears", "main")
SHAPES = (
    *("{0}", "{0}", "cd orchard && {0}", "A=1 {0}", "{0} 2>&1 | tail -5", "cd x; {0}", "{1} && {0}", "{0} ; echo done"),
    *(
        "{0} || true",
        '"echo" "a b" && {0}',
        "{1} | {0}",
        "{0} > out.txt",
        "sudo {0}",
        "bash -c '{0}'",
        "{0} 2>/dev/null",
    ),
    *("{0}\n{1}", "({0})", "env A=1 {0}", "export A=1; {0}", "timeout 5 {0}", "{0} $PEARS"),
)
MESSAGES = (
    *("unknown option {0}", "unknown flag: {0}", "unrecognized subcommand '{1}'", 'unknown command "{1}" for "{1}"'),
    *("{0}: No such file or directory", "{0}: Is a directory", "{1}: command not found", "command not found: {1}"),
    *("'{1}' is not a git command.", "accepts at most {2} arg(s), received {2}", 'Unknown JSON field: "{1}"'),
    *("the {1} of {0} ({2}) is {1}", "no task named '{1}'", "package {0} is gone", "no such file or directory: {0}"),
    *(
        "FAILED {0}::test - 1 failed",
        "{0}:7:2: undefined: {1}",
        "connection reset by {1}",
        "{1} {1}",
        "argument '{1}' bad",
    ),
    *(
        "error TS2322: {1}",
        "fatal: not a git repository: {0}",
        "{0} does not exist",
        "Merge conflict in {0}",
        "usage: {1}",
    ),
)
PATHS = ("src/quince.py", "quince.py", "orchard/press/", "/srv/pears", "./x", "a b/c", "src/timeout.py", "index.lock")
NAMES = ("cargo", "unlink", "--fast", "merged", "timeout", "lock", "conflict", "python", "press", "429", "failed")
NUMBERS = ("1", "7", "404", "502", "12345", "1234567")
FRAMES = (
    "",
    "",
    "error: ",
    "Error: ",
    "fatal: ",
    "warning: ",
    "bash: line 1: ",
    "zsh:1: ",
    "(eval):1: ",
    "wrapit: ",
    "cat: ",
)
AROUND = ("{0}", "Exit code 1\n{0}", "Exit code 2\n{0}\n", "{0}\nUsage: wrapit [OPTIONS]", "pears\n{0}", "{0}\n{0}")

commands = st.builds(
    lambda shape, one, other, more: shape.format(" ".join((one, *more)), other),
    st.sampled_from(SHAPES),
    st.sampled_from(PROGRAMS),
    st.sampled_from(PROGRAMS),
    st.lists(st.sampled_from(ARGUMENTS), max_size=2),
)
messages = st.builds(
    lambda frame, message, path, name, number: frame + message.format(path, name, number),
    st.sampled_from(FRAMES),
    st.sampled_from(MESSAGES),
    st.sampled_from((*PATHS, *NAMES)),
    st.sampled_from(NAMES),
    st.sampled_from(NUMBERS),
)
outputs = st.builds(str.format, st.sampled_from(AROUND), messages)
exit_codes = st.sampled_from((None, 1, 1, 2, 127))


def failed(command: str, output: str, exit_code: int | None = None, tool: str = "Bash") -> Moment:
    """The end of a call that the agent says has failed."""
    given: dict[str, object] = {"command": command}
    return Moment(AFTER, "s1", cwd="/srv/orchard", tool=tool, arguments=given, output=output, is_error=True,
                  exit_code=exit_code)  # fmt: skip
