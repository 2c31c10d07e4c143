"""Of the notes that were told, how many turned out to be wrong.

Wrong is a note that a person rejected or retired after it was told; one that the told session itself speaks against;
one that was contradicted since and is outdated because of that; and one whose advised command then failed in that
session because of how it was called or of what is missing on the machine. That tests fail that it told to run is no
fault of it. A wrong note that nobody ever noticed is not counted: this is the least that there were.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from afterwit.measure.metrics.as_of import NoteHistory, time_of
from afterwit.measure.metrics.told_notes import SessionKey, ToldNote, key_of
from afterwit.measure.plain_commands import words_of
from afterwit.model.digest import Digest
from afterwit.model.figures import Proportion
from afterwit.model.kinds import ActionKind, FailureClass
from afterwit.model.knowledge import Item, ItemStatus
from afterwit.store.decisions import will_of

FINE = ""
_OF_THE_CALL = (FailureClass.INVOCATION, FailureClass.ENVIRONMENT)
_CHANGE = " →"  # in an advice that is no command line by itself


class ToldJudgement(NamedTuple):
    """A note that a session was told, and why it was wrong; "" where nothing says so."""

    at_ms: int
    session: str
    agent: str
    item: str
    wrong: str


class WrongShare(msgspec.Struct, frozen=True, kw_only=True):
    told: int  # notes in sessions, each once
    wrong: int
    share: float | None
    interval: tuple[float, float]
    by_reason: dict[str, int]


class WrongTally:
    """Looks for advice that failed, session by session, and for what is known of the notes by now."""

    def __init__(self, told: Iterable[ToldNote], items: Mapping[str, Item], history: NoteHistory) -> None:
        self._told = sorted(told)
        self._items = items
        self._history = history
        self._by_session: dict[SessionKey, list[ToldNote]] = {}
        for note in self._told:
            self._by_session.setdefault(note.to, []).append(note)
        self._failed: set[ToldNote] = set()

    def take(self, digest: Digest) -> None:
        for note in self._by_session.get(key_of(digest), ()):
            item = self._items.get(note.item)
            if item is not None and _has_advice_failed(item.advice, digest, note.at_ms):
                self._failed.add(note)

    def rows(self) -> list[ToldJudgement]:
        return [
            ToldJudgement(note.at_ms, note.to.session, note.to.agent, note.item, self._wrong(note))
            for note in self._told
        ]

    def _wrong(self, note: ToldNote) -> str:
        item = self._items.get(note.item)
        if item is None:
            return FINE
        will = will_of(self._history.decided_about(item))
        if will.why_out and will.verdict is not None and will.verdict.at_ms > note.at_ms:
            return f"{will.why_out} later"
        against = [piece for piece in item.evidence if piece.is_against]
        if any(piece.session.native_id == note.to.session for piece in against):
            return "that session speaks against it"
        if note in self._failed:
            return "its command failed in that session"
        if item.status is ItemStatus.STALE and any(time_of(piece) > note.at_ms for piece in against):
            return "contradicted later"
        return FINE


def _has_advice_failed(advice: str, digest: Digest, told_ms: int) -> bool:
    wanted = words_of(advice) if advice and _CHANGE not in advice else ()
    if not wanted:
        return False
    for failure in digest.failures:
        step = digest.steps[failure.at]
        is_later = digest.started_ms is None or step.at_s is None or digest.started_ms + 1000 * step.at_s >= told_ms
        is_called = step.kind is ActionKind.SHELL and words_of(step.target)[: len(wanted)] == wanted
        if is_called and is_later and failure.failure in _OF_THE_CALL:
            return True
    return False


def wrong_share(rows: Sequence[ToldJudgement]) -> WrongShare:
    reasons = Counter(row.wrong for row in rows if row.wrong)
    share = Proportion(sum(reasons.values()), len(rows))
    return WrongShare(
        told=share.of,
        wrong=share.hits,
        share=share.share,
        interval=share.interval,
        by_reason=dict(sorted(reasons.items())),
    )
