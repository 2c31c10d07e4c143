"""Stories of the repository `orchard`, a small Python program: three agents meet the same two obstacles over and over.

There is no `pytest` outside of uv's environment, and ruff insists on time zones. The code and its test change together.
"""

from afterwit.demo.script import (
    CompactedStep,
    Delegate,
    DemoAgent,
    DemoSession,
    EditStep,
    Interrupted,
    Prompt,
    Read,
    Reply,
    Search,
    Shell,
    Skill,
    Step,
    ThoughtStep,
)

REPO = "orchard"
_HARVEST = "src/orchard/harvest.py"
_HARVEST_TEST = "tests/test_harvest.py"
_PRICING = "src/orchard/pricing.py"
_PRICING_TEST = "tests/test_pricing.py"
HARVEST_CODE = '''"""Which trees can be picked."""

import datetime as dt

from orchard.trees import Tree


def ripe(trees: list[Tree]) -> list[Tree]:
    today = dt.datetime.now(tz=dt.UTC).date()
    return [tree for tree in trees if tree.ripe_from <= today]
'''
_RELEASE_SKILL = (
    "1. Read CHANGELOG.md.\n2. Run the whole test suite.\n3. Write the notes for users, not for developers."
)


def _tests(path: str, passed: int, shell: str = "bash: line 1: pytest: command not found") -> tuple[Step, ...]:
    """The wrong way to the tests first, then the right one."""
    return (
        Shell(f"pytest {path} -q", shell, 127, 0.1),
        Shell(f"uv run pytest {path} -q", f"{'.' * passed}\n{passed} passed in 0.41s", 0, 2.3),
    )


def _time_zone(path: str, line: int, old: str, new: str) -> tuple[Step, ...]:
    """The rule of ruff that keeps failing here."""
    said = f"{path}:{line}:12: DTZ005 `datetime.datetime.now()` called without a `tz` argument\nFound 1 error."
    return (
        Shell("uv run ruff check .", said, 1, 0.3),
        EditStep(path, old, new),
        Shell("uv run ruff check .", "All checks passed!", 0, 0.3),
    )


def _both(code: str, test: str, old: str, new: str) -> tuple[Step, ...]:
    """A change of the code, and the test that belongs to it."""
    return (
        Read(code, HARVEST_CODE),
        EditStep(code, old, new),
        EditStep(test, "def test_nothing", "def test_more() -> None: ...\n\n\ndef test_nothing"),
    )


def _after_detours(tests: tuple[Step, ...], *detours: Step) -> tuple[Step, ...]:
    """The wrong way to the tests, a look around, and then the right one: a mistake that others had made before."""
    missing, right = tests
    return missing, *detours, right


SESSIONS = (
    DemoSession(
        DemoAgent.CLAUDE_CODE,
        "orchard ripe trees",
        REPO,
        24,
        "09:02",
        (
            Prompt("Add a function that lists the trees that are ripe today, with tests."),
            ThoughtStep("I look at what is there before I write anything."),
            Search("class Tree", "src/orchard/trees.py:9:class Tree(NamedTuple):"),
            *_both(_HARVEST, _HARVEST_TEST, "import datetime as dt\n", "import datetime as dt\n\nPICKED = 3\n"),
            *_tests(_HARVEST_TEST, 4),
            *_time_zone(_HARVEST, 9, "dt.datetime.now()", "dt.datetime.now(tz=dt.UTC)"),
            Reply("`ripe()` is there and tested. pytest only runs through uv in this repository."),
            Prompt("Good. Always use uv here, never pip or a bare pytest."),
            Reply("Understood: uv for everything in this repository."),
        ),
        "List ripe trees",
    ),
    DemoSession(
        DemoAgent.CODEX,
        "orchard prices",
        REPO,
        21,
        "13:40",
        (
            Prompt("Prices should be rounded to cents. There is a bug with 0.005."),
            Read(_PRICING, "def price(weight_kg: float) -> float:\n    return round(weight_kg * 2.35, 2)\n"),
            EditStep(
                _PRICING, "    return round(", "    return float(Decimal(", "Failed to find expected lines in the file"
            ),
            Read(_PRICING, "def price(weight_kg: float) -> float:\n    return round(weight_kg * 2.35, 2)\n"),
            EditStep(_PRICING, "    return round(weight_kg * 2.35, 2)", "    return cents(weight_kg * RATE)"),
            EditStep(_PRICING_TEST, "def test_zero", "def test_half_a_cent() -> None: ...\n\n\ndef test_zero"),
            *_tests(_PRICING_TEST, 6, "zsh:1: command not found: pytest"),
            Reply("Prices are rounded half up now, with a test for half a cent."),
        ),
        "Round prices to cents",
    ),
    DemoSession(
        DemoAgent.HERMES,
        "orchard which tests",
        REPO,
        19,
        "07:15",
        (
            Prompt("Do the tests of orchard pass?"),
            *_tests("tests", 11, "/bin/sh: 1: pytest: not found"),
            Reply("Yes, all eleven. They have to be started with `uv run pytest`."),
        ),
    ),
    DemoSession(
        DemoAgent.CLAUDE_CODE,
        "orchard frost warning",
        REPO,
        15,
        "16:20",
        (
            Prompt("Warn me when the forecast says frost within three days."),
            Delegate(
                "Find out where orchard reads the weather forecast, and what the values mean.",
                "Explore",
                (
                    Search("forecast", "src/orchard/weather.py:12:def forecast(place: str) -> list[Day]:"),
                    Read("src/orchard/weather.py", "class Day(NamedTuple):\n    date: dt.date\n    low_c: float\n"),
                ),
                "`orchard.weather.forecast` gives a list of days; `low_c` is the night's lowest temperature in °C.",
            ),
            EditStep("src/orchard/frost.py", "", "def warnings() -> list[str]: ...\n"),
            *_time_zone("src/orchard/frost.py", 7, "now = datetime.now()", "now = datetime.now(tz=UTC)"),
            *_tests("tests/test_frost.py", 3),
            CompactedStep(
                "The user wants a warning when frost is forecast within three days. `src/orchard/frost.py` and its test"
                " are written. Decision by the user: warnings go to standard error, not by mail. Still open: the"
                " command-line flag."
            ),
            Prompt("Now the flag, please: --frost."),
            EditStep(
                "src/orchard/cli.py", "parser = ", "parser.add_argument('--frost', action='store_true')\nparser = "
            ),
            Shell("uv run pytest -q", "F..............\n1 failed, 14 passed in 0.90s", 1, 3.1),
            EditStep("src/orchard/cli.py", "parser.add_argument('--frost'", "frost.add_argument('--frost'"),
            Shell("uv run pytest -q", "...............\n15 passed in 0.88s", 0, 3.0),
            Reply("`orchard --frost` prints the warnings to standard error."),
        ),
        "Frost warnings",
        branch="frost",
    ),
    DemoSession(
        DemoAgent.CODEX,
        "orchard harvest report",
        REPO,
        11,
        "10:05",
        (
            Prompt("Write a weekly harvest report as CSV."),
            *_both(_HARVEST, _HARVEST_TEST, "def ripe(", "def report() -> str: ...\n\n\ndef ripe("),
            *_time_zone(_HARVEST, 21, "datetime.now()", "datetime.now(tz=UTC)"),
            *_tests(_HARVEST_TEST, 7, "zsh:1: command not found: pytest"),
            Reply("`orchard report` writes the week as CSV. Dates are in UTC."),
        ),
        "Weekly harvest report",
    ),
    DemoSession(
        DemoAgent.CODEX,
        "orchard harvest report as a table",
        REPO,
        11,
        "10:31",
        (
            Prompt("Try it as a table in the terminal instead of CSV."),
            *_both(_HARVEST, _HARVEST_TEST, "def report() -> str: ...", "def table() -> str: ..."),
            Shell("uv run pytest tests/test_harvest.py -q", ".......\n7 passed in 0.40s", 0, 2.1),
            Reply("The report is a table now; CSV is gone in this variant."),
        ),
        "Harvest report as a table",
        fork_of="orchard harvest report",
    ),
    DemoSession(
        DemoAgent.CLAUDE_CODE,
        "orchard release",
        REPO,
        6,
        "08:55",
        (
            Prompt("Prepare the release notes for 0.4."),
            Skill("release-notes", _RELEASE_SKILL),
            Read("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- Frost warnings.\n"),
            *_after_detours(
                _tests("tests", 15),
                Shell("which python3 pip3", "/usr/bin/python3\n/usr/bin/pip3", 0, 0.1),
                Shell("ls", "CHANGELOG.md\npyproject.toml\nsrc\ntests\nuv.lock", 0, 0.1),
            ),
            EditStep("CHANGELOG.md", "## Unreleased", "## 0.4"),
            Reply("The notes for 0.4 are in CHANGELOG.md."),
            Prompt("Tag it and push the tag"),
            Shell("git tag v0.4 && git push origin v0.4", "To github.com:acme/orchard.git\n * [new tag] v0.4 -> v0.4"),
            Interrupted(),
        ),
        "Release notes for 0.4",
    ),
    DemoSession(
        DemoAgent.CODEX,
        "orchard on the old laptop",
        REPO,
        2,
        "19:45",
        (
            Prompt("Does the harvest report still work after the release?"),
            *_after_detours(
                _tests(_HARVEST_TEST, 7, "zsh:1: command not found: pytest"),
                Shell("ls -a", ".git\n.venv\npyproject.toml\nsrc\ntests\nuv.lock", 0, 0.1),
                Shell("ls .venv/bin", "activate\npython\npython3", 0, 0.1),
                Shell("cat pyproject.toml", '[dependency-groups]\ndev = ["pytest>=8"]', 0, 0.1),
                Shell("uv --version", "uv 0.9.2", 0, 0.1),
            ),
            Reply("It does: seven tests pass."),
        ),
        folder="/Users/robin/code/orchard",
    ),
)
