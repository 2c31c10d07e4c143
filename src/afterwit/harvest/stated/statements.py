"""Statements: whole sentences of prose that say something in general, taken out of prompts, replies and messages.

Wrapped lines are joined first; code blocks, quotes, tables, headings and tagged blocks are passed over. Of prompts only
those that somebody typed are read: a plan, a review or a log that was pasted into one is not the user's own word. A
statement is quoted with its date and speaker, cut to fit, and with quotes in it made single, so that it cannot end its
own quotation. What a statement means is up to the harvesters.

`momentary` looks for things that no lasting sentence may hold, quoted or not: dates, hashes, ids, numbers of issues,
temporary and home folders, branches. `is_deictic` looks for words that point at something which only the listener of
that day could see: "this branch", "now", "the one above"; it is meant for what people and agents said, sentences of
ours have no such words. `topic_of` gives the words that a task must hold for a statement to be about it.
"""

import re
from enum import StrEnum
from functools import lru_cache

from afterwit.guard.hygiene import clean
from afterwit.guard.placeholders import PLACEHOLDER
from afterwit.harvest.wording import sentence
from afterwit.model.knowledge import EXCERPT_LIMIT, SENTENCE_LIMIT, Seen
from afterwit.model.times import iso_from_ms
from afterwit.text.pasted import own_words, without_blocks
from afterwit.text.patterns import regex
from afterwit.text.words import words_of

_MOST_TOPIC_WORDS = 2
_TOPIC_NAME = regex(r"`([^`]{2,60})`|\b(\w+(?:[_.-]\w+)+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w*)\b")
_TICKET_KEY = "the key of a ticket"  # the one that is told by its capitals
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
    "a line of a file": r"\.\w{1,6}:\d+\b|\blines? \d+",
}
OF_THE_PLACE = frozenset(
    (_TICKET_KEY, "a time of day", "a temporary folder", "a home folder", "a branch", "a line of a file")
)
"""What ties a sentence to a moment only where its speaker does not say that it holds on."""
_BINDING = regex("|".join(f"(?P<p{at}>{pattern})" for at, pattern in enumerate(_PATTERNS.values())), re.IGNORECASE)
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
    rf"\b(?:this|that|these|those|the (?:current|previous|next|last|latest|above|following|first|second|same"
    rf"|other)) {_THINGS}s?\b"
    r"|\b(?:today|tomorrow|yesterday|tonight|right now|for now|just now|at the moment|so far|in the meantime|meanwhile"
    r"|currently|recently|earlier|previously|no longer|not yet|next step|still need|above|below|as (?:discussed"
    r"|mentioned|requested)|we (?:just|discussed|talked)|you (?:just|said|suggested|mentioned|did|made|created|added"
    r"|wrote|found|proposed)|option [a-d1-9]|same (?:pr|branch|commit|file)|this (?:will|would|is|was|means|makes"
    r"|should|can)|an? (?:previous|earlier)|step \d|phase \d|attempt \d)\b"
    r"|\bnow\b(?! on\b)|^(?:this|that|these|those|it|they|he|she|here|there|both|same|then|so|worse|also|another"
    r"|such)\b",
    re.IGNORECASE,
)


LONGEST_TYPED = 900
_MOST_STRUCTURE = 3
_FEWEST_WORDS = 5
_SKIPPED = regex(
    r"^[^\S\n]*(?:#{1,6}\s|>|\||\$ |❯|❱|[⏺●⎿│├└┌]|\[\w+:\w+\]|(?:/?[\w.-]+/)*[\w.-]+\.\w+:\d+).*$", re.MULTILINE
)
_ITEM = regex(r"^[^\S\n]*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?", re.MULTILINE)
_SPLIT = regex(
    r"(?<=[.!?])[\"')\]]*\s+(?=[\"'`(\[*A-Z])|\n+|(?<=[a-z])\.\.+\s*(?=[a-z])"
    r"|(?<=[a-z]{2}[.!?])(?<!etc\.)(?<!vs\.)\s+(?=[a-z])"
)
_MARKUP = regex(r"\*\*|__(?=\S)|(?<=\S)__")
_BLANKS = regex(r"\s+")
_STRUCTURE = regex(r"^[^\S\n]*(?:#{1,6}\s|[-*+•]\s|\d{1,3}[.)]\s|\||```|>|[A-Z][\w ]{2,30}:\s*$)", re.MULTILINE)
_PASTED = regex(
    r"\bif:\s*$|"
    r"^[^\S\n]*(?:implement the following plan|<|#\s|\{|\[lint|traceback|diff --git|you are )|[❯⏺⎿│├└┌]"
    r"|\[\d{1,2}:\d\d|```|\b(?:high|medium|low|critical) severity\b"
    r"|^[^\S\n]*(?:high|medium|low|critical|major|minor|nit)\s*:|[“”]|\\n",
    re.IGNORECASE | re.MULTILINE,
)
_BROKEN = regex(r"^[^\n]{54,119}[^\s.!?:,;]\n[^\S\n]*[a-z(`]", re.MULTILINE)  # nobody who types breaks lines at a width
_OUR_NOTES = regex(r"\[\s*(?:end\s+of\s+)?afterwit\s+notes", re.IGNORECASE)
_OURS = regex(
    r"\A(?:The (?:user|agent)|A commit|A pull request|A summary"
    r"|The last reply)(?: said)?(?: on \d{4}-\d\d-\d\d)?: \"(?P<words>.*)\"\Z",
    re.DOTALL,
)
_REASON = regex(
    r"\b(?:because|since|otherwise|instead|rather than|so that|to avoid|to keep|to prevent|means|must|reason)\b",
    re.IGNORECASE,
)
_REACH = 3  # sentences
_ROOM = SENTENCE_LIMIT - len('A pull request said on 2026-01-01: ""')


class StatedBy(StrEnum):
    """Who, or what, said it."""

    USER = "The user"
    AGENT = "The agent"
    COMMIT = "A commit"
    PULL = "A pull request"
    SUMMARY = "A summary"
    ENDING = "The last reply"


class Stated(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """A statement; its words are the excerpt."""

    speaker: StatedBy


def stated(text: str, speaker: StatedBy, at_ms: int | None, at: int | None = None) -> Stated:
    return Stated(excerpt=clean(text)[:EXCERPT_LIMIT], speaker=speaker, at_ms=at_ms, at=at)


@lru_cache(maxsize=128)
def is_typed(prompt: str) -> bool:
    """Whether a prompt reads as typed by hand: short, without the structure of a document or the look of output."""
    text = prompt.strip()
    if len(text) > LONGEST_TYPED or _PASTED.search(text):
        return False
    return len(_STRUCTURE.findall(text)) <= _MOST_STRUCTURE


@lru_cache(maxsize=128)
def is_document(prompt: str) -> bool:
    """Whether a prompt has the structure of a document, the look of output or broken lines, however short it is."""
    text = prompt.strip()
    has_look = _PASTED.search(text) or _BROKEN.search(text)
    return bool(has_look) or len(_STRUCTURE.findall(text)) > _MOST_STRUCTURE


def typed_statements(prompt: str) -> list[str]:
    """The statements of a prompt that its user typed: none of a document, and nothing that was pasted."""
    return statements(own_words(prompt)) if is_typed(prompt) else []


def statements(text: str) -> list[str]:
    """The sentences of a text that are prose. A text that carries notes of ours has none: somebody else would be quoted
    with our words."""
    return [piece for piece in pieces_of(text) if _is_prose(piece)]


def with_reason(text: str, piece: str) -> str:
    """A statement, and the sentence soon after it that gives its reason or what is to be done instead, if both fit."""
    pieces = pieces_of(text)
    after = pieces[pieces.index(piece) + 1 :][:_REACH] if piece in pieces else []
    reasons = (other for other in after if _REASON.search(other) and _is_prose(other) and is_general(other))
    reason = next(reasons, "")
    whole = f"{piece if piece.endswith(('.', '!')) else f'{piece}.'} {reason}"
    return whole if reason and len(whole) <= _ROOM else piece


@lru_cache(maxsize=256)
def pieces_of(text: str) -> tuple[str, ...]:
    """All sentences of a text, prose or not, without blocks, headings and quoted lines. Several harvesters ask for the
    same texts, one after the other."""
    if _OUR_NOTES.search(text):
        return ()
    prose = _SKIPPED.sub("\n\n", without_blocks(clean(text), instead="\n\n"))
    prose = _MARKUP.sub("", _ITEM.sub("\n\n", prose))
    pieces = (_BLANKS.sub(" ", piece).strip(" \t-–—*") for piece in _SPLIT.split(prose))
    return tuple(piece for piece in pieces if piece)


def is_general(text: str) -> bool:
    """Whether a statement holds beyond its day: nothing of the moment, nothing taken out, nothing pointed at."""
    return not (momentary(text) or PLACEHOLDER.search(text) or "http" in text or is_deictic(text))


def attributed(speaker: StatedBy, at_ms: int, text: str) -> str:
    """The statement as it is shown: who said it, when, and the words."""
    words = _shown(text)
    day = f" on {iso_from_ms(at_ms)[:10]}" if at_ms else ""
    return f'{speaker} said{day}: "{words}"'


def words_stated(shown: str) -> str:
    """The words of an attributed statement; any other sentence as it is."""
    ours = _OURS.match(shown)
    return ours["words"] if ours else shown


def salient(text: str) -> frozenset[str]:
    """The words of a statement that say what it is about."""
    return frozenset(words_of(text)) - _FORM


def _shown(text: str) -> str:
    words = _BLANKS.sub(" ", clean(text)).strip().replace('"', "'").replace("“", "'").replace("”", "'")
    if words.count("`") % 2:
        words = words.replace("`", "")
    if len(words) <= _ROOM:
        return words
    kept = sentence(words[:_ROOM]).rpartition(" ")[0].rstrip(" ,;:-")
    return f"{kept}…`" if kept.count("`") % 2 else f"{kept}…"


def _is_prose(piece: str) -> bool:
    words = piece.split()
    if len(words) < _FEWEST_WORDS or len(piece) > EXCERPT_LIMIT:
        return False
    if piece.endswith((":", "?")) or piece[0] in "([{|/\\=+@$&%^~}])":
        return False
    plain = sum(word.strip(".,;!()'\"`").replace("'", "").isalpha() for word in words)
    return plain * 3 >= len(words) * 2


_FORM = frozenset(
    words_of(
        """always never must should would could instead rather because since than every each any everything nothing only
        decided agreed settled chose chosen stick keep going forward future whenever wherever possible prefer require
        required need needs don dont doesn not cannot way thing things lets ensure sure really very much many root cause
        reason problem issue actual real turns fails failed means works""".replace("\n", " ")
    )
)


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


def topic_of(text: str) -> tuple[str, ...]:
    """At most two stemmed words, enough to be about something and few enough to be met: names first (what stands in
    backticks, identifiers, words with a dash), then the longest of the other words."""
    telling = salient(text)
    named = [word for name in _TOPIC_NAME.finditer(text) for word in words_of(name[1] or name[2]) if word in telling]
    others = sorted(telling, key=lambda word: (-len(word), word))
    return tuple(dict.fromkeys([*named, *others]))[:_MOST_TOPIC_WORDS]
