"""`make release` in a clone of its own: what it makes, what it shows, and what it refuses without a trace."""

import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import afterwit

_ROOT = Path(__file__).parents[2]
_RELEASE = _ROOT / ".ci" / "release.py"
_NEXT = "987.6.5"
_CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Pears.\n"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (_ROOT / ".git").exists(), reason="needs a clone with its history"),
]


class Clone:
    """A clone of this one, on the branch of releases, with an author of its own."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "clone"
        who = {f"GIT_{role}_{what}": "ada" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        alone = {"HOME": str(folder), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self.environ = {**kept, **who, **alone}
        self._ran(["git", "clone", "-q", "--shared", str(_ROOT), str(self.root)], folder)
        self.git("switch", "-q", "-C", "main")
        (self.root / "CHANGELOG.md").write_text(_CHANGELOG, encoding="utf-8")
        self.git("commit", "-q", "-a", "-m", "Say what is new")
        self._first = self.git("rev-parse", "HEAD")

    def begin_again(self) -> None:
        self.git("switch", "-q", "--discard-changes", "-C", "main", self._first)
        self.git("clean", "-q", "-f", "-d", "-x")
        for tag in self.git("tag", "--list").split():
            self.git("tag", "-d", tag)
        for hook in (self.root / ".git" / "hooks").glob("*"):
            hook.unlink()

    def git(self, *words: str) -> str:
        done = self._ran(["git", *words], self.root)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def release(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self._ran([sys.executable, str(_RELEASE), *arguments, "--checked"], self.root)

    def refusal(self, version: str) -> str:
        """What is said to a release that is refused, and that leaves no trace."""
        head, status = self.git("rev-parse", "HEAD"), self.git("status", "--porcelain")
        tags = self.git("tag", "--list")
        done = self.release(version)
        assert (done.returncode, done.stdout) == (1, "")
        assert (self.git("rev-parse", "HEAD"), self.git("status", "--porcelain")) == (head, status)
        assert self.git("tag", "--list") == tags
        assert not (self.root / "dist").exists()
        return done.stderr

    def rewrite(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")
        self.git("commit", "-q", "-m", "Change a file", "--", name)

    def _ran(self, command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=folder, env=self.environ, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def shared_clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    return Clone(tmp_path_factory.mktemp("release"))


@pytest.fixture
def clone(shared_clone: Clone) -> Clone:
    shared_clone.begin_again()
    return shared_clone


def test_a_release_is_one_commit_with_a_tag_and_checked_packages(clone: Clone) -> None:
    before = clone.git("rev-parse", "HEAD")
    done = clone.release(_NEXT)
    assert done.returncode == 0, done.stderr
    assert clone.git("rev-parse", "HEAD~1") == before
    assert clone.git("log", "-1", "--format=%s") == f"Release {_NEXT}"
    assert clone.git("rev-parse", f"v{_NEXT}^{{commit}}") == clone.git("rev-parse", "HEAD")
    assert clone.git("cat-file", "-t", f"v{_NEXT}") == "tag"
    assert clone.git("status", "--porcelain") == ""
    assert f'__version__ = "{_NEXT}"' in (clone.root / "src/afterwit/__init__.py").read_text(encoding="utf-8")
    manifest = clone.root / "plugins/gemini/afterwit/gemini-extension.json"
    assert json.loads(manifest.read_text(encoding="utf-8"))["version"] == _NEXT
    changelog = (clone.root / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = rf"## \[Unreleased\]\n\n## \[{re.escape(_NEXT)}\] - \d{{4}}-\d\d-\d\d\n\n### Added\n\n- Pears\.\n"
    assert re.fullmatch(rf"# Changelog\n\n{heading}", changelog)
    names = {path.name for path in (clone.root / "dist").iterdir()}
    assert names == {f"afterwit-{_NEXT}-py3-none-any.whl", f"afterwit-{_NEXT}.tar.gz"}
    with tarfile.open(clone.root / "dist" / f"afterwit-{_NEXT}.tar.gz") as sources:
        assert f"afterwit-{_NEXT}/hatch_build.py" in sources.getnames()
    assert f"git push origin main v{_NEXT}" in done.stderr
    assert "v987.6.5 already" in clone.release(_NEXT).stderr
    assert "is before 987.6.5" in clone.release("987.6.4").stderr


def test_a_dry_run_shows_the_difference_and_changes_nothing(clone: Clone) -> None:
    before = clone.git("rev-parse", "HEAD")
    done = clone.release(_NEXT, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert f'+__version__ = "{_NEXT}"' in done.stdout
    assert f"+## [{_NEXT}] - " in done.stdout
    assert f'+  "version": "{_NEXT}",' in done.stdout
    assert f"Built and checked: afterwit-{_NEXT}-py3-none-any.whl, afterwit-{_NEXT}.tar.gz." in done.stderr
    assert (clone.git("rev-parse", "HEAD"), clone.git("status", "--porcelain")) == (before, "")
    assert clone.git("tag", "--list") == ""
    assert not (clone.root / "dist").exists()


@pytest.mark.parametrize("version", ["", "1.2", "v1.2.3", "1.2.3.4", "1.2.3-rc1", "01.2.3", "1.2.3rc0", "next"])
def test_what_is_no_version_is_refused(clone: Clone, version: str) -> None:
    assert "make release VERSION=1.2.3" in clone.refusal(version)


def test_a_version_of_the_past_is_refused(clone: Clone) -> None:
    assert f"0.0.1 is before {afterwit.__version__}" in clone.refusal("0.0.1")


def test_another_branch_is_refused(clone: Clone) -> None:
    clone.git("switch", "-q", "-c", "pears")
    assert "this is pears. `git switch main`" in clone.refusal(_NEXT)


def test_a_tree_with_changes_or_unknown_files_is_refused(clone: Clone) -> None:
    (clone.root / "README.md").write_text("changed\n", encoding="utf-8")
    (clone.root / "pears.txt").touch()
    refusal = clone.refusal(_NEXT)
    assert "the tree is not clean" in refusal
    assert " M README.md" in refusal
    assert "?? pears.txt" in refusal


@pytest.mark.parametrize(
    ("changelog", "reason"),
    [
        ("# Changelog\n", "has no line `## [Unreleased]`"),
        ("# Changelog\n\n## [Unreleased]\n\n## [0.0.1] - 2026-01-01\n\n- Plums.\n", "says nothing under"),
        (f"# Changelog\n\n## [Unreleased]\n\n- Pears.\n\n## [{_NEXT}] - 2026-01-01\n", "has a part about"),
    ],
)
def test_a_changelog_that_says_nothing_new_is_refused(clone: Clone, changelog: str, reason: str) -> None:
    clone.rewrite("CHANGELOG.md", changelog)
    assert reason in clone.refusal(_NEXT)


def test_a_package_that_cannot_be_built_is_refused(clone: Clone) -> None:
    clone.rewrite("hatch_build.py", "raise RuntimeError('no pears')\n")
    assert "no pears" in clone.refusal(_NEXT)


def test_a_wheel_that_lacks_a_file_is_refused(clone: Clone) -> None:
    project = (clone.root / "pyproject.toml").read_text(encoding="utf-8")
    lacking = project.replace('packages = ["src/afterwit"]', 'packages = ["src/afterwit"]\nexclude = ["*.sql"]')
    assert lacking != project
    clone.rewrite("pyproject.toml", lacking)
    refusal = clone.refusal(_NEXT)
    assert "missing: afterwit/recall/deck/deck.sql" in refusal


def test_a_commit_that_a_hook_refuses_leaves_no_trace(clone: Clone) -> None:
    hook = clone.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no pears >&2\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    assert "nothing was changed: git commit failed: no pears" in clone.refusal(_NEXT)
