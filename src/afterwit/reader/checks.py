"""Convicts what a model proposes: the lines exist, and they say it. Pure.

Every command, path, flag, number, identifier and quoted word of a sentence must stand in lines of the session, a
command in one line and in its order; and enough of its other words, of each clause, in the lines that it cites: those
beside them do not count. Where a model cited too little, the lines that hold a mark are added: they are evidence too. A
question proves nothing.

**Who said it** is decided here, by the lines and never by the model. The user's words are a whole prompt, with nothing
added. An outcome is a command that was run, and whose end is known. After these come what the agent said, what tools
printed, and what stood in files, pages and foreign tools: the least trusted of the lines decides. **Whoever said it
first said it**: what one place of an output, a file, a page, a paste or a longer prompt says already is from there,
also in the agent's mouth; what none of them says is what was made of the work that was done here. What somebody is said
to have decided must stand in what the user typed, or it is refused; so is a language that the user does not type.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.commands.spoken import SPAN
from afterwit.model.brief import ToldText
from afterwit.model.kinds import Status
from afterwit.model.knowledge import SENTENCE_LIMIT, Channel, ItemKind
from afterwit.model.text import is_of_another_language, regex, roots_of, words_of
from afterwit.reader.answers import ProposedNote
from afterwit.reader.lines import ForeignText, SessionLine, Speaker
from afterwit.reader.support import (
    SUPPORT,
    commands_in,
    holds,
    is_all_said,
    is_borne_out,
    is_covered,
    is_cut_out,
    is_repeated,
    is_telling,
    is_turned_round,
    is_verbatim,
    keeps_denials,
    marks_in,
    quotes_in,
    quotes_whole,
    share_of_words,
)
from afterwit.redaction.claims import claims_in, orders_for_good, others_in
from afterwit.redaction.hygiene import reads_like_an_order
from afterwit.redaction.markers import is_own

VERSION = 12  # counts up when answers that are kept would be judged otherwise
LEAST_CONFIDENCE = 0.5
_LEAST_WORTH = 0.15  # actions that a note spares in a session on average, as the model counts
_OWN_WORDS = 0.5  # of a sentence's words that the user's lines must hold to make it theirs
_BESIDE = 2  # lines before and after a cited one in which somebody may have said the opposite
_CLAIMED = 0.15  # of the words of a clause, or of all, that the user must have typed who is said to want it
_MOST_ADDED = 4
_COPIED = 7  # words in a row that stand in the prompt: copied, not read
_SENTENCE_END = regex(r"[.!;:]\s|[.!]$")
_LEAST_TRUSTED = (Speaker.MCP, Speaker.WEB, Speaker.PASTED, Speaker.FILE, Speaker.OUTPUT)
_PARTIES = (Speaker.USER, Speaker.AGENT, Speaker.ACTION)
_QUOTABLE = (Channel.OUTCOME, Channel.ASSISTANT, Channel.TOOL, Channel.FILE)
_HANDED_OVER = regex(r":\s|[\"“”„«»‹›]|(?<!\w)['‘].*['’](?!\w)")
_ENDED = (Status.SUCCEEDED, Status.FAILED)
_QUOTED = 0.4  # of a sentence's words that stand in quotations of the user: then it is their word, not hearsay
_BORROWED = 2  # words in one foreign line that nobody else said
_ASKED = regex(r"(?i)\bask(?:s|ed)?\b(?! to\b)")
_PERSONAL = regex(r"\b(?:I|me|my|mine|your current|currently)\b")


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
    TRIFLE = "trifle"
    OPPOSITE = "opposite"
    CUT_OUT = "cut-out"
    ORDER = "order"
    HEARSAY = "hearsay"
    LANGUAGE = "language"
    NOT_AGAIN = "not-again"


WORDS = {
    Conviction.NO_LINES: "It cites no line that was sent.",
    Conviction.UNSUPPORTED: "It names something that stands in no line of the session.",
    Conviction.OTHER_WORDS: "The lines that it cites say something else.",
    Conviction.QUESTION: "It rests on questions alone.",
    Conviction.COPIED: "It is copied from the prompt.",
    Conviction.OWN: "It is our own output come back.",
    Conviction.GENERAL: "It names nothing of this repository: every agent knows it.",
    Conviction.SPECULATION: "The model itself believes it less than an even chance.",
    Conviction.TRIFLE: "By the model's own word it would hardly ever spare anything.",
    Conviction.OPPOSITE: "It turns round what a line says.",
    Conviction.CUT_OUT: "It is a piece of a longer sentence, without what was meant by it.",
    Conviction.TOO_LONG: f"It has more than {SENTENCE_LIMIT} characters.",
    Conviction.ORDER: "It reads like an order that no user gave.",
    Conviction.HEARSAY: "It says what somebody decided or wants, and that does not stand in what the user typed.",
    Conviction.LANGUAGE: "It is in a language, or in letters, that the user did not type in.",
    Conviction.NOT_AGAIN: "No line that the user typed after it was told says it again.",
}


class Convicted(NamedTuple):
    """A proposal that is not taken."""

    sentence: str
    why: Conviction
    detail: str = ""


class Supported(NamedTuple):
    """A proposal that its lines bear out."""

    proposal: ProposedNote
    channel: Channel
    lines: tuple[int, ...]  # that prove it, from 0, in order


class Sent(NamedTuple):
    """What the model was sent: the lines of the session, and of these the ones of the request."""

    lines: Sequence[SessionLine]
    first: int
    end: int
    copied: Collection[str] = ()  # runs of words of the prompt, from `runs_in`
    foreign: Sequence[ForeignText] = ()  # what the agent had read of others, whole


def checked(proposal: ProposedNote, sent: Sent) -> Supported | Convicted:
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
    quotes = quotes_in(proposal.sentence)
    for mark in marks_in(proposal.sentence):
        holders = _holders(mark, sent, proving, is_quote=mark in quotes)
        if not holders:
            return Convicted(proposal.sentence, Conviction.UNSUPPORTED, mark)
        added.update(holders[:1] if not any(at in cited for at in holders) else ())
    if len(added) > _MOST_ADDED:
        return Convicted(proposal.sentence, Conviction.OTHER_WORDS, "its words are spread over the session")
    lines = tuple(sorted({*proving, *added}))
    said = [line._replace(text=f"{line.speaker} {line.text}") for line in (sent.lines[at] for at in cited)]
    is_typed = is_verbatim(proposal.sentence, _whole_prompts(lines, sent))
    if not is_typed and not (is_borne_out(proposal.sentence, said) and is_all_said(proposal.sentence, said)):
        return Convicted(proposal.sentence, Conviction.OTHER_WORDS)
    if not is_typed and is_cut_out(proposal.sentence, (sent.lines[at] for at in lines)):
        return Convicted(proposal.sentence, Conviction.CUT_OUT)
    whole = sent.lines[sent.first : sent.end]
    channel = Channel.USER if is_typed else channel_of(proposal.sentence, [sent.lines[at] for at in lines], whole)
    asked = [at for at in cited if sent.lines[at].speaker is Speaker.USER]
    why = _of_speaker(proposal.sentence, lines, channel, sent, asked)
    if channel in _QUOTABLE:
        channel = _as_worded(proposal.sentence, channel, lines, sent)
    return Supported(proposal, channel, lines) if why is None else Convicted(proposal.sentence, why)


def confirmed(proposal: ProposedNote, sentence: str, sent: Sent) -> Supported | None:
    """A proposal that only confirms this sentence, which passed the checks when it was made, if the lines show it
    again: they speak of it, and of something that it names. How it is worded anew does not matter, and a user who
    was quoted says it in other words."""
    cited = sorted({number - 1 for number in proposal.lines if sent.first <= number - 1 < sent.end})
    proving = tuple(at for at in cited if _proves(sent.lines[at]))
    lines = [sent.lines[at] for at in proving]
    quotes = quotes_in(sentence)
    named = [mark for mark in marks_in(sentence) if is_telling(mark) and mark not in quotes]
    is_there = not named or any(holds(line.text, mark) for line in lines for mark in named)
    if not lines or not is_there or is_own(proposal.sentence) or share_of_words(sentence, lines) < SUPPORT:
        return None
    return Supported(proposal, channel_of(sentence, lines, sent.lines[sent.first : sent.end]), proving)


def says_again(told: ToldText, cited: Iterable[int], sent: Sent) -> tuple[int, ...]:
    """Of the lines that are cited for it those by which the user says again what was told: typed by them, no question,
    later than it was told, and about it in at least a word. Whoever else repeats it proves nothing."""
    words = roots_of(told.text)
    places = sorted({number - 1 for number in cited if sent.first <= number - 1 < sent.end})
    lines = ((at, sent.lines[at]) for at in places if sent.lines[at].speaker is Speaker.USER)
    return tuple(
        at
        for at, line in lines
        if _proves(line) and (line.at_ms or 0) > told.at_ms and not words.isdisjoint(roots_of(line.text))
    )


def _of_speaker(
    sentence: str, lines: Sequence[int], channel: Channel, sent: Sent, asked: Iterable[int]
) -> Conviction | None:
    """Why a sentence is not taken, by who said it. What rests on the user's words alone must not turn them round. For
    what they are said to have asked, their questions (`asked`) count, too; what they want no question says."""
    has_marks = any(map(is_telling, marks_in(sentence)))
    typed = [sent.lines[at] for at in lines if sent.lines[at].speaker is Speaker.USER]
    if channel is Channel.USER:
        return None
    with_questions = [sent.lines[at] for at in sorted({*lines, *asked}) if sent.lines[at].speaker is Speaker.USER]
    is_quoted = _share_quoted(sentence, with_questions) >= _QUOTED
    is_theirs = not is_quoted and share_of_words(sentence, typed) >= _OWN_WORDS  # as the model understood it
    if (is_theirs or channel is Channel.FILE or not has_marks) and is_turned_round(sentence, _around(lines, sent)):
        return Conviction.OPPOSITE
    if is_theirs and not keeps_denials(sentence, typed):
        return Conviction.OPPOSITE
    if is_of_another_language(sentence, (line.text for line in sent.lines if line.speaker is Speaker.USER)):
        return Conviction.LANGUAGE
    claims = ((clause, with_questions if _ASKED.search(clause) else typed) for clause in claims_in(sentence))
    if not is_quoted and any(_is_hearsay(clause, sentence, said, sent) for clause, said in claims):
        return Conviction.HEARSAY
    if _PERSONAL.search(SPAN.sub(" ", sentence)) or not (has_marks or _retells_user(sentence, lines, sent)):
        return Conviction.GENERAL
    return Conviction.ORDER if reads_like_an_order(sentence) or orders_for_good(sentence) else None


def _share_quoted(sentence: str, typed: Sequence[SessionLine]) -> float:
    """Which share of a sentence's words stands in quotations of what the user typed, each of them word for word, and
    none without the denial before it."""
    quotes = [quote for quote in quotes_in(sentence) if any(quotes_whole(line.text, quote) for line in typed)]
    told = words_of(sentence)
    return sum(len(words_of(quote)) for quote in quotes) / len(told) if told else 0.0


def _whole_prompts(lines: Iterable[int], sent: Sent) -> list[SessionLine]:
    """Those of these lines that are all that the user typed at once. A sentence in a longer prompt, behind a colon or
    between quotation marks may be somebody else's, which the user asks about, wants translated or passes on."""
    return [sent.lines[at] for at in lines if sent.lines[at].speaker is Speaker.USER and not _goes_on(at, sent)]


def _goes_on(at: int, sent: Sent) -> bool:
    if _HANDED_OVER.search(sent.lines[at].text):
        return True
    beside = (sent.lines[near] for near in (at - 1, at + 1) if 0 <= near < len(sent.lines))
    of_prompts = (line for line in beside if line.speaker in (Speaker.USER, Speaker.PASTED))
    return any((line.turn, line.at_ms) == (sent.lines[at].turn, sent.lines[at].at_ms) for line in of_prompts)


def _as_worded(sentence: str, channel: Channel, lines: Sequence[int], sent: Sent) -> Channel:
    """Whose words a sentence is after all. What one place of a prompt or of a foreign text says already is from there,
    in whosever mouth: also a clause of it, unless the session ran or changed what the sentence names. What none of them
    says is what the model made of what was done here, if anything was."""
    touched = _marks_touched(sentence, sent)
    said = sentence
    for mark in touched:
        said = said.replace(mark, " ")
    if is_repeated(said, _heard_before(said, lines, sent), is_whole=bool(touched)):
        return Channel.FILE
    return Channel.ASSISTANT if channel in (Channel.TOOL, Channel.FILE) and touched else channel


def _marks_touched(sentence: str, sent: Sent) -> list[str]:
    """What the sentence names and the session ran or changed."""
    done = [line.text for line in sent.lines if line.speaker is Speaker.ACTION and line.status is not None]
    return [mark for mark in marks_in(sentence) if is_telling(mark) and any(holds(text, mark) for text in done)]


def _heard_before(said: str, lines: Sequence[int], sent: Sent) -> Iterator[str]:
    """What others had said by the time of the last of these lines, or nobody knows when; and prompts of which this is
    only a part."""
    times = [sent.lines[at].at_ms for at in lines]
    last = max((at_ms for at_ms in times if at_ms), default=None)
    yield from (heard.text for heard in sent.foreign if not (last and heard.at_ms) or heard.at_ms <= last)
    whole = [line for line in _whole_prompts(range(len(sent.lines)), sent) if is_covered(line.text, said)]
    spoken = (line for line in sent.lines if line.speaker in (Speaker.USER, *_LEAST_TRUSTED))
    yield from (line.text for line in spoken if line not in whole)


def _is_hearsay(clause: str, sentence: str, typed: Sequence[SessionLine], sent: Sent) -> bool:
    """Whether what somebody is said to want stands in none of the cited lines of the user. What another line claims of
    them is nobody's word, whoever spoke it; and nobody but the user is believed to have decided anything."""
    said = " ".join(line.text.lower() for line in typed)
    if not typed or any(name not in said for name in others_in(clause)):
        return True
    if max(share_of_words(clause, typed), share_of_words(sentence, typed)) < _CLAIMED:
        return True
    others = (line for line in sent.lines[sent.first : sent.end] if line.speaker in (*_LEAST_TRUSTED, Speaker.AGENT))
    claiming = (line for line in others if line.speaker is not Speaker.AGENT or claims_in(line.text))
    return _borrows(clause, typed, claiming)


def _retells_user(sentence: str, lines: Iterable[int], sent: Sent) -> bool:
    """Whether a sentence tells in other words what the user typed and what was done then, and nothing of it comes from
    elsewhere. It is not the user's word then, but it is about this work."""
    said = [sent.lines[at] for at in lines if sent.lines[at].speaker in _PARTIES]
    typed = [line for line in said if line.speaker is Speaker.USER]
    foreign = [line for line in sent.lines[sent.first : sent.end] if line.speaker in _LEAST_TRUSTED]
    is_about = share_of_words(sentence, said) >= SUPPORT and share_of_words(sentence, typed) > 0
    return bool(typed) and is_about and not _borrows(sentence, typed, foreign)


def bears_on(sentence: str, supported: Supported, sent: Sent) -> bool:
    """Whether the lines that prove a proposal speak of what this other sentence says, so that it can be confirmed or
    contradicted by them. The proposal's own words prove nothing."""
    return share_of_words(sentence, (sent.lines[at] for at in supported.lines)) >= SUPPORT


def runs_in(prompt: str) -> frozenset[str]:
    """All runs of words that are long enough to be recognised as copied."""
    return frozenset(_runs(prompt))


def channel_of(sentence: str, lines: Sequence[SessionLine], sent: Sequence[SessionLine]) -> Channel:
    """Where the words of a sentence come from that the user did not type as it stands, by the lines that prove it and
    by what else was sent: whatever lines are cited, words that stand in foreign text alone are nobody else's."""
    foreign = [line for line in sent if line.speaker in _LEAST_TRUSTED]
    ended = [line for line in lines if line.speaker is Speaker.ACTION and line.status in _ENDED]
    commands = commands_in(sentence, sent)
    is_run = all(any(holds(line.text, mark) for line in ended) and is_tellable(mark) for mark in commands)
    is_carried = share_of_words(sentence, ended) >= _OWN_WORDS and not _borrows(sentence, ended, foreign)
    if commands and is_run and is_carried:
        return Channel.OUTCOME
    said = [line for line in lines if line.speaker in _PARTIES]
    if said and share_of_words(sentence, said) >= SUPPORT and not _borrows(sentence, said, foreign):
        return Channel.ASSISTANT
    lending = [line.speaker for line in lines if line.speaker in _LEAST_TRUSTED]
    lending += [line.speaker for line in foreign if _borrows(sentence, said, (line,))]
    return min(lending, key=_LEAST_TRUSTED.index).channel or Channel.TOOL if lending else Channel.ASSISTANT


def _borrows(sentence: str, own: Iterable[SessionLine], foreign: Iterable[SessionLine]) -> bool:
    """Whether several words that these lines lack stand together in a foreign one. However long the sentence is: an
    order of two words can be hidden in everything that a user typed."""
    missing = set(words_of(sentence)) - {word for line in own for word in words_of(line.text)}
    return any(len(missing.intersection(words_of(line.text))) >= _BORROWED for line in foreign)


def _of_form(proposal: ProposedNote, sent: Sent) -> Conviction | None:
    if len(proposal.sentence) > SENTENCE_LIMIT:
        return Conviction.TOO_LONG
    if proposal.sentence.endswith(("...", "…")):
        return Conviction.OTHER_WORDS
    if is_own(proposal.sentence):
        return Conviction.OWN
    if proposal.confidence < LEAST_CONFIDENCE:
        return Conviction.SPECULATION
    if proposal.worth < _LEAST_WORTH and proposal.kind is not ItemKind.THREAD:
        return Conviction.TRIFLE
    if sent.copied and any(run in sent.copied for run in _runs(proposal.sentence)):
        return Conviction.COPIED
    return None


def _proves(line: SessionLine) -> bool:
    """A question does not, and neither does a remark of ours."""
    if line.speaker is Speaker.NOTE:
        return False
    is_question = line.text.rstrip().endswith("?") and not _SENTENCE_END.search(line.text.rstrip("? "))
    return not (is_question and line.speaker in (Speaker.USER, Speaker.AGENT))


def _holders(mark: str, sent: Sent, cited: Sequence[int], *, is_quote: bool) -> list[int]:
    """Lines that hold a mark: those that are cited first, then the nearest. A question can be quoted as one."""
    places = [
        at
        for at in range(sent.first, sent.end)
        if (_proves(sent.lines[at]) or (is_quote and sent.lines[at].speaker is Speaker.USER))
        and holds(sent.lines[at].text, mark)
    ]
    return sorted(places, key=lambda at: (at not in cited, min(abs(at - other) for other in cited), at))


def _around(lines: Sequence[int], sent: Sent) -> Iterator[SessionLine]:
    places = {near for at in lines for near in range(at - _BESIDE, at + _BESIDE + 1)}
    return (sent.lines[at] for at in sorted(places) if sent.first <= at < sent.end)


def _runs(text: str) -> Iterator[str]:
    words = re.findall(r"[\w'/.-]+", text.lower())
    return (" ".join(words[at : at + _COPIED]) for at in range(len(words) - _COPIED + 1))
