"""Finds in other programs' files which program our hooks start.

Whatever the format, a command of ours is a line for a shell or a list of strings, and begins with the hook program or
with an interpreter that runs our module. A path with a space in it stands in quotes. Pure: whether the program is there
is for others to see.
"""

import re
from pathlib import PurePosixPath, PureWindowsPath

_QUOTE = r"""\\?['"]"""
_GAP = r"""(?:\\?['"])?,?\s+(?:\\?['"])?"""
_MODULE = rf"-I{_GAP}-m{_GAP}afterwit\.hook\b"
_PROGRAMS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"""{_QUOTE}(?P<path>[^'"\n]*[/\\]afterwit-hook(?:\.exe)?){_QUOTE}""",
        r"""(?<![^\s'"])(?P<path>[^\s'"]*[/\\]afterwit-hook(?:\.exe)?)(?=\s)""",
        rf"""{_QUOTE}(?P<path>[^'"\n]*[^'"\s\\]){_QUOTE},?\s+(?:\\?['"])?{_MODULE}""",
        rf"""(?<![^\s'"])(?P<path>[^\s'"]+)\s+{_MODULE}""",
    )
)


def hook_programs(text: str) -> set[str]:
    """The programs, by absolute path, that hooks of ours in a file start."""
    found = {match["path"].replace("\\\\", "\\") for pattern in _PROGRAMS for match in pattern.finditer(text)}
    return {path for path in found if PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()}
