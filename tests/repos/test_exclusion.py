"""What an entry of `exclude` means."""

import pytest
from tests.every import for_every

from afterwit.repos.exclusion import Exclusion, parse_entry


@for_every(
    "entry, repo, is_meant",
    [
        ("repo:work/*", "github.com/work/ledger", True),
        ("repo:work/*", "github.com/home/ledger", False),
        ("repo:work/*", "git.example.org/group/work/ledger", False),
        ("repo:ledger", "github.com/work/ledger", True),
        ("repo:ledger", "ledger", True),
        ("repo:work", "github.com/work/ledger", False),
        ("repo:LED*", "github.com/Work/Ledger", True),
        ("repo:github.com/work/ledger", "github.com/work/ledger", True),
        ("repo:*", "", False),
    ],
)
def test_a_repository_goes_by_its_whole_name_its_owner_and_name_or_its_last_part(
    entry: str, repo: str, is_meant: bool
) -> None:
    assert Exclusion([entry]).has_repo(repo) is is_meant


@for_every(
    "entry, folder, is_meant",
    [
        ("folder:~/clients", "/home/ada/clients", True),
        ("folder:~/clients/**", "/home/ada/clients", True),
        ("folder:~/clients/**", "/home/ada/clients/acme/src", True),
        ("folder:~/clients/", "/home/ada/clients-old", False),
        ("folder:~/*/secret", "/home/ada/src/secret/deep", True),
        ("folder:/srv/vault", "/srv/vault", True),
        ("folder:/srv/vault", "/home/srv/vault", False),
        ("folder:~", "/home/ada/anything", True),
        ("folder:~", "/home/bob", False),
        ("folder:C:\\work", "C:/work/ledger", True),
        ("folder:~/clients", "", False),
    ],
)
def test_a_folder_means_all_that_is_in_it(entry: str, folder: str, is_meant: bool) -> None:
    assert Exclusion([entry], "/home/ada").has_folder(folder) is is_meant


def test_an_agent_is_meant_by_its_name_or_a_pattern() -> None:
    assert Exclusion(["agent:gemini"]).has_agent("gemini")
    assert Exclusion(["agent:c*"]).has_agent("codex")
    assert not Exclusion(["agent:gemini"]).has_agent("codex")


@pytest.mark.parametrize("entry", ["work/*", "repo:", "project:x", "folder:clients", "folder:~bob/x", "repo"])
def test_an_entry_that_means_nothing_is_refused(entry: str) -> None:
    with pytest.raises(ValueError, match=r"write|written"):
        parse_entry(entry)


def test_nothing_is_left_out_where_nothing_is_said() -> None:
    assert not Exclusion()
    assert not Exclusion().has_agent("codex")
