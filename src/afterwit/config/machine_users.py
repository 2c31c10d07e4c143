"""Collects the names that belong to this machine's user, so that redaction can replace them by pseudonyms."""

import re
import socket
from collections.abc import Mapping
from pathlib import Path

from afterwit.guard.people import People
from afterwit.model.settings import RedactionSettings
from afterwit.store.regular_files import read_regular

_GIT_CONFIG_BYTES = 1 << 20
_ENTRY = re.compile(r"^\s*(name|email)\s*=\s*\"?(.*?)\"?\s*$", re.IGNORECASE)


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
        hosts=tuple(sorted({socket.gethostname()} - {"", "localhost"})),
        names=tuple(sorted(names - {""})),
        emails=tuple(sorted(emails - {""})),
    )


def _author(path: Path) -> list[tuple[str, str]]:
    """The entries of the [user] section of a git configuration file."""
    try:
        lines = read_regular(path, _GIT_CONFIG_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
    found: list[tuple[str, str]] = []
    is_user = False
    for line in lines:
        if line.lstrip().startswith("["):
            is_user = line.strip().lower() == "[user]"
        elif is_user and (entry := _ENTRY.match(line)):
            found.append((entry[1].lower(), entry[2]))
    return found
