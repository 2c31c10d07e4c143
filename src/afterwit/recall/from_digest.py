"""What recall keeps of a digest: where its session worked, and what was said in it.

Everything that can be quoted later is made harmless here: one line, nothing invisible, no markers of ours, no values
that were taken out, quotation marks made single. What looks pasted is searched but not quoted. An agent's words are
never kept to be quoted: it may only repeat what a page told it. They help to find the talk. All of it happens when a
session is learned, not when a hook asks.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from afterwit.guard.hygiene import clean
from afterwit.guard.markers import defused, without_own
from afterwit.guard.placeholders import PLACEHOLDER
from afterwit.knowledge.whose_words import Listener
from afterwit.model.digest import Digest
from afterwit.model.kinds import CHANGES, Relation, Status
from afterwit.recall.place_index import PlaceSighting
from afterwit.recall.talks import LONGEST_QUOTE, Quote, Talk
from afterwit.text.pasted import own_words, without_blocks

_TURNS_OF_TALK = 8  # prompts
_FEWEST_WORDS = 3  # of a turn that says something
_MOST_TEXT = 16_000
_LONGEST = LONGEST_QUOTE
_JOINT = " … "
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
_ORDER = re.compile(
    r"\W*(?:(?:ok(?:ay)?|yes|yeah|now|then|please|and|also|great|good|nice|so|just|let'?s|(?:can|could) you)\b\W*)*"
    r"(?:commit|push|merge|rebase)\b",
    re.IGNORECASE,
)
_LONGEST_ORDER = 100
_MOST_LINES = 40
_LONGEST_READ = 4_000  # characters of a turn that are looked at for sentences
_PASTED = re.compile(
    r"[⏺⎿│├└┌┃]|^[^\S\n]*(?:implement the following plan|traceback|diff --git|you are (?:an?|the|now|working)\b|role:"
    r"|# )|\b(?:high|medium|low"
    r"|critical)"
    r" severity\b|^[^\S\n]*(?:high|medium|low|critical|major|minor|nit)\s*:|\blevel=|\*\*|\w\.\w{1,5}:\d|^[^\S\n]*@\["
    r"|\[\d{1,2}:\d\d",
    re.IGNORECASE | re.MULTILINE,
)


def talks_in(digest: Digest) -> list[Talk]:
    """What was said in a session and can be quoted: one talk, or several of a long one."""
    started = digest.started_ms or 0
    prompts = [(said.at_ms or started, said.text) for said in digest.prompts]
    talks = [prompts[at : at + _TURNS_OF_TALK] for at in range(0, len(prompts), _TURNS_OF_TALK)]
    if not talks or digest.relation == Relation.SUBAGENT:
        return []
    beside = [(said.at_ms or started, said.text) for said in (*digest.replies, *digest.stated) if not said.is_person]
    beside += [(started, text) for text in (digest.title, *(made.text for made in digest.publications))]
    beside += [(digest.ended_ms or started, text) for text in (*digest.summaries, digest.ending)]
    begins = [0, *(talk[0][0] for talk in talks[1:])]
    texts = [[text for _, text in talk] for talk in talks]
    for at_ms, text in beside:
        texts[bisect_right(begins, max(at_ms, 0)) - 1].append(text)
    made = (
        Talk(
            Quote(_quote([text for _, text in talk], is_first=not part), talk[-1][0], digest.native_id),
            without_own("\n".join(texts[part]))[:_LONGEST_TEXT],
            part,
        )
        for part, talk in enumerate(talks)
    )
    return [talk for talk in made if talk.quote.text]


def heard_talks(digest: Digest, to: Listener) -> list[Talk]:
    """The same, as far as it may be quoted to this listener. What somebody else said only counts among the talks."""
    talks = talks_in(digest)
    return talks if to.hears_user(digest.user, digest.repo) else [talk.unquoted() for talk in talks]


def _quote(prompts: Sequence[str], *, is_first: bool) -> str:
    """What the user said, without questions, in order. Of much, the longest turns, and what began the session last: it
    is a wish, and rarely its answer. Of a turn that does not fit, the longest sentences that do."""
    turns = {at: lines for at, prompt in enumerate(prompts) if (lines := _said(prompt))}
    sizes = {at: sum(len(line) + 1 for line in lines) for at, lines in turns.items()}
    kept: dict[int, str] = {}
    room = LONGEST_QUOTE
    for at in sorted(turns, key=lambda at: (is_first and at == 0, -sizes[at])):
        said = " ".join(_fitting(turns[at], room))
        if said:
            kept[at] = said
            room -= len(said) + len(_JOINT)
    return _JOINT.join(kept[at] for at in sorted(kept))


def _said(prompt: str) -> list[str]:
    """The sentences of a turn that says something; none of an order of the moment."""
    lines = sentences_of(own_words(prompt)) if _is_typed(prompt) else ()
    told = [line for line in lines if not line.rstrip("\"')").endswith("?")]
    text = " ".join(told)
    is_order = len(text) <= _LONGEST_ORDER and _ORDER.match(text)
    return told if len(text.split()) >= _FEWEST_WORDS and not is_order else []


def _fitting(lines: Sequence[str], room: int) -> list[str]:
    kept: list[int] = []
    for at in sorted(range(len(lines)), key=lambda at: -len(lines[at])):
        if len(lines[at]) <= room:
            kept.append(at)
            room -= len(lines[at]) + 1
    return [lines[at] for at in sorted(kept)]


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a text that can be quoted, each in one harmless line."""
    prose = _ITEM.sub("", _OUTPUT.sub("\n", without_blocks(clean(without_own(text[:_LONGEST_READ])))))
    for piece in _SPLIT.split(prose):
        line = _BLANKS.sub(" ", piece or "").strip(" \t-–—*#")
        if _is_prose(line) and not PLACEHOLDER.search(line):
            yield _shortened(_quotable(line))


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
