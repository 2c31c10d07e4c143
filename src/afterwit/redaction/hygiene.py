"""Makes foreign text harmless to look at (what it shows is what it says), and names what it must not hold.

Removed: ANSI escapes, control characters except newline and tab, zero-width and bidirectional controls, tag characters,
variation selectors and HTML comments. Zero-width joiners go too: a joined emoji falls apart into its parts, and some
Indic and Persian words lose a ligature, but stay readable. CR LF becomes LF, a lone surrogate U+FFFD. Cleaning twice
equals cleaning once. Whether text may be trusted is a question of its origin and not answered here.

Addresses, blobs, credentials' paths and destruction must not stand in text for agents unless a user typed it. Addresses
of this machine are fine; encoded text is told from long names by how often its characters change in kind. Finding
nothing does not make a text trustworthy. `reads_like_an_order` hits few harmless lines, but misses plainly worded
attacks: the gate lets such a note wait for a person, `reader.checks` refuses it, `knowledge.shown_items` leaves it out;
what keeps planted text from being followed is the origin of its words.
"""

import functools
from typing import Any

from afterwit.model.text import regex

_SHORT = 200
_LONGEST_COMMENT = 20_000
_ESCAPE = regex(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|[ -/]+[0-~]|[0-~])|\x9b[0-?]*[ -/]*[@-~]"
)
_INVISIBLE = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_UNSEEN = regex(f"[{_INVISIBLE}]+")
_SUSPECT = regex(f"[\\r{_INVISIBLE}\\ud800-\\udfff]|<!--")
_SUSPECT_BYTES = (
    rb"[\x00-\x08\x0b-\x1f\x7f]|<!--|\xc2[\x80-\x9f\xad]|\xcd\x8f|\xd8\x9c|\xe1(?:\x85[\x9f\xa0]|\x9e[\xb4\xb5]|\xa0[\x8b-\x8f])|"
    rb"\xe2(?:\x80[\x8b-\x8f\xaa-\xae]|\x81[\xa0-\xaf])|\xe3\x85\xa4|\xed[\xa0-\xbf]|\xef(?:\xb8[\x80-\x8f]|\xbb\xbf|\xbe\xa0|\xbf[\xb9-\xbb])|"
    rb"\xf0\x9d\x85[\xb3-\xba]|\xf3\xa0"
)
_SURROGATE = regex("[\ud800-\udfff]")


def clean(text: str) -> str:
    """The text as a person would see it."""
    if text.isascii() and text.isprintable() and "<!--" not in text:
        return text
    while _is_suspect(text):
        cleaned = _clean(text)
        if cleaned == text:
            break
        text = cleaned
    return text


def _is_suspect(text: str) -> bool:
    """Python's own search is the faster one for short texts, RE2 on bytes by far for long ones."""
    if len(text) < _SHORT:
        return _SUSPECT.search(text) is not None
    return _suspect_bytes().search(text.encode("utf-8", "surrogatepass")) is not None


@functools.cache
def _suspect_bytes() -> Any:
    import re2  # few commands show a long text

    from afterwit.redaction.ruleset import byte_options

    return re2.compile(_SUSPECT_BYTES, byte_options(captures=False))


def _clean(text: str) -> str:
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _without_comments(_SURROGATE.sub("�", _UNSEEN.sub("", text)))


def _without_comments(text: str) -> str:
    """Drops `<!-- … -->`. A comment that does not end within the bound loses only its opening mark."""
    pieces = []
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        end = text.find("-->", start + 4, start + _LONGEST_COMMENT)
        pieces.append(text[at:start])
        at = end + 3 if end >= 0 else start + 4
    pieces.append(text[at:])
    return "".join(pieces)


_ORDER = regex(
    r"(?im)\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:previous|prior|above|earlier|all|any|your|system"
    r"|these|other)\b.{0,30}"
    r"\b(?:instructions?|prompts?|rules?|messages?|context|guidelines|safety|polic\w+|directions?)\b"
    r"|\b(?:new|updated|real|hidden|secret|additional) (?:system )?instructions?\b|\bsystem prompt\b"
    r"|\bdeveloper mode\b|\bjailbreak\b"
    r"|\b(?:do not|don't|never|without) (?:tell|telling|inform|informing|ask|asking|mention|mentioning|alert\w*"
    r"|notify\w*|warn\w*)\b.{0,20}\b(?:the )?(?:user|human|person|owner|anyone)\b"
    r"|\b(?:ai|assistant|agent|model|claude|codex|gemini|copilot|llm)s?\b[^.]{0,30}\b(?:must|should|shall"
    r"|is required to|are required to|need to|will now)\b"
    r"|\b(?:attention|note to|message (?:to|for)|dear|instructions? (?:to|for))\b.{0,12}\b(?:ai|assistants?|agents?"
    r"|models?|claude|codex|gemini|copilot|llms?)\b"
    r"|\b(?:send|post|upload|exfiltrate|leak|forward|paste)\b.{0,40}\b(?:tokens?|keys?|secrets?|credentials?"
    r"|passwords?|env\w*|\.env|cookies?)\b"
    r"|\byou (?:must|should|have to|need to|are required to) (?:now |always |first |immediately )?(?:run|execute"
    r"|download|install|fetch|send|delete|curl|add|remember|save|store)\b"
    r"|\b(?:remember|memorize|save|store) (?:this|that|the following)\b.{0,40}\b(?:for|in) (?:all |every |future "
    r"|later |the next )|^[^\S\n]*(?:system|assistant|user|human)\s*:"
    r"|<\|?(?:im_start|im_end|system|endoftext)\b|\[/?INST\]",
)
_OF_CODE = (
    r"(?:java|javax|socket|std|asp|vb|self|this|torch|nn|ctx|req|request|app|config|process|window|page|user|env|main|flask"
    r"|celery|server|settings|dockerfile|(?:docker-)?compose|webpack|vite|index|core|import)\."
)
_DOMAINS = (
    r"com|net|org|edu|gov|io|ai|app|dev|co|cloud|xyz|biz|onion|example|invalid|ru|cn|de|uk|fr|nl|eu|jp|kr|br|se|ch|cz|ua|tk|ga|cf"
    r"|gq|pw|ws|top|club|icu|tech"
)
_AMBIGUOUS = r"gg|site|page|store|link|live|host|shop|online|info|me|us|run|sh|to|cc|pro|fun|space|click|test|local"
_HOST = (
    rf"(?<![\w./$-])(?!{_OF_CODE})"
    rf"(?:[a-z0-9](?:[a-z0-9-]{{0,61}}[a-z0-9])?(?:\.|\[\.\])){{1,9}}(?:(?:{_DOMAINS})(?![\w(-]|\.\w)"
    rf"|(?:{_AMBIGUOUS})(?:/\w|:\d{{2,5}}\b))"
    r"|\b(?:to|at|from|via|host|server)\s{1,3}(?:[a-z0-9-]{1,60}\.){1,8}(?!(?:ts|js|py|go|rs|md|sh|rb|cs|cc|hh|so|db"
    r"|kt|tf|ps|mk|ml|pl|hs|ex|gz|xz|el)\b)[a-z]{2}(?![\w.(/-])|\b(?:to|at|from|via)\s{1,3}(?!localhost|host:)[a-z][\w-]{0,60}:\d{2,5}\b"
    r"|(?<![\w.-])(?!127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|0\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}(?![\w-]|\.\d)"
    r"|(?<![\w:])(?=[a-f:]*\d)[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*::[0-9a-f]"
)  # names of programs' members and files look like hosts: where they do, a path or a port decides
_SHELLS = r"(?:(?:ba|z|da|k|fi)?sh|python[\d.]*|perl|ruby|node|bun|iex|powershell|pwsh)\b"
_DANGERS = {
    "a download that is run": rf"\b(?:curl|wget|fetch|iwr|irm|invoke-\w+)\b[^|\n]*\|\s*(?:sudo\s+)?{_SHELLS}"
    rf"|\b{_SHELLS}\s*(?:-c\s*)?[\"']?(?:<\(|\$\(|`)\s*(?:curl|wget)\b|\b(?:eval|source|\.)\s+[\"']?(?:<\("
    rf"|\$\()\s*(?:curl|wget)\b",
    "an address": r"\b(?:https?|ftps?|wss?|ssh|git|file|data|javascript|s3|gs|gcs|sftp|smb|ldap|tcp|udp|rsync|nfs)://(?!(?:localhost|127\.0\.0\.1|\[::1\]"
    r"|0\.0\.0\.0)\b)\S"
    rf"|\b(?:data|javascript):\w+[/;(]|(?<![\w@.])www\.\w|{_HOST}",
    "a blob": r"(?:\\x[0-9a-fA-F]{2}){8,}|\bbase64\s+(?:-d|--decode)\b",
    "a credential's path": r"\.ssh/(?!config\b|known_hosts\b)|\bid_(?:rsa|dsa|ecdsa|ed25519)\b|\.aws/credentials"
    r"|\.(?:netrc|pgpass|git-credentials|pypirc|gnupg)\b"
    r"|~/\.npmrc|\.kube/config|\.docker/config\.json|/etc/(?:shadow|sudoers|passwd)\b|\blogin\.keychain",
    "a destructive command": r"\brm\s+(?:-\w+\s+)*(?:--\w[\w-]*\s+)*[\"']?(?:/|~/?|\$\{?HOME\}?/?|/\*|\.\.?/?"
    r"|\*)[\"']?(?:[\s`;&|)]|$)|\bchmod\s+(?:-R\s+)?[0-7]?777\b|\bmkfs\b"
    r"|\bdd\b[^\n]*\bof=/dev/|>\s*/dev/(?:sd|nvme|disk)|:\(\)\s*\{|\bchown\s+-R\s+\S+\s+/(?:\s|$)",
}
_ANY = regex("(?i)" + "|".join(f"(?P<d{at}>{pattern})" for at, pattern in enumerate(_DANGERS.values())))
_NAMES = tuple(_DANGERS)
_RUN = regex(r"[A-Za-z0-9+/_-]{40,}={0,2}")
_CHANGE = regex(r"(?<=[a-z])[A-Z0-9+]|(?<=[A-Z])[a-z0-9+]|(?<=[0-9+])[A-Za-z]")
_MIXED = 0.42  # of the characters of encoded text differ in kind from the one before; of long names mostly a third
_FEWEST_DIGITS = 2


def danger_in(text: str) -> str:
    """What makes the text unsafe, in words; "" where nothing does."""
    danger = _ANY.search(text)
    if danger:
        return _NAMES[int(str(danger.lastgroup)[1:])]
    return "a blob" if any(_is_encoded(run[0]) for run in _RUN.finditer(text)) else ""


def _is_encoded(run: str) -> bool:
    digits = sum(character.isdigit() for character in run)
    return digits >= _FEWEST_DIGITS and len(_CHANGE.findall(run)) >= _MIXED * len(run)


@functools.lru_cache(maxsize=4_096)
def reads_like_an_order(text: str) -> bool:
    return _ORDER.search(text) is not None
