"""A person decides about proposals: lets one be tried, rejects it, or takes a version back.

To let it be tried is to agree to all that follows by rule: either version lies on disk for some hours, by chance; the
new one stays if it proves better, and the old one comes back, byte for byte, if it proves worse. Without evidence
nothing is kept: a person who wants the new text without a trial writes it.
"""

from pathlib import Path

import msgspec

from afterwit.config.world import World
from afterwit.connect.foreign_files import expanded, fingerprint, look, missing_folders, shortened
from afterwit.engine.curation.curate import decision_desk
from afterwit.extras.lab.skills.evolve.advance import Clock, draw_entry, end_entry, settle
from afterwit.extras.lab.skills.evolve.cases import trial_effect
from afterwit.extras.lab.skills.evolve.compare import TrialEffect
from afterwit.extras.lab.skills.evolve.placing import changed_by_hand
from afterwit.extras.lab.skills.evolve.proposal import SkillProposal
from afterwit.extras.lab.skills.evolve.propose import evolution_in, propose
from afterwit.extras.lab.skills.evolve.trial import Evolution, SkillTrial, TrialStart, TrialVerdict
from afterwit.model.errors import UsageError
from afterwit.store.decisions.decided import SkillEntry
from afterwit.store.decisions.journal import decide_all
from afterwit.store.store import readonly_database, require


def evolution(world: World) -> Evolution:
    """All that was decided about versions of skills."""
    require(world.layout)
    with readonly_database(world.layout) as db:
        return evolution_in(db)


def trials_now(world: World) -> list[tuple[SkillTrial, TrialEffect]]:
    """All trials in the order in which they began, each with what it shows, or had shown when it ended."""
    with readonly_database(world.layout) as db:
        return [(trial, trial.effect or trial_effect(db, trial)) for trial in evolution_in(db).trials]


def proposal_named(world: World, name: str) -> SkillProposal:
    """The proposal whose id begins so."""
    fitting = [proposal for proposal in propose(world) if name and proposal.id.startswith(name)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UsageError(f"Several proposals begin with {name!r}: {', '.join(proposal.id for proposal in fitting)}.")
    raise UsageError(f"There is no proposal {name!r}. `afterwit skills evolve list --all` shows them.")


def trial_named(made: Evolution, name: str) -> SkillTrial:
    """The trial whose id begins so, or the last one of the skill of this name."""
    fitting = [trial for trial in made.trials if name and trial.id.startswith(name)]
    fitting = fitting or [trial for trial in made.trials if trial.proposal.skill == name][-1:]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UsageError(f"Several trials begin with {name!r}: {', '.join(trial.id for trial in fitting)}.")
    raise UsageError(f"There is no trial {name!r}. `afterwit skills evolve list` shows them.")


def accept(world: World, name: str, clock: Clock) -> SkillTrial:
    """Begins the trial of a proposal."""
    proposal = proposal_named(world, name)
    if not proposal.is_offered:
        raise UsageError(f"{proposal.id} is not offered: {' '.join(proposal.refusals)}")
    with decision_desk(world) as desk:
        made = evolution_in(desk.store.db)
        other = next((trial for trial in made.trials if _is_in_its_way(trial, proposal)), None)
        if other is not None:
            raise UsageError(
                f"{proposal.skill} is being tried already ({other.id})."
                f" `afterwit skills evolve rollback {other.id}` ends that."
            )
        start = _start(world, proposal)
        now_ms = clock()
        entries = [(SkillEntry.TRIED, msgspec.to_builtins(start)), draw_entry(desk.store.key, proposal.id, now_ms)]
        decide_all(desk.store, entries, now_ms)
        settle(desk.store, world, proposal.id, clock)
        return trial_named(evolution_in(desk.store.db), proposal.id)


def _is_in_its_way(trial: SkillTrial, proposal: SkillProposal) -> bool:
    return trial.is_open and bool(set(trial.proposal.paths) & set(proposal.paths))


def _start(world: World, proposal: SkillProposal) -> TrialStart:
    made: dict[Path, None] = {}
    for path in proposal.paths:
        file = look(expanded(path, world.user_home))
        if file.content != (None if proposal.old is None else proposal.old.encode()):
            raise UsageError(f"{file.path} has changed in the meantime. Look at the proposals again.")
        made |= dict.fromkeys(missing_folders(file.target))
    return TrialStart(
        trial=proposal.id,
        proposal=proposal,
        old_hash="" if proposal.old is None else fingerprint(proposal.old.encode()),
        new_hash=fingerprint(proposal.new.encode()),
        made=tuple(shortened(folder, world.user_home) for folder in made),
    )


def reject(world: World, name: str, clock: Clock) -> SkillProposal:
    """Keeps a proposal from being made again."""
    proposal = proposal_named(world, name)
    with decision_desk(world) as desk:
        body = {"trial": proposal.id, "skill": proposal.skill}
        decide_all(desk.store, [(SkillEntry.REJECTED, body)], clock())
    return proposal


def rollback(world: World, name: str, clock: Clock) -> SkillTrial:
    """Brings the old version back, whether the trial is under way or the new version was kept."""
    with decision_desk(world) as desk:
        trial = trial_named(evolution_in(desk.store.db), name)
        if trial.machine != desk.store.journal.machine:
            raise UsageError(f"{trial.id} runs on another machine. Roll it back there.")
        if not trial.is_open and trial.verdict is not TrialVerdict.KEPT:
            raise UsageError(f"{trial.id} ended already ({trial.verdict}): the old version is back.")
        path = changed_by_hand(world, trial)
        if path is not None:
            raise UsageError(
                f"{path} was changed by hand, and is not overwritten. Move it away or put it back, then try again;"
                " or leave it: the next `afterwit learn` ends the trial."
            )
        decide_all(desk.store, [end_entry(trial.id, TrialVerdict.STOPPED, "A person took it back.")], clock())
        settle(desk.store, world, trial.id, clock)
        return trial_named(evolution_in(desk.store.db), trial.id)
