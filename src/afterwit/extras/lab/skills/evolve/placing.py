"""Puts the version of a skill on disk that is due, and sees whether somebody else wrote there. A door to the files.

A file is touched only if it holds one of the two versions of its trial; whatever else lies there was put there by
somebody, and stays. Where a version is known to lie on disk and the other one does, somebody put it back by hand: that
is a change, too.
"""

from collections.abc import Sequence
from pathlib import Path

from afterwit.config.world import World
from afterwit.connect.foreign_files import FileRecord, ForeignFile, expanded, fingerprint, look
from afterwit.extras.lab.skill_folders import SkillChange, carry_out
from afterwit.extras.lab.skills.evolve.trial import Arm, SkillTrial, TrialStart
from afterwit.model.errors import AfterwitError


def place(world: World, trial: SkillTrial, arm: Arm) -> list[Path]:
    """Writes the version, or removes the file where the old one is none. Returns what changed. Asks no questions:
    whether it may is up to `changed_by_hand`."""
    text = trial.text(arm)
    made = tuple(expanded(folder, world.user_home) for folder in trial.start.made)
    changes = [
        SkillChange(
            file,
            None if text is None else text.encode(),
            FileRecord(path, trial.start.old_hash or None, trial.start.new_hash),
            made=made if text is None else (),
        )
        for path, file in zip(trial.proposal.paths, _files(world, trial.start), strict=True)
    ]
    return carry_out(changes)


def changed_by_hand(world: World, trial: SkillTrial) -> Path | None:
    """The first file of the trial that holds something else than it was left with; None where there is none."""
    due = trial.due if trial.is_settled else None
    for file in _files(world, trial.start):
        held = held_by(file, trial.start)
        if held is None or (due is not None and held is not due):
            return file.path
    return None


def held_by(file: ForeignFile, start: TrialStart) -> Arm | None:
    """Which version a file holds; None: neither."""
    own = "" if file.content is None else fingerprint(file.content)
    return Arm.OLD if own == start.old_hash else Arm.NEW if own == start.new_hash else None


def _files(world: World, start: TrialStart) -> Sequence[ForeignFile]:
    return [_seen(expanded(path, world.user_home)) for path in start.proposal.paths]


def _seen(path: Path) -> ForeignFile:
    """What lies there; what cannot be read is something else than ours."""
    try:
        return look(path)
    except (AfterwitError, OSError):
        return ForeignFile(path, path, b"\0")
