"""Traces of people: home folders, exact names of this machine, addresses. Each gets a stable pseudonym.

The caller collects the exact strings (`git config user.*`, the login, the host name) and passes them as `People`;
nothing is read here. Accounts that belong to nobody (root, runner, vscode …) and addresses made for examples stay:
they identify no one and make text readable. Names in running text are not recognised: that would need a model.
"""

import functools
import ipaddress
import re
from collections.abc import Iterator

import msgspec
import re2

from afterwit.guard import words
from afterwit.guard.patterns import byte_options
from afterwit.guard.spans import Span

_EXAMPLE_DOMAIN = re.compile(
    r"(?:.+\.)?(?:example|test|invalid|localhost|local|internal|lan)\Z|(?:.+\.)?(?:example|test|domain|email|company|"
    r"yourdomain|your-domain|acme|foo|bar)\.(?:com|org|net|io|dev|co)\Z|(?:.+\.)?(?:openssh\.com|libssh\.org)\Z|[a-z]\.[a-z]+\Z",
    re.IGNORECASE,
)
_MACHINE_NAME = re.compile(
    r".*\[bot\]|.*\b(?:claude|codex|copilot|cursor|gemini|github|gitlab|dependabot|renovate|bot|test|tests|user|example|ci|"
    r"name|agent|aider|devin|amp|opencode|openai|anthropic)\b.*|[^A-Za-zÀ-ɏ]*|\$.*|%.*|\{.*",
    re.IGNORECASE,
)
_PLAIN_ADDRESSES = frozenset({"8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "1.2.3.4", "169.254.169.254", "9.9.9.9"})
_DOCUMENT_NETS = tuple(
    ipaddress.ip_network(net) for net in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
)
_VERSION_BEFORE = re.compile(
    rb"(?:version|versions prior to|ver|release|build|tag|chrome|firefox|safari|edge)[\"':=\s]{0,4}\Z|[=<>~!^]=\s?\Z",
    re.IGNORECASE,
)
_USER_OF_URL_BEFORE = re.compile(rb"""://[^\s/:@"'<>`]*:[^\s/"'<>`]*\Z""")
_PACKAGE_BEFORE = re.compile(rb"[A-Za-z0-9]@\Z")
HOME_TRIGGER = rb"/home/|/Users/|Users\\|-Users-|-home-"
_SEGMENT = re.compile(rb"""[^\s/\\"'`:;,<>(){}\[\]|*?$&=%#!^~@+\x00-\x1f]{1,64}""")
_SLUG_SEGMENT = re.compile(rb"[A-Za-z0-9_]{1,64}")
_SLASHES = re.compile(rb"\\{0,3}")
_HOMES = (b"/Users/", b"/home/", b"Users\\", b"-Users-", b"-home-")
_LINUX_BEFORE = re.compile(  # the end of a placeholder stands for the word that was there
    rb"(?:[^A-Za-z0-9_.)}*~@%\xba-]|/(?:var|export|data|mnt|nfs|usr|private))\Z"
)
_SLUG_BEFORE = re.compile(rb"[\s/\"'`=(]\Z")
_LONGEST_NAME = 60
_SHORTEST_NAME = 3


class People(msgspec.Struct, frozen=True):
    """Exact strings to pseudonymise wherever they stand as a word of their own."""

    users: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()

    def exact(self) -> dict[bytes, str]:
        """The type of each string, in lower case; what is too short or belongs to nobody is left out."""
        found: dict[bytes, str] = {}
        for kind, strings in (("user", self.users), ("host", self.hosts), ("name", self.names), ("email", self.emails)):
            for string in strings:
                if len(string) >= _SHORTEST_NAME and string.lower() not in words.ACCOUNTS:
                    found.setdefault(string.lower().encode("utf-8", "surrogatepass"), kind)
        return found


NOBODY = People()


class ExactNames:
    """Finds the strings of `People` in UTF-8 text, whatever their case."""

    def __init__(self, people: People) -> None:
        self._kinds = people.exact()
        longest_first = sorted(self._kinds, key=len, reverse=True)
        literals = b"|".join(re2.escape(name) for name in longest_first)
        self.pattern = rb"(?i)(?:^|[^A-Za-z0-9])(" + literals + rb")(?:[^A-Za-z0-9]|$)"
        self._compiled = re2.compile(self.pattern, byte_options()) if self._kinds else None

    def __bool__(self) -> bool:
        return self._compiled is not None

    def spans(self, data: bytes) -> Iterator[Span]:
        at = 0
        while self._compiled is not None and (match := self._compiled.search(data, at)):
            start, end = match.span(1)
            kind = self._kinds.get(data[start:end].lower())
            if kind is not None:
                yield Span(start, end, kind)
            at = end


def home_spans(data: bytes) -> Iterator[Span]:
    """Where the path of a home folder names its user."""
    for home in _HOMES:
        at = data.find(home)
        while at >= 0:
            after = at + len(home)
            span = _user_at(data, home, at, after)
            if span is not None:
                yield span
                after = span.end
            at = data.find(home, after)


def _user_at(data: bytes, home: bytes, at: int, after: int) -> Span | None:
    if home == b"/home/" and at and not _LINUX_BEFORE.search(data, max(0, at - 8), at):
        return None
    if home == b"-home-" and at and not _SLUG_BEFORE.match(data, at - 1, at):
        return None
    if home.endswith(b"\\"):
        after = _after_slashes(data, after)
    match = (_SLUG_SEGMENT if home.startswith(b"-") else _SEGMENT).match(data, after)
    if match is None:
        return None
    name = match[0].rstrip(b".-")
    if name.startswith(b"\xe2\x80\xb9") or _is_nobody(name):
        return None
    return Span(after, after + len(name), "user")


def _after_slashes(data: bytes, at: int) -> int:
    match = _SLASHES.match(data, at)
    return match.end() if match else at


@functools.lru_cache(maxsize=1024)
def _is_nobody(name: bytes) -> bool:
    return is_account(name.decode("utf-8", "replace"))


def is_account(name: str) -> bool:
    """An account that belongs to no person, or no account at all."""
    return name.lower() in words.ACCOUNTS or len(name) < 2 or "..." in name or "…" in name


def is_personal_email(address: str, before: bytes = b"") -> bool:
    """Not an example, not a role, not a package with a version, and not a password with its host; `before` is the text
    in front of it."""
    if _USER_OF_URL_BEFORE.search(before):
        return False
    local, _, domain = address.lower().rpartition("@")
    if local in words.ROLES or _EXAMPLE_DOMAIN.match(domain) or "[bot]" in local:
        return False
    labels = domain.split(".")
    return labels[-1] not in words.FILE_ENDINGS and not labels[0].isdigit()


def is_personal_ip(address: str, before: bytes) -> bool:
    """An address that could lead to a machine of someone; `before` is the text in front of it."""
    if address in _PLAIN_ADDRESSES or _VERSION_BEFORE.search(before):
        return False
    if address[1] == "." and _PACKAGE_BEFORE.search(before):
        return False
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if ip.is_loopback or ip.is_unspecified or ip.is_multicast or any(ip in net for net in _DOCUMENT_NETS):
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        return len(address) >= 12
    return not ip.is_reserved and not address.endswith((".0", ".255")) and not address.startswith("0.")


def is_personal_name(name: str) -> bool:
    """A name as people have them, not that of a program."""
    return len(name) <= _LONGEST_NAME and "‹" not in name and not _MACHINE_NAME.fullmatch(name)
