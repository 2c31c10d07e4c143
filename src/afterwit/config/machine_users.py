"""Collects the names that belong to this machine's user, so that redaction can replace them by pseudonyms."""

import socket
from collections.abc import Mapping
from pathlib import Path

from afterwit.guard.people import People
from afterwit.model.settings import RedactionSettings
from afterwit.repos.remotes import GitSetting, git_settings
from afterwit.store.regular_files import read_regular

_GIT_CONFIG_BYTES = 1 << 20


def known_people(environ: Mapping[str, str], user_home: Path, settings: RedactionSettings) -> People:
    """The login, the host, the author in git's configuration, and what the user's own configuration adds."""
    users = {environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME")}
    names: set[str] = {*settings.people, *settings.strings}
    emails: set[str] = set()
    config_home = Path(environ.get("XDG_CONFIG_HOME") or user_home / ".config")
    for path in (user_home / ".gitconfig", config_home / "git" / "config"):
        for setting in _git_settings(path):
            if (setting.section, setting.name) == ("user", "") and setting.key in ("name", "email"):
                (names if setting.key == "name" else emails).add(setting.value)
    return People(
        users=tuple(sorted(users - {""})),
        hosts=tuple(sorted({socket.gethostname()} - {"", "localhost"})),
        names=tuple(sorted(names - {""})),
        emails=tuple(sorted(emails - {""})),
    )


def _git_settings(path: Path) -> list[GitSetting]:
    try:
        return list(git_settings(read_regular(path, _GIT_CONFIG_BYTES).decode("utf-8", "replace")))
    except OSError:
        return []
