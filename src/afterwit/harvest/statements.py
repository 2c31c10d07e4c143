"""What people say, as sentences that can be quoted: taken out of a prompt, and compared by their telling words.

`typed_sentences` are those that a user typed, each whole as it stands in the prompt: nothing that was pasted or quoted,
nothing cut out, nothing that redaction took something from. `momentary` looks for things that no lasting sentence may
hold, quoted or not: dates, hashes, ids, temporary folders, branches. `is_deictic` looks for words that point at
something which only the listener of that day could see: "this branch", "now"; sentences of ours have no such words.
"""

from functools import lru_cache

from afterwit.model.knowledge import SENTENCE_LIMIT
from afterwit.model.pasted import own_words
from afterwit.model.text import regex, words_of
from afterwit.model.times import iso_from_ms
from afterwit.redaction.hygiene import clean
from afterwit.redaction.markers import PLACEHOLDER

_TICKET_KEY = "the key of a ticket"  # the one that is told by its capitals
_DATE = (
    r"\b(?:19|20)\d\d-[01]\d-[0-3]\d|\b[0-3]?\d[./][01]?\d[./](?:19|20)\d\d\b|\b(?:jan|feb|mar|apr|may|june?|july?"
    r"|aug|sep|sept|oct|nov|dec)[a-z]*\.? [0-3]?\d(?:st|nd|rd|th)?(?:,? (?:19|20)\d\d)\b"
)
_SINCE = "since when it holds"
_PATTERNS = {
    _SINCE: rf"\b(?:since|from|as of|as from|starting|effective|after) (?:on )?(?:{_DATE})",
    "a date": _DATE,
    "a time of day": r"\b[0-2]?\d:[0-5]\d(?::[0-5]\d)?(?: ?[ap]m\b|\b(?![\w:.]))",
    "an id": r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b",
    "a hash": r"(?<![\w/.-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{7,12})(?![\w-])",
    "the number of an issue or a pull request": r"(?<![\w&/])#\d+\b|\b(?:PR|MR|pull request|issue|ticket"
    r"|bug)s?[ #-]*\d+\b"
    r"|/(?:pull|issues|merge_requests|commit|runs)/\w+",
    _TICKET_KEY: r"\b(?!(?:UTF|SHA|ISO|CVE|RFC|CWE|MD|AES|RSA|HTTP|TLS|ES|EC|GPT|PEP|ADR|UTC|GMT|X|H|IPV"
    r"|ARM|BM|GH)-?)"
    r"[A-Z]{2,10}-\d+\b",
    "a temporary folder": r"(?<![\w.])/(?:private/)?(?:tmp|var/folders|var/tmp|dev/shm)/\S|\\AppData\\Local\\Temp",
    "a home folder": r"(?<![\w.])/(?:Users|home|root|var/home)/|\b[A-Z]:\\Users\\",
    "a branch": r"(?<![\w/.])(?:feature|feat|fix|bugfix|hotfix|chore|release|wip|dependabot"
    r"|renovate)/[\w-]+(?![\w/]*\.\w)"
    r"|\borigin/(?!main\b|master\b|HEAD\b)[\w/-]+",
    "a port of the moment": r"(?:localhost|127\.0\.0\.1|\[::1\]):(?:3[3-9]|[4-6]\d)\d{3}\b",
    "a process": r"\bpid[ =:]*\d+\b",
    "a line of a file": r"\.[a-z]\w{0,5}:\d+\b|\blines? \d+",
}
OF_A_RULE = frozenset((_SINCE,))
"""What ties no rule to a moment that a person typed; in what others say it is the day of an event."""
OF_THE_PLACE = OF_A_RULE | {
    *(_TICKET_KEY, "a time of day", "a temporary folder", "a home folder", "a branch", "a line of a file")
}
"""What ties a sentence to a moment only where its speaker does not say that it holds on."""
_BINDING = regex("(?i)" + "|".join(f"(?P<p{at}>{pattern})" for at, pattern in enumerate(_PATTERNS.values())))
_BINDS = tuple(_PATTERNS)
_TICKET = regex(_PATTERNS[_TICKET_KEY])
_CODE = regex(r"`[^`]*`")
_THINGS = (
    r"(?:pr|pull request|branch|commit|change|changes|session|task|issue|ticket|bug|error|failure|fix|file|line|plan"
    r"|page|button|screenshot|image|diff|step|time|one|part|section|comment|review|message|run|case|repo|project|folder"
    r"|test|approach|conversation|worktree|phase|pass|point|feature|week|month|morning|evening|release|version|refactor"
    r"|migration|code)"
)
_DEICTIC = regex(
    rf"(?i)\b(?:this|that|these|those|the (?:current|previous|next|last|latest|above|following|first|second|same"
    rf"|other)) {_THINGS}s?\b"
    r"|\b(?:today|tomorrow|yesterday|tonight|right now|for now|just now|at the moment|so far|in the meantime|meanwhile"
    r"|currently|recently|earlier|previously|no longer|not yet|next step|still need|above|below|as (?:discussed"
    r"|mentioned|requested)|we (?:just|discussed|talked)|you (?:just|said|suggested|mentioned|did|made|created|added"
    r"|wrote|found|proposed)|option [a-d1-9]|same (?:pr|branch|commit|file)|this (?:will|would|is|was|means|makes"
    r"|should|can)|an? (?:previous|earlier)|step \d|phase \d|attempt \d)\b"
    r"|\bnow\b(?! on\b)|^(?:this|that|these|those|it|they|he|she|here|there|both|same|then|so|worse|also|another"
    r"|such)\b",
)

_MOST_STRUCTURE = 3
_LONGEST_TYPED = 2_500  # characters that somebody types
_ITEM = regex(r"(?m)^[^\S\n]*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_SPLIT = regex(
    r"(?<=[.!?])[\"')\]]*\s+(?=[\"'`(\[*A-Z])|\n+|(?<=[a-z])\.\.+\s*(?=[a-z])"
    r"|(?<=[a-z]{2}[.!?])(?<!etc\.)(?<!vs\.)\s+(?=[a-z])"
)
_BLANKS = regex(r"\s+")
_STRUCTURE = regex(r"(?m)^[^\S\n]*(?:#{1,6}\s|[-*+•]\s|\d{1,3}[.)]\s|\||```|>|[A-Z][\w ]{2,30}:\s*$)")
_PASTED = regex(
    r"(?im)\bif:\s*$|"
    r"^[^\S\n]*(?:implement the following plan|<|#\s|\{|\[lint|traceback|diff --git|you are )|[❯⏺⎿│├└┌]"
    r"|\[\d{1,2}:\d\d|```|\b(?:high|medium|low|critical) severity\b"
    r"|^[^\S\n]*(?:high|medium|low|critical|major|minor|nit)\s*:|[“”]|\\n",
)
_BROKEN = regex(r"(?m)^[^\n]{54,119}[^\s.!?:,;]\n[^\S\n]*[a-z(`]")  # nobody who types breaks lines at a width
_NUMBER = regex(r"\d{1,3}[.)]")
_MARKS = ('"', "“", "”", "«", "»", "‘")
_GOES_ON = ("```", "~~~", "<", ">", "|", "'", *_MARKS)
_QUOTING = regex(r"(?<!\w)'[^'\n]*\s[^'\n]*'(?!\w)")
_OUR_NOTES = regex(r"(?i)\[\s*(?:end\s+of\s+)?afterwit\s+notes")
_OURS = regex(
    r"(?s)\A(?:The (?:user|agent)|A commit|A pull request|A summary"
    r"|The last reply)(?: said)?(?: on \d{4}-\d\d-\d\d)?: \"(?P<words>.*)\"\Z",
)
ROOM = SENTENCE_LIMIT - len('The user said on 2026-01-01: ""')  # characters of a sentence that can be quoted whole
_FORM = frozenset(
    words_of(
        """always never remember must should would could instead rather because since than every each any everything
        nothing only decided agreed settled chose chosen stick keep going forward future whenever wherever possible
        prefer require required need needs don dont doesn not cannot way thing things lets ensure sure really very much
        many root cause reason problem issue actual real turns fails failed means works""".replace("\n", " ")
    )
)
_NEGATION = regex(
    r"(?i)\b(?:no|not|never|without|avoid|stop|drop|remove|cannot|nobody|none)\b|n't\b|\b(?:dont|doesnt|cant)\b",
)


@lru_cache(maxsize=128)
def is_document(prompt: str) -> bool:
    """Whether a prompt has the structure of a document, the look of output or broken lines, however short it is."""
    text = prompt.strip()
    has_look = _PASTED.search(text) or _BROKEN.search(text)
    return bool(has_look) or len(_STRUCTURE.findall(text)) > _MOST_STRUCTURE


@lru_cache(maxsize=128)
def typed_sentences(prompt: str) -> tuple[str, ...]:
    """The whole sentences of a prompt that its user typed, as they stand there; none of a document, and none of a text
    that carries notes of ours: somebody would be quoted with our words. Several ask for the same prompts."""
    typed = own_words(prompt)
    if len(typed) > _LONGEST_TYPED or _OUR_NOTES.search(prompt) or is_document(prompt):
        return ()
    pieces = (_BLANKS.sub(" ", piece).strip(" \t-–—*") for piece in _SPLIT.split(_ITEM.sub("\n\n", clean(typed))))
    return tuple(piece for piece in pieces if 0 < len(piece) <= ROOM and _stands_whole(prompt, piece))


def _stands_whole(prompt: str, piece: str) -> bool:
    """Whether a piece is a sentence of the prompt from its first word to its last, and quotes nothing. A line alone
    begins or ends none where the one beside it may belong to it."""
    before, is_there, after = prompt.partition(piece)
    if not is_there or _QUOTING.search(piece) or any(mark in piece for mark in _MARKS) or PLACEHOLDER.search(piece):
        return False
    if piece.endswith("\\"):  # a command of several lines
        return False
    above, _, line = before.rpartition("\n")
    lead, last = line.strip(" \t-–—*+•"), above.rpartition("\n")[2].strip()
    if line.strip():
        is_begun = not lead or lead.rstrip("\"')]")[-1:] in ".!?" or _NUMBER.fullmatch(lead) is not None
    else:
        is_begun = not last or last[-1] in ".!?:;" or piece[0].isupper()
    rest = after.lstrip(" \t")
    following = rest.lstrip()
    is_going_on = following[:1].islower() and rest.count("\n", 0, len(rest) - len(following)) == 1
    if piece[-1] in ".!?":
        is_ended = not after or after[0].isspace()
    else:
        is_ended = not following or (rest[0] == "\n" and not is_going_on and not following.startswith(_GOES_ON))
    return is_begun and is_ended and before.count('"') % 2 == 0 and before.count("“") <= before.count("”")


def is_general(text: str) -> bool:
    """Whether a statement holds beyond its day: nothing of the moment, nothing taken out, nothing pointed at."""
    return not (momentary(text, OF_A_RULE) or PLACEHOLDER.search(text) or "http" in text or is_deictic(text))


def attribute(at_ms: int, text: str) -> str:
    """What a user said as it is shown: when, and the words. Whoever drafts it has seen that they fit."""
    words = _BLANKS.sub(" ", clean(text)).strip().replace('"', "'").replace("“", "'").replace("”", "'")
    if words.count("`") % 2:
        words = words.replace("`", "")
    day = f" on {iso_from_ms(at_ms)[:10]}" if at_ms else ""
    return f'The user said{day}: "{words}"'


def words_stated(shown: str) -> str:
    """The words of an attributed statement; any other sentence as it is."""
    ours = _OURS.match(shown)
    return ours["words"] if ours else shown


def salient(text: str) -> frozenset[str]:
    """The words of a statement that say what it is about."""
    return frozenset(words_of(text)) - _FORM


def momentary(text: str, apart_from: frozenset[str] = frozenset()) -> str:
    """What ties the text to a moment, in words, apart from some of it; "" where nothing does."""
    for match in _BINDING.finditer(text):
        name = _BINDS[int(str(match.lastgroup)[1:])]
        if name not in apart_from and (name != _TICKET_KEY or _TICKET.match(text, match.start())):
            return name
    return ""


def is_deictic(text: str) -> bool:
    """Whether the text points at something that only its first listener could see."""
    return _DEICTIC.search(_CODE.sub("`x`", text.strip())) is not None


def is_negative(text: str) -> bool:
    return _NEGATION.search(text) is not None


def likeness(words: frozenset[str], others: frozenset[str]) -> float:
    """The share of words that both have."""
    return len(words & others) / len(words | others) if words and others else 0.0
