"""Skills: which sessions use, what followed and whether they help; which go together, and which got better or worse."""

from afterwit.extras.lab.skills.effect import WeighedUse
from afterwit.extras.lab.skills.figures import (
    LEAST_TOGETHER,
    UNIT,
    effect_rows,
    pairs,
    skill_history,
    summaries,
    summary,
    trends,
    use_cells,
)
from afterwit.model.errors import UsageError
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
    *("Skill", "Uses#", "Sessions#", "Edits#", "Failures#"),
    *("Used again#", "Effect#", "95% range", "Finding", "Best for"),
)


def _list(ask: Ask) -> WebAnswer:
    history = skill_history(ask.world, Filter())
    listed = [
        (CellLink(skill.name, with_fields("/more/skills/show", {}, name=skill.name)), *skill.cells)
        for skill in summaries(history.uses)
    ]
    tables = [
        ShownTable("", _LISTED, listed, "No session uses a skill."),
        ShownTable(
            "Used together",
            ("Skills", "Together#", "By chance#", "Effect#", "Alone#", "Difference, 95% range"),
            [pair.cells for pair in pairs(history)],
            f"No two skills are used together in {LEAST_TOGETHER} independent sessions.",
        ),
        ShownTable(
            "Better or worse",
            ("Skill", "Since", "Before#", "After#", "Change#", "95% range", "Finding"),
            [trend.cells for trend in trends(history.uses)],
            "No skill has enough uses before and after: ten that could be compared.",
        ),
    ]
    return tables_page(ask, "Skills", "What followed the use of each skill.", tables, UNIT)


def _skill(ask: Ask) -> WebAnswer:
    name, uses = ask.first("name"), skill_history(ask.world, Filter()).uses
    if name not in uses:
        raise UsageError(f"No session uses a skill {name!r}.")
    skill = summary(name, uses[name])
    well = skill.ended_well
    words = f"{skill.places}."
    words += f" Versions: {', '.join(skill.versions)}." if skill.versions else ""
    words += f" {well.hits} of {well.of} sessions ended well, of those whose end can be told." if well.of else ""
    tables = [
        ShownTable(
            "Where it helps",
            ("Where", "Compared#", "Effect#", "95% range", "Finding"),
            effect_rows(skill, uses[name]),
        ),
        ShownTable(
            "Latest uses",
            ("Session", "Day", "Agent", "Version", "Actions#", "Edits#", "Failures#", "Effect#", "Outcome"),
            [_use(ask, use) for use in uses[name][: -_MOST_USES - 1 : -1]],
        ),
    ]
    return tables_page(ask, name, words, tables, UNIT, (MORE, CellLink("Skills", "/more/skills")))


def _use(ask: Ask, weighed: WeighedUse) -> tuple[object, ...]:
    use, session = weighed.use, weighed.session
    second = session.at_ms // 1000 + (use.at_s or 0) if session.at_ms else None
    link = CellLink(
        session.native_id[:8], with_fields(session_path(session.agent, session.native_id), {}, when_s=second)
    )
    day = ask.world.calendar.day(session.at_ms) if session.at_ms else ""
    return link, day, session.agent, use.version, *use_cells(weighed)


ROUTES = (WebRoute("/more/skills", _list), WebRoute("/more/skills/show", _skill))
