"""What is one click behind: patterns, skills, templates, places, names, settings, and whether anything is wrong.

Each is a table of what the command of the same name shows. Changed is only what is safe and taken back by one click:
what is left out of learning.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from afterwit.agents.registry import agents_with
from afterwit.config.exclude import exclude
from afterwit.config.show import show as settings_shown
from afterwit.doctor.doctor import examine
from afterwit.doctor.findings import missing_hooks, silent_hooks
from afterwit.patterns.show import listed as catalog
from afterwit.patterns.show import undecided
from afterwit.recall.deck.compile import tell_hooks
from afterwit.recall.find_places import find_places
from afterwit.sessions import identities
from afterwit.sessions.filters import Filter
from afterwit.skills.history import skill_history
from afterwit.skills.summary import SkillSummary, summaries
from afterwit.templates.files import list_templates
from afterwit.web.answering import Ask, WebAnswer, WebRoute, moved, shown
from afterwit.web.sessions import choices

_MOST_PLACES = 12
_MOST_PATTERNS = 100


class ShownTable(NamedTuple):
    """A table of plain values; those of a column that ends in # are numbers."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    nothing: str = "Nothing yet."


def _more(ask: Ask) -> WebAnswer:
    return shown(ask, "more.html")


def _patterns(ask: Ask) -> WebAnswer:
    recurring = undecided(ask.world)[:_MOST_PATTERNS]
    tables = [
        ShownTable(
            "Not decided yet",
            ("Pattern", "What to do", "Agents", "Independent sessions#", "Seen#"),
            [(p.title, p.text, ", ".join(p.agents), p.stories, p.frequency) for p in recurring],
            "Nothing recurs in enough independent sessions.",
        ),
        ShownTable(
            "In the catalog",
            ("Pattern", "Version", "Status", "File"),
            [(e.entry.title or e.entry.id, e.entry.version, e.entry.status, e.path.name) for e in catalog(ask.world)],
            "Nobody has decided about a pattern yet.",
        ),
    ]
    note = "`afterwit patterns review` decides about them, one after the other."
    return _tables(ask, "Patterns", "What recurs in sessions, those of several agents first.", tables, note)


def _skills(ask: Ask) -> WebAnswer:
    used = summaries(skill_history(ask.world, Filter()).uses)
    table = ShownTable(
        "",
        ("Skill", "Uses#", "Sessions#", "Agents", "Effect#", "Between"),
        [
            (skill.name, skill.uses, skill.sessions, ", ".join(skill.agents), _effect(skill), _between(skill))
            for skill in used
        ],
        "No session uses a skill.",
    )
    words = "What followed the use of each skill, against comparable moments without it."
    return _tables(ask, "Skills", words, [table])


def _effect(skill: SkillSummary) -> str:
    return "too few uses" if skill.effect.effect is None else f"{skill.effect.effect:+.2f}"


def _between(skill: SkillSummary) -> str:
    effect = skill.effect
    return "" if effect.low is None or effect.high is None else f"{effect.low:+.2f} and {effect.high:+.2f}"


def _templates(ask: Ask) -> WebAnswer:
    stored = list_templates(ask.world)
    table = ShownTable(
        "",
        ("Template", "Kind of work", "Status", "Calls#", "Id"),
        [(t.description, t.type, t.status, len(t.examples), t.id) for t in stored.templates],
        "No template yet. `afterwit templates create SESSION` makes one of a session that went well.",
    )
    words = "Tool calls of sessions that went well, to begin another session with."
    return _tables(ask, "Templates", words, [table], " ".join(stored.problems))


def _places(ask: Ask) -> WebAnswer:
    repo, task = ask.first("repo"), ask.first("task")
    guessed = find_places(ask.world, Path("/"), repo, task, _MOST_PLACES) if repo and task else None
    return shown(ask, "places.html", guessed=guessed, repo=repo, task=task, choices=choices(ask))


def _names(ask: Ask) -> WebAnswer:
    tables = [
        ShownTable(
            "Repositories",
            ("Repository", "Folder", "Remote", "Recognised by", "Sessions#"),
            [(seen.repo, seen.root, seen.remote, seen.how, seen.sessions) for seen in identities.repos(ask.world)],
        ),
        ShownTable(
            "Tools",
            ("Tool", "Agent", "Kind", "Actions#", "Failed#"),
            [(tool.tool, tool.agent, tool.kind, tool.actions, tool.failures) for tool in identities.tools(ask.world)],
        ),
        ShownTable(
            "Users",
            ("User", "Agents", "Sessions#"),
            [(user.user or "not known", user.agents, user.sessions) for user in identities.users(ask.world)],
        ),
    ]
    note = "`afterwit sessions repos --merge` and its likes let one name count as another."
    return _tables(ask, "Names", "Which repositories, tools and users were recognised, and how.", tables, note)


def _settings(ask: Ask) -> WebAnswer:
    return shown(
        ask,
        "settings.html",
        rows=settings_shown(ask.place.configured),
        excluded=list(ask.world.settings.learn.exclude),
        place=ask.place.configured.place,
    )


def _exclude(ask: Ask) -> WebAnswer:
    """Leaves something out of learning, or takes it in again."""
    agents = [agent.name for agent in agents_with(ask.world.declared)]
    entry, is_removed = ask.form.get("entry", "").strip(), ask.form.get("remove") == "1"
    listed = exclude(ask.place.configured.place.config, [entry], agents, is_removed=is_removed)
    tell_hooks(ask.world, listed)
    return moved("/more/settings")


def _doctor(ask: Ask) -> WebAnswer:
    machine = ask.place.machine
    examination = examine(ask.world).plus((*missing_hooks(machine), *silent_hooks(machine)))
    return shown(ask, "doctor.html", examination=examination)


def _tables(ask: Ask, title: str, words: str, tables: Sequence[ShownTable], note: str = "") -> WebAnswer:
    return shown(ask, "tables.html", title=title, words=words, tables=tables, note=note)


ROUTES = (
    WebRoute("/more", _more),
    WebRoute("/more/patterns", _patterns),
    WebRoute("/more/skills", _skills),
    WebRoute("/more/templates", _templates),
    WebRoute("/more/places", _places),
    WebRoute("/more/names", _names),
    WebRoute("/more/settings", _settings),
    WebRoute("/more/settings/exclude", _exclude, "POST"),
    WebRoute("/more/doctor", _doctor),
)
