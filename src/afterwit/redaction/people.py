"""Traces of people: home folders, exact names of this machine, addresses, telephones, accounts and cards.

The caller collects the exact strings (`git config user.*`, the login, the host name) and passes them as `People`;
nothing is read here. Accounts that belong to nobody (root, runner, vscode …) and addresses made for examples stay:
they identify no one and make text readable. A number counts when its checksum is right (IBAN, card; for cards also the
issuer's range, as one number in ten passes by chance), or when it is grouped as people write it and begins with a
country that exists (telephone). Names in running text are not recognised: that would need a model.
"""

import functools
import ipaddress
from collections.abc import Iterator

import msgspec
import re2

from afterwit.model.text import regex
from afterwit.redaction.accounts import ACCOUNTS
from afterwit.redaction.markers import SecretSpan
from afterwit.redaction.ruleset import byte_options

_COUNTRY_CODES = regex(
    r"1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|21[1-368]|2[2-46]\d|25[0-8]|29[0179]|35\d|37[0-8]|38[0-79]|"
    r"42[0139]|50\d|59\d|67\d|68[0-35-9]|69[0-2]|85[2356]|88[06]|96[0-8]|97[0-7]|99[2-68]"
)
_INTERNATIONAL = regex(r"\+(\d+)(?:[ .-]?\(\d{1,5}\))?(?:[ .-]?\d+)?(?:[ .-]\d+){0,5}")
_NATIONAL = regex(r"\(?0\d{1,5}\)?(?: ?[ /-] ?\d{2,8}){1,4}|0[1-9]\d{7,11}")
_NOT_ALNUM = regex(r"[^A-Z0-9]")
_NOT_DIGIT = regex(r"\D")
_FEWEST_DIGITS, _MOST_DIGITS = 9, 15
_LONGEST_CODE = 3
_IBAN_LENGTHS = {
    length: frozenset(countries.split())
    for length, countries in {
        15: "NO",
        16: "BE",
        18: "DK FI FO GL NL SD",
        19: "MK SI",
        20: "AT BA EE KZ LT LU MN XK",
        21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS VA",
        23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG",
        25: "LY PT ST",
        26: "IS TR",
        27: "BI DJ FR GR IT MC MR SM",
        28: "AL AZ BY CY DO GT HN HU LB NI PL SV",
        29: "BR EG PS QA UA",
        30: "JO KW MU YE",
        31: "MT SC",
        32: "LC",
        33: "RU",
    }.items()
}
_IBAN_LENGTH = {country: length for length, countries in _IBAN_LENGTHS.items() for country in countries}
_ISSUERS = regex(
    r"4\d{15}|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|"
    r"6(?:011|4[4-9]\d|5\d\d|2\d\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}"
)


# Word lists hold only what is common and says nothing about a person or a machine, in lower case: a word too many
# leaves something unredacted, a word too few makes a document harder to read.
# Local parts of addresses that reach a role or a program.
_ROLES = """
noreply no-reply donotreply do-not-reply git hg svn support security info hello help contact admin root postmaster
webmaster team user username you your-email your.email youremail name email mail me someone foo bar test example hi
sales press legal privacy abuse bot
"""
ROLES = frozenset(_ROLES.split())

# What follows the last dot of a file or a unit, though it may look like a domain.
_FILE_ENDINGS = """
md mdx ts tsx js jsx mjs cjs mts cts json jsonl toml yaml yml py pyi rb rs go sh lock patch diff tgz gz zip tar html
css scss vue svelte java kt swift php cs cpp hpp c h txt log sql xml png jpg svg tmp bak orig test spec next latest
service socket timer target mount slice
"""
FILE_ENDINGS = frozenset(_FILE_ENDINGS.split())
_EXAMPLE_DOMAIN = regex(
    r"(?i)(?:.+\.)?(?:example|test|invalid|localhost|local|internal|lan)\Z|(?:.+\.)?(?:example|test|domain|email|company|"
    r"yourdomain|your-domain|acme|foo|bar)\.(?:com|org|net|io|dev|co)\Z|(?:.+\.)?(?:openssh\.com|libssh\.org)\Z|[a-z]\.[a-z]+\Z",
)
_MACHINE_NAME = regex(
    r"(?i).*\[bot\]|.*\b(?:claude|codex|copilot|cursor|gemini|github|gitlab|dependabot|renovate|bot|test|tests|user|example|ci|"
    r"name|agent|aider|devin|amp|opencode|openai|anthropic)\b.*|[^A-Za-zÀ-ɏ]*|\$.*|%.*|\{.*",
)
_PLAIN_ADDRESSES = frozenset({"8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "1.2.3.4", "169.254.169.254", "9.9.9.9"})
_DOCUMENT_NETS = tuple(
    ipaddress.ip_network(net) for net in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
)
_VERSION_BEFORE = regex(
    rb"(?i)"
    rb"(?:version|versions prior to|ver|release|build|tag|chrome|firefox|safari|edge)[\"':=\s]{0,4}\Z|[=<>~!^]=\s?\Z",
)
_USER_OF_URL_BEFORE = regex(rb"""://[^\s/:@"'<>`]*:[^\s/"'<>`]*\Z""")
_PACKAGE_BEFORE = regex(rb"[A-Za-z0-9]@\Z")
HOME_TRIGGER = rb"/home/|/Users/|Users\\|-Users-|-home-"
_SEGMENT = regex(rb"""[^\s/\\"'`:;,<>(){}\[\]|*?$&=%#!^~@+\x00-\x1f]{1,64}""")
_SLUG_SEGMENT = regex(rb"[A-Za-z0-9_]{1,64}")
_SLASHES = regex(rb"\\{0,3}")
_HOMES = (b"/Users/", b"/home/", b"Users\\", b"-Users-", b"-home-")
_LINUX_BEFORE = regex(  # the end of a placeholder stands for the word that was there
    rb"(?:[^A-Za-z0-9_.)}*~@%\xba-]|/(?:var|export|data|mnt|nfs|usr|private))\Z"
)
_SLUG_BEFORE = regex(rb"[\s/\"'`=(]\Z")
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
        kinds: dict[bytes, str] = {}
        for kind, strings in (("user", self.users), ("host", self.hosts), ("name", self.names), ("email", self.emails)):
            for string in strings:
                if len(string) >= _SHORTEST_NAME and string.lower() not in ACCOUNTS:
                    kinds.setdefault(string.lower().encode("utf-8", "surrogatepass"), kind)
        return kinds


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

    def spans(self, data: bytes) -> Iterator[SecretSpan]:
        at = 0
        while self._compiled is not None and (match := self._compiled.search(data, at)):
            start, end = match.span(1)
            kind = self._kinds.get(data[start:end].lower())
            if kind is not None:
                yield SecretSpan(start, end, kind)
            at = end


def home_spans(data: bytes) -> Iterator[SecretSpan]:
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


def _user_at(data: bytes, home: bytes, at: int, after: int) -> SecretSpan | None:
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
    return SecretSpan(after, after + len(name), "user")


def _after_slashes(data: bytes, at: int) -> int:
    match = _SLASHES.match(data, at)
    return match.end() if match else at


@functools.lru_cache(maxsize=1024)
def _is_nobody(name: bytes) -> bool:
    return is_account(name.decode("utf-8", "replace"))


def is_account(name: str) -> bool:
    """An account that belongs to no person, or no account at all."""
    return name.lower() in ACCOUNTS or len(name) < 2 or "..." in name or "…" in name


def is_personal_email(address: str, before: bytes = b"") -> bool:
    """Not an example, not a role, not a package with a version, and not a password with its host; `before` is the text
    in front of it."""
    if _USER_OF_URL_BEFORE.search(before):
        return False
    local, _, domain = address.lower().rpartition("@")
    if local in ROLES or _EXAMPLE_DOMAIN.match(domain) or "[bot]" in local:
        return False
    labels = domain.split(".")
    return labels[-1] not in FILE_ENDINGS and not labels[0].isdigit()


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


def is_phone(value: str) -> bool:
    """With a plus and a country, or national with its leading zero."""
    digits = _NOT_DIGIT.sub("", value)
    if not _FEWEST_DIGITS <= len(digits) <= _MOST_DIGITS:
        return False
    if not value.startswith("+"):
        return _NATIONAL.fullmatch(value) is not None
    match = _INTERNATIONAL.fullmatch(value)
    if match is None:
        return False
    code = match[1]  # if it is short, it is the country alone
    return (_COUNTRY_CODES.fullmatch(code) if len(code) <= _LONGEST_CODE else _COUNTRY_CODES.match(code)) is not None


def iban_end(text: str) -> int:
    """Where the account number ends with which the text begins; 0 if it begins with none."""
    wanted = _IBAN_LENGTH.get(text[:2], 0)
    end = length = 0
    while end < len(text) and length < wanted:
        length += text[end] != " "
        end += 1
    is_whole = length == wanted and not text[end : end + 1].isalnum()
    return end if wanted and is_whole and _has_right_iban_checksum(_NOT_ALNUM.sub("", text[:end])) else 0


def is_card(value: str) -> bool:
    """A payment card: the range of an issuer, and the checksum of Luhn."""
    digits = _NOT_DIGIT.sub("", value)
    return _ISSUERS.fullmatch(digits) is not None and _luhn(digits) % 10 == 0


def _has_right_iban_checksum(iban: str) -> bool:
    return int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97 == 1


def _luhn(digits: str) -> int:
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return sum(doubled) + sum(int(digit) for digit in digits[-1::-2])
