"""Stories of the repository `harbour`, a service in TypeScript: pnpm instead of npm, and a protected main branch.

Here people paste secrets, refuse commands and fork sessions. The routes and their description change together.
"""

from afterwit.demo.script import (
    Delegate,
    DemoAgent,
    DemoSession,
    Denied,
    EditStep,
    ModelError,
    Prompt,
    Read,
    Reply,
    Search,
    Shell,
    Step,
    ThoughtStep,
    letters,
)

REPO = "harbour"
_ROUTES = "src/routes/berths.ts"
_SPEC = "openapi.yaml"
_TOKEN = "gh" + "p_" + letters("harbour token", 36)  # invented; in pieces, so that no scanner takes it for a real one
_CODE = letters("harbour database", 18)
ROUTES_CODE = """import { Router } from "express";

export const berths = Router();

berths.get("/berths", async (_request, response) => {
  response.json(await free());
});
"""


def _tests(passed: int) -> tuple[Step, ...]:
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


SESSIONS = (
    DemoSession(
        DemoAgent.CLAUDE_CODE,
        "harbour free berths",
        REPO,
        23,
        "11:10",
        (
            Prompt("Add GET /berths/free?length=, for boats up to a length."),
            *_route("export const berths", 'berths.get("/berths/free", free);\nexport const berths'),
            *_promise(19),
            *_tests(21),
            Reply("The route is there, described in openapi.yaml, and tested."),
            Prompt("Open a pull request and merge it."),
            Shell("gh pr create --fill", "https://github.com/acme/harbour/pull/41", 0, 2.0),
            *_merge(41),
            Reply("It merges by itself as soon as the checks have passed."),
        ),
        "Free berths by length",
    ),
    DemoSession(
        DemoAgent.CODEX,
        "harbour reservations",
        REPO,
        18,
        "14:25",
        (
            Prompt("Reservations must not overlap. Fix it in the database, not in code."),
            Read("migrations/003_reservations.sql", "CREATE TABLE reservations (berth int, during tstzrange);\n"),
            EditStep(
                "migrations/004_no_overlap.sql", "", "ALTER TABLE reservations ADD EXCLUDE USING gist (during WITH &&);"
            ),
            Shell(
                "pnpm migrate",
                'error: data type integer has no default operator class for access method "gist"',
                1,
                1.1,
            ),
            EditStep("migrations/004_no_overlap.sql", "ALTER", "CREATE EXTENSION btree_gist;\nALTER"),
            Shell("pnpm migrate", "applied 004_no_overlap", 0, 1.2),
            *_tests(24),
            *_merge(43),
            Reply("An exclusion constraint keeps reservations apart; it needs the extension btree_gist."),
        ),
        "Reservations that overlap",
        branch="no-overlap",
    ),
    DemoSession(
        DemoAgent.CLAUDE_CODE,
        "harbour staging is down",
        REPO,
        14,
        "06:48",
        (
            Prompt(f"Staging is down. You can use GITHUB_TOKEN={_TOKEN} for the deployment log."),
            Shell(
                "cat .env.staging",
                f"DATABASE_URL=postgres://harbour:{_CODE}@db.staging.internal:5432/harbour\nPORT=8080",
            ),
            Shell("curl -sf https://staging.harbour.example/health", "", 22, 0.9),
            ModelError("API Error: 529 Overloaded"),
            ThoughtStep("The service answers nothing at all, so it is probably not running."),
            Shell("gh run view --log-failed", "Error: P1001: Can't reach database server at db.staging.internal:5432"),
            Reply("The database of staging cannot be reached. I would restart it, then push the deployment again."),
            Denied("git push --force origin main"),
            Prompt("No. Never force-push to main. Restart the database, nothing else."),
            Shell("pnpm staging restart db", "db: restarted", 0, 12.0),
            Shell("curl -sf https://staging.harbour.example/health", '{"status":"ok"}', 0, 0.4),
            Reply("Staging is up again. Nothing was pushed."),
        ),
        "Staging is down",
    ),
    DemoSession(
        DemoAgent.CLAUDE_CODE,
        "harbour tide tables",
        REPO,
        9,
        "15:30",
        (
            Prompt("Show the tide beside each berth."),
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
            *_tests(26),
            Reply("Every berth has a `tide` now."),
        ),
        "Tides for berths",
        branch="tides",
    ),
    DemoSession(
        DemoAgent.CLAUDE_CODE,
        "harbour tide tables cached",
        REPO,
        8,
        "09:12",
        (
            Prompt("Another idea: keep the tides for an hour instead of asking each time."),
            *_route("withTide(", "withCachedTide("),
            *_promise(31),
            Shell("pnpm test", " Test Files  3 passed (3)\n      Tests  27 passed (27)", 0, 4.0),
            *_merge(47),
            Reply("Tides are cached for an hour."),
        ),
        "Tides, cached",
        branch="tides",
        fork_of="harbour tide tables",
    ),
    DemoSession(
        DemoAgent.CODEX,
        "harbour audit",
        REPO,
        4,
        "17:05",
        (
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
        "Audit of the dependencies",
    ),
    DemoSession(
        DemoAgent.HERMES,
        "harbour how many berths",
        REPO,
        1,
        "20:30",
        (
            Prompt("How many berths are free tonight?"),
            *_tests(27)[:1],
            Shell("pnpm berths --free --on today", "12", 0, 1.0),
            Reply("Twelve."),
        ),
    ),
)
