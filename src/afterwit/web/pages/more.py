"""What is one click behind: places, the doctor, and the settings."""

from itertools import groupby
from pathlib import Path

from afterwit.agents.registry import agents_with
from afterwit.config.extras import PageLink, extras
from afterwit.config.set import exclude
from afterwit.config.show import DEFAULT, SettingRow
from afterwit.config.show import show as settings_shown
from afterwit.engine.doctor.doctor import examine
from afterwit.engine.doctor.findings import connection_findings
from afterwit.model.errors import ConfigError, UsageError
from afterwit.recall.deck.compile import tell_hooks
from afterwit.recall.find_places import find_places
from afterwit.web.answering import Ask, WebAnswer, WebRoute, redirect, render
from afterwit.web.pages.sessions import choices

_MOST_PLACES = 12
LINKS = (
    PageLink("checks", "Checks", "What agents are kept from doing again: tried on past sessions, then turned on."),
    PageLink("places", "Places", "In which files the work of a task is."),
    PageLink("settings", "Settings", "What is set, and where that comes from."),
    PageLink("doctor", "Doctor", "Whether anything is missed, and whether the store is sound."),
)


def _more(ask: Ask) -> WebAnswer:
    return render(ask, "more.html", links=(*(link for extra in extras() for link in extra.links), *LINKS))


def _places(ask: Ask) -> WebAnswer:
    repo, task = ask.first("repo"), ask.first("task")
    guessed = find_places(ask.world, Path("/"), repo, task, _MOST_PLACES) if repo and task else None
    return render(ask, "places.html", guessed=guessed, repo=repo, task=task, choices=choices(ask))


def _doctor(ask: Ask) -> WebAnswer:
    examination = examine(ask.world).plus(connection_findings(ask.place.machine))
    return render(ask, "doctor.html", examination=examination)


def _settings(ask: Ask, typed: str = "", complaint: str = "") -> WebAnswer:
    """What is set. Only what is left out of learning is changed here; `typed` is an entry that was refused, and why."""
    rows = [row for row in settings_shown(ask.place.configured) if row.key != "learn.exclude"]
    rows.sort(key=lambda row: _table(row) == "agents")
    return render(
        ask,
        "settings.html",
        400 if complaint else 200,
        groups=[(name, list(group)) for name, group in groupby(rows, key=_table)],
        own=sum(row.source != DEFAULT for row in rows),
        excluded=list(ask.world.settings.learn.exclude),
        place=ask.place.configured.place,
        typed=typed,
        complaint=complaint,
    )


def _table(row: SettingRow) -> str:
    """The part of the settings that it belongs to."""
    return row.key.partition(".")[0]


def _exclude(ask: Ask) -> WebAnswer:
    """Leaves something out of learning, or takes it in again."""
    entry, is_removed = ask.form.get("entry", "").strip(), ask.form.get("remove") == "1"
    agents = [agent.name for agent in agents_with(ask.world.declared)]
    try:
        listed = exclude(ask.place.configured.place.config, [entry], agents, is_removed=is_removed)
    except (UsageError, ConfigError) as error:
        return _settings(ask, entry, str(error))
    tell_hooks(ask.world, listed)
    return redirect("/more/settings")


ROUTES = (
    WebRoute("/more", _more),
    WebRoute("/more/places", _places),
    WebRoute("/more/doctor", _doctor),
    WebRoute("/more/settings", _settings),
    WebRoute("/more/settings/exclude", _exclude, "POST"),
)
