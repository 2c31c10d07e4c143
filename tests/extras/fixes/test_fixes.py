from tests.every import for_every

from afterwit.extras.fixes.fixes import FixSign, fix_of, is_aside, is_code, subject_key
from afterwit.sources.git import Commit, CommittedChange

_ZEROS = "0" * 40


def commit(message: str, *paths: str) -> Commit:
    changes = tuple(CommittedChange(path, "M", "1" * 40, "2" * 40) for path in paths or ("src/tree.py",))
    return Commit("a" * 40, ("b" * 40,), 1_777_888_999_000, message, changes)


@for_every(
    "message",
    [
        "fix: count trees twice",
        "fix(core)!: count trees twice",
        "Fix the counting of trees",
        "Fixed pruning in winter (#12)",
        "hotfix: pruning",
        "Trees: fix pruning",
        "Correct a regression in pruning",
        "Handle a bug in the counter",
        "Add a saw and fix pruning",
        "Merge pull request #7 from acme/topic\n\nFix pruning",
        "Merge pull request #7 from acme/fix/pruning\n\nPrune in winter only",
    ],
)
def test_a_message_says_that_something_is_fixed(message: str) -> None:
    fix = fix_of(commit(message))
    assert fix is not None
    assert fix.signs == (FixSign.MESSAGE,)


@for_every(
    "message",
    [
        "feat: count trees",
        "Add fixtures for trees",
        "fix typo in the counter",
        "fix: lint",
        "fix(deps): bump saw to 2.0",
        "fix(ci): cache",
        "docs: fix the page about trees",
        "chore: fix prefix",
        "Fix formatting",
        "Merge branch 'fix/trees' into main",
        "Bump saw from 1.0 to 1.1 to fix a bug",
        "refactor: fix names",
        "Prefix all names",
        "Lead from a note about a guarded fix to the page",
        "Read what is said of fixes",
        "various fixes for the browser tests, plan of the third row",
        "Several small fixes",
        "fixes for E2E tests",
        "",
    ],
)
def test_what_mends_no_code_is_no_fix(message: str) -> None:
    assert fix_of(commit(message)) is None


def test_what_changes_no_code_is_no_fix() -> None:
    for paths in (("README.md",), ("docs/a.md", "package-lock.json"), ("tests/test_tree.py",), (".github/ci.yml",)):
        assert fix_of(commit("fix: count", *paths)) is None


def test_a_revert_names_what_it_takes_back() -> None:
    fix = fix_of(commit(f'Revert "feat: count trees"\n\nThis reverts commit {"c" * 40}.'))
    assert fix is not None
    assert (fix.signs, fix.reverts) == ((FixSign.REVERT,), "c" * 40)


def test_an_issue_is_fixed_by_the_word_for_it() -> None:
    fix = fix_of(commit("Prune in winter (#40)\n\nFixes #12, closes #13."))
    assert fix is not None
    assert (fix.signs, fix.issues, fix.pull) == ((FixSign.ISSUE,), (12, 13), 40)
    assert fix_of(commit("Prune in winter\n\nCloses #13.")) is None
    assert fix_of(commit("feat: prune\n\nFixes #12.")) is None


def test_a_session_that_ended_in_a_commit_tells_that_it_is_a_fix() -> None:
    subjects = frozenset((subject_key("Prune in winter"),))
    fix = fix_of(commit("Prune in winter (#3)"), subjects)
    assert fix is not None
    assert fix.signs == (FixSign.SESSION,)
    assert fix_of(commit("Prune in summer"), subjects) is None


def test_code_and_tests_are_told_apart() -> None:
    fix = fix_of(commit("fix: count", "src/tree.py", "tests/test_tree.py", "web/tree.test.ts", "README.md", "uv.lock"))
    assert fix is not None
    assert fix.files == ("src/tree.py",)
    assert fix.tests == ("tests/test_tree.py", "web/tree.test.ts")
    assert not is_code("dist/tree.js")


def test_a_test_that_was_deleted_came_not_with_the_fix() -> None:
    gone = CommittedChange("tests/test_tree.py", "D", "1" * 40, _ZEROS)
    made = commit("fix: count")
    fix = fix_of(made._replace(changes=(*made.changes, gone)))
    assert fix is not None
    assert fix.tests == ()


def test_a_long_message_is_looked_at_in_linear_time() -> None:
    assert fix_of(commit("fix: count\n\n" + "fixes " * 200_000)) is not None


@for_every(
    "path",
    ["CHANGELOG.md", "package-lock.json", "uv.lock", "go.sum", "web/dist/app.js", "api/v1/fruit.pb.go", "build/x.c"],
)
def test_files_that_change_in_passing_are_aside(path: str) -> None:
    assert is_aside(path)


@for_every("path", ["src/build/plan.py", "lock.py", "src/generator.py", "docs/usage.md", "src/blocks.ts"])
def test_ordinary_files_are_not_aside(path: str) -> None:
    assert not is_aside(path)
