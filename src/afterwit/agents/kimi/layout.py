"""Where kimi-cli keeps its files, and which session each belongs to.

    sessions/<md5 of the folder>/<session>/wire.jsonl                 all that happened, with times
    sessions/<md5 …>/<session>/state.json                             title, and the worktree if it ran in one
    sessions/<md5 …>/<session>/context.jsonl                          what the model sees
    sessions/<md5 …>/<session>/context_<n>.jsonl                      the same before a compaction, a revert, a clear
    sessions/<md5 …>/<session>/subagents/<id>/{wire,context}.jsonl    a subagent's, `<session>/<id>` here
    sessions/<md5 …>/<session>.jsonl, <session>_<n>.jsonl             contexts of 2025
    sessions/<md5 …>/<session>_<tool>_<n>.jsonl                       of a subagent then, `<session>/<tool>_<n>` here

Which folder a hash stands for is listed in `kimi.json`.
"""

import hashlib
import re
from pathlib import PurePosixPath
from typing import NamedTuple

from afterwit.agents import fields

_FILE = re.compile(
    r"sessions/(?P<folder>[^/]+)/(?P<session>[^/]+)/(?:subagents/(?P<agent>[^/]+)/)?(?:wire|context(?:_\d+)?)\.jsonl"
)
_OLD = re.compile(r"sessions/(?P<folder>[^/]+)/(?P<stem>[^/]+)\.jsonl")
_STEM = re.compile(r"(?P<session>.+?)(?:_(?P<agent>[A-Za-z]\w*_\d+)|_\d+)?")
_STATE = re.compile(r"sessions/[^/]+/[^/]+/state\.json")
FOLDERS = PurePosixPath("kimi.json")


class Owner(NamedTuple):
    """The session that a file is about, its parent if it is a subagent's, and the hash of the folder it ran in."""

    session: str
    parent: str
    folder: str


def owner_of(path: PurePosixPath) -> Owner | None:
    """The owner of a transcript; None if the path is of no known form."""
    found = _FILE.fullmatch(str(path))
    if found:
        return _owner(found["session"], found["agent"], found["folder"])
    old = _OLD.fullmatch(str(path))
    return _named(old["stem"], old["folder"]) if old else None


def primary(path: PurePosixPath) -> PurePosixPath | None:
    """The transcript that this file is or belongs to."""
    if _STATE.fullmatch(str(path)):
        return path.with_name("wire.jsonl")
    return path if owner_of(path) else None


def owner_by_name(path: PurePosixPath) -> Owner:
    """The owner of a file that lies anywhere."""
    if path.stem == "wire" or path.stem.startswith("context"):
        is_agents = path.parent.parent.name == "subagents"
        session = path.parent.parent.parent.name if is_agents else path.parent.name
        return _owner(session or path.stem, path.parent.name if is_agents else None, "")
    return _named(path.stem, "")


def folder_of(wanted: str, raw: bytes | None) -> str:
    """The folder with this hash among those that `kimi.json` lists."""
    for each in fields.mappings(fields.decoded_file(raw), "work_dirs"):
        path = fields.text(each, "path")
        if path and hashlib.md5(path.encode(), usedforsecurity=False).hexdigest() == wanted:
            return path
    return ""


def _named(stem: str, folder: str) -> Owner:
    found = _STEM.fullmatch(stem)
    return _owner(found["session"], found["agent"], folder) if found else Owner(stem, "", folder)


def _owner(session: str, agent: str | None, folder: str) -> Owner:
    return Owner(f"{session}/{agent}", session, folder) if agent else Owner(session, "", folder)
