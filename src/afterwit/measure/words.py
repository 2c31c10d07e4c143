"""What the live effect is called in words, by rule: the same words for the same figures, wherever they are shown."""

from collections.abc import Iterable

from afterwit.measure.effect import SOUGHT, Alarm, EffectBrief, FigureEffect
from afterwit.measure.statistics import Estimate, Finding
from afterwit.model.figures import human_count


def percent(share: float) -> str:
    """0.123 → 12 %; small ones to one digit, so that few is not none."""
    value = 100 * share
    return f"{value:.1f} %" if 0 < value < 0.95 or 99.5 <= value < 99.95 else f"{value:.0f} %"


def of_many(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,}"


ENOUGH = 10
"""Cases that a share is told of: below, one case more or less would change it by more than a tenth."""


def shared(part: int, whole: int, interval: tuple[float, float]) -> str:
    """12 of 40 (30 %; 95 % interval 18 to 45 %)."""
    if not whole:
        return "none of none"
    if whole < ENOUGH:
        return f"{of_many(part, whole)} (too few for a share)"
    low, high = (percent(value).removesuffix(" %") for value in interval)
    return f"{of_many(part, whole)} ({percent(part / whole)}; 95 % interval {low} to {high} %)"


NOTHING_COMPARED = "No evidence yet: there are no sessions to compare."
_LARGE = 100
_EVEN = 0.25  # the chances of both sides multiplied, where they are equal
_WORTH_CHANGING = 0.7  # of the sessions that it takes now
_MOST_NEEDED = 1_000  # sessions: a larger number is no plan for anybody
_ALARMS = {
    Alarm.DRAWS: "the draws came out in a way that is next to impossible by chance",
    Alarm.LOGS: "logs of one side are missing more often than chance allows",
}


def verdict(effect: EffectBrief) -> str:
    """Whether it helps, in a sentence or two."""
    if effect.alarms:
        return f"Nobody can tell: {alarm_words(effect.alarms)}."
    if not effect.sessions:
        return NOTHING_COMPARED
    if effect.finding is Finding.NO_EVIDENCE:
        return f"No evidence yet: {_sessions_needed(effect)}"
    word = "helps" if effect.finding is Finding.HELPS else "harms"
    size = effect.effect or 0.0
    less = "fewer" if size < 0 else "more"
    return (
        f"It {word}: of 100 actions at their beginning told sessions lose {abs(size):.1f} {less} than those that are"
        f" told nothing ({change_words(effect)}; {human_count(effect.sessions, 'session')})."
    )


def retirement(item: str) -> str:
    return f"Telling note {item} does harm; `afterwit knowledge retire {item}` takes it out."


def alarm_words(alarms: Iterable[Alarm]) -> str:
    return "; ".join(_ALARMS[alarm] for alarm in alarms)


def _sessions_needed(effect: EffectBrief) -> str:
    change = f"a change of {SOUGHT:.0%}"
    too_few = f"{human_count(effect.sessions, 'session is', 'sessions are')} too few to tell"
    if effect.needed == 0:
        return f"{change} would have shown by now, four times of five; a smaller one takes longer."
    if not effect.is_going_on:
        return (
            f"{too_few}, and nothing is skipped any more. `afterwit measure skipping --sessions 10` goes on comparing."
        )
    if effect.needed is None or effect.chance is None:
        return f"nobody can say yet how many sessions it takes to see {change}."
    share = effect.chance * (1 - effect.chance) / _EVEN
    is_quicker = share < _WORTH_CHANGING and effect.needed * share <= _MOST_NEEDED
    text = f"{too_few}."
    if effect.needed <= _MOST_NEEDED:
        whole = _about(effect.sessions + effect.needed)
        text = f"{effect.sessions:,} of about {whole} sessions that it takes to see {change}."
    if is_quicker:
        text += f" With half of the sessions skipped it takes about {_about(effect.needed * share)}."
    return text


def change_words(effect: FigureEffect | EffectBrief) -> str:
    """The change as a share, with its interval."""
    if effect.change is None:
        return "nothing to compare"
    if effect.low is None or effect.high is None:
        return f"{_with_sign(effect.change)}, by few sessions"
    return f"{_with_sign(effect.change)}, between {_with_sign(effect.low)} and {_with_sign(effect.high)}"


def change_cell(effect: FigureEffect) -> str:
    """The same in a table."""
    if effect.change is None:
        return "–"
    if effect.low is None or effect.high is None:
        return f"{_with_sign(effect.change)} (too few)"
    return f"{_with_sign(effect.change)} ({_with_sign(effect.low)} to {_with_sign(effect.high)})"


def _with_sign(share: float) -> str:
    text = f"{share:+.0%}"
    return "0%" if text in ("+0%", "-0%") else text


def finding_words(finding: Finding) -> str:
    return "no evidence yet" if finding is Finding.NO_EVIDENCE else finding.value


def with_needed(finding: Finding, effect: Estimate) -> str:
    """The finding, and how long it takes until there may be another."""
    if finding is not Finding.NO_EVIDENCE or not effect.needed:
        return finding_words(finding)
    is_plan = effect.needed <= _MOST_NEEDED
    return f"no evidence yet, about {_about(effect.needed)} more sessions" if is_plan else "too few to tell"


def amount(value: float) -> str:
    """A mean, as exactly as anybody wants to know it."""
    return f"{value:,.0f}" if abs(value) >= _LARGE else f"{value:.2f}"


def _about(sessions: float) -> str:
    """A number of sessions that is an estimate: two figures of it are enough."""
    digits = len(str(int(sessions))) - 2
    return f"{max(1, round(sessions, -max(0, digits))):,.0f}"
