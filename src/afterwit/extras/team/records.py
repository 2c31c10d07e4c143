"""What people share about a note: lines, each of one author on one machine, and what follows from all of them.

A machine writes and takes back its own lines and never those of others, so any two versions of a file unite by taking
the lines of both, in any order and however often. The words of a note are those of the latest line that has any; the
latest word on it, approved or rejected, holds, and an approval is one of the words that it names. Later is a matter of
clocks that never run backwards: a line is written with a time after all that were read before it, and where two are the
same the machine decides. Pure.
"""

import hashlib
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple, TypeVar

import msgspec

from afterwit.model.knowledge import (
    EXCERPT_LIMIT,
    SENTENCE_LIMIT,
    Category,
    Evidence,
    ItemKind,
    Trigger,
)
from afterwit.redaction.hygiene import clean

Value = TypeVar("Value")
AUTHOR_LIMIT = 60
MOST_PIECES = 5  # of evidence, of one machine for one note
_MOST_TRIGGERS = 20
_MOST_FILES = 20
_LONGEST_TEXT = 1_000
_LONGEST_TRIGGER = 4_000  # all of its texts together
_LONGEST_NAME = 60  # of an agent, a channel, a hash
LAST_MS = 253_370_764_800_000  # the year 9999, which every calendar knows
AHEAD_MS = 86_400_000  # a clock may be a day ahead


class LineKind(StrEnum):
    NOTE = "note"
    APPROVED = "approved"
    REJECTED = "rejected"
    EVIDENCE = "evidence"


class SharedWords(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a note says, when it fires, and where it holds."""

    fact: str
    category: Category
    repo: str = ""  # "": the repository that the file lies in
    triggers: tuple[Trigger, ...] = ()
    advice: str = ""
    files: tuple[str, ...] = ()
    saves: float = 1.0
    when: str = ""
    form: ItemKind = ItemKind.PLAIN


class SharedPiece(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A piece of evidence: a hash that says which, and a few redacted words where a user typed them."""

    hash: str
    agent: str
    channel: str
    at_ms: int = 0
    excerpt: str = ""
    is_against: bool = False


class SharedLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a file."""

    kind: LineKind
    by: str
    machine: str
    clock_ms: int
    words: SharedWords | None = None
    evidence: SharedPiece | None = None
    of: str = ""  # of an approval: the mark of the words that are approved

    @property
    def order(self) -> tuple[int, str, str]:
        return self.clock_ms, self.machine, self.by

    @property
    def content(self) -> tuple[object, ...]:
        """What it says, whenever that was."""
        return self.kind, self.by, self.machine, self.words, self.evidence, self.of


class SharedNote(NamedTuple):
    """What follows from the lines about one note."""

    id: str
    words: SharedWords
    worded_by: str
    approved_by: tuple[str, ...]
    rejected_by: str  # "" where the last word on it was no rejection
    pieces: tuple[tuple[str, SharedPiece], ...]  # with who brought them
    at_ms: int

    @property
    def authors(self) -> tuple[str, ...]:
        return tuple(sorted({self.worded_by, *self.approved_by}))


def encode(lines: Iterable[SharedLine]) -> bytes:
    """The file: the same lines give the same bytes."""
    rows = sorted({msgspec.json.encode(line): line for line in lines}.items(), key=lambda row: (row[1].order, row[0]))
    return b"".join(row + b"\n" for row, _ in rows)


def decode(text: bytes | str, form: type[Value]) -> Value:
    """JSON that others wrote. Raises ValueError where it is none of this form, however deep it is nested."""
    try:
        return msgspec.json.decode(text, type=form)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def line_in(text: bytes) -> SharedLine:
    """The line that a text holds. Raises ValueError, with a reason, where it is none that can be taken."""
    line = decode(text, SharedLine)
    if (line.words is not None) != (line.kind is LineKind.NOTE):
        raise ValueError("only a line of kind note has words, and it needs them")
    if (line.evidence is not None) != (line.kind is LineKind.EVIDENCE):
        raise ValueError("only a line of kind evidence has evidence, and it needs it")
    if not 0 < line.clock_ms < LAST_MS:
        raise ValueError("its clock is no moment")
    for name in (line.by, line.machine):
        if not name or name != one_line(name, AUTHOR_LIMIT):
            raise ValueError("its author and its machine are names of up to 60 plain characters")
    if line.words is not None:
        _refuse_unfit(line.words)
    if line.evidence is not None:
        _refuse_unfit_piece(line.evidence)
    if len(line.of) > _LONGEST_NAME:
        raise ValueError("what it approves is no mark of words")
    return line


def _refuse_unfit_piece(piece: SharedPiece) -> None:
    if len(piece.excerpt) > EXCERPT_LIMIT:
        raise ValueError("its excerpt is too long")
    if not 0 <= piece.at_ms < LAST_MS:
        raise ValueError("its evidence is of no moment")
    if any(name != one_line(name, _LONGEST_NAME) for name in (piece.hash, piece.agent, piece.channel)):
        raise ValueError("its evidence is not named by plain words")


def _refuse_unfit(words: SharedWords) -> None:
    if not words.fact.strip() or len(words.fact) > SENTENCE_LIMIT:
        raise ValueError(f"its sentence is empty or longer than {SENTENCE_LIMIT} characters")
    if len(words.triggers) > _MOST_TRIGGERS or len(words.files) > _MOST_FILES:
        raise ValueError("it is shown at too many moments, or names too many files")
    if any(len(text) > _LONGEST_TEXT for text in (words.advice, words.when, words.repo, *words.files)):
        raise ValueError("one of its texts is too long")
    if any(len(msgspec.json.encode(trigger)) > _LONGEST_TRIGGER for trigger in words.triggers):
        raise ValueError("the moment that it is shown at takes too many words")
    if not 0 <= words.saves <= 1_000:
        raise ValueError("what it saves is no number of actions")


def note_of(own: str, lines: Iterable[SharedLine], now_ms: int) -> SharedNote | None:
    """What follows from the lines; None where nobody says anything. Lines of a time to come wait until it is there."""
    present = sorted((line for line in lines if line.clock_ms <= now_ms + AHEAD_MS), key=_place)
    worded = next((line for line in reversed(present) if line.words is not None), None)
    if worded is None or worded.words is None:
        return None
    verdicts = [line for line in present if line.kind in (LineKind.APPROVED, LineKind.REJECTED)]
    latest = {line.by: line for line in verdicts}
    last = verdicts[-1] if verdicts else None
    pieces = {(line.by, line.evidence.hash): line.evidence for line in present if line.evidence is not None}
    return SharedNote(
        id=own,
        words=worded.words,
        worded_by=worded.by,
        approved_by=tuple(sorted(by for by, line in latest.items() if _approves(line, worded))),
        rejected_by=last.by if last is not None and last.kind is LineKind.REJECTED else "",
        pieces=tuple((by, piece) for (by, _), piece in sorted(pieces.items())),
        at_ms=present[-1].clock_ms,
    )


def mark_of(words: SharedWords) -> str:
    """The same for words that say the same at the same moments."""
    said = [one_line(text, SENTENCE_LIMIT) for text in (words.fact, words.advice, words.when)]
    return hashlib.sha256(msgspec.json.encode((said, words.triggers, words.form))).hexdigest()[:16]


def _approves(verdict: SharedLine, worded: SharedLine) -> bool:
    """Whether it is an approval of these very words. Who wrote them stands behind them; others may have seen others."""
    if verdict.kind is not LineKind.APPROVED or worded.words is None:
        return False
    return verdict.by == worded.by or verdict.of == mark_of(worded.words)


def _place(line: SharedLine) -> tuple[tuple[int, str, str], bytes]:
    """Two lines that one machine cannot have written at once have their places, too."""
    return line.order, msgspec.json.encode(line)


def next_clock(files: Iterable[Iterable[SharedLine]], now_ms: int) -> int:
    """A moment after all lines that count by now."""
    clocks = (line.clock_ms for lines in files for line in lines if line.clock_ms <= now_ms + AHEAD_MS)
    return max(now_ms, max(clocks, default=0) + 1)


def with_own(lines: Iterable[SharedLine], own: Iterable[SharedLine], by: str, machine: str) -> tuple[SharedLine, ...]:
    """The lines with those of one author's machine in place of what it had; what says the same keeps its time."""
    lines = tuple(lines)
    before = {line.content: line for line in lines if (line.by, line.machine) == (by, machine)}
    others = (line for line in lines if (line.by, line.machine) != (by, machine))
    return (*others, *(before.get(line.content, line) for line in own))


def piece_of(piece: Evidence) -> SharedPiece:
    """A piece of evidence as others see it: which it is, not where it lies."""
    session = piece.session
    named = "\0".join((session.agent, session.native_id, str(piece.at), piece.channel, str(piece.is_against)))
    return SharedPiece(
        hash=hashlib.sha256(named.encode()).hexdigest()[:16],
        agent=session.agent,
        channel=str(piece.channel),
        at_ms=piece.at_ms or session.at_ms,
        excerpt=one_line(piece.excerpt, EXCERPT_LIMIT),
        is_against=piece.is_against,
    )


def one_line(text: str, limit: int) -> str:
    return " ".join(clean(text).split())[:limit].strip()
