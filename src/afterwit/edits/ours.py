"""How what is ours looks in other programs' files, and how it is told from what is not.

Nothing else marks it there: formats without comments have no room for a mark, and agents write their files anew. A hook
of ours calls our hook program; our MCP server has our name and starts us with `mcp`. What is written ends well without
us, because these files outlive the program: an environment is moved, or settings are carried to another machine. Pure.
"""

import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

from afterwit.edits.edits import Surroundings

NAME = "afterwit"  # of the MCP server, the plugin, the extension
MARK = "Written by `afterwit connect`; `afterwit disconnect` removes it."

# Without the program, or with one that cannot start, a hook reads its input to the end (whoever writes it may not bear
# that nobody does), says nothing, and ends with 0: some agents take anything else for a refusal.
_ELSE_SILENCE = "2>/dev/null || cat >/dev/null || :"
_HOOK = re.compile(r"(?:^|[/\\\s'\"])afterwit-hook(?:\.exe)?(?=$|[\s'\"])|-m['\", ]+afterwit\.hook\b")
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
    quoted = [f"'{word}'" for word in (each.replace("'", "''") for each in hook_words(at, agent, event))]
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
    return MARK in text or _HOOK.search(text) is not None


def is_hook(value: Any) -> bool:
    """Whether a hook's description calls our program."""
    return any(_HOOK.search(text) for text in _strings(value))


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
