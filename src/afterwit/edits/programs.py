"""Finds in other programs' files which programs of ours they start: that for hooks, and that of the MCP server.

Whatever the format, a hook of ours is a line for a shell or a list of strings, and begins with the hook program or with
an interpreter that runs our module; a server is a `command`, or stands before `mcp` in a list. A path with a space
stands in quotes, and a quote in it is quoted in turn. Pure: whether the program is there is for others to see.
"""

import json
import re
from contextlib import suppress
from pathlib import PurePosixPath, PureWindowsPath

_DOUBLE, _SINGLE = r'\\?"', "'"
_GAP = r"""(?:\\?['"])?,?\s+(?:\\?['"])?"""
_MODULE = rf"-I{_GAP}-m{_GAP}afterwit\.hook\b"
_HOOK = r"[/\\]afterwit-hook(?:\.exe)?"
_HOOKS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"""{_DOUBLE}(?P<path>[^"\n]*{_HOOK}){_DOUBLE}""",
        rf"""{_SINGLE}(?P<path>[^'"\n]*{_HOOK}){_SINGLE}""",
        rf"""(?<![^\s'"])(?P<path>[^\s'"]*{_HOOK})(?=\s)""",
        rf"""{_DOUBLE}(?P<path>[^"\n]*[^"\s\\]){_DOUBLE},?\s+(?:{_DOUBLE})?{_MODULE}""",
        rf"""{_SINGLE}(?P<path>[^'"\n]*[^'"\s\\]){_SINGLE}\s+{_MODULE}""",
        rf"""(?<![^\s'"])(?P<path>[^\s'"]+)\s+{_MODULE}""",
    )
)
_SERVER = r"""["'](?P<path>[^"\n]*[/\\]afterwit(?:\.exe)?)["']"""
_SERVERS = tuple(
    re.compile(pattern) for pattern in (rf"""\bcommand['"]?\s*[:=]\s*{_SERVER}""", rf"""{_SERVER},\s*["']mcp["']""")
)
_QUOTED_QUOTES = re.compile(r"""'\\?"'\\?"'""")  # how a shell's quoting writes a quote, in JSON too
_QUOTE = "\0"  # stands for it meanwhile


def hook_programs(text: str) -> set[str]:
    """The programs, by absolute path, that hooks of ours in a file start."""
    plain = _QUOTED_QUOTES.sub(_QUOTE, text)
    return _absolute({match["path"] for pattern in _HOOKS for match in pattern.finditer(plain)})


def server_programs(text: str) -> set[str]:
    """The same for our MCP server."""
    return _absolute({match["path"] for pattern in _SERVERS for match in pattern.finditer(text)})


def _absolute(found: set[str]) -> set[str]:
    paths = {_unescaped(path) for path in found}
    return {path for path in paths if PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()}


def _unescaped(path: str) -> str:
    path = path.replace(_QUOTE, "'")
    if "\\u" in path:
        with suppress(ValueError):
            return str(json.loads(f'"{path}"'))
    return path.replace("\\\\", "\\")
