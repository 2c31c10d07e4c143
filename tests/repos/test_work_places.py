"""Where a session worked, told by its commands, its files and what git printed."""

import pytest
from tests.every import for_every

from afterwit.repos.folders import Spot, folder_named, main_place, place_of_file, places_of_command, remotes_in

ORCHARD = "~/orchard"
REMOTE = "github.com/fruit/orchard"


@for_every(
    "line, places",
    [
        ("cd ~/orchard && make press", {ORCHARD}),
        ('cd "$HOME/orchard" && make', {ORCHARD}),
        ("git -C /srv/orchard status", {"/srv/orchard"}),
        ("(cd /srv/orchard; make)", {"/srv/orchard"}),
        ("cd ~/orchard/src/api && npm test", {ORCHARD}),
        ("cd ~/code/orchard && make", {"~/code/orchard"}),
        ("cd ~/.codex/worktrees/4f2a/orchard && make", {"~/.codex/worktrees/orchard"}),
        ("git clone https://github.com/fruit/orchard.git /srv/orchard && cd /srv/orchard", {REMOTE, "/srv/orchard"}),
        ("gh pr merge 12 --repo fruit/orchard", {REMOTE}),
        ("curl -X POST https://api.github.com/repos/fruit/orchard/pulls/3/merge", {REMOTE}),
        ("curl https://forge.example:3000/api/v1/repos/fruit/orchard/issues", {"forge.example/fruit/orchard"}),
    ],
)
def test_a_command_names_the_places_that_it_is_about(line: str, places: set[str]) -> None:
    assert places_of_command(line) == places


@pytest.mark.parametrize(
    "line",
    ["ls", "cd ..", "cd ~ && ls", "cd ~/code && ls", "cd /etc/nginx && ls", "cd ~/.hermes && ls", "cd /tmp && make"],
)
def test_homes_and_folders_of_the_system_are_no_place(line: str) -> None:
    assert places_of_command(line) == set()


def test_a_call_can_say_in_which_folder_it_is_to_be_run() -> None:
    assert places_of_command("make", folder_named({"command": "make", "workdir": "/srv/orchard"})) == {"/srv/orchard"}


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/home/ann/orchard/src/press.py", "/home/ann/orchard"),
        ("~/projects/orchard/README.md", "~/projects/orchard"),
        ("/srv/fruit/orchard/press.py", "/srv/fruit/orchard"),
        ("/home/ann/.bashrc", ""),
        ("/home/ann/.config/tool/settings.toml", ""),
        ("/etc/hosts", ""),
        ("src/press.py", ""),
    ],
)
def test_a_file_belongs_to_a_folder_that_was_named_or_to_the_first_below_a_home(path: str, place: str) -> None:
    assert place_of_file(path, ["/srv/fruit/orchard"]) == place


def test_outputs_of_git_name_remotes() -> None:
    shown = "origin\tgit@github.com:fruit/orchard.git (fetch)\norigin\tgit@github.com:fruit/orchard.git (push)\n"
    pushed = "To https://github.com/fruit/orchard.git\n   1f2e3d4..5a6b7c8  main -> main\n"
    assert remotes_in(shown) == remotes_in(pushed) == {f"origin:{REMOTE}"}
    assert remotes_in("From https://example.org/some/page we learn\n") == set()


def test_the_place_in_which_most_was_done_leads() -> None:
    assert main_place({"~/harbour": 2, ORCHARD: 5}) == Spot(ORCHARD, "")
    assert main_place({}) == Spot("", "")


def test_a_folder_and_a_remote_of_one_name_are_one_place() -> None:
    assert main_place({"~/harbour": 4, ORCHARD: 3, REMOTE: 2}) == Spot(ORCHARD, REMOTE)
    assert main_place({REMOTE: 1}) == Spot("", REMOTE)


def test_the_only_remote_that_git_printed_is_that_of_the_only_folder() -> None:
    assert main_place({"~/fruit-press": 4, f"origin:{REMOTE}": 1}) == Spot("~/fruit-press", REMOTE)
    assert main_place({"~/fruit-press": 4, REMOTE: 1}) == Spot("~/fruit-press", "")


def test_of_equals_the_folder_leads() -> None:
    assert main_place({"~/fruit-press": 1, REMOTE: 1}) == Spot("~/fruit-press", "")


def test_a_folder_below_another_belongs_to_it_unless_nearly_all_was_done_there() -> None:
    assert main_place({ORCHARD: 3, f"{ORCHARD}/press": 5}) == Spot(ORCHARD, "")
    assert main_place({"~/fruit": 1, "~/fruit/orchard": 9}) == Spot("~/fruit/orchard", "")


def test_the_short_way_to_a_home_is_that_of_the_home_which_others_name() -> None:
    assert main_place({ORCHARD: 2, "/home/ann/orchard": 1}) == Spot("/home/ann/orchard", "")


def test_the_order_in_which_places_were_named_does_not_matter() -> None:
    counts = {"~/harbour": 2, ORCHARD: 2, REMOTE: 1, "/home/ann/fruit": 3}
    assert main_place(counts) == main_place(dict(reversed(counts.items())))
