"""How what is ours looks in other programs' files, and how it is told from what is not.

Nothing else marks it there: a hook of ours calls our hook program; our MCP server has our name and starts us with
`mcp`. These files outlive the program, so what is written ends well without us. Most agents go on without a server that
cannot be started; OpenHands waits for it without end and gets a few lines for a shell that answer in its place. Which
programs of ours a file starts can be read from it, whatever its format. Pure.

`Reach` says which of an agent's events call our hook. One before an action is used only if the user allowed us to
refuse or rewrite there: text alone would come too late, and every hook costs time.
"""

import json
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import resources
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, NamedTuple

from afterwit.edits.edits import Integration, Surroundings
from afterwit.model.text import regex

_DOUBLE, _SINGLE = r'\\?"', "'"
_GAP = r"""(?:\\?['"])?,?\s+(?:\\?['"])?"""
_MODULE = rf"-I{_GAP}-m{_GAP}afterwit\.hook\b"
_HOOK = r"[/\\]afterwit-hook(?:\.exe)?"
_HOOKS = tuple(
    regex(pattern)
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
    regex(pattern) for pattern in (rf"""\bcommand['"]?\s*[:=]\s*{_SERVER}""", rf"""{_SERVER},\s*["']mcp["']""")
)
_QUOTED_QUOTES = regex(r"""'\\?"'\\?"'""")  # how a shell's quoting writes a quote, in JSON too
_QUOTE = "\0"  # stands for it meanwhile
NAME = "afterwit"  # of the MCP server, the plugin, the extension
MARK = "Written by `afterwit connect`; `afterwit disconnect` removes it."

# Without the program, or with one that cannot start, a hook reads its input to the end (whoever writes it may not bear
# that nobody does), says nothing, and ends with 0: some agents take anything else for a refusal.
_ELSE_SILENCE = "2>/dev/null || cat >/dev/null || :"
_OUR_HOOK = regex(r"(?:^|[/\\\s'\"])afterwit-hook(?:\.exe)?(?=$|[\s'\"])|-m['\", ]+afterwit\.hook\b")
_SELF = regex(r"(?:^|[/\\])afterwit(?:\.exe)?$")


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


BEFORE = "before"
SECONDS = {
    "start": 10,
    "prompt": 10,
    BEFORE: 5,
    "after": 5,
    "compact": 5,
    "end": 3,
}  # the hook itself ends much earlier
_MOMENTS = {
    "start": "start of a session",
    "prompt": "first prompt",
    "after": "after a failure",
    "end": "end of a session",
}
_ENDS_OF_TURNS = ("Stop", "session.idle")  # of agents that do not always tell the end of a session


class Reach(NamedTuple):
    """What the hooks of one agent can do."""

    agent: str
    events: Mapping[str, str]  # the agent's own event → ours
    can_refuse: bool = True
    can_rewrite: bool = True

    def narrowed(self, at: Surroundings) -> Surroundings:
        """Without what this agent cannot do."""
        return at._replace(
            may_refuse=at.may_refuse and self.can_refuse, may_rewrite=at.may_rewrite and self.can_rewrite
        )

    def used(self, at: Surroundings) -> dict[str, str]:
        """The events that call us. Before a call there is something to do where the agent can be stopped or its call be
        changed: a check may be turned on at any time, and until then such a hook ends at once."""
        is_before_used = self.can_refuse or self.narrowed(at).may_rewrite
        return {own: ours for own, ours in self.events.items() if ours != BEFORE or is_before_used}

    def groups(self, at: Surroundings, *, matcher: str | None = None, per_second: int = 1) -> dict[str, Sequence[Any]]:
        """The hooks in Claude Code's form. `per_second` is the agent's unit of time."""
        head = {} if matcher is None else {"matcher": matcher}
        return {own: [{**head, "hooks": [self._hook(at, ours, per_second)]}] for own, ours in self.used(at).items()}

    def command(self, at: Surroundings, event: str) -> str:
        return hook_command(self.narrowed(at), self.agent, event)

    def powershell_command(self, at: Surroundings, event: str) -> str:
        return powershell_command(self.narrowed(at), self.agent, event)

    def integration(self, at: Surroundings, *edits: Any, to_do: tuple[str, ...] = ()) -> Integration:
        return Integration(edits, self._moments(at), (*to_do, *self._missing(at)))

    def _hook(self, at: Surroundings, event: str, per_second: int) -> dict[str, Any]:
        return {"type": "command", "command": self.command(at, event), "timeout": SECONDS[event] * per_second}

    def _moments(self, at: Surroundings) -> tuple[str, ...]:
        allowed = self.narrowed(at)
        moments = _MOMENTS | ({"end": "end of a turn"} if any(own in self.events for own in _ENDS_OF_TURNS) else {})
        said = [moments[event] for event in moments if event in self.events.values()]
        may = (("refuses a command once", allowed.may_refuse), ("rewrites a command", allowed.may_rewrite))
        return (*said, *(words for words, is_on in may if is_on))

    def _missing(self, at: Surroundings) -> tuple[str, ...]:
        lost = (
            ("refuse a command and let the session go on", at.may_refuse and not self.can_refuse),
            ("rewrite a command", at.may_rewrite and not self.can_rewrite),
        )
        return tuple(
            f"{self.agent} gives hooks no way to {what}; that is left out." for what, is_lost in lost if is_lost
        )


def script(package: str, name: str, reach: Reach, at: Surroundings) -> str:
    """The file `name` of an agent's package, complete. It gets the words of the hook's command; those for the moment
    before an action are empty where nothing is to be done there."""
    allowed = reach.narrowed(at)
    *words, _ = hook_words(allowed, reach.agent, "start")
    is_used = BEFORE in reach.used(at).values()
    before = list(hook_words(allowed, reach.agent, BEFORE)) if is_used else []
    text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
    return text.replace("__HOOK__", json.dumps(words)).replace("__BEFORE__", json.dumps(before))
