"""`afterwit share pull`: takes in what others say of their notes.

All files are read, and what is not known yet is journalled: nothing of it is told to an agent before a person here
approved it, or the settings trust who did. In a checkout that is what lies there: git brings it with everything else. A
repository of its own is fetched before.
"""

from collections.abc import Callable, Collection, Iterable, Mapping

import msgspec

from afterwit.capture.checkouts import GitCheckout
from afterwit.config.world import World, redactor_of
from afterwit.engine.curation.curate import decision_desk
from afterwit.extras.team.folder import FOLDER, BadLine, ShareFolder
from afterwit.extras.team.outgoing import known_states
from afterwit.extras.team.place import Share, git_in, shares_of
from afterwit.extras.team.push import SharedChange
from afterwit.extras.team.records import SharedLine, SharedNote, SharedPiece
from afterwit.harvest.harvester import id_of
from afterwit.knowledge.door.list import all_items
from afterwit.model.knowledge import IMPORT, SHARED_BY, Channel, Draft, Evidence, Scope, ScopeKind, SessionRef
from afterwit.model.settings import ShareSettings
from afterwit.store.decisions import KnowledgeEntry, SharedState

Redact = Callable[[object], object]


def states_of(
    notes: Mapping[str, SharedNote], found_here: Collection[str], settings: ShareSettings, repo: str, redact: Redact
) -> dict[str, SharedState]:
    """What the share says of each of these notes, none of which is this machine's alone."""
    states = {}
    for note in notes.values():
        state = SharedState(id=note.id, rejected_by=note.rejected_by)
        if note.id not in found_here:
            draft = _draft(note, repo, redact)
            is_trusted = is_vouched(note, settings)
            state = msgspec.structs.replace(state, draft=draft, is_vouched=is_trusted, item=id_of(draft))
        states[note.id] = state
    return states


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


def _draft(note: SharedNote, repo: str, redact: Redact) -> Draft:
    words = note.words
    draft = Draft(
        harvester=IMPORT,
        key=(note.id,),
        scope=Scope(ScopeKind.REPO, words.repo or repo),
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


class Pulled(msgspec.Struct, frozen=True, kw_only=True):
    share: str
    notes: int
    changes: list[SharedChange]
    bad: list[BadLine]
    is_dry_run: bool = False


def pull(world: World, place: GitCheckout, *, is_dry_run: bool = False) -> list[Pulled]:
    """Takes in what all shares of a repository hold."""
    done = []
    for share in shares_of(world, place):
        with git_in(world, share, is_dry_run=is_dry_run) as git:
            if share.is_own and not is_dry_run:
                git.fetch(FOLDER)
            done.append(_take_in(world, share, is_dry_run=is_dry_run))
    return done


def _take_in(world: World, share: Share, *, is_dry_run: bool) -> Pulled:
    folder = ShareFolder(share.folder)
    notes = folder.notes(world.now_ms)
    with decision_desk(world, is_new=True) as desk:
        machine = desk.store.journal.machine
        others = {own: note for own, note in notes.items() if is_others(folder.files[own].lines, machine)}
        fitting = {own: note for own, note in others.items() if folder.about.is_about(note.words.repo or share.repo)}
        found_here = {item.id for item in all_items(desk.store.db) if item.harvester != IMPORT}
        redact = redactor_of(world).value
        states = states_of(fitting, found_here, world.settings.share, share.repo, redact)
        states_before = known_states(desk.store.db, share.name)
        before = {own: state for own, state in states_before.items() if own not in folder.closed}
        brought = news(states, before)
        if (brought or before) and not is_dry_run:
            body = {"source": share.name, "notes": msgspec.to_builtins(brought)}
            desk.note(*(((KnowledgeEntry.SHARED, body),) if brought else ()))
            desk.settle()  # also after a run that was killed before it settled
    changes = [brought_by(state, before.get(state.id), notes.get(state.id)) for state in brought]
    return Pulled(share=share.name, notes=len(notes), changes=changes, bad=folder.bad, is_dry_run=is_dry_run)


def brought_by(state: SharedState, before: SharedState | None, note: SharedNote | None) -> SharedChange:
    if note is None:
        fact = before.draft.sentence if before is not None and before.draft is not None else ""
        return SharedChange(id=state.id, change="gone", fact=fact)
    is_rejected = bool(state.rejected_by) and (before is None or before.rejected_by != state.rejected_by)
    is_new = before is None or before == SharedState(id=state.id)
    change = "rejected" if is_rejected else "new" if is_new else "changed"
    by = state.rejected_by if is_rejected else ", ".join(note.authors)
    return SharedChange(id=state.id, change=change, fact=note.words.fact, by=by)
