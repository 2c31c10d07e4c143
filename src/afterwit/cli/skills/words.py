"""What the commands about skills share: how effects are written, and what is said where there is nothing to show."""

from typing import Any

from afterwit.cli.sessions.filters import nothing_matches
from afterwit.cli.terminal.options import Here
from afterwit.cli.terminal.output import talk
from afterwit.harvest.skills.effect import SkillEffect
from afterwit.sessions.filters import Filter
from afterwit.skills.history import SkillHistory

UNIT = (
    "Effects are actions of ten that went better (+) or worse (-) than at comparable moments without the skill, with an"
    " interval of 95 %. Nobody drew by chance when a skill is used: take them as hints."
)
_TEN = 10
_DIGITS = 4
_FINDINGS = {"too-few": "too few"}


def of_ten(share: float | None) -> str:
    """A share of actions, as how many of ten."""
    return f"{round(share * _TEN, 1) + 0.0:+.1f}" if share is not None else "–"  # without a zero that is negative


def between(low: float | None, high: float | None) -> str:
    return f"{of_ten(low)} to {of_ten(high)}" if low is not None and high is not None else ""


def known_effect(effect: SkillEffect) -> str:
    """An effect as how many of ten actions; "" where too few uses could be compared."""
    return of_ten(effect.effect) if effect.is_known else ""


def finding(effect: SkillEffect) -> str:
    return _FINDINGS.get(effect.finding, effect.finding)


def rounded(value: float | None) -> float | None:
    return round(value, _DIGITS) if value is not None else None


def effect_shape(effect: SkillEffect) -> dict[str, Any]:
    """An effect as programs get it: shares of actions."""
    return {
        "compared": effect.uses,
        "compared_sessions": effect.sessions,
        "effect": rounded(effect.effect) if effect.is_known else None,
        "low": rounded(effect.low),
        "high": rounded(effect.high),
        "confidence": rounded(effect.confidence),
        "finding": effect.finding,
    }


def talk_of_nothing(here: Here, wanted: Filter, history: SkillHistory, missing: str) -> None:
    """Says what there is not, and why."""
    reason = nothing_matches(here, wanted)
    if not reason and not history.sightings:
        missing = "No session was looked at for skills yet. Run `afterwit learn` first."
    talk(f"{missing} {reason}".rstrip())
