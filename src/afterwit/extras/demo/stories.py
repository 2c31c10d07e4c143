"""The stories of the demo, in three repositories: what sessions of three agents did there, and met over and over.

`orchard` is a small Python program. There is no `pytest` outside of uv's environment, and ruff insists on time zones.
The code and its test change together. `harbour` is a service in TypeScript: pnpm instead of npm, and a protected main
branch. Here people paste secrets, refuse commands and fork sessions. The routes and their description change together.
`almanac` is a folder of notes without a remote, built into pages with mkdocs.
"""

from afterwit.extras.demo.script import (
    CompactedStep,
    Delegate,
    DemoAgent,
    DemoSession,
    Denied,
    EditStep,
    Interrupted,
    ModelError,
    Prompt,
    Read,
    Reply,
    Search,
    Shell,
    Skill,
    Step,
    ThoughtStep,
    letters,
)

CLAUDE_CODE, CODEX, HERMES = DemoAgent
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


def _uv_tests(path: str, passed: int, shell: str = "bash: line 1: pytest: command not found") -> tuple[Step, ...]:
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


ORCHARD = (
    DemoSession(CLAUDE_CODE, "orchard ripe trees", 24, "09:02", "List ripe trees").told(
        Prompt("Add a function that lists the trees that are ripe today, with tests."),
        ThoughtStep("I look at what is there before I write anything."),
        Search("class Tree", "src/orchard/trees.py:9:class Tree(NamedTuple):"),
        *_both(_HARVEST, _HARVEST_TEST, "import datetime as dt\n", "import datetime as dt\n\nPICKED = 3\n"),
        *_uv_tests(_HARVEST_TEST, 4),
        *_time_zone(_HARVEST, 9, "dt.datetime.now()", "dt.datetime.now(tz=dt.UTC)"),
        Reply("`ripe()` is there and tested. pytest only runs through uv in this repository."),
        Prompt("Always use uv here, never pip or a bare pytest."),
        Reply("Understood: uv for everything in this repository."),
    ),
    DemoSession(CODEX, "orchard prices", 21, "13:40", "Round prices to cents").told(
        Prompt("Prices should be rounded to cents. There is a bug with 0.005."),
        Read(_PRICING, "def price(weight_kg: float) -> float:\n    return round(weight_kg * 2.35, 2)\n"),
        EditStep(
            _PRICING, "    return round(", "    return float(Decimal(", "Failed to find expected lines in the file"
        ),
        Read(_PRICING, "def price(weight_kg: float) -> float:\n    return round(weight_kg * 2.35, 2)\n"),
        EditStep(_PRICING, "    return round(weight_kg * 2.35, 2)", "    return cents(weight_kg * RATE)"),
        EditStep(_PRICING_TEST, "def test_zero", "def test_half_a_cent() -> None: ...\n\n\ndef test_zero"),
        *_uv_tests(_PRICING_TEST, 6, "zsh:1: command not found: pytest"),
        Reply("Prices are rounded half up now, with a test for half a cent."),
    ),
    DemoSession(HERMES, "orchard which tests", 19, "07:15").told(
        Prompt("Do the tests of orchard pass?"),
        *_uv_tests("tests", 11, "/bin/sh: 1: pytest: not found"),
        Reply("Yes, all eleven. They have to be started with `uv run pytest`."),
    ),
    DemoSession(CLAUDE_CODE, "orchard frost warning", 15, "16:20", "Frost warnings", branch="frost").told(
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
        *_uv_tests("tests/test_frost.py", 3),
        CompactedStep(
            "The user wants a warning when frost is forecast within three days. `src/orchard/frost.py` and its test"
            " are written. Decision by the user: warnings go to standard error, not by mail. Still open: the"
            " command-line flag."
        ),
        Prompt("Now the flag, please: --frost."),
        Prompt("Always use uv here, never pip or a bare pytest."),
        EditStep("src/orchard/cli.py", "parser = ", "parser.add_argument('--frost', action='store_true')\nparser = "),
        Shell("uv run pytest -q", "F..............\n1 failed, 14 passed in 0.90s", 1, 3.1),
        EditStep("src/orchard/cli.py", "parser.add_argument('--frost'", "frost.add_argument('--frost'"),
        Shell("uv run pytest -q", "...............\n15 passed in 0.88s", 0, 3.0),
        Reply("`orchard --frost` prints the warnings to standard error."),
    ),
    DemoSession(CODEX, "orchard harvest report", 11, "10:05", "Weekly harvest report").told(
        Prompt("Write a weekly harvest report as CSV. Let's drop the weekly mail because nobody reads it."),
        Prompt("Always write dates in UTC."),
        *_both(_HARVEST, _HARVEST_TEST, "def ripe(", "def report() -> str: ...\n\n\ndef ripe("),
        *_time_zone(_HARVEST, 21, "datetime.now()", "datetime.now(tz=UTC)"),
        *_uv_tests(_HARVEST_TEST, 7, "zsh:1: command not found: pytest"),
        Reply("`orchard report` writes the week as CSV. Dates are in UTC."),
    ),
    DemoSession(
        CODEX,
        "orchard harvest report as a table",
        11,
        "10:31",
        "Harvest report as a table",
        fork_of="orchard harvest report",
    ).told(
        Prompt("Try it as a table in the terminal instead of CSV."),
        *_both(_HARVEST, _HARVEST_TEST, "def report() -> str: ...", "def table() -> str: ..."),
        Shell("uv run pytest tests/test_harvest.py -q", ".......\n7 passed in 0.40s", 0, 2.1),
        Reply("The report is a table now; CSV is gone in this variant."),
    ),
    DemoSession(CLAUDE_CODE, "orchard release", 6, "08:55", "Release notes for 0.4").told(
        Prompt("Prepare the release notes for 0.4. We'll keep the old parser because two scripts rely on it."),
        Skill("release-notes", _RELEASE_SKILL),
        Read("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- Frost warnings.\n"),
        *_after_detours(
            _uv_tests("tests", 15),
            Shell("which python3 pip3", "/usr/bin/python3\n/usr/bin/pip3", 0, 0.1),
            Shell("ls", "CHANGELOG.md\npyproject.toml\nsrc\ntests\nuv.lock", 0, 0.1),
        ),
        EditStep("CHANGELOG.md", "## Unreleased", "## 0.4"),
        Reply("The notes for 0.4 are in CHANGELOG.md."),
        Prompt("Tag it and push the tag"),
        Shell("git tag v0.4 && git push origin v0.4", "To github.com:acme/orchard.git\n * [new tag] v0.4 -> v0.4"),
        Interrupted(),
    ),
    DemoSession(CODEX, "orchard on the old laptop", 2, "19:45", folder="/Users/robin/code/orchard").told(
        Prompt("Does the harvest report still work after the release?"),
        *_after_detours(
            _uv_tests(_HARVEST_TEST, 7, "zsh:1: command not found: pytest"),
            Shell("ls -a", ".git\n.venv\npyproject.toml\nsrc\ntests\nuv.lock", 0, 0.1),
            Shell("ls .venv/bin", "activate\npython\npython3", 0, 0.1),
            Shell("cat pyproject.toml", '[dependency-groups]\ndev = ["pytest>=8"]', 0, 0.1),
            Shell("uv --version", "uv 0.9.2", 0, 0.1),
        ),
        Reply("It does: seven tests pass."),
    ),
)


_ROUTES = "src/routes/berths.ts"
_SPEC = "openapi.yaml"
_TOKEN = "gh" + "p_" + letters("harbour token", 36)  # invented; in pieces, so that no scanner takes it for a real one
_DATABASE_CODE = letters("harbour database", 18)
ROUTES_CODE = """import { Router } from "express";

export const berths = Router();

berths.get("/berths", async (_request, response) => {
  response.json(await free());
});
"""


def _pnpm_tests(passed: int) -> tuple[Step, ...]:
    """The wrong package manager first, then the right one."""
    said = (
        "npm error code EBADDEVENGINES\n"
        'npm error EBADDEVENGINES Invalid name "pnpm" does not match "npm" for "packageManager"'
    )
    return (
        Shell("npm test", said, 1, 0.6),
        Shell("pnpm test", f" Test Files  3 passed (3)\n      Tests  {passed} passed ({passed})", 0, 4.2),
    )


def _merge(number: int) -> tuple[Step, ...]:
    """Main is protected: a merge has to wait for the checks."""
    said = f'failed to merge pull request acme/harbour#{number}: HTTP 405: Required status check "ci" is expected'
    return (
        Shell(f"gh pr merge {number} --squash", said, 1, 1.4),
        Shell(f"gh pr merge {number} --squash --auto", f"✓ Pull request acme/harbour#{number} will be merged", 0, 1.3),
    )


def _promise(line: int) -> tuple[Step, ...]:
    """The rule of eslint that keeps failing here."""
    said = (
        f"{_ROUTES}\n  {line}:3  error  Promises must be awaited, end with a call to .catch, or be explicitly marked as"
        " ignored with the `void` operator  @typescript-eslint/no-floating-promises\n\n"
        "✖ 1 problem (1 error, 0 warnings)"
    )
    return (
        Shell("pnpm lint", said, 1, 2.8),
        EditStep(_ROUTES, "  notify(berth);", "  await notify(berth);"),
        Shell("pnpm lint", "", 0, 2.7),
    )


def _route(old: str, new: str) -> tuple[Step, ...]:
    """A change of the routes, and of the description that belongs to them."""
    return (
        Read(_ROUTES, ROUTES_CODE),
        EditStep(_ROUTES, old, new),
        EditStep(_SPEC, "paths:", f"paths:\n  # {new[:20]}"),
    )


HARBOUR = (
    DemoSession(CLAUDE_CODE, "harbour free berths", 23, "11:10", "Free berths by length").told(
        Prompt(
            "Add GET /berths/free?length=, for boats up to a length."
            " Let's keep the berths in SQLite, because nobody wants to run a server."
        ),
        *_route("export const berths", 'berths.get("/berths/free", free);\nexport const berths'),
        *_promise(19),
        *_pnpm_tests(21),
        Reply("The route is there, described in openapi.yaml, and tested."),
        Prompt("Write a line for the changelog. Then open a pull request and merge it."),
        Shell("gh pr create --fill", "https://github.com/acme/harbour/pull/41", 0, 2.0),
        *_merge(41),
        Reply("It merges by itself as soon as the checks have passed."),
    ),
    DemoSession(CODEX, "harbour reservations", 18, "14:25", "Reservations that overlap", branch="no-overlap").told(
        Prompt("Reservations must not overlap. Fix it in the database, not in code. Write a line for the changelog."),
        Read("migrations/003_reservations.sql", "CREATE TABLE reservations (berth int, during tstzrange);\n"),
        EditStep(
            "migrations/004_no_overlap.sql", "", "ALTER TABLE reservations ADD EXCLUDE USING gist (during WITH &&);"
        ),
        Shell(
            "pnpm migrate", 'error: data type integer has no default operator class for access method "gist"', 1, 1.1
        ),
        EditStep("migrations/004_no_overlap.sql", "ALTER", "CREATE EXTENSION btree_gist;\nALTER"),
        Shell("pnpm migrate", "applied 004_no_overlap", 0, 1.2),
        *_pnpm_tests(24),
        *_merge(43),
        Reply("An exclusion constraint keeps reservations apart; it needs the extension btree_gist."),
    ),
    DemoSession(CLAUDE_CODE, "harbour staging is down", 14, "06:48", "Staging is down").told(
        Prompt(f"Staging is down. You can use GITHUB_TOKEN={_TOKEN} for the deployment log."),
        Shell(
            "cat .env.staging",
            f"DATABASE_URL=postgres://harbour:{_DATABASE_CODE}@db.staging.internal:5432/harbour\nPORT=8080",
        ),
        Shell("curl -sf https://staging.harbour.example/health", "", 22, 0.9),
        ModelError("API Error: 529 Overloaded"),
        ThoughtStep("The service answers nothing at all, so it is probably not running."),
        Shell("gh run view --log-failed", "Error: P1001: Can't reach database server at db.staging.internal:5432"),
        Reply("The database of staging cannot be reached. I would restart it, then push the deployment again."),
        Denied("git push --force origin main"),
        Prompt("Never force-push to main."),
        Prompt("Restart the database, nothing else."),
        Shell("pnpm staging restart db", "db: restarted", 0, 12.0),
        Shell("curl -sf https://staging.harbour.example/health", '{"status":"ok"}', 0, 0.4),
        Reply("Staging is up again. Nothing was pushed."),
    ),
    DemoSession(CLAUDE_CODE, "harbour tide tables", 9, "15:30", "Tides for berths", branch="tides").told(
        Prompt(
            "Show the tide. Let's use Valkey rather than Redis for the tides since the licence differs."
            " Write a line for the changelog."
        ),
        Delegate(
            "Which endpoints return berths, and which tests cover them?",
            "Explore",
            (
                Search("berths.get", f'{_ROUTES}:5:berths.get("/berths", async'),
                Shell("pnpm vitest list", "tests/berths.test.ts > GET /berths\ntests/berths.test.ts > free"),
            ),
            f"Two endpoints, both in {_ROUTES}; tests/berths.test.ts covers them.",
        ),
        *_route("await free()", "await withTide(await free())"),
        *_pnpm_tests(26),
        Reply("Every berth has a `tide` now."),
        Prompt("Never force-push to main."),
        Reply("I will not."),
    ),
    DemoSession(
        CLAUDE_CODE,
        "harbour tide tables cached",
        8,
        "09:12",
        "Tides, cached",
        branch="tides",
        fork_of="harbour tide tables",
    ).told(
        Prompt("Another idea: keep the tides for an hour instead of asking each time."),
        *_route("withTide(", "withCachedTide("),
        *_promise(31),
        Shell("pnpm test", " Test Files  3 passed (3)\n      Tests  27 passed (27)", 0, 4.0),
        *_merge(47),
        Reply("Tides are cached for an hour."),
    ),
    DemoSession(CODEX, "harbour audit", 4, "17:05", "Audit of the dependencies").told(
        Prompt("Is there anything in our dependencies to worry about?"),
        Delegate(
            "Run the audit and list what is severe.",
            "explorer",
            (Shell("pnpm audit --prod", "1 vulnerabilities found\nSeverity: 1 moderate", 1, 2.2),),
            "One moderate finding, in a package that only the tests use.",
        ),
        Denied("pnpm update --latest"),
        Prompt("Leave the versions alone; I only wanted to know."),
        *_promise(12),
        Reply("One moderate finding, nothing severe. Versions are unchanged."),
    ),
    DemoSession(HERMES, "harbour how many berths", 1, "20:30").told(
        Prompt("How many berths are free tonight?"),
        *_pnpm_tests(27)[:1],
        Shell("pnpm berths --free --on today", "12", 0, 1.0),
        Reply("Twelve."),
    ),
)


MOON = "# The moon in autumn\n\nSee [sowing](sowing.md).\n"
_BROKEN = (
    "WARNING -  Doc file 'moon.md' contains a link 'sowing.md', but the target is not found among documentation files."
    "\n"
    "Aborted with 1 warnings in strict mode!"
)


def _build(old: str, new: str) -> tuple[Step, ...]:
    """Strict builds stop at a broken link."""
    return (
        Shell("mkdocs build --strict", _BROKEN, 1, 1.5),
        Search("sowing", "docs/garden/sowing.md:1:# Sowing"),
        EditStep("docs/moon.md", old, new),
        Shell("mkdocs build --strict", "INFO    -  Documentation built in 0.61 seconds", 0, 1.6),
    )


ALMANAC = (
    DemoSession(CLAUDE_CODE, "almanac moon page", 20, "18:00", "A page on the moon").told(
        Prompt("Write a page on the moon in autumn, and link it from the index."),
        EditStep("docs/moon.md", "", MOON, "File has not been read yet. Read it first before writing to it."),
        Read("docs/moon.md", MOON),
        EditStep("docs/moon.md", "autumn", "autumn and winter"),
        *_build("(sowing.md)", "(garden/sowing.md)"),
        Reply("The page is there, and the strict build passes."),
    ),
    DemoSession(CODEX, "almanac preview", 13, "12:15", "Preview of the almanac").told(
        Prompt("Start the preview so that I can look at it."),
        Shell("mkdocs serve &", "OSError: [Errno 98] Address already in use", 1, 0.7),
        Shell("mkdocs serve -a localhost:8001 &", "INFO    -  Serving on http://127.0.0.1:8001/", 0, 0.8),
        *_build("(sowing.md)", "(garden/sowing.md)"),
        Reply("It is on port 8001, because 8000 is taken."),
    ),
    DemoSession(CLAUDE_CODE, "almanac spelling", 3, "21:10", "Spelling").told(
        Prompt("Check the spelling of all pages, British English."),
        Shell("codespell --builtin en-GB_to_en-US docs", "", 0, 0.5),
        Shell("codespell docs | tee spelling.txt", "docs/moon.md:3: recieve ==> receive", 0, 0.5),
        EditStep("docs/moon.md", "recieve", "receive"),
        Reply("One word was wrong: recieve."),
    ),
)
