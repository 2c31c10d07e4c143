"""All figures of one report, and the rows that they were counted from."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from afterwit.measure.live.report import EffectReport
from afterwit.measure.metrics.capture_health import AgentCapture, CaptureHealth
from afterwit.measure.metrics.confidence import ConfidenceTest
from afterwit.measure.metrics.hit_rate import HitRate, MomentOfNote
from afterwit.measure.metrics.memory_cost import CostOfMemory, MemoryCost
from afterwit.measure.metrics.note_changes import NoteChange, Velocity
from afterwit.measure.metrics.recurrence import ErrorSeen, ErrorWeek, Recurrence
from afterwit.measure.metrics.session_course import CourseFigures, JudgedSession
from afterwit.measure.metrics.wrong_notes import ToldJudgement, WrongShare
from afterwit.measure.statistics.calibration import Calibration

VERSION = 1


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What `metrics.json` holds. Fields are only added."""

    version: int = VERSION
    made_ms: int
    since_ms: int  # 0: from the beginning
    sessions: int  # that were looked at
    helps: str  # whether memory helps, in words; "" where nothing was compared
    effect: EffectReport | None  # what was compared, of all sessions; None: nothing was looked at
    hit_rate: HitRate
    wrong: WrongShare
    recurrence: Recurrence
    course: CourseFigures
    cost: CostOfMemory
    velocity: Velocity
    confidence: Calibration | None  # None: no session has put a note to the test
    capture: CaptureHealth


class MetricRows(NamedTuple):
    """What the figures were counted from."""

    moments: Sequence[MomentOfNote]
    wrong: Sequence[ToldJudgement]
    errors: Sequence[ErrorSeen]
    error_weeks: Sequence[ErrorWeek]
    sessions: Sequence[JudgedSession]
    costs: Sequence[MemoryCost]
    changes: Sequence[NoteChange]
    confidence: Sequence[ConfidenceTest]
    capture: Sequence[AgentCapture]

    def of(self, metric: str) -> Sequence[tuple[Any, ...]]:
        """The rows behind one figure."""
        rows: Sequence[tuple[Any, ...]] = getattr(self, EXPLAINED[metric])
        return rows


EXPLAINED: Mapping[str, str] = {
    "hit-rate": "moments",
    "wrong": "wrong",
    "recurrence": "errors",
    "reduction": "error_weeks",
    "completion": "sessions",
    "first-try": "sessions",
    "cost": "costs",
    "velocity": "changes",
    "confidence": "confidence",
    "capture": "capture",
}
"""Names of figures, and which rows they are counted from."""


class Measured(NamedTuple):
    figures: Figures
    rows: MetricRows
