"""Goes on with the trials that a person agreed to: judges them, draws, and puts on disk what is due.

Called after every `learn`. Each step is in the journal before a file is written, and that it was written is noted
afterwards; killed in between, the next run does what is missing. Only trials of this machine are touched. A file that
somebody changed ends its trial, and stays as it is.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from afterwit.config.world import World
from afterwit.extras.lab.skills.evolve.cases import trial_effect
from afterwit.extras.lab.skills.evolve.compare import TrialEffect
from afterwit.extras.lab.skills.evolve.placing import changed_by_hand, place
from afterwit.extras.lab.skills.evolve.propose import evolution_in
from afterwit.extras.lab.skills.evolve.trial import BLOCK_MS, CHANCE, Arm, SkillTrial, TrialVerdict
from afterwit.measure.statistics import Finding
from afterwit.model.errors import AfterwitError, BusyError, PartlyDoneError
from afterwit.recall.holdout import draw, holdout_key
from afterwit.store.atomic import step
from afterwit.store.decisions.decided import SkillEntry
from afterwit.store.decisions.journal import catch_up, decide_all, told_if_recorded
from afterwit.store.lease import held
from afterwit.store.store import Store, opened, readonly_database

Clock = Callable[[], int]
_VERDICTS = {Finding.HELPS.value: TrialVerdict.KEPT, Finding.HARMS.value: TrialVerdict.ROLLED_BACK}


def advance(world: World, clock: Clock) -> list[SkillTrial]:
    """Does what is due. Returns the trials that ended. Nothing is done while another run is at work."""
    with readonly_database(world.layout) as db:
        if not any(_is_due(trial, clock()) for trial in evolution_in(db).trials):
            return []
    try:
        with held(world.layout.lease), opened(world.layout) as store:
            catch_up(store)
            with told_if_recorded(store):
                return list(_Advancing(store, world, clock).all())
    except BusyError:
        return []


def _is_due(trial: SkillTrial, now_ms: int) -> bool:
    if trial.is_open:
        return not trial.is_settled or _block(now_ms) > trial.blocks[-1].number or not trial.proposal.new
    return trial.due is not None and not trial.is_settled


def _block(now_ms: int) -> int:
    return now_ms // BLOCK_MS


def drawn_arm(key: bytes, trial: str, block: int) -> Arm:
    """Chance: the same for the same trial and block, and nobody without the key can foretell it."""
    return Arm.NEW if draw(holdout_key(key), "skill", trial, str(block)) < CHANCE else Arm.OLD


def draw_entry(key: bytes, trial: str, now_ms: int) -> tuple[str, dict[str, Any]]:
    block = _block(now_ms)
    odds = {Arm.NEW.value: CHANCE, Arm.OLD.value: 1 - CHANCE}
    return SkillEntry.DRAWN, {"trial": trial, "block": block, "arm": drawn_arm(key, trial, block).value, "odds": odds}


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


class _Advancing:
    def __init__(self, store: Store, world: World, clock: Clock) -> None:
        self._store = store
        self._world = world
        self._clock = clock

    def all(self) -> Iterator[SkillTrial]:
        """One trial after the other. One whose file cannot be written waits for the next run."""
        for trial in evolution_in(self._store.db).trials:
            if trial.machine == self._store.journal.machine and _is_due(trial, self._clock()):
                try:
                    ended = self._advance(trial)
                except PartlyDoneError:
                    continue
                if ended is not None:
                    yield ended

    def _advance(self, trial: SkillTrial) -> SkillTrial | None:
        """The trial, if it ended now."""
        path = changed_by_hand(self._world, trial)
        if path is not None:
            return self._end(trial, TrialVerdict.CHANGED, f"{path} was changed by hand, and is left as it is.")
        if not trial.is_settled:
            settle(self._store, self._world, trial.id, self._clock)
        if not trial.is_open:
            return None
        if not trial.proposal.new:
            return self._end(trial, TrialVerdict.WITHDRAWN, "The sessions that it was made from were deleted.")
        if _block(self._clock()) <= trial.blocks[-1].number:
            return None
        return self._judged(trial)

    def _judged(self, trial: SkillTrial) -> SkillTrial | None:
        """Ends the trial if it is decided, and draws the version of the next block if it is not."""
        now_ms = self._clock()
        *earlier, last = trial.blocks
        effect = trial_effect(self._store.db, trial._replace(blocks=(*earlier, last._replace(until_ms=now_ms))))
        verdict = _VERDICTS.get(effect.finding)
        if verdict is not None:
            return self._end(trial, verdict, "", effect)
        decide_all(self._store, [draw_entry(self._store.key, trial.id, now_ms)], now_ms)
        settle(self._store, self._world, trial.id, self._clock)
        return None

    def _end(self, trial: SkillTrial, verdict: TrialVerdict, why: str, effect: TrialEffect | None = None) -> SkillTrial:
        decide_all(self._store, [end_entry(trial.id, verdict, why, effect)], self._clock())
        return settle(self._store, self._world, trial.id, self._clock)
