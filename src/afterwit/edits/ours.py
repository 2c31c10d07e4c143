"""How what is ours looks in other programs' files, and how it is told from what is not.

Nothing else marks it there: formats without comments have no room for a mark, and agents write their files anew. A hook
of ours calls our hook program; our MCP server has our name and starts us with `mcp`. What is written ends well without
us, because these files outlive the program: an environment is moved, or settings are carried to another machine. Most
agents go on without a server that cannot be started; OpenHands was seen to wait for it without end, so it gets a few
lines for a shell that answer in its place.

Which programs of ours a file starts can be read from it, whatever its format: a hook is a line for a shell or a list of
strings, and begins with the hook program or with an interpreter that runs our module; a server is a `command`, or
stands before `mcp` in a list. A path with a space stands in quotes, and a quote in it is quoted in turn. Pure: whether
the program is there is for others to see.
"""

import json
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from afterwit.edits.edits import Surroundings

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
NAME = "afterwit"  # of the MCP server, the plugin, the extension
MARK = "Written by `afterwit connect`; `afterwit disconnect` removes it."

# Without the program, or with one that cannot start, a hook reads its input to the end (whoever writes it may not bear
# that nobody does), says nothing, and ends with 0: some agents take anything else for a refusal.
_ELSE_SILENCE = "2>/dev/null || cat >/dev/null || :"
_OUR_HOOK = re.compile(r"(?:^|[/\\\s'\"])afterwit-hook(?:\.exe)?(?=$|[\s'\"])|-m['\", ]+afterwit\.hook\b")
_SELF = re.compile(r"(?:^|[/\\])afterwit(?:\.exe)?$")


def hook_words(at: Surroundings, agent: str, event: str) -> tuple[str, ...]:
    """What an agent calls at an event. Refusing and rewriting are said only where they can happen."""
    may = (("--refuse", at.may_refuse), ("--rewrite", at.may_rewrite)) if event == "before" else ()
    return (*_led(at), *at.hook, agent, event, *(flag for flag, is_on in may if is_on))


def hook_command(at: Surroundings, agent: str, event: str) -> str:
    """The same as one line for a shell. On Windows nobody can say for which one, so there it is the program alone."""
    words = hook_words(at, agent, event)
    return subprocess.list2cmdline(words) if at.platform == "win32" else f"{shlex.join(words)} {_ELSE_SILENCE}"


def powershell_command(at: Surroundings, agent: str, event: str) -> str:
    """The same for PowerShell."""
    quoted = [f"'{word}'" for word in (text.replace("'", "''") for text in hook_words(at, agent, event))]
    return f"if (Test-Path -LiteralPath {quoted[0]}) {{ & {' '.join(quoted)} }}; exit 0"


def own_words(at: Surroundings, *words: str) -> tuple[str, ...]:
    """What starts our program with these words."""
    return (*_led(at), *at.server[:-1], *words)


def server_entry(at: Surroundings) -> dict[str, Any]:
    """Our MCP server as most agents want it."""
    entry: dict[str, Any] = {"command": at.server[0], "args": list(at.server[1:])}
    return {**entry, "env": dict(at.store)} if at.store else entry


def mentions_us(text: str) -> bool:
    """Whether a file or a command line is ours."""
    return MARK in text or _OUR_HOOK.search(text) is not None


def is_hook(value: Any) -> bool:
    """Whether a hook's description calls our program."""
    return any(_OUR_HOOK.search(text) for text in _strings(value))


def is_server(value: Any) -> bool:
    """Whether the description of an MCP server starts ours."""
    if not isinstance(value, Mapping):
        return False
    words = list(_strings([value.get("command"), value.get("args")]))
    names_us = any(_SELF.search(word) for word in words) or words[-3:-1] == ["-m", NAME]
    return names_us and words[-1:] == ["mcp"]


def _led(at: Surroundings) -> tuple[str, ...]:
    """Leads to the store where the agent's environment does not."""
    if not at.store or at.platform == "win32":
        return ()
    return ("env", *(f"{name}={value}" for name, value in sorted(at.store.items())))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)


def hook_programs(text: str) -> set[str]:
    """The programs, by absolute path, that hooks of ours in a file start."""
    plain = _QUOTED_QUOTES.sub(_QUOTE, text)
    return _absolute({match["path"] for pattern in _HOOKS for match in pattern.finditer(plain)})


def server_programs(text: str) -> set[str]:
    """The same for our MCP server."""
    return _absolute({match["path"] for pattern in _SERVERS for match in pattern.finditer(text)})


def _absolute(written: set[str]) -> set[str]:
    paths = {_unescaped(path) for path in written}
    return {path for path in paths if PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()}


def _unescaped(path: str) -> str:
    path = path.replace(_QUOTE, "'")
    if "\\u" in path:
        with suppress(ValueError):
            return str(json.loads(f'"{path}"'))
    return path.replace("\\\\", "\\")


# `$0` and what follows it start our server. Of a message only its id and what it asks for are looked at.
SCRIPT = """\
[ -x "$0" ] && "$0" "$@" && exit 0
while IFS= read -r line; do
  id=${line#*'"id":'}
  [ "$id" != "$line" ] || continue
  id=${id%%[,\\}]*}
  version=${line#*'"protocolVersion":'}
  version=${version%%[,\\}]*}
  case $line in
  *'"initialize"'*) told='"serverInfo":{"name":"afterwit","version":"0"},"capabilities":{"tools":{}},"protocolVersion":'
    printf '{"jsonrpc":"2.0","id":%s,"result":{%s%s}}\\n' "$id" "$told" "$version" ;;
  *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}\\n' "$id" ;;
  *'"ping"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\\n' "$id" ;;
  *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"afterwit is not there"}}\\n' "$id" ;;
  esac
done
"""


def backed_server_entry(at: Surroundings) -> dict[str, Any]:
    """Our MCP server, with the stand-in behind it. Windows has no such shell."""
    entry = server_entry(at)
    if at.platform == "win32":
        return entry
    return {**entry, "command": "sh", "args": ["-c", SCRIPT, *at.server]}
