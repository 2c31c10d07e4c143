"""What is one click behind, and those pages of it that are only looked at: places, names, the doctor."""

from pathlib import Path

from afterwit.config.extras import PageLink, extras
from afterwit.engine.doctor.doctor import examine
from afterwit.engine.doctor.findings import missing_hooks, silent_hooks
from afterwit.recall.find_places import find_places
from afterwit.sessions import identities
from afterwit.web.answering import Ask, WebAnswer, WebRoute, shown
from afterwit.web.pages.sessions import choices
from afterwit.web.pages.tables import ShownTable, tables_page

_MOST_PLACES = 12
LINKS = (
    PageLink("places", "Places", "In which files the work of a task is."),
    PageLink("names", "Names", "Repositories, tools and users, and how they were recognised."),
    PageLink("settings", "Settings", "What is set, and where that comes from."),
    PageLink("doctor", "Doctor", "Whether anything is missed, and whether the store is sound."),
)


def _more(ask: Ask) -> WebAnswer:
    return shown(ask, "more.html", links=(*LINKS, *(link for extra in extras() for link in extra.links)))


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
    examination = examine(ask.world).plus((*missing_hooks(machine), *silent_hooks(machine)))
    return shown(ask, "doctor.html", examination=examination)


ROUTES = (
    WebRoute("/more", _more),
    WebRoute("/more/places", _places),
    WebRoute("/more/names", _names),
    WebRoute("/more/doctor", _doctor),
)
