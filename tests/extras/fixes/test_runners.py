import json

import pytest

from afterwit.extras.fixes.runners import Runner, is_runnable, package_of, plan_tests, python_roots


def plan(tests: list[str], files: dict[str, str], own: str = "") -> list[tuple[Runner, str, str]]:
    made = plan_tests(tests, frozenset(files), lambda path: files.get(path, ""), own)
    return [(command.runner, command.folder, command.line) for command in made.commands]


@pytest.mark.parametrize(
    "path", ["tests/test_a.py", "a_test.py", "a.test.ts", "a.spec.jsx", "__tests__/a.js", "a_test.go"]
)
def test_tests_are_taken_by_name(path: str) -> None:
    assert is_runnable(path)


@pytest.mark.parametrize(
    "path", ["tests/conftest.py", "tests/data.json", "test/helpers.ts", "tests/__init__.py", "a.go"]
)
def test_helpers_of_tests_are_not_run(path: str) -> None:
    assert not is_runnable(path)


def test_tests_of_one_package_are_run_together_in_its_folder() -> None:
    files = {
        "pyproject.toml": "",
        "tests/test_a.py": "",
        "packages/saw/pyproject.toml": "",
        "packages/saw/tests/test_b.py": "",
        "packages/saw/tests/test_c.py": "",
    }
    made = plan(["tests/test_a.py", "packages/saw/tests/test_b.py", "packages/saw/tests/test_c.py"], files)
    assert [(runner, folder) for runner, folder, _ in made] == [(Runner.PYTEST, ""), (Runner.PYTEST, "packages/saw")]
    assert made[1][2].endswith(" ./tests/test_b.py ./tests/test_c.py")


@pytest.mark.parametrize(
    ("text", "package", "runner"),
    [
        ('import { test } from "bun:test";', {}, Runner.BUN),
        ("import { test } from 'vitest'", {}, Runner.VITEST),
        ("const test = require('node:test')", {}, Runner.NODE),
        ("", {"scripts": {"test": "vitest run"}}, Runner.VITEST),
        ("", {"scripts": {"test": "bun test"}}, Runner.BUN),
        ("", {"devDependencies": {"jest": "^29"}}, Runner.JEST),
    ],
)
def test_a_script_is_run_by_what_it_imports_or_by_its_package(text: str, package: object, runner: Runner) -> None:
    files = {"app/package.json": json.dumps(package), "app/a.test.ts": text, "package.json": "{}"}
    ((chosen, folder, line),) = plan(["app/a.test.ts"], files)
    assert (chosen, folder) == (runner, "app")
    assert line.endswith("./a.test.ts")


def test_the_whole_repository_decides_where_the_package_says_nothing() -> None:
    files = {"app/package.json": "not json", "app/a.test.ts": "", "package.json": '{"scripts": {"test": "jest"}}'}
    assert plan(["app/a.test.ts"], files)[0][0] is Runner.JEST
    assert plan_tests(["a.test.ts"], frozenset(("a.test.ts",)), lambda _path: "").reason.startswith("no runner")


def test_go_and_rust_are_run_by_package_and_name() -> None:
    files = {
        "go.mod": "",
        "sync/a_test.go": "func TestOne(t *testing.T) {}\nfunc helper() {}\nfunc TestTwo(t *testing.T) {}\n",
        "crate/Cargo.toml": "",
        "crate/tests/grow.rs": "",
    }
    go, cargo = sorted(plan(["sync/a_test.go", "crate/tests/grow.rs"], files), reverse=True)
    assert go[2] == "go test -v -count=1 -run ^(TestOne|TestTwo)$ ./sync"
    assert cargo[1:] == ("crate", "cargo test --offline --test grow")


def test_a_command_of_ones_own_gets_the_files() -> None:
    files = {"a.test.ts": "", "b.test.ts": ""}
    assert plan(list(files), files, "run {files} --fast")[0][2] == "run ./a.test.ts ./b.test.ts --fast"
    assert plan(list(files), files, "run 'two words'")[0][2] == "run two words ./a.test.ts ./b.test.ts"


def test_only_helpers_mean_that_there_is_nothing_to_run() -> None:
    made = plan_tests(["tests/conftest.py"], frozenset(("tests/conftest.py",)), lambda _path: "")
    assert not made.commands
    assert "helpers" in made.reason


def test_a_package_is_the_nearest_folder_with_a_manifest() -> None:
    paths = frozenset(("package.json", "a/b/package.json"))
    assert package_of("a/b/c/d.ts", paths, ("package.json",)) == "a/b"
    assert package_of("x.ts", paths, ("package.json",)) == ""
    assert package_of("x.ts", paths, ("go.mod",)) is None


def test_python_finds_sources_and_no_package_itself() -> None:
    paths = frozenset(
        ("pyproject.toml", "src/orchard/__init__.py", "src/orchard/setup.py", "saw/pyproject.toml", "saw/saw.py")
    )
    assert python_roots(paths) == ["src", "saw"]
    assert python_roots(paths, "saw") == ["saw", "src"]
