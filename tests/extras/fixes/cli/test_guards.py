"""`afterwit guards`: all its commands on a small repository, with and without a store."""

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import ORCHARD, Run, claude_session, command
from tests.extras.fixes.orchards import BLIND, BROKEN, MENDED, TEST, checkout
from tests.sources.repositories import commit_on_top

_KEYS = {
    *("commit", "repo", "subject", "happened_at", "signs", "state", "reason", "files", "tests", "failing"),
    *("reverts", "issues", "pull", "session"),
}
Guards = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def orchard(tmp_path: Path) -> dict[str, str]:
    """Fixes by what they are."""
    git_dir = checkout(tmp_path / "orchard")
    commits = {"begin": commit_on_top(git_dir, {"orchard.py": BROKEN}, "Begin")}
    states = (
        ("guarded", {"orchard.py": MENDED, "tests/test_count.py": TEST}),
        ("green", {"orchard.py": BROKEN, "tests/test_count.py": TEST, "tests/test_blind.py": BLIND}),
        ("unguarded", {"orchard.py": MENDED, "tests/test_count.py": TEST, "tests/test_blind.py": BLIND}),
    )
    for day, (name, files) in enumerate(states, start=5):
        commits[name] = commit_on_top(git_dir, files, f"fix: count, {name} (#{day})", f"2026-05-{day:02d}T10:00:00Z")
    return commits


@pytest.fixture
def guards(run: Run, orchard: dict[str, str], tmp_path: Path) -> Guards:
    assert orchard

    def runs(name: str, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
        return run("guards", name, *arguments, "--checkout", str(tmp_path / "orchard"), **more)

    return runs


def shapes(done: "subprocess.CompletedProcess[str]") -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_fixes_are_listed_without_a_store_and_none_is_made(guards: Guards, tmp_path: Path) -> None:
    done = guards("list")
    assert done.returncode == 0
    _, _, *rows = done.stdout.splitlines()
    assert [row.split("count, ")[1] for row in rows] == ["unguarded (#7)", "green (#6)", "guarded (#5)"]
    assert "2 not checked, 1 unguarded" in done.stderr.replace(
        "1 unguarded, 2 not checked", "2 not checked, 1 unguarded"
    )
    assert "guards check" in done.stderr
    assert not (tmp_path / "store").exists()


def test_json_has_the_documented_shape(guards: Guards, orchard: dict[str, str]) -> None:
    listed = shapes(guards("list", "--json"))
    assert all(set(fix) == _KEYS for fix in listed)
    assert [fix["state"] for fix in listed] == ["unguarded", "not-checked", "not-checked"]
    assert (listed[2]["commit"], listed[2]["tests"], listed[2]["pull"]) == (
        orchard["guarded"],
        ["tests/test_count.py"],
        5,
    )


def test_a_check_judges_records_and_is_not_repeated(guards: Guards, orchard: dict[str, str]) -> None:
    verdicts = shapes(guards("check", "--yes", "--json"))
    states = {verdict["commit"]: verdict["state"] for verdict in verdicts}
    assert states == {
        orchard["guarded"]: "guarded",
        orchard["green"]: "accidentally-green",
        orchard["unguarded"]: "unguarded",
    }
    assert {fix["commit"]: fix["state"] for fix in shapes(guards("list", "--json"))} == states
    again = guards("check", "--yes")
    assert "All fixes are judged" in again.stderr
    once_more = shapes(guards("check", orchard["guarded"][:8], "--again", "--yes", "--json"))
    assert [verdict["failing"] for verdict in once_more] == [["tests/test_count.py::test_count"]]


def test_nothing_is_run_unless_somebody_agrees(guards: Guards, tmp_path: Path) -> None:
    done = guards("check")
    assert done.returncode == 2
    assert "Tests of 2 fixes" in done.stderr
    assert "pytest" in done.stderr
    assert "dependencies are linked from the checkout." in done.stderr
    assert "--yes" in done.stderr
    assert not (tmp_path / "store").exists()


def test_what_a_setup_prepares_is_not_linked_unless_somebody_says_so(guards: Guards) -> None:
    assert "dependencies are not linked." in guards("check", "--setup", "make deps").stderr


@pytest.mark.slow
def test_one_fix_is_shown_with_lines_and_tests(guards: Guards, orchard: dict[str, str]) -> None:
    guards("check", "--yes")
    text = guards("show", orchard["guarded"][:8]).stdout
    for part in ("guarded. The tests", "fails without it: tests/test_count.py::test_count", "+     return len(trees)"):
        assert part in text
    shape = shapes(guards("show", orchard["guarded"], "--json"))
    assert set(shape) == _KEYS | {"runs", "lines", "problem"}
    assert next((line["path"], line["first"], line["length"]) for line in shape["lines"]) == ("orchard.py", 2, 1)


def test_filters_narrow_the_list_and_an_empty_one_says_what_to_do(guards: Guards) -> None:
    assert len(shapes(guards("list", "--since", "2026-05-06", "--json"))) == 2
    assert len(shapes(guards("list", "--limit", "1", "--json"))) == 1
    assert len(shapes(guards("list", "--unguarded", "--json"))) == 1
    nothing = guards("list", "--state", "cannot-be-run")
    assert (nothing.stdout, "Without --since" in nothing.stderr) == ("", True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "zzzz"), "not the id of a commit"),
        (("show", "0000"), "No fix begins with"),
        (("check", "--setup", "'", "--yes"), "no command line"),
        (("list", "--repo", "x"), "exclude each other"),
    ],
)
def test_wrong_use_is_told(guards: Guards, arguments: tuple[str, ...], said: str) -> None:
    done = guards(*arguments)
    assert (done.returncode, said in done.stderr) == (2, True)


def test_a_folder_without_git_is_told(run: Run, tmp_path: Path) -> None:
    done = run("guards", "list", "--checkout", str(tmp_path))
    assert (done.returncode, "lies in no git checkout" in done.stderr) == (2, True)
    missing = run("guards", "list", "--checkout", str(tmp_path / "nowhere"))
    assert (missing.returncode, "There is no folder" in missing.stderr) == (2, True)
    unknown = run("guards", "list", "--repo", "orchard")
    assert (unknown.returncode, "--checkout" in unknown.stderr) == (2, True)


def test_settings_can_forbid_it(guards: Guards, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "config.toml").write_text("[repositories]\nread = false\n", encoding="utf-8")
    done = guards("list")
    assert (done.returncode, "repositories.read" in done.stderr) == (2, True)
    folder = f'[learn]\nexclude = ["folder:{tmp_path / "orchard"}"]\n'
    (tmp_path / "store" / "config.toml").write_text(folder, encoding="utf-8")
    left_out = guards("list")
    assert (left_out.returncode, "left out" in left_out.stderr) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_check_that_is_stopped_keeps_its_verdicts_and_leaves_nothing(
    guards: Guards, environ: dict[str, str], tmp_path: Path, sign: int
) -> None:
    mark = tmp_path / "began"
    slow = f"import time\n\n\ndef test_it():\n    open({str(mark)!r}, 'w').close()\n    time.sleep(600)\n".encode()
    git_dir = tmp_path / "orchard" / ".git"
    commit_on_top(git_dir, {"orchard.py": BROKEN, "tests/test_slow.py": slow}, "fix: slowly", "2026-05-01T10:00:00Z")
    commit_on_top(git_dir, {"orchard.py": MENDED, "tests/test_slow.py": slow}, "fix: at once", "2026-05-02T10:00:00Z")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    arguments = ("guards", "check", "--yes", "--limit", "2", "--checkout", str(git_dir.parent))
    with subprocess.Popen(
        command(arguments), env=environ | {"TMPDIR": str(temporary)}, stderr=subprocess.PIPE, text=True
    ) as process:
        for _ in range(600):
            if mark.exists():
                break
            time.sleep(0.05)
        process.send_signal(sign)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "Stopped" in said
    assert list(temporary.iterdir()) == []
    assert next(fix["state"] for fix in shapes(guards("list", "--json"))) == "unguarded"


def test_a_session_that_ended_in_a_fix_is_named(run: Run, home: Path, tmp_path: Path, orchard: dict[str, str]) -> None:
    """A log of a session in this very checkout, which failed at something and committed."""
    root = str(tmp_path / "orchard")
    first = claude_session("5ea50009", "Fix the count of trees", "make count", is_error=True, day=6)
    commit = claude_session("5ea50009", "And commit", "git commit -m 'fix: count, unguarded'", day=7)
    text = (first + commit.replace("5ea50009-", "5ea50009-b").replace("toolu_5ea50009", "toolu_b")).replace(
        ORCHARD, root
    )
    (home / ".claude/projects/-home-ada-src-orchard/5ea50009.jsonl").write_text(text, encoding="utf-8")
    assert run("learn").returncode == 0
    fix = shapes(run("guards", "show", orchard["unguarded"], "--checkout", root, "--json"))
    assert fix["session"] == {"agent": "claude-code", "id": "5ea50009"}


@pytest.mark.slow
def test_an_agent_that_edits_guarded_lines_is_told_the_test(
    run: Run, environ: dict[str, str], home: Path, tmp_path: Path, orchard: dict[str, str]
) -> None:
    root = str(tmp_path / "orchard")
    text = claude_session("5ea50009", "Count trees", "make count", day=6).replace(ORCHARD, root)
    (home / ".claude/projects/-home-ada-src-orchard/5ea50009.jsonl").write_text(text, encoding="utf-8")
    (tmp_path / "orchard" / "orchard.py").write_bytes(MENDED)
    (tmp_path / "orchard" / "tests").mkdir()
    (tmp_path / "orchard" / "tests" / "test_count.py").write_bytes(TEST)
    assert run("learn").returncode == 0
    assert run("measure", "skipping", "--sessions", "0", "--notes", "0").returncode == 0
    assert run("guards", "check", orchard["guarded"], "--checkout", root, "--yes").returncode == 0
    notes = shapes(run("knowledge", "list", "--json", "--all"))
    (note,) = [note for note in notes["items"] if note["harvester"] == "guarded-fixes"]
    assert note["status"] == "active"
    assert "`tests/test_count.py`" in note["fact"]
    assert f"afterwit guards show {orchard['guarded'][:10]}" in run("knowledge", "why", note["id"]).stdout
    edit = {"file_path": f"{root}/orchard.py", "old_string": "    return len(trees)", "new_string": "    return 7 + 7"}
    other = edit | {"old_string": "def count(trees):", "new_string": "def count(trees, rain):"}
    assert _hooked(environ, root, "s-1", other) == ""
    assert "after a change there run `tests/test_count.py`" in _hooked(environ, root, "s-1", edit)
    assert _hooked(environ, root, "s-1", edit) == ""


def _hooked(environ: dict[str, str], root: str, session: str, given: dict[str, str]) -> str:
    """What an agent is told after an edit."""
    call = {"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": given, "tool_response": {}}
    text = json.dumps({"session_id": session, "cwd": root, **call})
    words = command(("hook", "claude-code", "after"))
    done = subprocess.run(words, input=text, env=environ, cwd=root, capture_output=True, text=True, check=True)
    return done.stdout
