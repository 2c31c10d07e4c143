"""What the live effect is called in words, by rule: the same words for the same figures, wherever they are shown."""

from collections.abc import Iterable

from afterwit.measure.live.effect import SOUGHT
from afterwit.measure.live.report import Alarm, EffectBrief, FigureEffect
from afterwit.measure.statistics.estimate import Estimate, Finding
from afterwit.text.amounts import human_count

NOTHING_COMPARED = "No evidence yet: nothing was told, or nothing was skipped to compare with."
_LARGE = 100
_EVEN = 0.25  # the chances of both sides multiplied, where they are equal
_WORTH_CHANGING = 0.7  # of the sessions that it takes now
_ALARMS = {
    Alarm.DRAWS: "the draws came out in a way that is next to impossible by chance",
    Alarm.LOGS: "logs of one side are missing more often than chance allows",
    Alarm.STATUSES: "logs of told sessions tell failures in another way than those of sessions that were told nothing",
    Alarm.SELF_TEST: "the same judgement sees effects in your sessions where there are none",
}


def verdict(effect: EffectBrief) -> str:
    """Whether it helps, in a sentence or two."""
    if effect.alarms:
        return f"Nobody can tell: {alarm_words(effect.alarms)}."
    if not effect.sessions and effect.unweighed:
        sessions = human_count(effect.unweighed, "session")
        return f"No evidence yet: of {sessions} nobody noted the chances. New ones count."
    if not effect.sessions:
        return NOTHING_COMPARED
    if effect.finding is Finding.NO_EVIDENCE:
        return f"No evidence yet: {_needed(effect)}"
    word = "helps" if effect.finding is Finding.HELPS else "harms"
    size = effect.effect or 0.0
    less = "fewer" if size < 0 else "more"
    return (
        f"It {word}: of 100 actions at their beginning told sessions lose {abs(size):.1f} {less} than those that are"
        f" told nothing ({change_words(effect)}; {human_count(effect.sessions, 'session')})."
    )


def alarm_words(alarms: Iterable[Alarm]) -> str:
    return "; ".join(_ALARMS[alarm] for alarm in alarms)


def _needed(effect: EffectBrief) -> str:
    change = f"a change of {SOUGHT:.0%}"
    if effect.needed == 0:
        return f"{change} would have shown by now, four times of five; a smaller one takes longer."
    if not effect.is_going_on:
        return (
            f"{human_count(effect.sessions, 'session')} are too few, and nothing is skipped any more."
            " `afterwit measure skipping --sessions 10` goes on comparing."
        )
    if effect.needed is None or effect.chance is None:
        return f"nobody can say yet how many sessions it takes to see {change}."
    text = f"about {_about(effect.needed)} more sessions until {change} would show."
    share = effect.chance * (1 - effect.chance) / _EVEN
    if share < _WORTH_CHANGING:
        text += f" With half of the sessions skipped it takes about {_about(effect.needed * share)}."
    return text


def change_words(effect: FigureEffect | EffectBrief) -> str:
    """The change as a share, with its interval."""
    if effect.change is None:
        return "nothing to compare"
    if effect.low is None or effect.high is None:
        return f"{effect.change:+.0%}, by few sessions"
    return f"{effect.change:+.0%}, between {effect.low:+.0%} and {effect.high:+.0%}"


def finding_words(finding: Finding) -> str:
    return {Finding.HELPS: "helps", Finding.HARMS: "harms"}.get(finding, "no evidence yet")


def with_needed(finding: Finding, effect: Estimate) -> str:
    """The finding, and how long it takes until there may be another."""
    more = f", about {_about(effect.needed)} more sessions" if finding is Finding.NO_EVIDENCE and effect.needed else ""
    return finding_words(finding) + more


def amount(value: float) -> str:
    """A mean, as exactly as anybody wants to know it."""
    return f"{value:,.0f}" if abs(value) >= _LARGE else f"{value:.2f}"


def _about(sessions: float) -> str:
    """A number of sessions that is an estimate: two figures of it are enough."""
    digits = len(str(int(sessions))) - 2
    return f"{max(1, round(sessions, -max(0, digits))):,.0f}"
