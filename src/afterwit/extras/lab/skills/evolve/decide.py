"""A person decides about proposals (tried, rejected, taken back), and every `learn` goes on with what was agreed to.

To let it be tried is to agree to all that follows by rule: either version lies on disk for some hours, by chance; the
new one stays if it proves better, and the old one comes back, byte for byte, if it proves worse. Without evidence
nothing is kept: a person who wants the new text without a trial writes it.

Each step is in the journal before a file is written, and that it was written is noted afterwards; killed in between,
the next run does what is missing. Only trials of this machine are touched. A file is touched only if it holds one of
the two versions of its trial: one that somebody changed ends its trial, and stays as it is.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from afterwit.config.world import World
from afterwit.connect.foreign_files import (
    FileRecord,
    ForeignFile,
    expanded,
    fingerprint,
    look,
    missing_folders,
    shortened,
)
from afterwit.engine.curation.curate import decision_desk
from afterwit.extras.lab.skill_folders import SkillChange, carry_out
from afterwit.extras.lab.skills.evolve.propose import evolution_in, propose
from afterwit.extras.lab.skills.evolve.trial import (
    BLOCK_MS,
    CHANCE,
    Arm,
    Evolution,
    SkillTrial,
    TrialEffect,
    TrialStart,
    TrialVerdict,
    trial_effect,
)
from afterwit.extras.lab.skills.evolve.verify import SkillProposal
from afterwit.measure.statistics import Finding
from afterwit.model.errors import AfterwitError, BusyError, PartlyDoneError, UsageError
from afterwit.recall.holdout import draw, holdout_key
from afterwit.store.atomic import step
from afterwit.store.decide import catch_up, decide_all, report_if_recorded
from afterwit.store.decisions import SkillEntry
from afterwit.store.store import Store, hold_lease, open_store, readonly_database


def place(world: World, trial: SkillTrial, arm: Arm) -> None:
    """Writes the version, or removes the file where the old one is none. Asks no questions: whether it may is up to
    `find_changed`."""
    text = trial.proposal.new if arm is Arm.NEW else trial.proposal.old
    made = () if text is not None else tuple(expanded(folder, world.user_home) for folder in trial.start.made)
    content = None if text is None else text.encode()
    changes = []
    for path in trial.proposal.paths:
        record = FileRecord(path, trial.start.old_hash or None, trial.start.new_hash)
        changes.append(SkillChange(_look(world, path), content, record, made=made))
    carry_out(changes)


def find_changed(world: World, trial: SkillTrial) -> Path | None:
    """The first file of the trial that holds something else than it was left with; None where there is none."""
    versions = {trial.start.old_hash: Arm.OLD, trial.start.new_hash: Arm.NEW}
    for path in trial.proposal.paths:
        file = _look(world, path)
        held = versions.get("" if file.content is None else fingerprint(file.content))
        if held is None or (trial.is_settled and trial.due not in (None, held)):
            return file.path
    return None


def _look(world: World, written: str) -> ForeignFile:
    """What lies there; what cannot be read is something else than ours."""
    path = expanded(written, world.user_home)
    try:
        return look(path)
    except (AfterwitError, OSError):
        return ForeignFile(path, path, b"\0")


Clock = Callable[[], int]
_Named = TypeVar("_Named", SkillProposal, SkillTrial)
_VERDICTS = {Finding.HELPS.value: TrialVerdict.KEPT, Finding.HARMS.value: TrialVerdict.ROLLED_BACK}


def advance(world: World, clock: Clock) -> list[SkillTrial]:
    """Does what is due. Returns the trials that ended. Nothing is done while another run is at work."""
    with readonly_database(world.layout) as db:
        if not any(_is_due(trial, clock()) for trial in evolution_in(db).trials):
            return []
    try:
        with hold_lease(world.layout.lease), open_store(world.layout) as store:
            catch_up(store)
            with report_if_recorded(store):
                return list(_advance_all(store, world, clock))
    except BusyError:
        return []


def _is_due(trial: SkillTrial, now_ms: int) -> bool:
    if trial.is_open:
        return not trial.is_settled or _block(now_ms) > trial.blocks[-1].number or not trial.proposal.new
    return trial.due is not None and not trial.is_settled


def _block(now_ms: int) -> int:
    return now_ms // BLOCK_MS


def draw_arm(key: bytes, trial: str, block: int) -> Arm:
    """Chance: the same for the same trial and block, and nobody without the key can foretell it."""
    return Arm.NEW if draw(holdout_key(key), "skill", trial, str(block)) < CHANCE else Arm.OLD


def draw_entry(key: bytes, trial: str, now_ms: int) -> tuple[str, dict[str, Any]]:
    block = _block(now_ms)
    odds = {Arm.NEW.value: CHANCE, Arm.OLD.value: 1 - CHANCE}
    return SkillEntry.DRAWN, {"trial": trial, "block": block, "arm": draw_arm(key, trial, block).value, "odds": odds}


def end_entry(
    trial: str, verdict: TrialVerdict, why: str, effect: TrialEffect | None = None
) -> tuple[str, dict[str, Any]]:
    measured = None if effect is None else msgspec.to_builtins(effect)
    return SkillEntry.ENDED, {"trial": trial, "verdict": verdict.value, "why": why, "effect": measured}


def settle(store: Store, world: World, name: str, clock: Clock) -> SkillTrial:
    """Puts the version on disk that is due by now, and notes that it lies there."""
    trial = next(trial for trial in reversed(evolution_in(store.db).trials) if trial.id == name)
    if trial.due is not None and not trial.is_settled:
        try:
            place(world, trial, trial.due)
        except (AfterwitError, OSError) as error:
            raise PartlyDoneError(
                f"This is decided and recorded, but the file of {trial.proposal.skill} could not be written"
                f" ({error}). The next `afterwit learn` tries again."
            ) from error
        step("a version of a skill lies on disk, which is not noted")
        decide_all(store, [(SkillEntry.PLACED, {"trial": name})], clock())
    return trial


def _advance_all(store: Store, world: World, clock: Clock) -> Iterator[SkillTrial]:
    """One trial after the other. One whose file cannot be written waits for the next run."""
    for trial in evolution_in(store.db).trials:
        if trial.machine == store.journal.machine and _is_due(trial, clock()):
            with suppress(PartlyDoneError):
                ended = _advance(store, world, trial, clock)
                if ended is not None:
                    yield ended


def _advance(store: Store, world: World, trial: SkillTrial, clock: Clock) -> SkillTrial | None:
    """The trial, if it ended now; else the version of the next block is drawn when it begins."""

    def end(verdict: TrialVerdict, why: str, effect: TrialEffect | None = None) -> SkillTrial:
        decide_all(store, [end_entry(trial.id, verdict, why, effect)], clock())
        return settle(store, world, trial.id, clock)

    path = find_changed(world, trial)
    if path is not None:
        return end(TrialVerdict.CHANGED, f"{path} was changed by hand, and is left as it is.")
    if not trial.is_settled:
        settle(store, world, trial.id, clock)
    if not trial.is_open:
        return None
    if not trial.proposal.new:
        return end(TrialVerdict.WITHDRAWN, "The sessions that it was made from were deleted.")
    now_ms = clock()
    if _block(now_ms) <= trial.blocks[-1].number:
        return None
    *earlier, last = trial.blocks
    effect = trial_effect(store.db, trial._replace(blocks=(*earlier, last._replace(until_ms=now_ms))))
    if effect.finding in _VERDICTS:
        return end(_VERDICTS[effect.finding], "", effect)
    decide_all(store, [draw_entry(store.key, trial.id, now_ms)], now_ms)
    settle(store, world, trial.id, clock)
    return None


def evolution(world: World) -> Evolution:
    """All that was decided about versions of skills."""
    with readonly_database(world.layout) as db:
        return evolution_in(db)


def trials_now(world: World) -> list[tuple[SkillTrial, TrialEffect]]:
    """All trials in the order in which they began, each with what it shows, or had shown when it ended."""
    with readonly_database(world.layout) as db:
        return [(trial, trial.effect or trial_effect(db, trial)) for trial in evolution_in(db).trials]


def proposal_named(world: World, name: str) -> SkillProposal:
    """The proposal whose id begins so."""
    fitting = [proposal for proposal in propose(world) if name and proposal.id.startswith(name)]
    return _the_one(fitting, "proposal", name, "`afterwit skills evolve list --all` shows them.")


def trial_named(made: Evolution, name: str) -> SkillTrial:
    """The trial whose id begins so, or the last one of the skill of this name."""
    fitting = [trial for trial in made.trials if name and trial.id.startswith(name)]
    fitting = fitting or [trial for trial in made.trials if trial.proposal.skill == name][-1:]
    return _the_one(fitting, "trial", name, "`afterwit skills evolve list` shows them.")


def _the_one(fitting: Sequence[_Named], what: str, name: str, hint: str) -> _Named:
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UsageError(f"Several {what}s begin with {name!r}: {', '.join(named.id for named in fitting)}.")
    raise UsageError(f"There is no {what} {name!r}. {hint}")


def accept(world: World, name: str, clock: Clock) -> SkillTrial:
    """Begins the trial of a proposal."""
    proposal = proposal_named(world, name)
    if not proposal.is_offered:
        raise UsageError(f"{proposal.id} is not offered: {' '.join(proposal.refusals)}")
    with decision_desk(world) as desk:
        made = evolution_in(desk.store.db)
        tried = (trial for trial in made.trials if trial.is_open)
        other = next((trial for trial in tried if set(trial.proposal.paths) & set(proposal.paths)), None)
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
        path = find_changed(world, trial)
        if path is not None:
            raise UsageError(
                f"{path} was changed by hand, and is not overwritten. Move it away or put it back, then try again;"
                " or leave it: the next `afterwit learn` ends the trial."
            )
        decide_all(desk.store, [end_entry(trial.id, TrialVerdict.STOPPED, "A person took it back.")], clock())
        settle(desk.store, world, trial.id, clock)
        return trial_named(evolution_in(desk.store.db), trial.id)
