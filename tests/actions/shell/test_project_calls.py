"""What a command line calls of its project is told as far as the line says it plainly."""

import pytest
from tests.every import for_every

from afterwit.actions.shell.project_calls import CallKind, ProjectCall, project_calls

FILE, PACKAGE, MAKE = CallKind.FILE, CallKind.PACKAGE, CallKind.MAKE


@for_every(
    "line, call",
    [
        ("npm run press", ProjectCall(PACKAGE, "press")),
        ("npm test -- --row 3", ProjectCall(PACKAGE, "test")),
        ("pnpm run press", ProjectCall(PACKAGE, "press")),
        ("cd mill && npm run press", ProjectCall(PACKAGE, "press", "mill")),
        ("npm run press --prefix mill", ProjectCall(PACKAGE, "press", "mill")),
        ("npm run press -w cider", ProjectCall(PACKAGE, "press")),
        ("bash -lc 'npm run press'", ProjectCall(PACKAGE, "press")),
        ("ROWS=3 npm run press", ProjectCall(PACKAGE, "press")),
        ("make -C docs html", ProjectCall(MAKE, "html", "docs")),
        ("make", ProjectCall(MAKE, "")),
        ("make press ROWS=3", ProjectCall(MAKE, "press")),
        ("just press 3", ProjectCall(CallKind.JUST, "press")),
        ("task press", ProjectCall(CallKind.TASK, "press")),
        ("mise run press", ProjectCall(CallKind.MISE, "press")),
        ("./gradlew test", ProjectCall(FILE, "gradlew")),
        ("scripts/check.sh --all", ProjectCall(FILE, "scripts/check.sh")),
        ("python tools/weigh.py 3", ProjectCall(FILE, "tools/weigh.py")),
        ("uv run tools/weigh.py", ProjectCall(FILE, "tools/weigh.py")),
        ("bash ci/run", ProjectCall(FILE, "ci/run")),
        ("cd ci && ./run", ProjectCall(FILE, "run", "ci")),
        ("bun run scripts/weigh.ts", ProjectCall(FILE, "scripts/weigh.ts")),
        ("timeout 10 node weigh.mjs | tail -3", ProjectCall(FILE, "weigh.mjs")),
        ("rtk make press → make press", ProjectCall(MAKE, "press")),
        ("npm run … → npm run press …", ProjectCall(PACKAGE, "press")),
    ],
)
def test_a_line_calls_what_its_project_defines(line: str, call: ProjectCall) -> None:
    assert project_calls(line) == (call,)


@pytest.mark.parametrize(
    "line",
    ["bun run press", "yarn run press", "yarn --cwd . run press"],
)
def test_a_name_that_may_be_a_program_of_a_dependency_is_marked(line: str) -> None:
    assert project_calls(line) == (ProjectCall(PACKAGE, "press", is_only_there=False),)


def test_every_command_of_a_line_counts() -> None:
    assert project_calls("make press && npm test") == (ProjectCall(MAKE, "press"), ProjectCall(PACKAGE, "test"))


@for_every(
    "line",
    [
        "",
        "pytest -q",
        "python -m pytest",
        "npm install",
        "npm ci",
        "pnpm install",
        "yarn add pears",
        "bun test",
        "composer install",
        "npm run $TASK",
        "npm run press --if-present",
        "make -f other.mk press",
        "just --justfile other press",
        "make build/press.o",
        "./press || ./mill",
        "/usr/bin/press",
        "../press.sh",
        "~/press.sh",
        "cd /srv/mill && npm run press",
        "cd .. && make press",
        "uv run --directory mill tools/weigh.py",
        "pnpm press",
        "yarn press",
        "rake press",
        "git commit -m 'npm run press'",
        "ls scripts/*.sh",
        "npm run <name>",
        "npm run 'press",
        "rtk bun → bun",
        "rtk make → make",
        "npm run press → npm run …",
        "find . -name x | xargs ./press",
    ],
)
def test_what_a_line_does_not_plainly_call_is_not_told(line: str) -> None:
    assert project_calls(line) == ()
