"""Which repository a call is about: the one that it names, else that of the folder that it names or runs in."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import apsw

from afterwit.mcp.tool import Caller, Schema, text
from afterwit.recall.recall import repo_at

PLACE: Mapping[str, Schema] = {
    "repo": text("The repository, if it is not the one you are in: its name, or the last part of it.", 400),
    "folder": text("Absolute path of the folder you work in. Default: where this server was started."),
}


def repo_of(db: apsw.Connection, caller: Caller, arguments: Mapping[str, Any]) -> str:
    """The repository; "" where no session is known of it. A name that nobody knows is an error."""
    if "repo" in arguments:
        from afterwit.sessions.repo_names import find_repo

        return find_repo(db, arguments["repo"])
    folder = _folder(caller, arguments.get("folder", ""))
    return repo_at(db, caller.world, folder) if folder else ""


def _folder(caller: Caller, named: str) -> Path | None:
    if not named:
        return caller.folder
    if named == "~" or named.startswith("~/"):
        return caller.world.user_home / named[2:]
    path = Path(named)
    return path if path.is_absolute() else caller.folder / path if caller.folder else None
