"""The files with which people instruct every session: which names they have, and how one is noted.

Patterns say what agents load on their own: below a checkout, and below the home folder of a user. A file of the same
name deeper in a checkout holds for a part of it only and does not count. Whether a folder is a checkout or a home
folder is the caller's to know, and which patterns there are is for the descriptions of agents to say.
"""

from pathlib import PurePosixPath
from typing import NamedTuple

import msgspec

_WILD = frozenset("*?[")
_ENDINGS = (".md", ".mdc", "rules")
_LONGEST_PATH = 1_000
_WHOLE, _PIECE = "whole", "piece"


class InstructionFiles(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the files of an agent lie, or those of all agents."""

    in_checkouts: tuple[str, ...] = ()
    in_homes: tuple[str, ...] = ()
    of_projects: tuple[str, ...] = ()  # below a home; `{project}` is the project's path with hyphens


class Placed(NamedTuple):
    """A path taken apart."""

    folder: str  # "" where the path is relative and names none
    name: str  # below the folder


class Instruction(NamedTuple):
    """What was seen of an instruction file: all of it, or a piece that was read, added or changed."""

    path: str
    text: str
    is_whole: bool

    @property
    def head(self) -> str:
        return f"{_WHOLE if self.is_whole else _PIECE} {self.path}"


def instruction(head: str, text: str) -> Instruction:
    """What was noted under this head."""
    kind, _, path = head.partition(" ")
    return Instruction(path, text, kind == _WHOLE)


def place_instruction(path: str, patterns: tuple[str, ...]) -> Placed | None:
    """Where the file lies, if it has the name of an instruction file. Of several names the longest counts."""
    if not path.endswith(_ENDINGS) or len(path) > _LONGEST_PATH:
        return None
    parts = PurePosixPath(path.replace("\\", "/")).parts
    depths = [pattern.count("/") + 1 for pattern in patterns if _ends(parts, pattern)]
    if not depths:
        return None
    folder = PurePosixPath(*parts[: -max(depths)])
    return Placed("" if str(folder) == "." else str(folder), "/".join(parts[-max(depths) :]))


def _ends(parts: tuple[str, ...], pattern: str) -> bool:
    wanted = pattern.split("/")
    if not _fits(parts[-1], wanted[-1]):
        return False
    ending = parts[-len(wanted) :]
    return len(ending) == len(wanted) and all(map(_fits, ending, wanted))


def _fits(part: str, wanted: str) -> bool:
    return part == wanted if _WILD.isdisjoint(wanted) else PurePosixPath(part).match(wanted)
