"""What recall keeps of a digest: where its session worked, and what was said in it, taken apart into sentences.

Everything that can be quoted later is made harmless here: one line, nothing invisible, no markers of ours, no values
that were taken out, quotation marks made single. What looks pasted is searched but not quoted. An agent's words are
never kept to be quoted: it may only repeat what a page told it. How far they settle something helps to find the talk.
All of it happens when a session is learned, not when a hook asks.
"""

import re
from collections.abc import Iterator

from afterwit.digest.last_words import is_thanks
from afterwit.guard.hygiene import clean
from afterwit.guard.markers import defused, without_own
from afterwit.guard.placeholders import PLACEHOLDER
from afterwit.model.digest import Digest, Said
from afterwit.model.kinds import CHANGES, Relation, Status
from afterwit.recall.deciding_sentences import force, is_change, is_proposal
from afterwit.recall.place_index import PlaceSighting
from afterwit.recall.talks import AGENT, USER, Sentence, Talk, TalkTurn, counts_of, terms_of
from afterwit.text.pasted import own_words, without_blocks

_MOST_TURNS = 60
_MOST_TEXT = 16_000
_MOST_SENTENCES = 40
_LONGEST = 400
_LONGEST_TEXT = 24_000
_OUTPUT = re.compile(
    r"^[^\S\n]*(?:#{1,6}\s|>|\||\$ |❯|[⏺●⎿│├└┌+@-]{2}|diff |index |Traceback|(?<=\s)at |File \"|\[?\d{4}-\d\d-\d\d[T ]"
    r"|\d\d:\d\d:"
    r"|(?:ERROR|WARN|INFO|DEBUG)\b|(?:error|target|source|warning|fatal|remote|hint)\b[^.]{0,40}:"
    r"|(?:/?[\w.-]+/)*[\w.-]+\.\w+:\d+|(?:System|Assistant|User|Human)\s*:|[\[{}\]]).*$",
    re.MULTILINE,
)
_ITEM = re.compile(r"^[^\S\n]*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?", re.MULTILINE)
_SPLIT = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'`(\[*A-Z0-9])|(?<=[a-z]{2}[.!?])\s+(?=[a-z])|\n+")
_HOME = re.compile(r"(?<![\w.~])(?:/(?:Users|home)/|[A-Za-z]:[\\/]Users[\\/])[^\s/\\'\"`:;,)]+")
_BLANKS = re.compile(r"\s+")
_MOST_OF_AGENT = 3
_MOST_LINES = 40
_LONGEST_READ = 4_000  # characters of a turn that are looked at for sentences
_LONGEST_TURN = 2_000
_LESS = 0.2
_PASTED = re.compile(
    r"[⏺⎿│├└┌┃]|^[^\S\n]*(?:implement the following plan|traceback|diff --git|you are (?:an?|the|now|working)\b|role:"
    r"|# )|\b(?:high|medium|low"
    r"|critical)"
    r" severity\b|^[^\S\n]*(?:high|medium|low|critical|major|minor|nit)\s*:|\blevel=|\*\*|\w\.\w{1,5}:\d|^[^\S\n]*@\["
    r"|\[\d{1,2}:\d\d",
    re.IGNORECASE | re.MULTILINE,
)


def talk_of(digest: Digest) -> Talk:
    """What a digest tells about what was said."""
    at_ms = digest.ended_ms or digest.started_ms or 0
    turns = sorted(_turns(digest, at_ms), key=lambda turn: turn.at_ms)
    stated = (statement.text for statement in digest.stated if not statement.is_person)
    said = (digest.title, *(prompt.text for prompt in digest.prompts), *stated)
    told = (*(publication.text for publication in digest.publications), *digest.summaries, digest.ending)
    text = without_own("\n".join((*said, *told)))[:_LONGEST_TEXT]
    return Talk(digest.native_id, at_ms, tuple(turns[-_MOST_TURNS:]), counts_of(text))


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a text that can be quoted, each in one harmless line."""
    prose = _ITEM.sub("", _OUTPUT.sub("\n", without_blocks(clean(without_own(text[:_LONGEST_READ])))))
    for piece in _SPLIT.split(prose):
        line = _BLANKS.sub(" ", piece or "").strip(" \t-–—*#")
        if _is_prose(line) and not PLACEHOLDER.search(line):
            yield _shortened(_quotable(line))


def _turns(digest: Digest, at_ms: int) -> Iterator[TalkTurn]:
    """What a subagent is told are words of an agent."""
    is_person = digest.relation != Relation.SUBAGENT
    for at, said in enumerate(digest.prompts):
        if is_person and not is_thanks(said.text):
            yield _of_person(said, at_ms, is_task=not at)
    stated = {said.text: said.at_ms for said in (*digest.stated, *digest.prompts) if not (said.is_person and is_person)}
    for text, when in (stated | {digest.ending: digest.ended_ms}).items():
        if text:
            yield _of_agent(text, when or at_ms)


def _of_agent(text: str, at_ms: int) -> TalkTurn:
    """Of an agent's words is kept how far they settle something, and none of the words."""
    lines = [line for line in sentences_of(text) if is_proposal(line)][:_MOST_OF_AGENT]
    sentences = [Sentence("", max(force(line), 1.0)) for line in lines]
    return TalkTurn(AGENT, at_ms, tuple(sentences), _terms(text), is_change(text))


def _of_person(said: Said, at_ms: int, *, is_task: bool) -> TalkTurn:
    """What begins a session is a wish first: less of it decides."""
    less = _LESS if is_task else 0.0
    lines = list(sentences_of(own_words(said.text)))[:_MOST_SENTENCES] if _is_typed(said.text) else []
    forces = (force(line) if terms_of(line) else 0.0 for line in lines)
    sentences = [Sentence(line, round(max(much - less, much / 2), 2)) for line, much in zip(lines, forces, strict=True)]
    return TalkTurn(USER, said.at_ms or at_ms, tuple(sentences), _terms(said.text), is_change(said.text))


def _terms(text: str) -> frozenset[str]:
    return frozenset(terms_of(without_own(text)[:_LONGEST_TURN]))


def _is_typed(prompt: str) -> bool:
    """Whether it reads as typed by hand, and not as output or a document that was pasted."""
    text = prompt[:_LONGEST_READ].strip()
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > _MOST_LINES or _PASTED.search(text):
        return False
    return len(_OUTPUT.findall(text)) * 4 <= len(lines)


def _is_prose(line: str) -> bool:
    words = line.split()
    plain = sum(word.strip(".,;:!?()'\"`").replace("'", "").isalpha() for word in words if word[0] not in "-\\")
    return len(line) > 2 and plain * 2 >= len(words)


def _quotable(line: str) -> str:
    plain = _HOME.sub("~", line).replace('"', "'").replace("“", "'").replace("”", "'")
    return defused(plain.replace("`", "'") if plain.count("`") % 2 else plain)


def _shortened(line: str) -> str:
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rpartition(" ")[0] + "…"


def sighting_of(digest: Digest) -> PlaceSighting:
    """What a digest tells about where work is. Files outside the repository are left out."""
    symbols = {file.path: file.symbols for file in digest.files}
    changed: dict[str, tuple[str, ...]] = {}
    for step in digest.steps:
        if step.kind in CHANGES and step.status is not Status.FAILED:
            changed |= {path: symbols.get(path, ()) for path in step.files if not path.startswith("/")}
    said = (
        digest.task,
        digest.title,
        *(publication.text for publication in digest.publications),
        *(prompt.text for prompt in digest.prompts[1:]),
    )
    at_ms = digest.ended_ms or digest.started_ms or 0
    return PlaceSighting(digest.native_id, "\n".join(said)[:_MOST_TEXT], changed, digest.branch, at_ms)
