"""Convicts what a model proposes: the lines exist, and they say it. Pure.

Every command, path, flag, number, identifier and quoted word of a sentence must stand in lines of the session, a
command in one line and in its order; and enough of its other words in the lines that it cites or beside them. Where a
model cited too little, the lines that hold a word are added: they are evidence too. A question proves nothing.

**Who said it** is decided here, by the lines and never by the model. The user's words are those whose own lines carry
most of the sentence, with nothing added that could do harm. An outcome is a command that was run, and whose end is
known. After these come what the agent said, what tools printed, and what stood in files, pages and foreign tools: the
least trusted of the lines decides.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from afterwit.guard.markers import is_own
from afterwit.guard.plain_names import is_plain_path
from afterwit.guard.unsafe_text import danger_in, reads_like_an_order
from afterwit.harvest.commands.power import is_tellable
from afterwit.model.kinds import Status
from afterwit.model.knowledge import Channel
from afterwit.reading.answers import Proposal
from afterwit.reading.lines import SessionLine, Speaker
from afterwit.text.words import words_of

LEAST_CONFIDENCE = 0.5
_LONGEST = 320
_SUPPORT = 0.34  # of a sentence's words that its lines, or those beside them, must hold
_OWN_WORDS = 0.5  # of a sentence's words that the user's lines must hold to make it theirs
_BESIDE = 2  # lines before and after a cited one that count as its context
_MOST_ADDED = 4
_COPIED = 7  # words in a row that stand in the prompt or in a note that is there: copied, not read
_SPAN = re.compile(r"`([^`]+)`")
_QUOTED = re.compile(r"[\"“]([^\"“”]{3,})[\"”]")
_MARK = re.compile(
    r"(?<![\w/.-])(?:--?[A-Za-z][\w-]+|[\w.@~-]*/[\w./@*~-]+|[A-Za-z_][\w-]*\.[A-Za-z]\w{0,9}\b|\d[\d.,:]*\d|\d{2,}"
    r"|[A-Za-z]+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Z]{2,}[0-9]\w*)"
)
_SENTENCE_END = re.compile(r"[.!;:]\s|[.!]$")
_ABBREVIATIONS = frozenset(("e.g", "i.e", "e.g.", "i.e.", "and/or", "vs.", "etc."))
_PLACEHOLDER = re.compile(r"<[^<>]*>|\{[^{}]*\}|…|\.\.\.|\*+")
_LEAST_TRUSTED = (Speaker.MCP, Speaker.WEB, Speaker.FILE, Speaker.OUTPUT)


class Conviction(StrEnum):
    """Why a proposal is not taken."""

    NO_LINES = "no-lines"
    UNSUPPORTED = "unsupported"
    OTHER_WORDS = "other-words"
    QUESTION = "question"
    COPIED = "copied"
    OWN = "own-output"
    GENERAL = "general"
    SPECULATION = "speculation"
    TOO_LONG = "too-long"
    ORDER = "order"


WORDS = {
    Conviction.NO_LINES: "It cites no line that was sent.",
    Conviction.UNSUPPORTED: "It names something that stands in no line of the session.",
    Conviction.OTHER_WORDS: "The lines that it cites say something else.",
    Conviction.QUESTION: "It rests on questions alone.",
    Conviction.COPIED: "It is copied from the prompt or from a note that is there already.",
    Conviction.OWN: "It is our own output come back.",
    Conviction.GENERAL: "It names nothing of this repository: every agent knows it.",
    Conviction.SPECULATION: "The model itself believes it less than an even chance.",
    Conviction.TOO_LONG: f"It has more than {_LONGEST} characters.",
    Conviction.ORDER: "It reads like an order that no user gave.",
}


class Convicted(NamedTuple):
    """A proposal that is not taken."""

    sentence: str
    why: Conviction
    detail: str = ""


class Supported(NamedTuple):
    """A proposal that its lines bear out."""

    proposal: Proposal
    channel: Channel
    lines: tuple[int, ...]  # that prove it, from 0, in order


class Sent(NamedTuple):
    """What the model was sent: the lines of the session, and of these the ones of the request."""

    lines: Sequence[SessionLine]
    first: int
    end: int
    copied: Collection[str] = ()  # runs of words of the prompt and of notes, from `runs_in`


def checked(proposal: Proposal, sent: Sent) -> Supported | Convicted:
    """The proposal with who said it, or why it is not taken."""
    why = _of_form(proposal, sent)
    if why is not None:
        return Convicted(proposal.sentence, why)
    cited = sorted({number - 1 for number in proposal.lines if sent.first <= number - 1 < sent.end})
    if not cited:
        return Convicted(proposal.sentence, Conviction.NO_LINES)
    proving = [at for at in cited if _proves(sent.lines[at])]
    if not proving:
        return Convicted(proposal.sentence, Conviction.QUESTION)
    added: set[int] = set()
    for mark in marks_in(proposal.sentence):
        holders = _holders(mark, sent, proving)
        if not holders:
            return Convicted(proposal.sentence, Conviction.UNSUPPORTED, mark)
        added.update(holders[:1] if not any(at in proving for at in holders) else ())
    if len(added) > _MOST_ADDED:
        return Convicted(proposal.sentence, Conviction.OTHER_WORDS, "its words are spread over the session")
    lines = tuple(sorted({*proving, *added}))
    if share_of_words(proposal.sentence, _around(lines, sent)) < _SUPPORT:
        return Convicted(proposal.sentence, Conviction.OTHER_WORDS)
    channel = channel_of(proposal.sentence, [sent.lines[at] for at in lines])
    if channel is not Channel.USER:
        if not marks_in(proposal.sentence):
            return Convicted(proposal.sentence, Conviction.GENERAL)
        if reads_like_an_order(proposal.sentence):
            return Convicted(proposal.sentence, Conviction.ORDER)
    return Supported(proposal, channel, lines)


def runs_in(texts: Iterable[str]) -> frozenset[str]:
    """All runs of words that are long enough to be recognised as copied."""
    return frozenset(run for text in texts for run in _runs(text))


def marks_in(sentence: str) -> list[str]:
    """The pieces of a sentence that must stand in the session as they are."""
    rest = _SPAN.sub(" ", sentence)
    quoted = [match[1] for match in _QUOTED.finditer(rest)]
    plain = (match[0].strip(".,:;") for match in _MARK.finditer(_QUOTED.sub(" ", rest)))
    spans = [match[1] for match in _SPAN.finditer(sentence)]
    marks = (" ".join(mark.split()) for mark in (*spans, *quoted, *plain))
    return list(dict.fromkeys(mark for mark in marks if mark and mark.lower() not in _ABBREVIATIONS))


def share_of_words(sentence: str, lines: Iterable[SessionLine]) -> float:
    """Which share of a sentence's words stands in these lines."""
    wanted = set(words_of(sentence))
    there = {word for line in lines for word in words_of(line.text)}
    return len(wanted & there) / len(wanted) if wanted else 1.0


def holds(text: str, mark: str) -> bool:
    """Whether a mark stands in a text: as it is, or, for a command, word by word in its order. A gap that is written as
    one stands for anything."""
    folded = _folded(text)
    plain = _folded(mark)
    if plain in folded:
        return True
    pieces = [piece for gap in _PLACEHOLDER.split(plain) for piece in gap.split()]
    if not pieces or (len(pieces) == 1 and pieces[0] == plain):
        return False
    at = 0
    for piece in pieces:
        at = folded.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


def channel_of(sentence: str, lines: Sequence[SessionLine]) -> Channel:
    """Where the words of a sentence come from, by the lines that prove it."""
    typed = [line for line in lines if line.speaker is Speaker.USER]
    if typed and share_of_words(sentence, typed) >= _OWN_WORDS and not _adds_power(sentence, typed):
        return Channel.USER
    ended = [
        line for line in lines if line.speaker is Speaker.ACTION and line.status in (Status.SUCCEEDED, Status.FAILED)
    ]
    commands = [mark for mark in marks_in(sentence) if _is_command(mark)]
    if commands and all(any(holds(line.text, mark) for line in ended) and is_tellable(mark) for mark in commands):
        return Channel.OUTCOME
    foreign = [line for line in lines if line.speaker in _LEAST_TRUSTED]
    said = [line for line in lines if line.speaker in (Speaker.AGENT, Speaker.USER, Speaker.ACTION)]
    if said and (not foreign or share_of_words(sentence, said) >= _SUPPORT):
        return Channel.ASSISTANT
    speaker = min((line.speaker for line in foreign or lines), key=_trust)
    return speaker.channel or Channel.TOOL


def _trust(speaker: Speaker) -> int:
    return _LEAST_TRUSTED.index(speaker) if speaker in _LEAST_TRUSTED else len(_LEAST_TRUSTED)


def _adds_power(sentence: str, typed: Sequence[SessionLine]) -> bool:
    """Whether something that the user did not type could do harm, or lead elsewhere."""
    strange = [mark for mark in marks_in(sentence) if not any(holds(line.text, mark) for line in typed)]
    return any(
        danger_in(mark)
        or (_is_command(mark) and not is_tellable(mark))
        or ("/" in mark and not _is_command(mark) and not is_plain_path(mark.strip("*/")))
        for mark in strange
    )


def _is_command(mark: str) -> bool:
    return " " in mark


def _of_form(proposal: Proposal, sent: Sent) -> Conviction | None:
    if len(proposal.sentence) > _LONGEST:
        return Conviction.TOO_LONG
    if is_own(proposal.sentence):
        return Conviction.OWN
    if proposal.confidence < LEAST_CONFIDENCE:
        return Conviction.SPECULATION
    if sent.copied and any(run in sent.copied for run in _runs(proposal.sentence)):
        return Conviction.COPIED
    return None


def _proves(line: SessionLine) -> bool:
    """A question does not, and neither does a remark of ours."""
    if line.speaker is Speaker.NOTE:
        return False
    is_question = line.text.rstrip().endswith("?") and not _SENTENCE_END.search(line.text.rstrip("? "))
    return not (is_question and line.speaker in (Speaker.USER, Speaker.AGENT))


def _holders(mark: str, sent: Sent, cited: Sequence[int]) -> list[int]:
    """Lines that hold a mark: those that are cited first, then the nearest."""
    places = [at for at in range(sent.first, sent.end) if _proves(sent.lines[at]) and holds(sent.lines[at].text, mark)]
    return sorted(places, key=lambda at: (at not in cited, min(abs(at - other) for other in cited), at))


def _around(lines: Sequence[int], sent: Sent) -> Iterator[SessionLine]:
    places = {near for at in lines for near in range(at - _BESIDE, at + _BESIDE + 1)}
    return (sent.lines[at] for at in sorted(places) if sent.first <= at < sent.end)


def _runs(text: str) -> Iterator[str]:
    words = re.findall(r"[\w'/.-]+", text.lower())
    return (" ".join(words[at : at + _COPIED]) for at in range(len(words) - _COPIED + 1))


def _folded(text: str) -> str:
    """Without marks of Markdown, and without differences that say nothing."""
    return " ".join(text.replace("`", "").replace("**", "").replace("’", "'").lower().split())
