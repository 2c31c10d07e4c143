"""Repositories that want to do harm: reading their fixes and checking them starts nothing and loses nothing."""

import os
import stat
from pathlib import Path

import pytest
from tests.extras.fixes.orchards import (
    BROKEN,
    MENDED,
    TEST,
    checkout,
    fixed,
    fixes,
    place_of_checkout,
    verdicts,
    world_of,
)
from tests.sources.repositories import commit_on_top, git, repository

from afterwit.config.world import World
from afterwit.extras.fixes import work_tree
from afterwit.extras.fixes.check import CheckOptions, plan_check
from afterwit.extras.fixes.running import confinement_here
from afterwit.extras.fixes.work_tree import is_safe, materialise
from afterwit.model.guards import GuardState
from afterwit.sources.gathering import SourceError

_GOOD = {"orchard.py": MENDED, "tests/test_orchard.py": TEST}


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    return checkout(tmp_path / "orchard")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return world_of(tmp_path)


def raw_tree(git_dir: Path, *entries: tuple[str, str, str]) -> str:
    """A tree with any names, as (mode, name, object): git's own commands refuse many of them."""
    body = b"".join(f"{mode} {name}".encode() + b"\0" + bytes.fromhex(object_) for mode, name, object_ in entries)
    return git(git_dir, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", given=body)


def blob(git_dir: Path, content: bytes) -> str:
    return git(git_dir, "hash-object", "-w", "--stdin", given=content)


def committed(git_dir: Path, tree: str, message: str = "fix: grow") -> str:
    before = git(git_dir, "for-each-ref", "--format=%(objectname)", "refs/heads/main")
    made = git(git_dir, "commit-tree", tree, *(["-p", before] if before else []), given=message.encode())
    git(git_dir, "update-ref", "refs/heads/main", made)
    return made


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()}


def test_no_hook_filter_or_monitor_is_run(git_dir: Path, world: World, tmp_path: Path) -> None:
    attributes = b"* filter=evil diff=evil merge=evil\n"
    fixed(
        git_dir,
        {"orchard.py": BROKEN, ".gitattributes": attributes},
        {**_GOOD, ".gitattributes": attributes},
    )
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/trapped\ncat\n", encoding="utf-8")
    trap.chmod(0o755)
    hooks = git_dir / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "pre-commit", "post-index-change", "reference-transaction", "fsmonitor-watchman"):
        (hooks / name).write_bytes(trap.read_bytes())
        (hooks / name).chmod(0o755)
    settings = ("core.fsmonitor", "core.pager", "diff.external", "core.sshCommand", "core.editor", "credential.helper")
    for key in (*settings, "filter.evil.smudge", "filter.evil.clean", "filter.evil.process", "diff.evil.textconv"):
        git(git_dir, "config", key, str(trap))
    assert [verdict.state for verdict in verdicts(git_dir, world)] == [GuardState.GUARDED]
    assert not (tmp_path / "trapped").exists()


def test_names_that_lead_elsewhere_are_not_written(git_dir: Path, tmp_path: Path) -> None:
    evil, good = blob(git_dir, b"evil\n"), blob(git_dir, b"good\n")
    hooks = raw_tree(git_dir, ("100755", "post-checkout", evil))
    inner = raw_tree(git_dir, ("40000", "hooks", hooks), ("100644", "config", evil))
    outside = raw_tree(git_dir, ("100644", "escaped", evil))
    tree = raw_tree(
        git_dir,
        ("100644", "-rf", good),
        ("40000", "..", outside),
        ("40000", ".GIT", inner),
        ("40000", ".git", inner),
        ("100644", ".git.", evil),
        ("100644", "a\nb", evil),
        ("100644", "back\\slash", evil),
        ("100644", "good.txt", good),
        ("40000", "git~1", inner),
    )
    folder = tmp_path / "deep" / "tree"
    folder.mkdir(parents=True)
    unwritten = materialise(git_dir, committed(git_dir, tree), folder)
    assert files_in(folder) == {"-rf", "good.txt"}
    assert files_in(tmp_path / "deep") == {"tree/-rf", "tree/good.txt"}
    assert unwritten.names == 10


def test_names_are_judged_as_other_file_systems_read_them() -> None:
    assert all(map(is_safe, ("a/b.py", "-rf", "..a", ".gitignore", ".github/ci.yml", "ü ö.txt", "a..b")))
    bad = ("", "/etc/passwd", "../x", "a/../../x", "./x", "a//b", ".git/config", "a/.GIT/x", ".git /x", ".g\u200cit/x")
    assert not any(map(is_safe, (*bad, "a\0b", "a\nb", "c:\\x", "x" * 300)))


def test_a_link_out_of_the_tree_is_not_made_and_nothing_is_written_through_one(git_dir: Path, tmp_path: Path) -> None:
    target = tmp_path / "outside"
    target.mkdir()
    into = blob(git_dir, str(target).encode())
    up, inside, loop = blob(git_dir, b"../../outside"), blob(git_dir, b"sub/file"), blob(git_dir, b"loop")
    file = blob(git_dir, b"x\n")
    sub = raw_tree(git_dir, ("100644", "file", file))
    tree = raw_tree(
        git_dir,
        ("120000", "absolute", into),
        ("40000", "absolute", sub),
        ("120000", "inside", inside),
        ("120000", "loop", loop),
        ("40000", "sub", sub),
        ("120000", "up", up),
    )
    folder = tmp_path / "a" / "tree"
    folder.mkdir(parents=True)
    unwritten = materialise(git_dir, committed(git_dir, tree), folder)
    assert list(target.iterdir()) == []
    assert (folder / "inside").resolve() == folder / "sub" / "file"
    assert not (folder / "up").is_symlink()
    assert not (folder / "absolute").is_symlink()
    assert unwritten.links >= 2


def test_a_name_that_is_there_twice_is_written_once(git_dir: Path, tmp_path: Path) -> None:
    one_blob, other = blob(git_dir, b"1\n"), blob(git_dir, b"2\n")
    sub = raw_tree(git_dir, ("100644", "x", other))
    tree = raw_tree(git_dir, ("100644", "a", one_blob), ("100644", "a", other), ("40000", "a", sub))
    folder = tmp_path / "tree"
    folder.mkdir()
    unwritten = materialise(git_dir, committed(git_dir, tree), folder)
    assert (folder / "a").read_bytes() == b"1\n"
    assert unwritten.names == 2


def test_submodules_are_left_out(git_dir: Path, tmp_path: Path) -> None:
    modules = blob(git_dir, b'[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch trapped"\n')
    tree = raw_tree(git_dir, ("100644", ".gitmodules", modules), ("160000", "x", "1" * 40))
    folder = tmp_path / "tree"
    folder.mkdir()
    unwritten = materialise(git_dir, committed(git_dir, tree), folder)
    assert unwritten.submodules == 1
    assert files_in(folder) == {".gitmodules"}
    assert not Path("trapped").exists()


def test_a_huge_file_is_left_out_and_a_huge_tree_refused(
    git_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_tree, "MOST_BLOB_BYTES", 1_000)
    commit = commit_on_top(git_dir, {"big.bin": b"x" * 5_000, "small.txt": b"x"})
    folder = tmp_path / "tree"
    folder.mkdir()
    assert materialise(git_dir, commit, folder).large == 1
    assert files_in(folder) == {"small.txt"}
    monkeypatch.setattr(work_tree, "MOST_FILES", 1)
    with pytest.raises(SourceError, match="more than 1"):
        materialise(git_dir, commit, folder)
    monkeypatch.setattr(work_tree, "MOST_FILES", 10)
    monkeypatch.setattr(work_tree, "MOST_BYTES", 0)
    with pytest.raises(SourceError, match="MiB"):
        materialise(git_dir, commit, folder)


def test_files_are_private_and_keep_only_whether_they_can_be_run(git_dir: Path, tmp_path: Path) -> None:
    script = blob(git_dir, b"#!/bin/sh\n")
    tree = raw_tree(git_dir, ("100755", "run", script), ("100644", "text", script))
    folder = tmp_path / "tree"
    folder.mkdir()
    materialise(git_dir, committed(git_dir, tree), folder)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == {"run": 0o700, "text": 0o600}


def test_a_missing_object_is_told_and_nothing_is_run(git_dir: Path, world: World) -> None:
    commit = fixed(git_dir, {"orchard.py": BROKEN, "data.bin": b"gone"}, {**_GOOD, "data.bin": b"gone"})
    name = git(git_dir, "rev-parse", f"{commit}:data.bin")
    (git_dir / "objects" / name[:2] / name[2:]).unlink()
    (verdict,) = verdicts(git_dir, world)
    assert verdict.state is GuardState.CANNOT
    assert "missing from this clone" in verdict.reason


def test_a_missing_tree_is_told(git_dir: Path, world: World) -> None:
    commit = fixed(git_dir, {"orchard.py": BROKEN}, _GOOD)
    listed = fixes(git_dir, world)
    name = git(git_dir, "rev-parse", f"{commit}:tests")
    (git_dir / "objects" / name[:2] / name[2:]).unlink()
    planned = plan_check(place_of_checkout(git_dir), listed[0], CheckOptions())
    assert planned.state is GuardState.CANNOT
    assert not planned.is_run


def test_a_shallow_clone_says_that_the_parent_is_missing(git_dir: Path, world: World, tmp_path: Path) -> None:
    fixed(git_dir, {"orchard.py": BROKEN}, _GOOD)
    clone = tmp_path / "shallow"
    shallow = repository(clone)
    git(shallow, "fetch", "--quiet", "--depth=1", f"file://{git_dir}", "main:refs/heads/main")
    git(shallow, "symbolic-ref", "HEAD", "refs/heads/main")
    (listed,) = fixes(shallow, world)
    assert listed.state is GuardState.CANNOT
    (verdict,) = verdicts(shallow, world)
    assert (verdict.state, verdict.reason) == (GuardState.CANNOT, "its parent is not in this clone")


def test_a_name_like_an_option_reaches_the_runner_as_a_file(git_dir: Path, world: World) -> None:
    odd = {"orchard.py": MENDED, "tests/-x_test.py": TEST, "tests/test_orchard.py": TEST}
    fixed(git_dir, {"orchard.py": BROKEN}, odd)
    (verdict,) = verdicts(git_dir, world)
    assert verdict.state is GuardState.GUARDED
    assert all("./tests/-x_test.py" in line for line in verdict.runs)


def test_secrets_in_messages_and_outputs_are_taken_out(git_dir: Path, world: World) -> None:
    token = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    test = f"raise ImportError('cannot log in with {token}')\n".encode()
    after = {"orchard.py": MENDED, "tests/test_orchard.py": test}
    fixed(git_dir, {"orchard.py": BROKEN}, after, f"fix: log in with {token}\x1b[31m\u202e")
    (verdict,) = verdicts(git_dir, world)
    assert token not in str(verdict)
    assert "\x1b" not in verdict.subject
    assert "\u202e" not in verdict.subject


_HOSTILE = """
import os, pathlib, shutil, socket, subprocess

import pytest

from orchard import count

PLACES = {places!r}


def attempt(*words):
    subprocess.run(words, capture_output=True, check=False)


def test_it():
    count([])
    with pytest.raises(OSError):
        socket.create_connection(('192.0.2.1', 9), timeout=1)
    with socket.create_server(('127.0.0.1', 0)) as server:
        socket.create_connection(server.getsockname()).close()
    for place in PLACES:
        for before in ('', 'unshare -rm ', 'unshare -rmpf --mount-proc '):
            for way in (
                'mount -o remount,bind,rw "$0"', 'mount -o remount,rw "$0"', 'mount -o remount,rw /', 'umount "$0"',
                'umount -l "$0"', 'umount -l /', 'mount --bind / mnt; cd mnt; set -- "$PWD$0"', 'mount --rbind / mnt',
                'mount -o bind,rw "$0" mnt', 'mount --move "$0" mnt', 'mount -t tmpfs none mnt',
            ):
                os.makedirs('mnt', exist_ok=True)
                tries = 'touch "$0/planted" "mnt/planted" "mnt$0/planted"; echo >> "$0/.bashrc"'
                attempt(*before.split(), 'sh', '-c', way + '; ' + tries, place)
        attempt('sh', '-c', 'touch "$0/planted"; mkdir "$0/more"; rm -rf "$0"/*; echo >> "$0/.bashrc"', place)
        attempt('nsenter', '-t', '1', '-m', 'touch', place + '/planted')
        attempt('chmod', '777', place)
    status = pathlib.Path('/proc/self/status').read_text()
    for name in ('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'):
        assert name + ':\\t' + '0' * 16 in status
    assert 'NoNewPrivs:\\t1' in status
    for device in pathlib.Path('/dev').iterdir():
        if device.is_block_device():
            with pytest.raises(OSError):
                os.open(device, os.O_RDONLY)
    pathlib.Path('/dev/null').write_text('x')
    pathlib.Path('own').write_text('x')
    assert count([]) == 0
"""


@pytest.mark.slow
def test_a_test_that_mounts_and_unmounts_cannot_write_into_checkout_hooks_home_or_store(
    git_dir: Path, world: World
) -> None:
    home, store, hooks = world.user_home, world.layout.root, git_dir / "hooks"
    places = (home, store, hooks, git_dir.parent)
    for place in places:
        place.mkdir(parents=True, exist_ok=True)
        (place / ".bashrc").write_text("mine", encoding="utf-8")
        (place / "kept").write_text("mine", encoding="utf-8")
    if confinement_here(git_dir.parent, places).is_writing:
        pytest.skip("user namespaces are not allowed here")
    test = _HOSTILE.format(places=[str(place) for place in places])
    fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": MENDED, "tests/test_orchard.py": test.encode()})
    (verdict,) = verdicts(git_dir, world)
    assert (verdict.state, verdict.reason) == (GuardState.GUARDED, "")
    for place in places:
        assert [(place / name).read_text(encoding="utf-8") for name in (".bashrc", "kept")] == ["mine", "mine"]
        assert not any(os.path.lexists(place / name) for name in ("planted", "more"))
