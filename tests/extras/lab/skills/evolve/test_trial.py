"""A trial in a real store with real files: kept on measured improvement, rolled back on harm, left alone by hand."""

import random
from pathlib import Path

import pytest
from tests.extras.lab.skills.evolve.orchard import BEGIN_S, DAY_S, MAY_MS, Orchard
from tests.homes import Silent
from tests.measure.histories import HOUR_S

from afterwit.engine.archive.delete import DeleteRequest, delete
from afterwit.engine.archive.rebuild import rebuild
from afterwit.extras.lab.skills.evolve.decide import accept, advance, draw_arm, evolution, reject, rollback, trials_now
from afterwit.extras.lab.skills.evolve.propose import propose
from afterwit.extras.lab.skills.evolve.trial import BLOCK_MS, Arm, SkillTrial, TrialVerdict
from afterwit.model.errors import UsageError

NAME = "orchard-commit-checks"


@pytest.fixture
def orchard(tmp_path: Path) -> Orchard:
    return Orchard(tmp_path).by_hand()


def begun(orchard: Orchard) -> SkillTrial:
    (proposal,) = propose(orchard.world)
    return accept(orchard.world, proposal.id[:6], orchard.clock)


def lies_there(orchard: Orchard) -> bool:
    return orchard.skill(NAME).exists()


def gone_through(orchard: Orchard, blocks: int, old: float, new: float, seed: int = 1) -> list[SkillTrial]:
    """So many blocks, with two sessions in each that get on by the version that really lies on disk."""
    rng = random.Random(seed)
    for _ in range(blocks):
        seconds = (orchard.now_ms - MAY_MS) // 1000 - BEGIN_S
        for number in (1, 2):
            orchard.getting_on(seconds + number * HOUR_S, new if lies_there(orchard) else old, rng)
        orchard.now_ms += BLOCK_MS
        advance(orchard.world, orchard.clock)
    orchard.learned()
    orchard.now_ms += BLOCK_MS
    return advance(orchard.world, orchard.clock)


def test_nothing_is_written_before_a_person_agrees(orchard: Orchard) -> None:
    propose(orchard.world)
    assert advance(orchard.world, orchard.clock) == []
    assert not (orchard.home / ".claude/skills").exists()


def test_the_version_that_was_drawn_lies_on_disk(orchard: Orchard) -> None:
    trial = begun(orchard)
    for _ in range(12):
        (now, _), *_ = trials_now(orchard.world)
        assert lies_there(orchard) == (now.due is Arm.NEW)
        if lies_there(orchard):
            assert orchard.skill(NAME).read_text() == trial.proposal.new
        orchard.now_ms += BLOCK_MS
        advance(orchard.world, orchard.clock)
    (now, effect), *_ = trials_now(orchard.world)
    assert {block.arm for block in now.blocks} == {Arm.OLD, Arm.NEW}
    assert {block.chance for block in now.blocks} == {0.5}
    assert effect.finding == "no-evidence"


def test_the_draw_is_fair_and_nobody_without_the_key_can_foretell_it() -> None:
    drawn = [draw_arm(b"k" * 32, "trial", block) for block in range(2_000)]
    assert abs(drawn.count(Arm.NEW) - 1_000) < 150
    assert drawn != [draw_arm(b"l" * 32, "trial", block) for block in range(2_000)]


def test_within_a_block_nothing_changes(orchard: Orchard) -> None:
    begun(orchard)
    before = evolution(orchard.world)
    orchard.now_ms += 60_000
    advance(orchard.world, orchard.clock)
    assert evolution(orchard.world) == before


def test_a_version_that_is_worse_by_construction_is_rolled_back(orchard: Orchard) -> None:
    begun(orchard)
    (ended,) = gone_through(orchard, 50, old=0.6, new=0.1)
    assert ended.verdict is TrialVerdict.ROLLED_BACK
    assert ended.effect is not None
    assert (ended.effect.high or 0) < 0
    assert not lies_there(orchard)
    assert not (orchard.home / ".claude/skills").exists()  # as it was before


@pytest.mark.slow
def test_a_version_that_is_better_is_kept_and_can_still_be_taken_back(orchard: Orchard) -> None:
    trial = begun(orchard)
    (ended,) = gone_through(orchard, 50, old=0.1, new=0.6)
    assert ended.verdict is TrialVerdict.KEPT
    assert orchard.skill(NAME).read_text() == trial.proposal.new
    orchard.now_ms += BLOCK_MS
    assert advance(orchard.world, orchard.clock) == []
    assert lies_there(orchard)
    assert rollback(orchard.world, NAME, orchard.clock).verdict is TrialVerdict.STOPPED
    assert not lies_there(orchard)


@pytest.mark.slow
def test_a_version_that_changes_nothing_stays_without_evidence(orchard: Orchard) -> None:
    begun(orchard)
    assert gone_through(orchard, 40, old=0.4, new=0.4) == []
    (trial, effect), *_ = trials_now(orchard.world)
    assert trial.is_open
    assert effect.finding == "no-evidence"
    assert effect.sessions >= 76
    assert effect.more_sessions is not None


def test_a_rollback_restores_byte_for_byte_and_is_not_proposed_again(orchard: Orchard) -> None:
    begun(orchard)
    rollback(orchard.world, NAME, orchard.clock)
    assert not (orchard.home / ".claude/skills").exists()
    assert propose(orchard.world) == []
    with pytest.raises(UsageError, match="ended already"):
        rollback(orchard.world, NAME, orchard.clock)


def on_disk(orchard: Orchard, arm: Arm) -> None:
    """Goes on until this version lies on disk."""
    while trials_now(orchard.world)[-1][0].due is not arm:
        orchard.now_ms += BLOCK_MS
        advance(orchard.world, orchard.clock)


@pytest.mark.parametrize("arm", list(Arm))
def test_a_file_that_somebody_changed_ends_the_trial_and_stays(orchard: Orchard, arm: Arm) -> None:
    begun(orchard)
    on_disk(orchard, arm)
    orchard.skill(NAME).parent.mkdir(parents=True, exist_ok=True)
    orchard.skill(NAME).write_text("my own words\n")
    with pytest.raises(UsageError, match="changed by hand, and is not overwritten"):
        rollback(orchard.world, NAME, orchard.clock)
    orchard.now_ms += BLOCK_MS
    (ended,) = advance(orchard.world, orchard.clock)
    assert ended.verdict is TrialVerdict.CHANGED
    for _ in range(6):
        orchard.now_ms += BLOCK_MS
        assert advance(orchard.world, orchard.clock) == []
    assert orchard.skill(NAME).read_text() == "my own words\n"


def test_a_file_that_somebody_removed_is_not_written_again(orchard: Orchard) -> None:
    begun(orchard)
    on_disk(orchard, Arm.NEW)
    orchard.skill(NAME).unlink()
    orchard.now_ms += BLOCK_MS
    (ended,) = advance(orchard.world, orchard.clock)
    assert ended.verdict is TrialVerdict.CHANGED
    assert not lies_there(orchard)


def test_what_was_rejected_is_not_proposed_again(orchard: Orchard) -> None:
    (proposal,) = propose(orchard.world)
    reject(orchard.world, proposal.id, orchard.clock)
    assert propose(orchard.world) == []
    assert [one.skill for one in evolution(orchard.world).rejected] == [NAME]


def test_what_is_not_offered_cannot_be_tried(orchard: Orchard) -> None:
    (orchard.root / "Makefile").unlink()
    (proposal,) = propose(orchard.world)
    with pytest.raises(UsageError, match="is not offered"):
        accept(orchard.world, proposal.id, orchard.clock)
    assert evolution(orchard.world).trials == ()


def test_a_rebuilt_store_knows_the_trial(orchard: Orchard) -> None:
    begun(orchard)
    orchard.now_ms += 2 * BLOCK_MS
    advance(orchard.world, orchard.clock)
    before = evolution(orchard.world)
    rebuild(orchard.world, Silent())
    assert evolution(orchard.world) == before


def test_when_the_sessions_behind_it_are_deleted_the_new_text_goes_with_them(orchard: Orchard) -> None:
    trial = begun(orchard)
    on_disk(orchard, Arm.NEW)
    for piece in trial.proposal.evidence:
        delete(orchard.world, DeleteRequest(names=(piece.session,)), lambda _: True)
    (left,) = evolution(orchard.world).trials
    assert (left.proposal.new, left.proposal.evidence) == ("", ())
    (ended,) = advance(orchard.world, orchard.clock)
    assert ended.verdict is TrialVerdict.WITHDRAWN
    assert not lies_there(orchard)


def test_days_without_learn_are_one_long_block(orchard: Orchard) -> None:
    begun(orchard)
    orchard.now_ms += 3 * DAY_S * 1000
    advance(orchard.world, orchard.clock)
    (trial,) = evolution(orchard.world).trials
    first, second = trial.blocks
    assert (first.until_ms or 0) - (first.from_ms or 0) >= 3 * DAY_S * 1000
    assert second.from_ms is not None


class Killed(BaseException):
    """The run ends here, and nothing is tidied up."""


@pytest.mark.parametrize("arm", list(Arm))
def test_killed_between_journal_and_file_the_next_run_puts_it_right(
    orchard: Orchard, arm: Arm, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(orchard)
    on_disk(orchard, Arm.OLD if arm is Arm.NEW else Arm.NEW)

    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as broken:
        broken.setattr("afterwit.extras.lab.skills.evolve.decide.carry_out", killed)
        for _ in range(20):
            orchard.now_ms += BLOCK_MS
            with pytest.raises(Killed):
                advance(orchard.world, orchard.clock)
            (trial,) = evolution(orchard.world).trials
            if trial.due is arm:
                break
            broken.undo()
            advance(orchard.world, orchard.clock)
            broken.setattr("afterwit.extras.lab.skills.evolve.decide.carry_out", killed)
    assert trial.blocks[-1].from_ms is None
    assert lies_there(orchard) == (arm is Arm.OLD)
    drawn_ms, orchard.now_ms = orchard.now_ms, orchard.now_ms + 60_000
    assert advance(orchard.world, orchard.clock) == []
    (after,) = evolution(orchard.world).trials
    assert lies_there(orchard) == (arm is Arm.NEW)
    assert after.blocks[-1].arm is arm
    assert (after.blocks[-1].from_ms or 0) > drawn_ms  # sessions in between belong to neither version


def test_killed_before_it_is_noted_that_the_file_is_written_it_is_noted_later(
    orchard: Orchard, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(orchard)

    def killed(name: str) -> None:
        raise Killed(name)

    orchard.now_ms += BLOCK_MS
    with monkeypatch.context() as broken:
        broken.setattr("afterwit.extras.lab.skills.evolve.decide.step", killed)
        with pytest.raises(Killed):
            advance(orchard.world, orchard.clock)
    (trial,) = evolution(orchard.world).trials
    assert not trial.is_settled
    assert lies_there(orchard) == (trial.due is Arm.NEW)
    advance(orchard.world, orchard.clock)
    (trial,) = evolution(orchard.world).trials
    assert (trial.is_settled, trial.is_open) == (True, True)


def test_a_folder_that_cannot_be_written_is_tried_again(orchard: Orchard, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(orchard)

    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as broken:
        broken.setattr("afterwit.extras.lab.skills.evolve.decide.carry_out", refused)
        orchard.now_ms += BLOCK_MS
        assert advance(orchard.world, orchard.clock) == []
    assert not evolution(orchard.world).trials[0].is_settled
    advance(orchard.world, orchard.clock)
    (trial,) = evolution(orchard.world).trials
    assert trial.is_settled
    assert lies_there(orchard) == (trial.due is Arm.NEW)
