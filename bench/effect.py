"""Whether the verdicts about the live effect are right as often as promised: simulated users with a known effect.

    python -m bench.effect [--histories N] [--keep]

Each history is judged after every session by the code of the product. `false_verdicts` is the share of histories with a
verdict at any look where telling changed nothing, or one in the wrong direction where it did; `covered` that of
histories whose interval held the true effect at every look; `found` that with the right verdict at the last one;
`speaks_after` the sessions until something could be said (median). Beside them for histories without an effect:
`daily_95`, the share with a false alarm of the ordinary interval of 95 % from the tenth session held out on, and
`paper`, that of the bare sequence of the paper after 100 sessions (`ville`). Then the same with effects that are larger
than anybody expects, power (what share of effects is found after how many sessions), and how many sessions are needed
by the formula. Takes about half an hour.
"""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

from ville import AsymptoticCS

from afterwit.measure.statistics import TUNED_FOR, Draw, RunningEffect, more_needed, surprises
from bench.results import command_line, report
from bench.simulated_users import OUTCOMES, User, sessions_of

HISTORIES = 1000
_EFFECTS = (-0.1, 0.0, 0.1)
_POWER_EFFECTS = (-0.1, -0.2, -0.3, -0.5)
_POWER_AFTER = (100, 300, 1000, 3000)
_POWER_OUTCOMES = ("counts", "rate per 100", "yes or no", "log of tokens")
_LARGE = -0.5
_SIZES = (0.1, 0.2, 0.3, 0.5, 1.0)  # of effects, in standard deviations of what is measured in a stratum


class Judgement(NamedTuple):
    """What was said about one history."""

    is_false: bool
    is_covered: bool
    is_found: bool
    decided_after: int | None  # sessions, for good: the verdict still stood at the end
    speaks_after: int | None
    is_daily_false: bool
    is_paper_false: bool


def judge(user: User, seed: int) -> Judgement:
    history = list(sessions_of(user, seed))
    alpha = 0.05 / user.figures
    running, scores = RunningEffect(alpha), []
    is_false, is_covered, is_daily_false = False, True, False
    decided_after = speaks_after = None
    true = before = 0.0
    for session, surprise in zip(history, surprises(session.trial for session in history), strict=True):
        if surprise is None or not session.trial.draws:
            continue
        running.add(surprise, session.trial.draws)
        true += session.effect
        effect, radius, now = running.effect, running.radius, running.sessions
        is_covered = is_covered and abs(effect - true / now) <= radius
        if speaks_after is None and radius < float("inf"):
            speaks_after = now
        if abs(effect) > radius:
            is_false = is_false or effect * user.effect <= 0
            decided_after = decided_after or now
        else:
            decided_after = None
        if not user.effect:
            ordinary = 1.96 * running.deviation / now**0.5
            is_daily_false = is_daily_false or (min(running.told, running.held_out) >= 10 and abs(effect) > ordinary)
            total = effect * running.draws
            scores.append(total - before)
            before = total
    is_paper_false = bool(scores) and AsymptoticCS(alpha=alpha, t_opt=TUNED_FOR).fit(scores).excludes(0.0) is not None
    is_found = decided_after is not None and running.effect * user.effect > 0
    return Judgement(is_false, is_covered, is_found, decided_after, speaks_after, is_daily_false, is_paper_false)


def users() -> Iterator[tuple[str, User]]:
    """Every outcome with few sessions at the default share and at one half, and in a rough world; then special ones."""
    for outcome in OUTCOMES:
        for chance in (0.9, 0.8, 0.5):
            yield "few", User(outcome, chance, sessions=300)
        for chance in (0.9, 0.5):
            yield "strata, drift", User(outcome, chance, sessions=600, has_strata=True, is_drifting=True)
    for name in ("counts with many zeros", "log of tokens"):
        outcome = next(outcome for outcome in OUTCOMES if outcome.name == name)
        rough = User(outcome, has_strata=True, is_drifting=True)
        yield "very few", rough._replace(sessions=50)
        yield "a past of 200", rough._replace(before=200)
        yield "share changed", rough._replace(sessions=1000, later_chance=0.5)
        yield "three draws", rough._replace(sessions=1000, draws=3)
        yield "twelve figures", rough._replace(sessions=1000, figures=12)
        yield "many", rough._replace(sessions=5000)


def row(kind: str, user: User, histories: int) -> dict[str, Any]:
    judged = [judge(user, seed) for seed in range(histories)]
    spoken = [judgement.speaks_after for judgement in judged if judgement.speaks_after is not None]
    found: dict[str, Any] = {
        "outcome": user.outcome.name,
        "user": kind,
        "fresh": "yes" if user.outcome.is_fresh else "",
        "held_out": f"{1 - user.chance:.0%}",
        "sessions": user.sessions,
        "effect": f"{user.effect:+.0%}",
        "false_verdicts": _share([judgement.is_false for judgement in judged]),
        "covered": _share([judgement.is_covered for judgement in judged]),
        "found": _share([judgement.is_found for judgement in judged]) if user.effect else None,
        "speaks_after": median(spoken) if len(spoken) * 2 > histories else None,
    }
    if not user.effect:
        found["daily_95"] = _share([judgement.is_daily_false for judgement in judged])
        found["paper"] = _share([judgement.is_paper_false for judgement in judged])
    return found


def power(histories: int) -> Iterator[dict[str, Any]]:
    """What share of effects is found, and stands, after how many sessions."""
    for name in _POWER_OUTCOMES:
        outcome = next(outcome for outcome in OUTCOMES if outcome.name == name)
        for chance in (0.9, 0.5):
            for effect in _POWER_EFFECTS:
                user = User(outcome, chance, effect=effect, sessions=_POWER_AFTER[-1], before=100)
                judged = [judge(user, seed) for seed in range(histories)]
                yield {
                    "outcome": name,
                    "held_out": f"{1 - chance:.0%}",
                    "effect": f"{effect:+.0%}",
                    **{f"after_{after}": _found_by(judged, after) for after in _POWER_AFTER},
                }


def needed() -> Iterator[dict[str, Any]]:
    """After how many sessions an effect is found four times of five, by the formula; also as one of twelve figures."""
    for figures in (1, 12):
        for held_out in (1, 2, 5):
            running = RunningEffect(0.05 / figures)
            for number in range(40):
                is_told = number % 10 >= held_out
                running.add(1.0 if number % 4 < 2 else -1.0, (Draw(is_told, 1 - held_out / 10),))
            counts = {f"size_{size}": running.sessions + (more_needed(running, size) or 0) for size in _SIZES}
            yield {"held_out": f"{held_out / 10:.0%}", "figures": figures, **counts}


def _found_by(judged: Sequence[Judgement], after: int) -> float:
    return _share([one.decided_after is not None and one.decided_after <= after for one in judged])


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)


def table(histories: int) -> dict[str, Any]:
    everybody = list(users())
    verdicts = [row(kind, user._replace(effect=effect), histories) for kind, user in everybody for effect in _EFFECTS]
    rough = [(kind, user) for kind, user in everybody if kind == "strata, drift"]
    large = [row(kind, user._replace(effect=_LARGE), max(1, histories // 5)) for kind, user in rough]
    found = list(power(max(1, histories // 10)))
    return {"histories": histories, "verdicts": verdicts, "large": large, "power": found, "needed": list(needed())}


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--histories", type=int, default=HISTORIES, help=f"of each user; default: {HISTORIES}")
    asked = parser.parse_args()
    report("effect", table(asked.histories), keep=asked.keep)


if __name__ == "__main__":
    main()
