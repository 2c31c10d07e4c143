"""Repositories that would have programs run, or fool whoever reads them: they are read, and nothing happens."""

import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import CalledProcessError

import pytest
from tests.homes import Silent, world_of
from tests.measure.histories import Log
from tests.sources.checkouts import worked
from tests.thoroughness import STRIDE

from afterwit.capture.checkouts import GitCheckout
from afterwit.capture.tree_index import update_tree
from afterwit.engine.sweep import sweep
from afterwit.model.learn_run import Options
from afterwit.recall.find_places import find_places
from afterwit.recall.repository import history_sightings
from afterwit.sources.checkout import branches, current_branch, files_uncommitted, head_commit, trunk, work_mark
from afterwit.sources.gathering import SourceError
from afterwit.sources.git import beginnings, blobs, commits

NOW_MS = 1_780_000_000_000
HOOKS = ("post-checkout", "post-index-change", "pre-auto-gc", "reference-transaction", "pre-commit")


class Trap:
    """A program that leaves a trace when it is started, and a checkout to plant it in."""

    def __init__(self, folder: Path) -> None:
        self.ran = folder / "ran"
        self.program = folder / "trap.sh"
        self.program.write_text(f"#!/bin/sh\ntouch '{self.ran}'\ncat\n")
        self.program.chmod(0o755)
        self.place = worked(folder / "home" / "orchard")

    def set(self, name: str, value: str = "") -> None:
        self.place.git("config", name, value or str(self.program))


def _hooks(trap: Trap) -> None:
    for folder in (trap.place.git_dir / "hooks", trap.place.root / "hooks"):
        folder.mkdir(exist_ok=True)
        for name in HOOKS:
            (folder / name).write_bytes(trap.program.read_bytes())
            (folder / name).chmod(0o755)
    trap.set("core.hooksPath", str(trap.place.root / "hooks"))


def _monitor(trap: Trap) -> None:
    trap.set("core.fsmonitor")
    trap.set("core.untrackedCache", "true")


def _filters(trap: Trap) -> None:
    for name in ("clean", "smudge", "process"):
        trap.set(f"filter.evil.{name}")
    trap.set("filter.evil.required", "true")
    (trap.place.root / ".gitattributes").write_text("* filter=evil diff=evil merge=evil text\n")
    (trap.place.git_dir / "info").mkdir(exist_ok=True)
    (trap.place.git_dir / "info" / "attributes").write_text("* filter=evil diff=evil\n")


def _differs(trap: Trap) -> None:
    for name in ("diff.external", "diff.evil.textconv", "diff.evil.command", "diff.evil.xfuncname"):
        trap.set(name)
    trap.set("diff.relative", "true")
    (trap.place.root / ".gitattributes").write_text("* diff=evil\n")


def _programs(trap: Trap) -> None:
    trap.set("log.showSignature", "true")
    for name in (
        "gpg.program", "gpg.ssh.program", "core.pager", "core.editor", "core.sshCommand", "core.askPass",
        "core.alternateRefsCommand", "credential.helper", "alias.log", "alias.ls-files", "pager.log",
        "sequence.editor", "interactive.diffFilter", "trailer.x.command", "uploadpack.packObjectsHook",
    ):  # fmt: skip
        trap.set(name, f"!{trap.program}" if name.startswith("alias") else "")
    trap.set("i18n.logOutputEncoding", "UTF-16")
    trap.set("color.ui", "always")


def _gitlink(trap: Trap) -> None:
    place = trap.place
    place.git("update-index", "--add", "--cacheinfo", f"160000,{place.git('rev-parse', 'HEAD')},lib")
    module = f'[submodule "lib"]\n\tpath = lib\n\turl = ext::{trap.program}\n\tupdate = !{trap.program}\n'
    (place.root / ".gitmodules").write_text(module)
    place.git("commit", "-q", "-m", "Link")
    inner = worked(place.root / "lib")
    inner.git("config", "core.fsmonitor", str(trap.program))
    inner.commit({"a.py": "a"}, "Inner")
    trap.set("submodule.recurse", "true")
    trap.set("status.submoduleSummary", "true")


def _huge(trap: Trap) -> None:
    trap.place.commit({"huge.txt": "quince " * 500_000, "wide.txt": "x" * 2_000_000}, "Huge " + "words " * 20_000)


def _odd_names(trap: Trap) -> None:
    names = ("--output=ran", "-rf", "two\nlines.py", 'quo"te.py', "tab\t.py", "$(touch ran).py", "`touch ran`.py")
    trap.place.commit(dict.fromkeys(names, "quince"), "Odd")
    for name in ("refs/heads/-x", "refs/heads/a;touch-ran"):
        with suppress(CalledProcessError):
            trap.place.git("update-ref", name, "HEAD")
    blob = trap.place.git("hash-object", "-w", "--stdin", given=b"quince")
    inner = trap.place.git("mktree", given=f"100644 blob {blob}\tout.py\n".encode())
    tree = trap.place.git("mktree", given=f"040000 tree {inner}\t..\n".encode())
    made = trap.place.git("commit-tree", tree, "-p", "HEAD", "-m", "Outside")
    trap.place.git("update-ref", "refs/heads/outside", made)


def _objects(trap: Trap) -> list[Path]:
    return list((trap.place.git_dir / "objects").glob("??/*"))


def _lost_blob(trap: Trap) -> None:
    name = trap.place.git("rev-parse", "HEAD:press.py")
    (trap.place.git_dir / "objects" / name[:2] / name[2:]).unlink()


def _lost_parent(trap: Trap) -> None:
    name = trap.place.git("rev-parse", "HEAD~1")
    (trap.place.git_dir / "objects" / name[:2] / name[2:]).unlink()


def _lost_tree(trap: Trap) -> None:
    name = trap.place.git("rev-parse", "HEAD^{tree}")
    (trap.place.git_dir / "objects" / name[:2] / name[2:]).unlink()


def _damaged_objects(trap: Trap) -> None:
    for path in _objects(trap):
        path.chmod(0o644)
        path.write_bytes(b"not an object")


def _shallow(trap: Trap) -> None:
    (trap.place.git_dir / "shallow").write_text(trap.place.git("rev-parse", "HEAD") + "\n")


def _alternates(trap: Trap) -> None:
    info = trap.place.git_dir / "objects" / "info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"/nowhere/at/all\n{trap.program.parent}\n../../../..\n")
    trap.set("core.alternateRefsCommand")


def _promisor(trap: Trap) -> None:
    trap.set("core.repositoryFormatVersion", "1")
    trap.set("extensions.partialClone", "origin")
    trap.set("remote.origin.promisor", "true")
    trap.set("remote.origin.url", f"ext::{trap.program}")
    trap.set("remote.origin.uploadpack")
    trap.set("protocol.allow", "always")
    trap.set("protocol.ext.allow", "always")
    _lost_blob(trap)


def _promisor_in_a_folder(trap: Trap) -> None:
    _promisor(trap)
    other = worked(trap.program.parent / "other")
    trap.set("remote.origin.url", str(other.root))
    trap.set("protocol.file.allow", "always")


def _head_elsewhere(trap: Trap) -> None:
    (trap.place.git_dir / "HEAD").write_text("ref: refs/heads/../../../../home/secret\n")


def _head_is_a_link(trap: Trap) -> None:
    (trap.place.git_dir / "HEAD").unlink()
    (trap.place.git_dir / "HEAD").symlink_to(trap.program)


def _index_of_garbage(trap: Trap) -> None:
    (trap.place.git_dir / "index").write_bytes(b"DIRC" + b"\xff" * 400)


def _worktree_elsewhere(trap: Trap) -> None:
    trap.set("core.worktree", "/")
    trap.set("core.excludesFile", str(trap.program))
    trap.set("include.path", str(trap.program))


def _configuration_of_garbage(trap: Trap) -> None:
    (trap.place.git_dir / "config").write_text("[core\n\tbare = what")


PLANTED: tuple[Callable[[Trap], None], ...] = (
    _hooks, _monitor, _filters, _differs, _programs, _gitlink, _huge, _odd_names, _lost_blob, _lost_parent, _lost_tree,
    _damaged_objects, _shallow, _alternates, _promisor, _promisor_in_a_folder, _head_elsewhere, _head_is_a_link,
    _index_of_garbage, _worktree_elsewhere, _configuration_of_garbage,
)  # fmt: skip


@pytest.fixture(params=PLANTED[::STRIDE], ids=lambda plant: plant.__name__.strip("_"))
def trap(request: pytest.FixtureRequest, tmp_path: Path) -> Trap:
    """A checkout with two commits and a file that was changed, in which something is planted."""
    planted = Trap(tmp_path)
    planted.place.commit({"press.py": "quince", "cellar/shelf.py": "ladder"}, "Plant the orchard")
    planted.place.commit({"mill.py": "turn the quince mill"}, "Build the mill", at_s=60)
    request.param(planted)
    planted.ran.unlink(missing_ok=True)
    (planted.place.root / "press.py").write_text("quince, and pear")
    (planted.place.root / "new.py").write_text("new")
    return planted


def _seen(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Everything below a folder, with sizes and times; times of access aside."""
    listed: dict[str, tuple[int, int, int]] = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        listed[str(path)] = (about.st_mode, about.st_size if stat.S_ISREG(about.st_mode) else 0, about.st_mtime_ns)
    return listed


@pytest.fixture
def untouched(trap: Trap) -> Iterator[None]:
    """Nothing was run, and nothing was written there."""
    before = _seen(trap.place.root)
    yield
    assert not trap.ran.exists()
    assert not list(trap.place.root.rglob("ran"))
    assert _seen(trap.place.root) == before


@pytest.mark.usefixtures("untouched")
def test_whatever_is_asked_of_it_runs_and_writes_nothing(trap: Trap, tmp_path: Path) -> None:
    root, git_dir = trap.place.root, trap.place.git_dir
    asked: list[Callable[[], object]] = [
        lambda: list(blobs(git_dir, head_commit(git_dir) or "HEAD")),
        lambda: list(beginnings(git_dir, list(blobs(git_dir, "HEAD")), 1_000)),
        lambda: list(commits(git_dir, [head_commit(git_dir)])),
        lambda: branches(git_dir),
        lambda: trunk(git_dir),
        lambda: files_uncommitted(root, git_dir, 100),
        lambda: update_tree(tmp_path / "trees" / "orchard.db", git_dir, head_commit(git_dir), str),
    ]
    for ask in asked:
        with suppress(SourceError):
            ask()
    history = history_sightings(GitCheckout("orchard", root, git_dir), NOW_MS)
    assert all(".." not in path.split("/") for sighting in history for path in sighting.changed)
    assert isinstance(current_branch(git_dir) + head_commit(git_dir) + work_mark(git_dir), str)


@pytest.mark.usefixtures("untouched")
def test_a_run_of_learn_ends_well_and_a_question_is_answered(
    trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trap.place.root)
    home, store = tmp_path / "home", tmp_path / "store"
    Log(0, 0, str(trap.place.root)).prompt("Turn the quince mill").edit("mill.py").put(home)
    before = _seen(trap.place.root)
    for _ in range(2):
        report = sweep(world_of(home, store), Options(), Silent())
        assert report.sessions == 1
    world = world_of(home, store)
    found = find_places(world, trap.place.root, None, "turn the quince mill in mill.py", 5)
    assert all(".." not in likely.place.path.split("/") for likely in found.places)
    assert _seen(trap.place.root) == before


@pytest.mark.usefixtures("untouched")
def test_a_checkout_without_sessions_is_answered(trap: Trap, tmp_path: Path) -> None:
    world = world_of(tmp_path / "home", tmp_path / "store")
    find_places(world, trap.place.root, None, "turn the quince mill in mill.py", 5)


@pytest.mark.parametrize(
    ("plant", "careless"),
    [
        (_monitor, ("status",)),
        (_filters, ("diff",)),
        (_differs, ("diff",)),
        (_hooks, ("add", ".")),
    ],
)
def test_who_asks_without_care_would_have_run_it(
    tmp_path: Path, plant: Callable[[Trap], None], careless: tuple[str, ...]
) -> None:
    planted = Trap(tmp_path)
    planted.place.commit({"press.py": "quince"}, "Plant")
    plant(planted)
    (planted.place.root / "press.py").write_text("quince, and pear")
    with suppress(CalledProcessError):
        planted.place.git(*careless)
    assert planted.ran.exists()
