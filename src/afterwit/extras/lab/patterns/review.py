"""A walk through patterns that wait for a decision: which is next, what was answered, and the way back.

Every answer is a decision as any command makes it, kept at once: whoever stops in the middle loses nothing.
"""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from afterwit.config.world import World
from afterwit.extras.lab.patterns.catalog import CatalogDecision
from afterwit.extras.lab.patterns.curate import EntryChanges, edit, judge, undo
from afterwit.extras.lab.patterns.pattern import Pattern


class PatternAnswer(StrEnum):
    APPROVED = "approved"
    REJECTED = "rejected"
    EDITED = "edited"
    SKIPPED = "skipped"


class PatternWalk:
    def __init__(self, world: World, patterns: Sequence[Pattern], folder: Path | None = None) -> None:
        self._world = world
        self._folder = folder
        self._patterns = list(patterns)
        self._answers: list[PatternAnswer] = []

    @property
    def next_pattern(self) -> Pattern | None:
        return self._patterns[len(self._answers)] if len(self._answers) < len(self._patterns) else None

    @property
    def position(self) -> int:
        return len(self._answers) + 1

    @property
    def total(self) -> int:
        return len(self._patterns)

    @property
    def tally(self) -> dict[str, int]:
        counts = {answer.value: self._answers.count(answer) for answer in PatternAnswer}
        return counts | {"left": self.total - len(self._answers)}

    def approve(self) -> None:
        judge(self._world, CatalogDecision.APPROVE, [self._id], self._folder)
        self._answers.append(PatternAnswer.APPROVED)

    def reject(self) -> None:
        judge(self._world, CatalogDecision.REJECT, [self._id], self._folder)
        self._answers.append(PatternAnswer.REJECTED)

    def edit(self, text: str) -> None:
        """Gives the pattern this text, and approves it with it. Raises where the text is not fit."""
        edit(self._world, self._id, EntryChanges(text=text), self._folder)
        self._answers.append(PatternAnswer.EDITED)

    def skip(self) -> None:
        self._answers.append(PatternAnswer.SKIPPED)

    def undo(self) -> bool:
        """Takes the last answer of this walk back, so that its pattern is next again; False where there is none."""
        if not self._answers:
            return False
        if self._answers[-1] is not PatternAnswer.SKIPPED:
            undo(self._world, self._folder)
        self._answers.pop()
        return True

    @property
    def _id(self) -> str:
        return self._patterns[len(self._answers)].id
