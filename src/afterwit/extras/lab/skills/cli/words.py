"""What the commands about skills share: effects for programs, and what is said where there is nothing to show."""

from typing import Any

from afterwit.cli.sessions.filters import nothing_matches
from afterwit.cli.terminal.options import Here
from afterwit.cli.terminal.output import talk
from afterwit.extras.lab.skills.effect import SkillEffect
from afterwit.extras.lab.skills.history import SkillHistory
from afterwit.sessions.filters import Filter

_DIGITS = 4


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
