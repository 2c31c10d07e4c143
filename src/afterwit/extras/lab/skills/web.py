"""Skills: which sessions use, what followed and whether they help; which go together, and which got better or worse."""

from collections.abc import Sequence

from afterwit.extras.lab.skills.effect import SkillEffect, WeighedUse
from afterwit.extras.lab.skills.figures import (
    LEAST_TOGETHER,
    UNIT,
    SkillPair,
    SkillSummary,
    SkillTrend,
    between,
    effects_by,
    finding,
    known_effect,
    of_ten,
    pairs,
    skill_history,
    summaries,
    summary,
    trends,
)
from afterwit.model.errors import UsageError
from afterwit.model.figures import human_count
from afterwit.repos.remotes import last_part
from afterwit.sessions.filters import Filter
from afterwit.web.answering import (
    MORE,
    Ask,
    CellLink,
    ShownTable,
    WebAnswer,
    WebRoute,
    session_path,
    tables_page,
    with_fields,
)

_MOST_USES = 50
_LISTED = (
    *(
        "Skill",
        "Uses#",
        "Sessions#",
        "Edits#",
        "Failures#",
        "Used again#",
        "Effect#",
        "95% range",
        "Finding",
        "Best for",
    ),
)


def _list(ask: Ask) -> WebAnswer:
    history = skill_history(ask.world, Filter())
    tables = [
        ShownTable(
            "",
            _LISTED,
            [_summary(skill) for skill in summaries(history.uses)],
            "No session uses a skill.",
        ),
        ShownTable(
            "Used together",
            ("Skills", "Together#", "By chance#", "Effect#", "Alone#", "Difference, 95% range"),
            [_pair(pair) for pair in pairs(history)],
            f"No two skills are used together in {LEAST_TOGETHER} independent sessions.",
        ),
        ShownTable(
            "Better or worse",
            ("Skill", "Since", "Before#", "After#", "Change#", "95% range", "Finding"),
            [_trend(trend) for trend in trends(history.uses)],
            "No skill has enough uses before and after: ten that could be compared.",
        ),
    ]
    return tables_page(ask, "Skills", "What followed the use of each skill.", tables, UNIT)


def _summary(skill: SkillSummary) -> tuple[object, ...]:
    return (
        CellLink(skill.name, with_fields("/more/skills/show", {}, name=skill.name)),
        skill.uses,
        skill.sessions,
        f"{skill.edits_per_use:.1f}",
        f"{skill.failures_per_use:.1f}",
        f"{skill.again_share:.0%}",
        known_effect(skill.effect),
        between(skill.effect.low, skill.effect.high),
        finding(skill.effect),
        skill.best_task_type,
    )


def _pair(pair: SkillPair) -> tuple[object, ...]:
    chance, effects = f"{pair.expected_sessions:.1f}", (of_ten(pair.effect), of_ten(pair.expected_effect))
    return " + ".join(pair.names), pair.sessions, chance, *effects, between(pair.low, pair.high)


def _trend(trend: SkillTrend) -> tuple[object, ...]:
    figures = (of_ten(trend.before.effect), of_ten(trend.after.effect), of_ten(trend.change))
    return trend.name, trend.since, *figures, between(trend.low, trend.high), trend.finding


def _skill(ask: Ask) -> WebAnswer:
    name, uses = ask.first("name"), skill_history(ask.world, Filter()).uses
    if name not in uses:
        raise UsageError(f"No session uses a skill {name!r}.")
    own = uses[name]
    skill = summary(name, own)
    where = ", ".join(last_part(repo) or "no repository" for repo in skill.repos)
    words = f"{human_count(skill.uses, 'use')} in {human_count(skill.sessions, 'session')} of {where}."
    words += f" Versions: {', '.join(skill.versions)}." if skill.versions else ""
    if skill.ended_well.of:
        words += (
            f" {skill.ended_well.hits} of {skill.ended_well.of} sessions ended well, of those whose end can be told."
        )
    effects = [
        ("everywhere", skill.effect),
        *_named("agent", effects_by(own, lambda use: use.session.agent)),
        *_named("work", effects_by(own, lambda use: use.task_type)),
    ]
    tables = [
        ShownTable(
            "Where it helps",
            ("Where", "Compared#", "Effect#", "95% range", "Finding"),
            [(where, e.uses, known_effect(e), between(e.low, e.high), finding(e)) for where, e in effects],
        ),
        ShownTable(
            "Latest uses",
            ("Session", "Day", "Agent", "Version", "Actions#", "Edits#", "Failures#", "Effect#", "Outcome"),
            [_use(ask, use) for use in _latest(own)],
        ),
    ]
    return tables_page(ask, name, words, tables, UNIT, (MORE, CellLink("Skills", "/more/skills")))


def _named(what: str, effects: dict[str, SkillEffect]) -> list[tuple[str, SkillEffect]]:
    return [(f"{what}: {name}", effect) for name, effect in effects.items()]


def _latest(uses: Sequence[WeighedUse]) -> list[WeighedUse]:
    return list(reversed(uses))[:_MOST_USES]


def _use(ask: Ask, weighed: WeighedUse) -> tuple[object, ...]:
    use, session = weighed.use, weighed.session
    path = with_fields(session_path(session.agent, session.native_id), {}, when_s=_second(weighed))
    figures = (use.actions, use.edits, use.failures, of_ten(weighed.reinforcement), weighed.outcome)
    day = ask.world.calendar.day(session.at_ms) if session.at_ms else ""
    return CellLink(session.native_id[:8], path), day, session.agent, use.version, *figures


def _second(weighed: WeighedUse) -> int | None:
    return weighed.session.at_ms // 1000 + (weighed.use.at_s or 0) if weighed.session.at_ms else None


ROUTES = (
    WebRoute("/more/skills", _list),
    WebRoute("/more/skills/show", _skill),
)
