import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.repos.remotes import GitSetting, canonical_remote, git_settings, name_key, remote_in, short_names

TOKEN = "ghp_" + "x" * 12 + "Invented"


@for_every(
    "text",
    [
        "https://github.com/Acme/Rocket",
        "https://github.com/acme/rocket.git",
        "https://github.com/acme/rocket.git/",
        "http://www.github.com/acme/rocket/",
        "https://github.com:443//acme/rocket.git",
        f"https://{TOKEN}@github.com/acme/rocket",
        f"https://x-access-token:{TOKEN}@github.com/acme/rocket.git",
        f"https://me:p@{TOKEN}@github.com/acme/rocket.git",
        "git@github.com:acme/rocket.git",
        "git@github.com:/acme/rocket.git",
        "github.com:acme/rocket",
        f"me:{TOKEN}@github.com:acme/rocket",
        "ssh://git@github.com/acme/rocket.git",
        "ssh://git@github.com:22/acme/rocket.git",
        "ssh://git@ssh.github.com:443/acme/rocket.git",
        "git@ssh.github.com:443/acme/rocket.git",
        "git+ssh://git@github.com/acme/rocket.git",
        "git://github.com/acme/rocket.git",
        "git@github-work:acme/rocket.git",
        "git@github.com-work:acme/rocket.git",
        "github.com/acme/rocket",
        f"{TOKEN}@github.com/acme/rocket",
        "https://github.com/acme/rocket/pull/12",
        "https://github.com/acme/rocket/tree/main/src?tab=readme#top",
        "  'https://GitHub.com/ACME/rocket.GIT'\n",
    ],
)
def test_one_repository_has_one_name_however_its_remote_is_written(text: str) -> None:
    assert canonical_remote(text) == "github.com/acme/rocket"


@for_every(
    "text, name",
    [
        ("https://gitlab.com/group/sub/deeper/tool.git", "gitlab.com/group/sub/deeper/tool"),
        ("https://gitlab.com/group/sub/tool/-/merge_requests/3", "gitlab.com/group/sub/tool"),
        ("git@altssh.gitlab.com:group/tool.git", "gitlab.com/group/tool"),
        ("https://me@bitbucket.org/team/tool/src/main/a.py", "bitbucket.org/team/tool"),
        ("https://git.example.org/scm/PROJ/tool.git", "git.example.org/proj/tool"),
        ("ssh://git@git.example.org:7999/proj/tool.git", "git.example.org/proj/tool"),
        ("https://git.example.org/projects/PROJ/repos/tool/browse", "git.example.org/proj/tool"),
        ("https://git.example.org/users/kim/repos/tool", "git.example.org/~kim/tool"),
        ("https://org@dev.azure.com/org/My%20Project/_git/tool", "dev.azure.com/org/my project/tool"),
        ("git@ssh.dev.azure.com:v3/org/proj/tool", "dev.azure.com/org/proj/tool"),
        ("https://org.visualstudio.com/DefaultCollection/proj/_git/tool", "dev.azure.com/org/proj/tool"),
        ("org@vs-ssh.visualstudio.com:v3/org/proj/tool", "dev.azure.com/org/proj/tool"),
        ("https://dev.azure.com/org/_git/tool", "dev.azure.com/org/tool/tool"),
        ("https://git.sr.ht/~kim/tool", "git.sr.ht/~kim/tool"),
        ("github.com/‹user:3f9c2a›/tool", "github.com/‹user:3f9c2a›/tool"),
        ("‹ip:3f9c2a›/team/tool", "‹ip:3f9c2a›/team/tool"),
        ("https://192.0.2.7:8443/team/tool", "192.0.2.7/team/tool"),
        ("git@gitserver:team/tool.git", "gitserver/team/tool"),
    ],
)
def test_the_forms_of_other_hosts_are_understood(text: str, name: str) -> None:
    assert canonical_remote(text) == name


@for_every(
    "text",
    [
        "",
        ".",
        "/srv/git/tool.git",
        "../tool",
        "~/tool",
        "C:\\Users\\kim\\tool",
        "c:/Users/kim/tool",
        "\\\\server\\share\\tool",
        "file:///srv/git/tool.git",
        "codecommit::eu-west-1://tool",
        "https://github.com/..git",
        "https://github.com/acme/..",
        "https://github.com/acme",
        "https://github.com/",
        "https://github.com",
        "https://example.org/page",
        "owner/name",
        "git@gitserver:tool.git",
        f"https://user.name:pa/{TOKEN}@github.com/acme/rocket",
        "https://github.com/acme/ro\x00cket",
        "https://github.com/acme/%0arocket",
        "https://github.com/" + "a" * 5000,
    ],
)
def test_what_is_no_remote_has_no_name(text: str) -> None:
    assert canonical_remote(text) == ""


@settings(max_examples=examples(200))
@given(st.text(max_size=60) | st.from_regex(r"(?:ssh|https)://[a-z:@]{0,9}[a-z.]{1,12}/[A-Za-z%@:/._ -]{0,30}"))
def test_a_canonical_name_stays_as_it_is_and_never_holds_a_user(text: str) -> None:
    name = canonical_remote(text)
    assert canonical_remote(name) == name
    assert "@" not in name
    assert ":" not in name


@given(st.text(alphabet="abcXYZ019_-", min_size=6, max_size=30))
def test_a_token_in_the_address_never_reaches_the_name(token: str) -> None:
    secret = f"tok{token}en"
    for text in (f"https://{secret}@host.example/a/b", f"https://me:{secret}@host.example/a/b.git?t={secret}"):
        assert canonical_remote(text) == "host.example/a/b"


def test_spellings_of_a_name_have_one_key() -> None:
    assert len({name_key(name) for name in ("git-sync", "gitsync", "Git_Sync", "git.sync")}) == 1
    assert name_key("---") == "---"


def test_settings_of_git_are_read_with_their_sections_and_without_comments() -> None:
    config = """# of a person
[user]
\tname = "Ada Lovelace" ; the author
\tEmail = ada@example.org
[remote "origin"] url = https://github.com/acme/\\
rocket
[alias]
\tlast
"""
    assert list(git_settings(config)) == [
        GitSetting("user", "", "name", "Ada Lovelace"),
        GitSetting("user", "", "email", "ada@example.org"),
        GitSetting("remote", "origin", "url", "https://github.com/acme/rocket"),
    ]


@pytest.mark.parametrize(
    ("names", "remote"),
    [
        (("upstream", "origin"), "github.com/origin/x"),
        (("fork", "upstream"), "github.com/upstream/x"),
        (("fork",), "github.com/fork/x"),
        (("one", "other"), ""),
        ((), ""),
    ],
)
def test_origin_goes_before_upstream_before_the_only_remote(names: tuple[str, ...], remote: str) -> None:
    config = "".join(f'[remote "{name}"]\n\turl = git@github.com:{name}/x.git\n' for name in names)
    assert remote_in(config) == remote


def test_repositories_go_by_their_last_part_unless_two_are_the_same() -> None:
    names = ("git.example/fruit/orchard", "git.example/trees/orchard", "git.example/sea/harbour", "almanac", "")
    assert short_names(names) == {
        "git.example/fruit/orchard": "fruit/orchard",
        "git.example/trees/orchard": "trees/orchard",
        "git.example/sea/harbour": "harbour",
        "almanac": "almanac",
        "": "",
    }
    assert short_names(("x.example/a/orchard", "y.example/a/orchard", "orchard")) == {
        "x.example/a/orchard": "x.example/a/orchard",
        "y.example/a/orchard": "y.example/a/orchard",
        "orchard": "orchard",
    }
