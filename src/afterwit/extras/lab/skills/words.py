"""How the effect of a skill is put into words and figures, wherever it is shown. Pure."""

from afterwit.extras.lab.skills.effect import SkillEffect

UNIT = (
    "Effects are actions of ten that went better (+) or worse (-) than at comparable moments without the skill, with an"
    " interval of 95 %. Nobody drew by chance when a skill is used: take them as hints."
)
_TEN = 10
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
