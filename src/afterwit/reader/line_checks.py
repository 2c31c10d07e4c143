"""Convicts the lines of a compiled brief: they cite notes that stand, and these say what the line says. Pure.

Every command, path, number, identifier and quoted word of a line stands in one of its notes, enough of its other words
in all of them, and nothing is denied that they do not deny, nor the other way round. A line goes through the gate as a
note does, with the authority of the least trusted note. It names nobody. What a person says on the page themselves, or
took out, is refused, and so is a line that says the opposite of one before it, or has no room. Triggers are tried on
past sessions by whoever asks: one that fires too often is refused, and the line with its last one.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

import msgspec

from afterwit.actions.shell.parse import parsed
from afterwit.harvest.commands.spoken import strangers_named_in
from afterwit.knowledge.belief import rank
from afterwit.knowledge.brief import MOST_SHARE, Page
from afterwit.knowledge.check_forms import fault_of as fault_of_check
from afterwit.knowledge.contradictions import claim_of_note, opposition
from afterwit.knowledge.gate import rejection, review_reason
from afterwit.knowledge.likeness import Meaning, meaning
from afterwit.knowledge.whose_words import is_persons
from afterwit.model.brief import LINE_LIMIT, Heading, Line, id_of_line
from afterwit.model.check import THE_REPOSITORY, THE_USER, Check
from afterwit.model.knowledge import READ, Activity, Category, Channel, Draft, Item, Scope, ScopeKind, Trigger
from afterwit.model.text import regex, words_of
from afterwit.reader.compiling import ProposedBrief, ProposedLine, text_of_note
from afterwit.reader.lines import SessionLine, Speaker
from afterwit.reader.support import holds, is_all_said, is_borne_out, marks_in, share_of_words
from afterwit.recall.deck.reader import words_in
from afterwit.redaction.plain_names import is_plain_path
from afterwit.store.decisions import RejectedProposal

_SUPPORT = 0.6  # of a line's words that its notes must hold
_SAME_MATTER = 0.34  # of a note's words that another must hold to replace it
_MOST_ERROR_WORDS = 8
_FEWEST_ERROR_WORDS = 3
_LEAST_NAME = 6  # letters of an error's name that stands for itself
_CODE = regex(r"`[^`]*`")
_QUOTED = regex(r"[\"“]([^\"“”`]+)[\"”]")
_INSTEAD = regex(r"(?i)\b(?:rather than|instead of|in place of)\b")
_LASTS = regex(r"(?i)\b(?:always|never|ever|from now on|every time|in (?:the )?future|remember)\b")
_NAMED = regex(r"(?<![\w/.`])@[A-Za-z][\w-]*(?!/)")
_NEGATIONS = frozenset("not no never none nobody nothing neither nor without avoid skip forget".split())  # noqa: SIM905
_DENIALS = _NEGATIONS | frozenset(
    ["refuse", "refuses", "refused", "reject", "rejected", "wrong", "fail", "fails", "failed", "missing", "stops"]
)
_LIMITS = (  # words that limit, and those by which a note may say as much
    (frozenset(("before", "until")), frozenset("before until first prior then beforehand".split())),  # noqa: SIM905
    (frozenset(("after", "once")), frozenset("after once then when whenever if afterwards following".split())),  # noqa: SIM905
    (frozenset("only unless except optional".split()), frozenset("only unless except optional just alone".split())),  # noqa: SIM905
)
_SMALL = frozenset("a an the to be by of in on it is are do does that this any with for and or".split())  # noqa: SIM905
_DENIED = 4  # words after a negation that it may be about
_STEM = 5  # letters by which two of them are the same
_ORDER = (Channel.USER, Channel.OUTCOME, Channel.TOOL, Channel.ASSISTANT)  # how far notes are trusted


class LineFault(StrEnum):
    """Why a line is not taken."""

    NO_NOTES = "no-notes"
    TOO_LONG = "line-too-long"
    UNSUPPORTED = "not-in-notes"
    OTHER_WORDS = "notes-say-otherwise"
    OPPOSITE = "opposite-of-note"
    GATE = "gate"
    PERSON = "names-a-person"
    DECIDED = "decided-by-a-person"
    CONTRADICTS = "contradicts-a-line"
    TWICE = "said-twice"
    NO_ROOM = "no-room"
    NO_TRIGGER = "no-trigger"
    BROAD = "fires-too-often"
    NOT_LATER = "not-later"
    ONCE = "seen-once"
    NO_CHECK = "no-check"


WORDS = {
    LineFault.NO_NOTES: "It cites no note that stands.",
    LineFault.TOO_LONG: f"It has more than {LINE_LIMIT} characters.",
    LineFault.UNSUPPORTED: "It names something that stands in none of its notes.",
    LineFault.OTHER_WORDS: "Its notes say something else.",
    LineFault.OPPOSITE: "It denies what its notes say, or says what they deny.",
    LineFault.GATE: "The gate lets no note like it pass.",
    LineFault.PERSON: "It names a person.",
    LineFault.DECIDED: "A person says this on the page, or took it out.",
    LineFault.CONTRADICTS: "It says the opposite of a line before it.",
    LineFault.TWICE: "A line before it says the same.",
    LineFault.NO_ROOM: "The page is full.",
    LineFault.NO_TRIGGER: "It waits for nothing, so nothing would bring it.",
    LineFault.BROAD: f"What it waits for happened in more than {MOST_SHARE:.0%} of the past sessions.",
    LineFault.ONCE: "Its notes were seen in one session alone: it may wait for an error or a command, and not for words"
    " or files, nor stand on the page.",
    LineFault.NO_CHECK: "It cannot be decided before a call.",
    LineFault.NOT_LATER: "The note that would replace the other is not later, less trusted, or of another matter.",
}


class ConvictedBrief(NamedTuple):
    """What of an answer is taken."""

    lines: tuple[Line, ...]
    replaced: tuple[tuple[str, str], ...]
    checks: tuple[Check, ...]
    rejected: tuple[RejectedProposal, ...]


Trial = Callable[[Sequence[Trigger]], tuple[Sequence[int], int]]
"""In how many past sessions each of these triggers would have fired, and of how many."""


def convict(
    proposed: ProposedBrief,
    repo: str,
    items: Mapping[str, Item],
    page: Page,
    trial: Trial,
    room_chars: int,
) -> ConvictedBrief:
    """What of an answer may be told. `items` are the notes that it was asked about, as they stand now."""
    desk = _LineDesk(repo, items, page, room_chars)
    replaced = tuple(pair for pair in proposed.replaced if desk.replaces(*pair))
    lines = [line for given in proposed.lines if (line := desk.line(given, dict(replaced))) is not None]
    lines = desk.tried(lines, trial)
    checks = tuple(check for given in proposed.checks if (check := desk.check(given)) is not None)
    return ConvictedBrief(tuple(lines), replaced, checks, tuple(desk.rejected))


class _LineDesk:
    def __init__(self, repo: str, items: Mapping[str, Item], page: Page, room_chars: int) -> None:
        self._repo = repo
        self._items = items
        self._page = page
        self._room = room_chars - sum(len(line.text) + 3 for line in page.own if line.heading)
        self._taken: list[tuple[Line, Draft]] = []
        self.rejected: list[RejectedProposal] = []

    def replaces(self, old: str, new: str) -> bool:
        """Whether a note takes the place of another: seen later, as trusted, of the same matter, and not a person's."""
        before, after = self._items.get(old), self._items.get(new)
        if before is None or after is None or before.id == after.id:
            return self._refuse(f"{old} {new}", LineFault.NO_NOTES)
        is_trusted = rank(after.channel) >= rank(before.channel) and not is_persons(before)
        share = share_of_words(before.sentence, [_said(text_of_note(after)), *_excerpts(after)])
        if not is_trusted or after.last_ms <= before.last_ms or share < _SAME_MATTER:
            return self._refuse(f"{old} {new}", LineFault.NOT_LATER)
        return True

    def line(self, given: ProposedLine, replaced: Mapping[str, str]) -> Line | None:
        notes = tuple(dict.fromkeys(name for name in given.notes if name in self._items and name not in replaced))
        cited = [self._items[name] for name in notes]
        draft = _draft(given.text, cited, self._repo)
        triggers = tuple(dict.fromkeys(_triggers(given))) if given.heading is None else ()
        if not _is_known(cited, draft):
            triggers = tuple(trigger for trigger in triggers if trigger.error or trigger.program)
        line = Line(
            id=id_of_line(self._repo, given.text),
            text=given.text,
            heading=given.heading,
            notes=notes,
            triggers=triggers,
        )
        fault, detail = self._fault(line, cited, draft)
        if fault is not None:
            self._refuse(given.text, fault, detail)
            return None
        self._taken.append((line, draft))
        self._room -= len(line.text) + 3 if line.heading else 0
        return line

    def _fault(self, line: Line, cited: Sequence[Item], draft: Draft) -> tuple[LineFault | None, str]:
        why, detail = fault_of(line.text, cited, draft)
        if why is not None:
            return why, detail
        if self._page.refuses(line):
            return LineFault.DECIDED, ""
        if line.heading and not _is_for_all(line.heading, cited, draft):
            return LineFault.ONCE, ""
        beside = [other for other in self._taken if (other[0].heading is None) == (line.heading is None)]
        if any(other.id == line.id or meaning(other.text) == meaning(line.text) for other, _ in beside):
            return LineFault.TWICE, ""
        claim = claim_of_note(draft)
        others = (*(other for _, other in self._taken), *(_draft(own.text, (), self._repo) for own in self._page.own))
        if about := next(filter(None, (opposition(claim, claim_of_note(other)) for other in others)), ""):
            return LineFault.CONTRADICTS, about
        if line.heading is None and not line.triggers:
            return LineFault.NO_TRIGGER if _is_known(cited, draft) else LineFault.ONCE, ""
        return (LineFault.NO_ROOM, "") if line.heading and len(line.text) + 3 > self._room else (None, "")

    def tried(self, lines: Sequence[Line], trial: Trial) -> list[Line]:
        """The lines with those of their triggers that fire seldom enough."""
        triggers = [trigger for line in lines for trigger in line.triggers]
        fired, of = trial(triggers) if triggers else ((), 0)
        most = max(1, MOST_SHARE * of)
        narrow = {trigger for trigger, times in zip(triggers, fired, strict=True) if times <= most}
        kept = []
        for line in lines:
            left = tuple(trigger for trigger in line.triggers if trigger in narrow)
            if line.triggers and not left:
                self._refuse(line.text, LineFault.BROAD)
            else:
                kept.append(msgspec.structs.replace(line, triggers=left))
        return kept

    def check(self, given: Check) -> Check | None:
        """A proposal of a check, if its sentence is borne out as a line is, and it can be decided."""
        notes = tuple(name for name in given.notes if name in self._items)
        cited = [self._items[name] for name in notes]
        why, detail = fault_of(given.text, cited, _draft(given.text, cited, self._repo))
        if why is not None:
            self._refuse(given.text, why, detail)
            return None
        is_wish = any(item.is_decided or item.channel is Channel.USER for item in cited)
        by = THE_USER if is_wish else THE_REPOSITORY
        made = msgspec.structs.replace(given, notes=notes, repo=self._repo, by=by)
        if fault := fault_of_check(made):
            self._refuse(given.text, LineFault.NO_CHECK, fault)
            return None
        return made

    def _refuse(self, text: str, why: LineFault, detail: str = "") -> bool:
        self.rejected.append(RejectedProposal(sentence=text[: 2 * LINE_LIMIT], reason=why, detail=detail))
        return False


def fault_of(text: str, cited: Sequence[Item], draft: Draft) -> tuple[LineFault | None, str]:
    """Why a text is not what these notes say."""
    if not cited:
        return LineFault.NO_NOTES, ""
    if len(text) > LINE_LIMIT:
        return LineFault.TOO_LONG, ""
    texts = [text_of_note(item) for item in cited]
    for mark in marks_in(text):
        if not any(holds(said, mark) for said in texts):
            return LineFault.UNSUPPORTED, mark
    said = [_said(whole) for whole in texts]
    is_enough = share_of_words(text, said) >= _SUPPORT and is_borne_out(text, said) and is_all_said(text, said)
    if not is_enough and text not in (item.sentence for item in cited):
        return LineFault.OTHER_WORDS, ""
    if _is_reversed(text, [item.sentence for item in cited]):
        return LineFault.OPPOSITE, ""
    if _NAMED.search(_CODE.sub(" ", text)):
        return LineFault.PERSON, ""
    if why := rejection(draft):
        return LineFault.GATE, why.words
    if reason := review_reason(draft):
        return LineFault.GATE, reason
    return None, ""


def _draft(text: str, cited: Sequence[Item], repo: str) -> Draft:
    """The line as a note, as far trusted as the least trusted of those it rests on. Tools that they may name it may."""
    channels = [Channel.USER if item.is_decided else item.channel for item in cited]
    weakest = max(channels, key=_distrust, default=None)
    return Draft(
        harvester=READ,
        key=(text,),
        scope=Scope(ScopeKind.REPO, repo),
        category=Category.PATTERN,
        sentence=text,
        channel=weakest or Channel.USER,
        own_tools=tuple(sorted({name for item in cited for name in strangers_named_in(item.sentence)})),
    )


def _is_known(cited: Sequence[Item], draft: Draft) -> bool:
    """Whether more is known than what the agent of one session made of it: by words and files that came where it was
    of no use, or misled."""
    return draft.channel in (Channel.USER, Channel.OUTCOME) or _is_seen_again(cited)


def _is_seen_again(cited: Sequence[Item]) -> bool:
    """In another session, or by a person who approved it."""
    stories = {piece.session.story for item in cited for piece in item.evidence if not piece.is_against}
    return any(item.is_decided for item in cited) or len(stories) > 1


def _is_for_all(heading: Heading, cited: Sequence[Item], draft: Draft) -> bool:
    """Whether there is enough to tell every session of it. What somebody wanted once was mostly wanted of one task;
    what a command showed once, or the user says of their machine, may hold."""
    told = [piece for item in cited for piece in item.evidence if not piece.is_against]
    if _is_seen_again(cited):
        return True
    if heading in (Heading.MACHINE, Heading.TRAP):
        return draft.channel in (Channel.USER, Channel.OUTCOME)
    return any(piece.channel is Channel.USER and _LASTS.search(piece.excerpt) for piece in told)


def _distrust(channel: Channel) -> int:
    return _ORDER.index(channel) if channel in _ORDER else len(_ORDER)


def _is_reversed(text: str, sentences: Iterable[str]) -> bool:
    """Whether the line says what a note denies, or denies what its notes say and none of them denies."""
    sentences = list(sentences)
    if _limits_otherwise(text, sentences):
        return True
    line, notes = _meaning_of(text), [_meaning_of(sentence) for sentence in sentences]
    if any(_denies(note, line) and not any(_denies_too(other, note, line) for other in notes) for note in notes):
        return True
    denied = {stem for note in notes for phrase in note.denied for stem in phrase.split()}
    for phrase in line.denied:
        stems = set(phrase.split())
        if stems and not stems & denied and any(stems <= set(note.words) for note in notes):
            return True
    return False


def _limits_otherwise(text: str, sentences: Sequence[str]) -> bool:
    """Whether the line limits in a way in which no note does (before, after, only), or denies something of which no
    note denies anything. A line that begins with *after* says when, if its notes know of no before."""
    there = [_tokens(sentence) for sentence in sentences]
    words = {word for tokens in there for word in tokens}
    said = _tokens(text)
    said = said[1:] if said[:1] in (["after"], ["once"]) and not words & _LIMITS[0][1] else said
    if any(limits.intersection(said) and not same.intersection(words) for limits, same in _LIMITS):
        return True
    denied = [set(_denied_at(tokens, at)) for tokens in there for at, word in enumerate(tokens) if word in _DENIALS]
    own = (set(_denied_at(said, at)) for at, word in enumerate(said) if word in _NEGATIONS)
    return any(after and not any(after & other for other in denied) for after in own)


def _denied_at(tokens: Sequence[str], at: int) -> list[str]:
    """What stands after a negation, a few words on."""
    following = (token for token in tokens[at + 1 :] if token not in _SMALL and token not in _NEGATIONS)
    return [token[:_STEM] for token in islice(following, _DENIED)]


def _tokens(text: str) -> list[str]:
    plain = text.lower().replace("’", "'").replace("n't", " not").replace("cannot", "can not")
    return re.findall(r"[a-z0-9]+", _INSTEAD.sub("not", plain))


def _denies_too(other: Meaning, note: Meaning, line: Meaning) -> bool:
    """Whether another note says plainly what this one denies: of two that differ the line may follow either."""
    shared = set(other.words) & set(line.words)
    return other is not note and not _denies(other, line) and len(shared) > len(line.words) / 2


def _meaning_of(text: str) -> Meaning:
    """What a text says. Messages that it quotes deny nothing; what is to be done instead of something does."""
    return meaning(_INSTEAD.sub("not", _QUOTED.sub(r"`\1`", text)))


def _denies(first: Meaning, second: Meaning) -> bool:
    """Whether the first denies what the second says, without denying anything like it."""
    for phrase in first.denied:
        stems = set(phrase.split())
        is_denied_too = any(stems.intersection(other.split()) for other in second.denied)
        if stems and stems <= set(second.words) and not is_denied_too:
            return True
    return False


def _triggers(given: ProposedLine) -> Iterable[Trigger]:
    for group in given.prompts:
        words = [words_of(word) for word in group]
        stems = tuple(sorted({stem for several in words for stem in several}))
        if stems and (all(words) or len(stems) > 1):
            yield Trigger(topic=stems)
    for path in given.paths:
        base = path.removeprefix("./").rstrip("/")
        folder = base.partition("*")[0].rstrip("/")
        if base and not path.startswith(("/", "~")) and (not folder or is_plain_path(folder)) and base.strip("*/"):
            is_folder = "*" not in base and "." not in base.rpartition("/")[2]
            yield Trigger(activity=Activity.EDIT, path=f"{base}/**" if is_folder else base)
    for command in given.commands:
        commands = parsed(command).commands
        if commands and commands[0].program:
            yield Trigger(program=commands[0].program, words=commands[0].arguments[:3])
    for error in given.errors:
        named = sorted(words_in(error))
        if len(named) >= _FEWEST_ERROR_WORDS or any(len(word) >= _LEAST_NAME for word in named):
            yield Trigger(error=tuple(named[:_MOST_ERROR_WORDS]))


def _said(text: str) -> SessionLine:
    return SessionLine(Speaker.NOTE, text)


def _excerpts(item: Item) -> list[SessionLine]:
    return [_said(piece.excerpt) for piece in item.evidence if not piece.is_against]


def refusal_in_words(reason: str) -> str:
    """Why a line was refused, for people; "" where it is no reason of ours."""
    return WORDS[LineFault(reason)] if reason in frozenset[str](LineFault) else ""
