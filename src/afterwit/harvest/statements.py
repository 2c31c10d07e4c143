"""What people say, as sentences that can be quoted: taken out of a prompt, attributed, compared by their telling words.

`typed_sentences` are those that a user typed, each whole as it stands in the prompt: nothing that was pasted or quoted,
nothing cut out, nothing that redaction took something from. A sentence is shown with its date and with quotes in it
made single, so that it cannot end its own quotation.

`momentary` looks for things that no lasting sentence may hold, quoted or not: dates, hashes, ids, numbers of issues,
temporary and home folders, branches. `is_deictic` looks for words that point at something which only the listener of
that day could see: "this branch", "now", "the one above"; it is meant for what people said, sentences of ours have no
such words.

`matters` brings together what users said in the same words: most of the telling words shared, and the same sign. The
earliest time names the matter, so that an id does not change when it is said again.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from afterwit.harvest.harvester import evidence_of, item_id
from afterwit.model.knowledge import EXCERPT_LIMIT, SENTENCE_LIMIT, Category, Channel, Draft, Scope, Seen, Sighting
from afterwit.model.pasted import own_words, without_blocks
from afterwit.model.text import regex, words_of
from afterwit.model.times import iso_from_ms
from afterwit.redaction.accounts import is_person
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
    "a line of a file": r"\.\w{1,6}:\d+\b|\blines? \d+",
}
OF_A_RULE = frozenset((_SINCE,))
"""What ties no rule to a moment that a person typed; in what others say it is the day of an event."""
OF_THE_PLACE = OF_A_RULE | {
    *(_TICKET_KEY, "a time of day", "a temporary folder", "a home folder", "a branch", "a line of a file")
}
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

_MOST_STRUCTURE = 3
_LONGEST_TYPED = 2_500  # characters that somebody types
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
_NUMBER = regex(r"\d{1,3}[.)]")
_MARKS = ('"', "“", "”", "«", "»", "‘")
_GOES_ON = ("```", "~~~", "<", ">", "|", "'", *_MARKS)
_QUOTING = regex(r"(?<!\w)'[^'\n]*\s[^'\n]*'(?!\w)")
_OUR_NOTES = regex(r"\[\s*(?:end\s+of\s+)?afterwit\s+notes", re.IGNORECASE)
_OURS = regex(
    r"\A(?:The (?:user|agent)|A commit|A pull request|A summary"
    r"|The last reply)(?: said)?(?: on \d{4}-\d\d-\d\d)?: \"(?P<words>.*)\"\Z",
    re.DOTALL,
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
ALIKE = 0.6
_NEGATION = regex(
    r"\b(?:no|not|never|without|avoid|stop|drop|remove|cannot|nobody|none)\b|n't\b|\b(?:dont|doesnt|cant)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=128)
def is_document(prompt: str) -> bool:
    """Whether a prompt has the structure of a document, the look of output or broken lines, however short it is."""
    text = prompt.strip()
    has_look = _PASTED.search(text) or _BROKEN.search(text)
    return bool(has_look) or len(_STRUCTURE.findall(text)) > _MOST_STRUCTURE


def typed_sentences(prompt: str) -> list[str]:
    """The whole sentences of a prompt that its user typed, as they stand there; none of a document."""
    typed = own_words(prompt)
    if len(typed) > _LONGEST_TYPED or is_document(prompt):
        return []
    return [piece for piece in pieces_of(typed) if len(piece) <= ROOM and _stands_whole(prompt, piece)]


def _stands_whole(prompt: str, piece: str) -> bool:
    """Whether a piece is a sentence of the prompt from its first word to its last, and quotes nothing."""
    before, is_there, after = prompt.partition(piece)
    if not is_there or _QUOTING.search(piece) or any(mark in piece for mark in _MARKS) or PLACEHOLDER.search(piece):
        return False
    is_quoted = before.count('"') % 2 == 1 or before.count("“") > before.count("”")
    return not is_quoted and _is_begun(before, piece) and _is_ended(piece, after)


def _is_begun(before: str, piece: str) -> bool:
    """Whether a sentence begins with a piece; a line alone begins none where it may go on with the one above."""
    above, _, line = before.rpartition("\n")
    lead = line.strip(" \t-–—*+•")
    if lead or line.strip():
        return not lead or lead.rstrip("\"')]")[-1:] in ".!?" or _NUMBER.fullmatch(lead) is not None
    last = above.rpartition("\n")[2].strip()
    return not last or last[-1] in ".!?:;" or piece[0].isupper()


def _is_ended(piece: str, after: str) -> bool:
    """Whether a sentence ends with a piece; a line alone ends none where the next one may go on with it."""
    if piece[-1] in ".!?":
        return not after or after[0].isspace()
    rest = after.lstrip(" \t")
    following = rest.lstrip()
    is_going_on = following[:1].islower() and rest.count("\n", 0, len(rest) - len(following)) == 1
    return not following or (rest[0] == "\n" and not is_going_on and not following.startswith(_GOES_ON))


@lru_cache(maxsize=256)
def pieces_of(text: str) -> tuple[str, ...]:
    """All sentences of a text, prose or not, without blocks, headings and quoted lines. A text that carries notes
    of ours has none: somebody would be quoted with our words. Several ask for the same texts, one after the other."""
    if _OUR_NOTES.search(text):
        return ()
    prose = _SKIPPED.sub("\n\n", without_blocks(clean(text), instead="\n\n"))
    prose = _MARKUP.sub("", _ITEM.sub("\n\n", prose))
    pieces = (_BLANKS.sub(" ", piece).strip(" \t-–—*") for piece in _SPLIT.split(prose))
    return tuple(piece for piece in pieces if piece)


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


class StatedMatter(NamedTuple):
    """What was said again and again, the earliest time first."""

    words: frozenset[str]
    is_negative: bool
    sightings: list[Sighting[Seen]]

    @property
    def last(self) -> Sighting[Seen]:
        return self.sightings[-1]

    @property
    def key(self) -> tuple[str, ...]:
        return (*sorted(self.words), "not") if self.is_negative else tuple(sorted(self.words))

    @property
    def people(self) -> frozenset[str]:
        """Who said it, as far as they can be told from others."""
        return frozenset(filter(is_person, (sighting.session.user for sighting in self.sightings)))

    @property
    def stories(self) -> frozenset[str]:
        return frozenset(sighting.session.story for sighting in self.sightings)

    def draft(
        self, harvester: str, scope: Scope, said: Sighting[Seen], replaced: Sequence["StatedMatter"] = ()
    ) -> Draft:
        """The matter in the words of one time. Without triggers: what a user wants is told at the start."""
        return Draft(
            harvester=harvester,
            key=self.key,
            scope=scope,
            category=Category.PITFALL if self.is_negative else Category.PATTERN,
            sentence=attribute(moment(said), said.seen.excerpt),
            channel=Channel.USER,
            evidence=tuple(evidence_of(sighting, Channel.USER) for sighting in self.sightings),
            supersedes=tuple(item_id(harvester, scope, old.key) for old in replaced),
        )


class LastWord(NamedTuple):
    """A matter without what those who said it have taken back, and the matters that it replaces."""

    matter: StatedMatter
    replaced: tuple[StatedMatter, ...]


def stated(text: str, at_ms: int | None) -> Seen:
    return Seen(excerpt=clean(text)[:EXCERPT_LIMIT], at_ms=at_ms)


def is_negative(text: str) -> bool:
    return _NEGATION.search(text) is not None


def moment(sighting: Sighting[Seen]) -> int:
    return sighting.seen.at_ms or sighting.session.at_ms


def matters(sightings: Iterable[Sighting[Seen]]) -> list[StatedMatter]:
    """What was said, each matter once, in the order in which it was first said."""
    so_far: list[StatedMatter] = []
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    for sighting in sorted(sightings, key=_order):
        text = sighting.seen.excerpt
        new = StatedMatter(salient(text), is_negative(text), [sighting])
        near = sorted({at for word in new.words for at in by_word[word]})
        same = next((so_far[at] for at in near if _is_same(so_far[at], new)), None)
        if same is not None:
            same.sightings.append(sighting)
        elif new.words:
            for word in new.words:
                by_word[word].append(len(so_far))
            so_far.append(new)
    return _unite(so_far)


def last_words(said: Sequence[StatedMatter]) -> Iterator[LastWord]:
    """Of matters that say the opposite, the one that was said last replaces the others."""
    for matter in said:
        opposites = [other for other in said if _is_opposite(matter, other)]
        since = {user: at for other in opposites for user, at in _last_said(other).items()}
        kept = [sighting for sighting in matter.sightings if moment(sighting) >= since.get(sighting.session.user, 0)]
        replaced = tuple(other for other in opposites if moment(other.last) < moment(matter.last))
        yield LastWord(matter._replace(sightings=kept or matter.sightings), replaced)


def likeness(words: frozenset[str], others: frozenset[str]) -> float:
    """The share of words that both have."""
    return len(words & others) / len(words | others) if words and others else 0.0


def _unite(said: Iterable[StatedMatter]) -> list[StatedMatter]:
    """Without doubles: what several people said in the same words."""
    by_key: dict[tuple[str, ...], StatedMatter] = {}
    for matter in said:
        first = by_key.setdefault(matter.key, matter)
        if first is not matter:
            first.sightings.extend(matter.sightings)
            first.sightings.sort(key=_order)
    return list(by_key.values())


def _is_same(earlier: StatedMatter, new: StatedMatter) -> bool:
    if earlier.is_negative != new.is_negative or likeness(new.words, earlier.words) < ALIKE:
        return False
    return not earlier.people or earlier.people.issuperset(new.people)


def _is_opposite(matter: StatedMatter, other: StatedMatter) -> bool:
    return matter.is_negative != other.is_negative and likeness(matter.words, other.words) >= ALIKE


def _last_said(matter: StatedMatter) -> dict[str, int]:
    """By user, when they said it last."""
    return {sighting.session.user: moment(sighting) for sighting in matter.sightings}


def _order(sighting: Sighting[Seen]) -> tuple[int, str, str, int, str]:
    session, seen = sighting
    return moment(sighting), session.agent, session.native_id, seen.at or 0, seen.excerpt
