"""One name for a repository, whichever way its remote is written (`github.com/owner/name`, in lower case), and the
remote that a git configuration names.

Understands URLs of all transports, the short form of ssh, web pages inside a repository (pull requests, files) and the
addresses of the large hosts. Users, passwords, tokens, ports and queries never get into the name. What is no remote, or
has a part that could be a path or a secret, gives "". Local paths give "". Knows nothing of folders and sessions.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import unquote

from afterwit.model.text import regex
from afterwit.redaction.markers import PLACEHOLDER

OF_FOLDER, OF_CLONE = "folder:", "clone:"  # before the name of a checkout's folder, and of its remote
_LONGEST = 2048
_TRANSPORTS = frozenset({"git", "git+https", "git+ssh", "http", "https", "ssh", "ssh+git"})
_URL = regex(r"(?i)([a-z][a-z0-9+.-]*)://(?:[^/?#]*@)?([^/?#@:]+)(?::[0-9]*)?/+([^?#]+)")
_SHORT = regex(r"(?:[^/\\\s]*@)?([^@/:\\\s‹]{2,}):(?!//)/?([^\\?#]+)")
_BARE = regex(rf"(?i)(?:[^/\\\s]*@)?([a-z0-9][a-z0-9.-]*|{PLACEHOLDER.pattern})(?::[0-9]+)?/([^\\?#]+)")
_HOST = regex(rf"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|{PLACEHOLDER.pattern}")
_PART = regex(rf"(?:[\w.~+ -]|{PLACEHOLDER.pattern})+")  # an owner may have been redacted
_HOST_ALIAS = regex(r"(?:(github|gitlab)(?:\.com)?|(bitbucket)(?:\.org)?)-[a-z0-9_-]+")  # in ~/.ssh/config
_SAME_HOST = {
    "altssh.bitbucket.org": "bitbucket.org",
    "altssh.gitlab.com": "gitlab.com",
    "ssh.dev.azure.com": "dev.azure.com",
    "ssh.github.com": "github.com",
}
_TWO_LEVELS = frozenset({"bitbucket.org", "codeberg.org", "github.com"})
_PAGES = frozenset(
    {"-", "blob", "commit", "commits", "issues", "merge_requests", "pull", "pull-requests", "pulls", "src", "tree"}
)
_PREFERRED = ("origin", "upstream")
_SECTION = regex(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_KEY = regex(r"[A-Za-z][\w-]*")
_COMMENT = regex(r"\s[#;]")


class GitSetting(NamedTuple):
    """An entry of a git configuration."""

    section: str  # in lower case, like the key
    name: str  # of `[section "name"]`
    key: str
    value: str


class _Address(NamedTuple):
    host: str
    path: str


def canonical_remote(text: str) -> str:
    """The name of the repository that a remote or a web address stands for, or "". A canonical name stays as it is."""
    address = _address(text.strip().strip("'\"<>"))
    if address is None:
        return ""
    host, parts = _on_known_host(_host(address.host), _parts(address.path))
    if not _HOST.fullmatch(host) or len(parts) < 2:
        return ""
    parts[-1] = parts[-1].removesuffix(".git")
    if not all(_is_sound(part) for part in parts):
        return ""
    return "/".join([host, *parts])


def git_settings(config: str) -> Iterator[GitSetting]:
    """The entries of a text in git's configuration format, in order. What it includes from elsewhere is left out."""
    section, name = "", ""
    for line in config.replace("\\\n", "").splitlines():
        line = line.strip()
        header = _SECTION.match(line)
        if header:
            section, name = header[1].lower(), header[2] or ""
            line = line[header.end() :].strip()
        key, is_entry, value = line.partition("=")
        if is_entry and _KEY.fullmatch(key.rstrip()):
            value = _COMMENT.split(value, maxsplit=1)[0].replace('"', "").strip()
            yield GitSetting(section, name, key.rstrip().lower(), value)


def remote_in(config: str) -> str:
    """The canonical remote that a git configuration names: origin, else upstream, else the only one; ""."""
    remotes: dict[str, str] = {}
    for setting in git_settings(config):
        if setting.section == "remote" and setting.name and setting.key == "url":
            remotes.setdefault(setting.name, canonical_remote(setting.value))
    only = list(remotes) if len(remotes) == 1 else []
    return next((remotes[name] for name in (*_PREFERRED, *only) if remotes.get(name)), "")


def keys_of_checkout(remote: str, folder: str) -> list[str]:
    """By what a checkout with this remote ("" for none) in a folder of this name is looked up, the most precise
    first. The folder's name says nothing where there is a remote."""
    if remote:
        return [remote, remote.partition("/")[2], f"{OF_CLONE}{name_key(last_part(remote))}"]
    return [f"{OF_FOLDER}{name_key(folder)}"] if folder else []


def last_part(repo: str) -> str:
    """What people call the repository: `name` of `host/owner/name`."""
    return repo.rpartition("/")[2]


def short_names(repos: Iterable[str]) -> dict[str, str]:
    """Each by its last part, or by as many of its last parts as tell it from the others."""
    names = {repo: last_part(repo) for repo in repos}
    depth = 1
    while alike := [repo for repo, name in names.items() if list(names.values()).count(name) > 1 and name != repo]:
        depth += 1
        names |= {repo: "/".join(repo.split("/")[-depth:]) for repo in alike}
    return names


def name_key(name: str) -> str:
    """Equal for spellings of one name: git-sync, gitsync, Git_Sync."""
    folded = name.casefold()
    return re.sub(r"[\W_]+", "", folded) or folded


def _address(text: str) -> _Address | None:
    if len(text) > _LONGEST or not text.isprintable():
        return None
    if "://" in text:
        url = _URL.match(text)
        return _Address(url[2], url[3]) if url and url[1].lower() in _TRANSPORTS else None
    short = _SHORT.fullmatch(text)
    if short and not re.match(r"[0-9]+/", short[2]):
        return _Address(short[1], short[2])
    bare = _BARE.match(text)
    return _Address(bare[1], bare[2]) if bare else None


def _host(text: str) -> str:
    host = text.lower().rstrip(".").removeprefix("www.")
    alias = _HOST_ALIAS.fullmatch(host)
    if alias:
        return f"{alias[1]}.com" if alias[1] else f"{alias[2]}.org"
    return _SAME_HOST.get(host, host)


def _parts(path: str) -> list[str]:
    return [part for part in unquote(path).lower().split("/") if part.strip()]


def _is_sound(part: str) -> bool:
    return bool(_PART.fullmatch(part)) and part == part.strip() and not set(part) <= {"."}


def _on_known_host(host: str, parts: list[str]) -> tuple[str, list[str]]:
    """The host and the parts of the name, without what a host adds around them."""
    if host == "dev.azure.com" or host.endswith(".visualstudio.com"):
        return "dev.azure.com", _azure(host, parts)
    if host in _TWO_LEVELS:
        return host, parts[:2]
    if len(parts) > 3 and parts[0] in {"projects", "users"} and parts[2] == "repos":
        return host, [("~" if parts[0] == "users" else "") + parts[1], parts[3]]
    if len(parts) > 2 and parts[0] == "scm":
        parts = parts[1:]
    return host, _before_page(parts)


def _azure(host: str, parts: list[str]) -> list[str]:
    """Organisation, project, name. A project's main repository may leave the project out."""
    if parts[:1] == ["v3"]:
        return parts[1:4]
    if host not in {"dev.azure.com", "vs-ssh.visualstudio.com"}:
        parts = [host.partition(".")[0], *(part for part in parts if part != "defaultcollection")]
    if "_git" in parts[:3]:
        at = parts.index("_git")
        name = parts[at + 1 : at + 2]
        return parts[:at] + name if at == 2 else parts[:at] + name + name
    return parts[:3] if len(parts) == 3 else []


def _before_page(parts: list[str]) -> list[str]:
    page = next((at for at, part in enumerate(parts) if at > 1 and part in _PAGES), len(parts))
    return parts[:page]
