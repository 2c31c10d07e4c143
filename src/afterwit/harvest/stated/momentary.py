"""What binds a text to one moment, one machine or one conversation, so that it will not be true or clear next month.

Two questions. `momentary` looks for things that no lasting sentence may hold, quoted or not: dates, hashes, ids,
numbers of issues, temporary and home folders, branches. `is_deictic` looks for words that point at something which only
the listener of that day could see: "this branch", "now", "the one above". It is meant for what people and agents said;
sentences of ours have no such words.
"""

import re

_PATTERNS = {
    "a date": r"\b(?:19|20)\d\d-[01]\d-[0-3]\d|\b[0-3]?\d[./][01]?\d[./](?:19|20)\d\d\b|\b(?:jan|feb|mar|apr|may"
    r"|june?|july?"
    r"|aug|sep|sept|oct|nov|dec)[a-z]*\.? [0-3]?\d(?:st|nd|rd|th)?(?:,? (?:19|20)\d\d)\b",
    "a time of day": r"\b[0-2]?\d:[0-5]\d(?::[0-5]\d)?(?: ?[ap]m\b|\b(?![\w:.]))",
    "an id": r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b",
    "a hash": r"(?<![\w/.-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{7,12})(?![\w-])",
    "the number of an issue or a pull request": r"(?<![\w&/])#\d+\b|\b(?:PR|MR|pull request|issue|ticket"
    r"|bug)s?[ #-]*\d+\b"
    r"|/(?:pull|issues|merge_requests|commit|runs)/\w+",
    "the key of a ticket": r"\b(?!(?:UTF|SHA|ISO|CVE|RFC|CWE|MD|AES|RSA|HTTP|TLS|ES|EC|GPT|PEP|ADR|UTC|GMT|X|H|IPV"
    r"|ARM|BM|GH)-?)"
    r"[A-Z]{2,10}-\d+\b",
    "a temporary folder": r"(?<![\w.])/(?:private/)?(?:tmp|var/folders|var/tmp|dev/shm)/\S|\\AppData\\Local\\Temp",
    "a home folder": r"(?<![\w.])/(?:Users|home|root|var/home)/|\b[A-Z]:\\Users\\",
    "a branch": r"(?<![\w/.])(?:feature|feat|fix|bugfix|hotfix|chore|release|wip|dependabot"
    r"|renovate)/[\w-]+(?![\w/]*\.\w)"
    r"|\borigin/(?!main\b|master\b|HEAD\b)[\w/-]+",
    "a port of the moment": r"(?:localhost|127\.0\.0\.1|\[::1\]):(?:3[3-9]|[4-6]\d)\d{3}\b",
    "a process": r"\bpid[ =:]*\d+\b",
    "a line of a file": r"\.\w{1,6}:\d+\b|\blines? \d+",
}
_ANY = re.compile("|".join(f"(?P<p{at}>{pattern})" for at, pattern in enumerate(_PATTERNS.values())), re.IGNORECASE)
_CASED = ("the key of a ticket",)
_NAMES = tuple(_PATTERNS)
_TICKET = re.compile(_PATTERNS["the key of a ticket"])
_CODE = re.compile(r"`[^`]*`")
_THINGS = (
    r"(?:pr|pull request|branch|commit|change|changes|session|task|issue|ticket|bug|error|failure|fix|file|line|plan"
    r"|page|button"
    r"|screenshot|image|diff|step|time|one|part|section|comment|review|message|run|case|repo|project|folder|test"
    r"|approach"
    r"|conversation|worktree|phase|pass|point|feature|week|month|morning|evening|release|version|refactor|migration"
    r"|code)"
)
_DEICTIC = re.compile(
    rf"\b(?:this|that|these|those|the (?:current|previous|next|last|latest|above|following|first|second|same"
    rf"|other)) {_THINGS}s?\b"
    r"|\b(?:today|tomorrow|yesterday|tonight|right now|for now|just now|at the moment|so far|in the meantime"
    r"|meanwhile|currently"
    r"|recently|earlier|previously|no longer|not yet|next step|still need|above|below|as (?:discussed|mentioned"
    r"|requested)"
    r"|we (?:just|discussed|talked)|you (?:just|said|suggested|mentioned|did|made|created|added|wrote|found|proposed)"
    r"|option [a-d1-9]|same (?:pr|branch|commit|file)|this (?:will|would|is|was|means|makes|should|can)"
    r"|an? (?:previous|earlier)|step \d|phase \d|attempt \d)\b"
    r"|\bnow\b(?! on\b)|^(?:this|that|these|those|it|they|he|she|here|there|both|same|then|so|worse|also|another"
    r"|such)\b",
    re.IGNORECASE,
)


def momentary(text: str) -> str:
    """What ties the text to a moment, in words; "" where nothing does."""
    for found in _ANY.finditer(text):
        name = _NAMES[int(str(found.lastgroup)[1:])]
        if name not in _CASED or _TICKET.match(text, found.start()):
            return name
    return ""


def is_deictic(text: str) -> bool:
    """Whether the text points at something that only its first listener could see."""
    return _DEICTIC.search(_CODE.sub("`x`", text.strip())) is not None
