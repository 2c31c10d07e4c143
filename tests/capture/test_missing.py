"""What no checkout has is gone; what cannot be told is not."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from afterwit.actions.shell.project_calls import project_calls
from afterwit.capture.checkouts import Checkout
from afterwit.capture.missing import MissingSubjects, NamedSubjects, find_missing
from afterwit.sources import checkout

REPO = "git.example/fruit/orchard"


def put(root: Path, path: str, text: str = "") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, "utf-8")


def package(*scripts: str, **more: object) -> str:
    return json.dumps({"scripts": dict.fromkeys(scripts, "x"), **more})


def look(*roots: Path, files: tuple[str, ...] = (), line: str = "", readable: bool = True) -> MissingSubjects:
    places = [Checkout(REPO, root) for root in roots]
    named = {REPO: NamedSubjects(frozenset(files), frozenset(project_calls(line)))}
    return find_missing(places, named, places if readable else ())[REPO]


def reasons(*roots: Path, line: str) -> list[str]:
    return sorted(look(*roots, line=line).calls.values())


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout with a few files."""
    put(tmp_path / "orchard", "README.md")
    put(tmp_path / "orchard", "src/press.py")
    return tmp_path / "orchard"


@pytest.mark.parametrize(
    ("path", "is_gone"),
    [
        ("src/press.py", False),
        ("src/press.py:12", False),
        ("./src/press.py", False),
        ("src", False),
        ("src/", False),
        ("src/**", False),
        ("src/*.ts", False),
        ("src/mill.py", True),
        ("mill/**", True),
        ("mill/", True),
        ("*.ts", False),
        ("mill.py", True),
        ("press.py", False),  # as people call it, without its folder
        ("/srv/mill.py", False),
        ("../mill.py", False),
        ("~/mill.py", False),
        ("src/{press,mill}.ts", False),
        ("src/$ROW.py", False),
        ("src/a\0b", False),
        ("node_modules/.bin/mill", False),
        (".venv/bin/python", False),
    ],
)
def test_a_path_is_gone_where_it_can_be_told(tree: Path, path: str, is_gone: bool) -> None:
    assert look(tree, files=(path,)).files == (frozenset((path,)) if is_gone else frozenset())


def test_a_file_that_another_checkout_has_is_not_gone(tree: Path, tmp_path: Path) -> None:
    put(tmp_path / "branch", "src/mill.py")
    assert look(tree, tmp_path / "branch", files=("src/mill.py", "src/row.py")).files == {"src/row.py"}
    put(tmp_path / "branch", "package.json", package("press"))
    assert reasons(tree, tmp_path / "branch", line="npm run press") == []


def test_what_git_ignores_may_come_any_time(tree: Path) -> None:
    put(tree, ".gitignore", "# made\n/dist/\n*.log\n")
    put(tree, "src/.gitignore", "made_*.py\n")
    assert look(tree, files=("dist/cli.js", "src/a.log", "src/made_rows.py", "src/rows.py")).files == {"src/rows.py"}
    assert reasons(tree, line="node dist/cli.js") == []


@pytest.mark.parametrize("setting", ["[core]\n\tbare = true\n", "[core]\n\tsparseCheckout = true\n"])
def test_of_a_tree_that_is_not_whole_nothing_can_be_told(tree: Path, setting: str) -> None:
    put(tree, ".git/config", setting)
    assert look(tree, files=("src/mill.py",), line="make press") == MissingSubjects()


@pytest.mark.parametrize(
    ("line", "file", "text", "other"),
    [
        ("npm run press", "package.json", package("press"), package("mill")),
        ("npm test", "package.json", package("test"), package("mill")),
        ("pnpm run press", "package.json", package("press"), package("mill")),
        ("bun run press", "package.json", package("press"), package("mill")),
        ("make press", "Makefile", "press:\n", "mill:\n"),
        ("just press", "justfile", "press:\n", "mill:\n"),
        ("task press", "Taskfile.yml", "tasks:\n  press:\n    cmds: []\n", "tasks:\n  mill:\n    cmds: []\n"),
        ("mise run press", "mise.toml", '[tasks.press]\nrun = "x"\n', '[tasks.mill]\nrun = "x"\n'),
    ],
)
def test_a_task_is_gone_when_no_definition_has_it(tree: Path, line: str, file: str, text: str, other: str) -> None:
    name = line.rsplit(maxsplit=1)[-1]
    put(tree, file, text)
    assert reasons(tree, line=line) == []
    put(tree, file, other)
    assert [reason.partition("`")[2].partition("`")[0] for reason in reasons(tree, line=line)] == [file]
    assert reasons(tree, line=line)[0].endswith(f"`{name}` any more")
    put(tree, file, text)
    assert reasons(tree, line=line) == []


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("npm test", "package.json"),
        ("make press", "Makefile"),
        ("make", "Makefile"),
        ("just press", "justfile"),
        ("task press", "Taskfile.yml"),
    ],
)
def test_tasks_go_with_the_only_file_that_can_define_them(tree: Path, line: str, file: str) -> None:
    assert reasons(tree, line=line) == [f"`{file}` is gone from the repository"]


@pytest.mark.parametrize("line", ["mise run press", "uv run orchard", "pdm run press", "hatch run press"])
def test_tasks_that_may_be_defined_elsewhere_do_not(tree: Path, line: str) -> None:
    assert reasons(tree, line=line) == []


@pytest.mark.parametrize("line", ["scripts/check.sh", "bash scripts/check.sh", "python scripts/check.sh"])
def test_a_program_that_is_a_file_goes_with_it(tree: Path, line: str) -> None:
    put(tree, "scripts/check.sh")
    assert reasons(tree, line=line) == []
    (tree / "scripts/check.sh").unlink()
    assert reasons(tree, line=line) == ["`scripts/check.sh` is gone from the repository"]


def test_a_command_may_have_run_in_any_folder_of_the_tree(tree: Path) -> None:
    """What is learned of a command does not always keep the folder."""
    put(tree, "android/gradlew")
    put(tree, "packages/cider/package.json", package("press"))
    put(tree, "docs/Makefile", "html:\n")
    for line in ("./gradlew test", "npm run press", "cd packages/mill && npm run press", "make html"):
        assert reasons(tree, line=line) == []
    assert reasons(tree, line="make press") == ["no `Makefile` has a target `press` any more"]


def test_the_nearest_definition_is_named(tree: Path) -> None:
    put(tree, "package.json", package())
    put(tree, "mill/package.json", package())
    assert reasons(tree, line="cd mill && npm run press") == ["`mill/package.json` has no script `press` any more"]


def test_a_script_among_dependencies_is_not_looked_for(tree: Path) -> None:
    put(tree, "package.json", package())
    put(tree, "node_modules/cider/package.json", package("press"))
    assert reasons(tree, line="npm run press") == ["`package.json` has no script `press` any more"]


@pytest.mark.parametrize("line", ["bun run press", "yarn run press"])
def test_a_program_of_a_dependency_is_no_script(tree: Path, line: str) -> None:
    put(tree, "package.json", package(devDependencies={"@fruit/press": "1"}))
    assert reasons(tree, line=line) == []
    put(tree, "package.json", package())
    assert reasons(tree, line=line) != []
    put(tree, "node_modules/.bin/press")
    assert reasons(tree, line=line) == []


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("uv run pytest", '[project.scripts]\norchard = "x:y"\n'),
        (
            "uv run orchard-press",
            '[project]\ndependencies = ["orchard-press>=1"]\n[project.scripts]\norchard = "x:y"\n',
        ),
        ("pdm run weigh", '[tool.pdm.scripts]\npress = "x"\n'),
        ("hatch run weigh", '[tool.hatch.envs.default.scripts]\npress = "x"\n'),
    ],
)
def test_a_program_that_may_be_installed_is_not_gone(tree: Path, line: str, text: str) -> None:
    put(tree, "pyproject.toml", text)
    assert reasons(tree, line=line) == []


def _huge(place: Path) -> None:
    place.write_text(package() + " " * 600_000, "utf-8")


def _linked(place: Path) -> None:
    (place.parents[1] / "elsewhere").write_text(package(), "utf-8")
    place.symlink_to(place.parents[1] / "elsewhere")


def _binary(place: Path) -> None:
    place.write_bytes(b"\xff\xfe\x00")


@pytest.mark.parametrize(
    "make",
    [_huge, _linked, _binary, Path.mkdir, pytest.param(getattr(os, "mkfifo", Path.mkdir), id="pipe")],
)
@pytest.mark.parametrize(("name", "line"), [("package.json", "npm run press"), ("Makefile", "make press")])
def test_a_definition_that_cannot_be_read_says_nothing(
    tree: Path, make: Callable[[Path], None], name: str, line: str
) -> None:
    make(tree / name)
    assert reasons(tree, line=line) == []


def test_json_that_ends_in_the_middle_says_nothing(tree: Path) -> None:
    put(tree, "package.json", package()[:-1])
    assert reasons(tree, line="npm run press") == []


def test_of_a_tree_too_large_to_look_through_nothing_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkout, "_MOST_FOLDERS", 1)
    put(tree, "package.json", package())
    assert look(tree, files=("mill.py",), line="npm run press && ./mill.sh") == MissingSubjects()


def test_a_loop_of_links_ends(tree: Path) -> None:
    (tree / "src" / "again").symlink_to(tree)
    assert reasons(tree, line="make press") == ["`Makefile` is gone from the repository"]


def test_a_bare_repository_beside_its_work_trees_has_no_say(tree: Path, tmp_path: Path) -> None:
    put(tmp_path / "bare", ".git/config", "[core]\n\tbare = true\n")
    assert look(tmp_path / "bare", tree, files=("src/mill.py", "src/press.py")).files == {"src/mill.py"}


def test_where_repositories_are_not_read_files_are_asked_for_and_nothing_else(tree: Path) -> None:
    answer = look(tree, files=("src/mill.py", "src/press.py"), line="make press", readable=False)
    assert answer == MissingSubjects(frozenset(("src/mill.py",)))
