from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.repos.folders import root_name, root_of, user_of


@for_every(
    "cwd",
    [
        "/home/kim/src/rocket",
        "/home/kim/src/rocket/",
        "/home/kim//src/./rocket",
        "/home/kim/src/rocket/.claude/worktrees/blue-fox",
        "/home/kim/src/rocket/.claude/worktrees/blue-fox/pkg/core",
        "/home/kim/src/rocket/.worktrees/fix-1",
        "/home/kim/src/rocket/worktrees/fix-1",
        "/home/kim/src/rocket/.git/worktrees/fix-1",
        "/home/kim/src/rocket/.trees/fix-1",
        "/home/kim/src/rocket/.conductor/lisbon",
        "/home/kim/src/rocket.worktrees/fix-1",
        "/home/kim/src/rocket-worktrees/fix-1/docs",
        "/home/kim/src/rocket__worktrees/fix-1",
        "file:///home/kim/src/rocket",
        "\\\\wsl$\\Ubuntu\\home\\kim\\src\\rocket",
        "\\\\wsl.localhost\\Ubuntu\\home\\kim\\src\\rocket",
    ],
)
def test_worktrees_and_spellings_count_to_their_repository(cwd: str) -> None:
    assert root_of(cwd) == "/home/kim/src/rocket"


@for_every(
    "cwd",
    [
        "C:\\Users\\kim\\rocket",
        "c:/Users/kim/rocket",
        "\\\\?\\C:\\Users\\kim\\rocket",
        "/mnt/c/Users/kim/rocket",
        "/c/Users/kim/rocket",
        "/cygdrive/c/Users/kim/rocket",
        "file:///c:/Users/kim/rocket",
        "C:\\Users\\kim\\rocket\\.claude\\worktrees\\blue-fox",
    ],
)
def test_a_folder_on_a_drive_has_one_spelling(cwd: str) -> None:
    assert root_of(cwd) == "c:/Users/kim/rocket"
    assert root_name(cwd) == "rocket"


@for_every(
    "cwd",
    [
        "/home/kim/.codex/worktrees/a1b2/rocket",
        "/Users/kim/.codex/worktrees/a1b2/rocket/pkg",
        "/Users/kim/.cursor/worktrees/rocket/x7",
        "/Users/kim/conductor/workspaces/rocket/lisbon",
        "/home/kim/.superset/worktrees/rocket/feature",
        "/home/kim/worktrees/rocket/feature",
        "/var/tmp/vibe-kanban/worktrees/1f2e-fix/rocket",
        "C:\\copilot-worktrees\\rocket\\fix",
        "/tmp/rocket",
        "/private/tmp/rocket",
        "/tmp/tmpab12cd34/rocket",
        "/workspaces/rocket",
        "//server/share/rocket",
        "~/rocket",
    ],
)
def test_the_name_is_found_in_the_known_layouts(cwd: str) -> None:
    assert root_name(cwd) == "rocket"


@for_every(
    "cwd",
    [
        "",
        ".",
        "/",
        "~",
        "/home",
        "/home/kim",
        "/home/‹user:3f9c2a›",
        "/Users/kim/",
        "/root",
        "/home/kim/.claude/worktrees/blue-fox",
        "C:\\",
        "c:",
        "C:\\Users\\kim",
        "/mnt/c",
        "/mnt/c/Users/kim",
        "\\\\server\\share",
        "/tmp",
        "/private/tmp",
        "/tmp/tmpab12cd34",
        "/tmp/tmp.Xy12Zw",
        "/tmp/0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f",
        "/var/folders/ab/cd12/T",
        "/var/folders/ab/cd12/T/tmpab12cd34",
        "C:\\Users\\kim\\AppData\\Local\\Temp",
        "/home/kim/.local/share/opencode/worktree/" + "0f" * 20 + "/calm-river",
    ],
)
def test_places_that_are_no_repository_have_no_name(cwd: str) -> None:
    assert root_name(cwd) == ""


@for_every(
    "cwd, user",
    [
        ("/home/kim/src", "kim"),
        ("/Users/kim", "kim"),
        ("/var/home/kim/x", "kim"),
        ("C:\\Users\\Kim Li\\x", "Kim Li"),
        ("/mnt/c/Users/kim/x", "kim"),
        ("/root/x", "root"),
        ("/rootless/x", ""),
        ("/Users/Shared/x", ""),
        ("C:\\Users\\Public", ""),
        ("/home/‹user:3f9c2a›/x", "‹user:3f9c2a›"),
        ("/srv/home/kim", ""),
        ("/workspace", ""),
        ("", ""),
    ],
)
def test_the_user_is_read_from_a_home_folder(cwd: str, user: str) -> None:
    assert user_of(cwd) == user


PARTS = [
    "home",
    "kim",
    "rocket",
    ".claude",
    "worktrees",
    ".worktrees",
    "rocket.worktrees",
    ".codex",
    "x",
    "tmp",
    ".",
    "..",
]


@settings(max_examples=examples(200))
@given(
    st.sampled_from(["", "/", "C:\\", "/mnt/c/", "~/", "//s/t/", "/home/kim/", "/Users/kim/"]),
    st.lists(st.sampled_from(PARTS) | st.text(max_size=5), max_size=7),
    st.sampled_from(["/", "\\"]),
)
def test_the_root_of_a_root_is_itself(start: str, parts: list[str], slash: str) -> None:
    root = root_of(start + slash.join(parts))
    assert root_of(root) == root
    assert root_name(root) == root_name(start + slash.join(parts))
