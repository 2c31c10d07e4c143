"""What is one click behind: places, names, the doctor, and the settings, which can be changed."""

from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from afterwit.agents.registry import agents_with
from afterwit.config.extras import PageLink, extras
from afterwit.config.set import (
    ConfigTarget,
    SettingChange,
    as_typed,
    choices_of,
    exclude,
    is_list,
    risk_of,
    set_value,
    unset_value,
)
from afterwit.config.show import DEFAULT, SettingRow
from afterwit.config.show import show as settings_shown
from afterwit.engine.doctor.doctor import examine
from afterwit.engine.doctor.findings import hooks_missing, silent_hooks
from afterwit.model.errors import ConfigError, UsageError
from afterwit.recall.deck.compile import tell_hooks
from afterwit.recall.find_places import find_places
from afterwit.sessions import identities
from afterwit.web.answering import Ask, ShownTable, WebAnswer, WebRoute, redirect, render, tables_page, with_fields
from afterwit.web.pages.sessions import choices

_MOST_PLACES = 12
LINKS = (
    PageLink("places", "Places", "In which files the work of a task is."),
    PageLink("names", "Names", "Repositories, tools and users, and how they were recognised."),
    PageLink("settings", "Settings", "What is set, and where that comes from."),
    PageLink("doctor", "Doctor", "Whether anything is missed, and whether the store is sound."),
)


def _more(ask: Ask) -> WebAnswer:
    return render(ask, "more.html", links=(*(link for extra in extras() for link in extra.links), *LINKS))


def _places(ask: Ask) -> WebAnswer:
    repo, task = ask.first("repo"), ask.first("task")
    guessed = find_places(ask.world, Path("/"), repo, task, _MOST_PLACES) if repo and task else None
    return render(ask, "places.html", guessed=guessed, repo=repo, task=task, choices=choices(ask))


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
            [
                (user.user or "not known", ", ".join(user.agents.split(",")), user.sessions)
                for user in identities.users(ask.world)
            ],
        ),
    ]
    note = "`afterwit sessions repos --merge` and its likes let one name count as another."
    return tables_page(ask, "Names", "Which repositories, tools and users were recognised, and how.", tables, note)


def _doctor(ask: Ask) -> WebAnswer:
    machine = ask.place.machine
    examination = examine(ask.world).plus((*hooks_missing(machine), *silent_hooks(machine)))
    return render(ask, "doctor.html", examination=examination)


_PATH = "/more/settings"
_EXCLUDE = "learn.exclude"


class ShownSetting(NamedTuple):
    """A setting with the way it can be changed."""

    row: SettingRow
    risk: str  # why it is not changed here; "" where it is
    choices: tuple[str, ...]
    is_list: bool
    typed: str  # its value, as one would type it

    @property
    def is_given(self) -> bool:
        """Whether the configuration file says so."""
        return self.row.source.startswith("file ")


class FailedChange(NamedTuple):
    """What was typed, and what is wrong with it."""

    key: str
    typed: str
    complaint: str


def _settings(ask: Ask, failed: FailedChange | None = None) -> WebAnswer:
    rows = settings_shown(ask.place.configured)
    settings = sorted(
        (_show_settings(row) for row in rows if row.key != _EXCLUDE),
        key=lambda entry: _table(entry.row.key) == "agents",
    )
    return render(
        ask,
        "settings.html",
        400 if failed is not None else 200,
        groups=[(name, list(group)) for name, group in groupby(settings, key=lambda entry: _table(entry.row.key))],
        own=sum(entry.row.source != DEFAULT for entry in settings),
        excluded=list(ask.world.settings.learn.exclude),
        place=ask.place.configured.place,
        failed=failed,
        is_loose=failed is not None and all(entry.risk or entry.row.key != failed.key for entry in settings),
        changed=_change_setting(ask, settings),
    )


def _table(key: str) -> str:
    """The part of the settings that a key belongs to."""
    return key.partition(".")[0]


def _show_settings(row: SettingRow) -> ShownSetting:
    risk, several = risk_of(row.key), isinstance(row.value, list | tuple)
    typed = "\n".join(map(str, row.value)) if several else "" if row.value is None else as_typed(row.value)
    if risk:
        return ShownSetting(row, risk, (), several, typed)
    return ShownSetting(row, "", choices_of(row.key), is_list(row.key), typed)


def _change_setting(ask: Ask, settings: list[ShownSetting]) -> dict[str, Any] | None:
    """The setting that was changed just now, with what it was, for the bar that takes it back."""
    entry = next((entry for entry in settings if entry.row.key == ask.first("changed")), None)
    if entry is None or entry.risk:
        return None
    return {"key": entry.row.key, "value": entry.row.value, "before": ask.first("before"), "was": ask.first("was")}


def _change(ask: Ask) -> WebAnswer:
    """Sets a setting, or gives it its default back."""
    key, typed = ask.form.get("key", ""), ask.form.get("value", "")
    try:
        risk = risk_of(key)
        if risk:
            raise UsageError(f"{key} is not changed from here: {risk}. `afterwit config set {key} VALUE` does it.")
        target = _target(ask)
        change = unset_value(target, key) if ask.form.get("unset") == "1" else set_value(target, key, typed)
    except (UsageError, ConfigError) as error:
        return _settings(ask, FailedChange(key, typed, str(error)))
    return redirect(f"{_after(change)}#changed")


def _after(change: SettingChange) -> str:
    """The page with the bar; what the file said before goes with it, so that it can be given back."""
    before = "" if change.before is None else as_typed(change.before)
    was = "set" if change.before is not None else "default"
    return with_fields(_PATH, {}, changed=change.key, before=before, was=was)


def _target(ask: Ask) -> ConfigTarget:
    return ConfigTarget(ask.place.configured.place.config, ask.world.user_home, _agents(ask))


def _agents(ask: Ask) -> list[str]:
    return [agent.name for agent in agents_with(ask.world.declared)]


def _exclude(ask: Ask) -> WebAnswer:
    """Leaves something out of learning, or takes it in again."""
    entry, is_removed = ask.form.get("entry", "").strip(), ask.form.get("remove") == "1"
    try:
        listed = exclude(ask.place.configured.place.config, [entry], _agents(ask), is_removed=is_removed)
    except (UsageError, ConfigError) as error:
        return _settings(ask, FailedChange(_EXCLUDE, entry, str(error)))
    tell_hooks(ask.world, listed)
    return redirect(_PATH)


ROUTES = (
    WebRoute("/more", _more),
    WebRoute("/more/places", _places),
    WebRoute("/more/names", _names),
    WebRoute("/more/doctor", _doctor),
    WebRoute("/more/settings", _settings),
    WebRoute("/more/settings/change", _change, "POST"),
    WebRoute("/more/settings/exclude", _exclude, "POST"),
)
