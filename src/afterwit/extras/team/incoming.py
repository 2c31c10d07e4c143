"""What comes in from a share: what others say of their notes, as entries for the journal. Pure.

Whatever a note says of itself, its words are imported and its evidence has its author as the only origin: it waits for
a person, or is quoted where the settings trust who approved it, and never more than that. A note that was found here as
well stays what it is; that others rejected it is taken over.
"""

from collections.abc import Callable, Collection, Iterable, Mapping

import msgspec

from afterwit.extras.team.records import SharedLine, SharedNote, SharedPiece, scope_in
from afterwit.harvest.harvester import id_of
from afterwit.model.knowledge import IMPORT, SHARED_BY, Channel, Draft, Evidence, SessionRef
from afterwit.model.settings import ShareSettings
from afterwit.store.decisions import SharedState

Redact = Callable[[object], object]


def states_of(
    notes: Mapping[str, SharedNote], found_here: Collection[str], settings: ShareSettings, repo: str, redact: Redact
) -> dict[str, SharedState]:
    """What the share says of each of these notes, none of which is this machine's alone."""
    states = (_state(note, note.id in found_here, settings, repo, redact) for note in notes.values())
    return {state.id: state for state in states}


def news(states: Mapping[str, SharedState], before: Mapping[str, SharedState]) -> list[SharedState]:
    """What is not as the journal has it; a note that the share no longer has is taken back."""
    changed = [state for own, state in sorted(states.items()) if before.get(own, SharedState(id=own)) != state]
    gone = [SharedState(id=own) for own in sorted(before.keys() - states.keys()) if before[own] != SharedState(id=own)]
    return changed + gone


def is_others(lines: Iterable[SharedLine], machine: str) -> bool:
    """Whether anybody else has a say in it."""
    return any(line.machine != machine for line in lines)


def is_vouched(note: SharedNote, settings: ShareSettings) -> bool:
    """Whether enough people approved it, by the settings."""
    names = set(note.approved_by)
    is_many = 0 < settings.quorum <= len(names)
    return not note.rejected_by and (is_many or not names.isdisjoint(settings.trusted))


def _state(note: SharedNote, is_found_here: bool, settings: ShareSettings, repo: str, redact: Redact) -> SharedState:
    if is_found_here:
        return SharedState(id=note.id, rejected_by=note.rejected_by)
    draft = _draft(note, repo, redact)
    return SharedState(
        id=note.id,
        draft=draft,
        rejected_by=note.rejected_by,
        is_vouched=is_vouched(note, settings),
        item=id_of(draft),
    )


def _draft(note: SharedNote, repo: str, redact: Redact) -> Draft:
    words = note.words
    draft = Draft(
        harvester=IMPORT,
        key=(note.id,),
        scope=scope_in(words, repo),
        category=words.category,
        sentence=words.fact,
        channel=Channel.IMPORTED,
        triggers=words.triggers,
        advice=words.advice,
        files=words.files,
        saves=words.saves,
        when=words.when,
        kind=words.form,
        evidence=tuple(_evidence(note)),
    )
    return msgspec.convert(redact(msgspec.to_builtins(draft)), Draft)


def _evidence(note: SharedNote) -> Iterable[Evidence]:
    """A piece for each that its authors brought, and for an author without any that they stand behind it."""
    with_pieces = {by for by, _ in note.pieces}
    stands = SharedPiece(hash=note.id, agent="share", channel="", at_ms=note.at_ms)
    without = ((by, stands) for by in note.authors if by not in with_pieces)
    for by, piece in (*note.pieces, *without):
        origin = f"{SHARED_BY}{by}"
        session = SessionRef(agent=piece.agent, native_id=piece.hash, story=origin, user=by, at_ms=piece.at_ms)
        yield Evidence(
            session=session,
            channel=Channel.IMPORTED,
            source=origin,
            at_ms=piece.at_ms,
            excerpt=piece.excerpt or note.words.fact[:200],
            is_against=piece.is_against,
        )
