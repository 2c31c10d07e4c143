"""What command lines, and code that an interpreter is given, ask of a service: for what, where, and with which token.

Read from the text alone; a token itself was redacted long before.
"""

import re
from typing import NamedTuple

from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import Weight, names
from afterwit.actions.shell.tree import Command
from afterwit.actions.steps import REQUESTERS, is_asking_code
from afterwit.harvest.harvester import plain
from afterwit.model.text import regex
from afterwit.redaction.hygiene import danger_in
from afterwit.redaction.plain_names import is_plain_name, is_plain_path

_CLIENTS = (*REQUESTERS, "wget")
HOSTED = ("gh", "glab", "tea", "git", "npm", "docker")
_ADDRESS = regex(
    r"https?://[^\s'\"`]+|(?<![\w/])/?repos/[^\s'\"`]+|(?:\$\{?\w+\}?|\{\w+\})/[^\s'\"`]+|(?<=['\"])/api/[^\s'\"`]+"
)
_ORIGIN = regex(r"^(?:https?://[^/]+|\$\{?\w+\}?|\{\w+\})(?=/)")
_OWNED = regex(r"repos/([\w.-]+/[\w.-]+)/")
_SEGMENT = regex(r"[a-z_-]{3,20}")
_PATH = r"[\"']?((?:~|\.{1,2})?/[\w./-]+)"
_READ_FROM = regex(
    rf"(?:\b(?:cat|source|head|tail)\s+(?:-\S+\s+)*|<\s*|@|\bopen\(|\b[Pp]ath\(|expanduser\(|readFileSync\(){_PATH}"
    rf"|\b(?:grep|sed|awk|cut|jq)\s[^;&|\n]{{1,60}}?\s{_PATH}"
)
_ANY_PATH = regex(r"(?<![\w/.:~-])(?:~|\.{1,2})?/[\w./-]*\w")
_VARIABLE = regex(
    r"\$\{?([A-Z][A-Z0-9_]{2,40})\}?|\b([A-Z][A-Z0-9_]{2,40})="
    r"|(?:environ(?:\.get)?[(\[]|getenv\()['\"]([A-Z][A-Z0-9_]{2,40})|process\.env\.([A-Z][A-Z0-9_]{2,40})"
)
_OF_TOKEN = regex(
    r"token|secret|passw|/\.env\b|(?<![a-z])(?:creds?|credentials?|(?:api_?)?keys?|auth|pat)(?![a-z])", re.IGNORECASE
)
_OPTION = regex(r"\s-{1,2}[A-Za-z][\w-]*\s|[;&|\n]")
_NEAR = 60
_CHANGES = regex(
    r"-X ?['\"]?(?:POST|PUT|PATCH|DELETE)|--request|(?:^|\s)(?:-d|--data\S*|--method|-f|-F)\b"
    r"|\.(?:post|put|patch|delete)\(|\bmethod\s?[=:]|\bdata\s?="
    r"|\bgit\b[^;&|\n]*\bpush\b|\b(?:pr|mr) (?:review|approve|edit|ready|update)"
)
_METHOD = regex(r"(?:-X ?|--request |--method[ =]|method=|\.)['\"]?(GET|POST|PUT|PATCH|DELETE)\b", re.IGNORECASE)
_GENERIC = names("api auth config data etc home key keys local opt root run secret secrets srv token tokens txt var")
_SENT = regex(r"\.(?:post|put|patch|delete)\(\s*f?['\"]([^'\"\s]+)")
_HOME = regex(r"\$\{?HOME\}?(?=/)")


class Aim(NamedTuple):
    """What a request is for: `merge`, whichever program asks for it."""

    name: str
    call: str
    owned: str = ""  # the repository that its address names

    def is_same(self, other: "Aim | None") -> bool:
        is_elsewhere = other is not None and self.owned and other.owned and self.owned != other.owned
        return other is not None and other.name == self.name and not is_elsewhere


def aim_of(line: str) -> Aim | None:
    """What a command line asks a service for; None where that cannot be told, or code asks for several things."""
    whole = parsed(line)
    if is_asking_code(whole):
        asked = [match[1] for match in _SENT.finditer(line) if _ADDRESS.match(match[1])] or addresses_in(line)
        aims = {aim.name: aim for address in asked if (aim := _aim_at([address], whole.commands[0].program))}
        return next(iter(aims.values())) if len(aims) == 1 else None
    return next((aim for command in whole.commands if (aim := _aim_of(command)) is not None), None)


def _aim_of(command: Command) -> Aim | None:
    call = f"{command.program} {command.subcommand}".strip()
    if command.program in _CLIENTS or command.subcommand == "api":
        return _aim_at(addresses_in(" ".join(command.arguments)), call)
    is_asking = command.program in HOSTED and command.subcommand
    return Aim(call.rpartition(" ")[2], call) if is_asking and is_plain_name(call.replace(" ", "-")) else None


def _aim_at(addresses: list[str], call: str) -> Aim | None:
    """The last plain word of an address: `merge` of `…/pulls/4/merge`."""
    for address in addresses:
        owned = _OWNED.search(address)
        parts = address[owned.end() :] if owned else path_of(address)
        name = next((part for part in reversed(parts.split("/")) if _SEGMENT.fullmatch(part)), "")
        if name:
            return Aim(name, call, owned[1] if owned else "")
    return None


def asks(line: str) -> bool:
    """Whether anything of the line asks a service."""
    whole = parsed(line)
    return is_asking_code(whole) or any(command.program in (*_CLIENTS, *HOSTED) for command in whole.commands)


def changes_something(line: str) -> bool:
    """Whether it asks a service to change something, so that what works later may work because of that."""
    return asks(line) and _CHANGES.search(line) is not None


def does_work(line: str) -> bool:
    return any(command.weight is Weight.WORKS for command in parsed(line).commands)


def methods_in(line: str) -> set[str]:
    return {method.upper() for method in _METHOD.findall(line)} or {"POST" if _CHANGES.search(line) else "GET"}


def are_related(path: str, other: str) -> bool:
    """Whether two files seem to be for the same by their names."""
    words, others = (set(re.findall(r"[a-z0-9]+", name.lower())) - _GENERIC for name in (path, other))
    return not words.isdisjoint(others)


def addresses_in(line: str) -> list[str]:
    """Addresses without what they ask for behind `?`."""
    return [match[0].partition("?")[0].partition("#")[0].rstrip(".,;:)") for match in _ADDRESS.finditer(line)]


def path_of(address: str) -> str:
    return _ORIGIN.sub("", address, count=1)


def tidy(line: str) -> str:
    """The line with one spelling of the home folder; "" where it holds a secret that was taken out."""
    return plain(_HOME.sub("~", line))


def token_sources(line: str) -> list[str]:
    """Files, then variables, that a token comes from: their name says so, or what stands before a file."""
    files = []
    for match in _READ_FROM.finditer(line):
        path, before = match[1] or match[2], line[max(0, match.start() - _NEAR) : match.start()]
        if (_OF_TOKEN.search(path) or _OF_TOKEN.search(_OPTION.split(before)[-1])) and is_plain_path(path):
            files += [] if danger_in(path) else [path]
    matches = sorted(_VARIABLE.finditer(line), key=lambda match: match[2] is not None)  # values first
    named = (name for match in matches for name in match.groups() if name)
    return files + [f"${name}" for name in named if _OF_TOKEN.search(name)]


def token_paths_in(error: str) -> list[str]:
    """Files that a message names, and that would hold a token by their name."""
    return [match[0] for match in _ANY_PATH.finditer(error) if _OF_TOKEN.search(match[0]) and is_plain_path(match[0])]
