"""Where Claude Code keeps its files, below its home folder.

    projects/<slug>/<session>.jsonl                               a transcript
    projects/<slug>/agent-<id>.jsonl                              a subagent's, in old versions
    projects/<slug>/<session>/subagents/**/agent-<id>.jsonl       a subagent's
    projects/<slug>/<session>/subagents/**/agent-<id>.meta.json   what the subagent is
    projects/<slug>/<session>/tool-results/<id>.txt               output too large for the transcript

Names that come out of a log become part of a path only here, and only if they are plain ids.
"""

import re
from pathlib import PurePosixPath

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_META = ".meta.json"


def primary(path: PurePosixPath) -> PurePosixPath | None:
    """The transcript that this file is or belongs to."""
    match path.parts:
        case ("projects", _, _):
            return _transcript(path)
        case ("projects", slug, session, "tool-results", _):
            return PurePosixPath("projects", slug, f"{session}.jsonl")
        case ("projects", _, _, "subagents", *_, name) if name.startswith("agent-"):
            return _transcript(path)
    return None


def is_subagent(path: PurePosixPath) -> bool:
    return path.stem.startswith("agent-")


def meta(path: PurePosixPath) -> PurePosixPath:
    """The companion that says what kind of subagent wrote this transcript."""
    return path.with_name(f"{path.stem}{_META}")


def spilled(path: PurePosixPath, session: str, stated: str, call: str) -> list[PurePosixPath]:
    """Where the whole output of a call can lie: under the file name that the log states, or under the call's id.

    Only the last part of the stated path is used, and only if it is a plain id with the suffix .txt.
    """
    folder = _session_folder(path, session)
    if folder is None:
        return []
    name = re.split(r"[/\\]", stated)[-1].removesuffix(".txt")
    ids = [text for text in (name, call) if _PLAIN.fullmatch(text)]
    return [folder / "tool-results" / f"{plain}.txt" for plain in dict.fromkeys(ids)]


def _session_folder(path: PurePosixPath, session: str) -> PurePosixPath | None:
    match path.parts:
        case ("projects", slug, folder, "subagents", *_):
            return PurePosixPath("projects", slug, folder)
        case ("projects", slug, _):
            owner = session if is_subagent(path) else path.stem
            return PurePosixPath("projects", slug, owner) if _PLAIN.fullmatch(owner) else None
    return None


def _transcript(path: PurePosixPath) -> PurePosixPath | None:
    if is_subagent(path) and path.name.endswith(_META):
        return path.with_name(f"{path.name.removesuffix(_META)}.jsonl")
    return path if path.suffix == ".jsonl" else None
