"""The whole turn of a person that a piece of evidence is an excerpt of, with what came before and after.

A sentence out of a turn may mean something else than the turn. So whoever looks at a note in the user's words sees all
that they typed at that moment, redacted and within bounds, and a line each of what the agent had said last and said
next. It is read from the archive; where that lost it, `gone` says why, and the excerpt is all that there is.
"""

from collections.abc import Iterable, Mapping

import msgspec

from afterwit.config.world import World
from afterwit.model.kinds import EventKind
from afterwit.model.knowledge import Channel, Evidence
from afterwit.sessions.filters import one_line
from afterwit.sessions.originals import TranscriptSource, source_of
from afterwit.sessions.show import CopiedEvents, GoneTexts, SessionMoment, WantedMoments, moments
from afterwit.store.rows.session_list import SessionRow, session_of

_MOST_TURNS = 8  # that are read for one note, the newest
_MOST_CHARS = 2_000
_LINE_CHARS = 200
_COMPARED_CHARS = 80  # of an excerpt, which may be cut
_SPOKEN = WantedMoments(frozenset((EventKind.PROMPT, EventKind.REPLY)), has_arguments=False)


class PersonTurn(msgspec.Struct, frozen=True, kw_only=True):
    """What a person typed, between what the agent said."""

    words: str = ""  # "": the archive does not hold them
    left_out: int = 0  # characters of them
    before: str = ""
    after: str = ""
    gone: str = ""  # why the archive does not hold all of it


def turns_behind(world: World, evidence: Iterable[Evidence]) -> Mapping[Evidence, PersonTurn]:
    """By piece of evidence, of those that are a user's words."""
    typed = [piece for piece in evidence if piece.channel is Channel.USER and piece.excerpt]
    if not typed:
        return {}
    newest = sorted(typed, key=lambda piece: -(piece.at_ms or piece.session.at_ms))[:_MOST_TURNS]
    turns: dict[Evidence, PersonTurn] = {}
    with source_of(world) as source:
        for piece in newest:
            row = session_of(source.store.db, piece.session.agent, piece.session.native_id)
            turn = _turn_in(source, row, piece) if row is not None else None
            turns |= {piece: turn} if turn is not None else {}
    return turns


def _turn_in(source: TranscriptSource, session: SessionRow, piece: Evidence) -> PersonTurn | None:
    """None where the session has no such turn of its own, as where it is a copy of another."""
    before = gone = ""
    turn: PersonTurn | None = None
    for moment in moments(source, session, _SPOKEN):
        if isinstance(moment, GoneTexts):
            gone = moment.reason
        elif isinstance(moment, CopiedEvents):
            continue
        elif turn is not None:
            after = one_line(moment.text or "", _LINE_CHARS) if moment.kind is EventKind.REPLY else ""
            return msgspec.structs.replace(turn, after=after)
        elif moment.kind is EventKind.REPLY:
            before = _last_words(moment.text or "") or before
        elif _is_meant(moment, piece):
            text = (moment.text or "").strip()
            left_out = max(0, len(text) - _MOST_CHARS)
            turn = PersonTurn(words=text[:_MOST_CHARS], left_out=left_out, before=before, gone=gone)
    return turn


def _last_words(text: str) -> str:
    """The end of a text on one line: what a turn answers stands there."""
    line = " ".join(text[-_LINE_CHARS * 4 :].split())
    return line if len(line) <= _LINE_CHARS else f"…{line[-_LINE_CHARS:].lstrip()}"


def _is_meant(moment: SessionMoment, piece: Evidence) -> bool:
    """Whether the excerpt is of this turn: by its words, and by its moment where the words are gone."""
    if piece.at_ms and moment.at_ms != piece.at_ms:
        return False
    if not moment.text:
        return bool(piece.at_ms)
    begins = " ".join(piece.excerpt.split())[:_COMPARED_CHARS].rstrip("…")
    return begins in " ".join(moment.text.split())
