"""What all files of a run have in common: how they are redacted, and under which names tools and users are known.

The rules go to worker processes as they are; the redactor that follows from them is made once in each. Where they come
from, settings, surroundings and the store, is in `world`. The names that belong to this machine's user are collected
here, so that redaction can replace them by pseudonyms.
"""

import platform
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import msgspec

from afterwit.agents.declared.description import Description
from afterwit.model.settings import RedactionSettings
from afterwit.model.text import regex
from afterwit.redaction.people import People
from afterwit.redaction.redaction import Redactor
from afterwit.store.regular_files import read_regular

_GIT_CONFIG_BYTES = 1 << 20
_ENTRY = regex(r"(?i)^\s*(name|email)\s*=\s*\"?(.*?)\"?\s*$")


class RunRules(msgspec.Struct, frozen=True, kw_only=True):
    """What all files of a run have in common."""

    key: bytes
    people: People
    allow: tuple[str, ...] = ()  # patterns of values that are no secrets
    tool_names: dict[str, str]
    user_names: dict[str, str]
    home: str = ""  # of the user of this machine, for checkouts that a log names by `~`
    declared: tuple[Description, ...] = ()  # the logs that people have described


@lru_cache(maxsize=2)
def redactor_for(key: bytes, people: People, allow: tuple[str, ...]) -> Redactor:
    """Kept for all files of a process: compiling its rules costs more than most files."""
    return Redactor(key, people, allow)


def known_people(environ: Mapping[str, str], user_home: Path, settings: RedactionSettings) -> People:
    """The login, the host, the author in git's configuration, and what the user's own configuration adds."""
    users = {environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME")}
    names: set[str] = {*settings.people, *settings.strings}
    emails: set[str] = set()
    config_home = Path(environ.get("XDG_CONFIG_HOME") or user_home / ".config")
    for path in (user_home / ".gitconfig", config_home / "git" / "config"):
        for key, value in _author(path):
            (names if key == "name" else emails).add(value)
    return People(
        users=tuple(sorted(users - {""})),
        hosts=tuple(sorted({platform.node()} - {"", "localhost"})),
        names=tuple(sorted(names - {""})),
        emails=tuple(sorted(emails - {""})),
    )


def _author(path: Path) -> list[tuple[str, str]]:
    """The entries of the [user] section of a git configuration file."""
    try:
        lines = read_regular(path, _GIT_CONFIG_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
    entries: list[tuple[str, str]] = []
    is_user = False
    for line in lines:
        if line.lstrip().startswith("["):
            is_user = line.strip().lower() == "[user]"
        elif is_user and (entry := _ENTRY.match(line)):
            entries.append((entry[1].lower(), entry[2]))
    return entries
