"""Saved views of the session list: saved, renamed and deleted from it, each with the way back."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlencode

from afterwit.sessions.filters import FIELDS, SavedView, delete_view, rename_view, save_view, saved_views
from afterwit.web.answering import Ask, WebAnswer, WebRoute, moved, with_fields

_LIST = "/sessions"


def path_of(view: SavedView) -> str:
    """Where the list is with the filters of a view."""
    return with_fields(_LIST, view.fields)


def views_bar(ask: Ask) -> dict[str, Any]:
    """What the list shows of saved views, and what was just done with one."""
    fields = _fields(ask.query)
    views = saved_views(ask.world.layout)
    return {
        "views": [(view, path_of(view)) for view in views],
        "open_view": next((view for view in views if view.fields == fields), None),
        "view_fields": urlencode([(key, value) for key, values in fields.items() for value in values]),
        "view_done": _done(ask, views),
    }


def _done(ask: Ask, views: Sequence[SavedView]) -> dict[str, str] | None:
    """In words what was done, and the form that takes it back."""
    name, was = ask.first("name"), ask.first("was")
    is_there = any(view.name == name for view in views)
    done = ask.first("view")
    if done == "saved" and is_there:
        return {"words": f"Saved as {name}.", "action": "/views/delete", "name": name}
    if done == "renamed" and is_there:
        return {"words": f"{was} is now called {name}.", "action": "/views/rename", "name": name, "to": was}
    if done == "deleted" and not is_there:
        return {"words": f"{name} is deleted.", "action": "/views/save", "name": name, "fields": ask.first("fields")}
    return None


def save(ask: Ask, check: Callable[[Ask], Any]) -> WebAnswer:
    """Saves the filters that a form holds, if they mean something."""
    fields = _fields(parse_qs(ask.form.get("fields", "")))
    check(ask._replace(query=fields))
    view = save_view(ask.world.layout, ask.form.get("name", ""), fields)
    return moved(with_fields(_LIST, view.fields, view="saved", name=view.name))


def _rename(ask: Ask) -> WebAnswer:
    was = ask.form.get("name", "")
    view = rename_view(ask.world.layout, was, ask.form.get("to", ""))
    return moved(with_fields(_LIST, view.fields, view="renamed", name=view.name, was=was))


def _delete(ask: Ask) -> WebAnswer:
    view = delete_view(ask.world.layout, ask.form.get("name", ""))
    pairs = urlencode([(key, value) for key, values in view.fields.items() for value in values])
    return moved(with_fields(_LIST, {}, view="deleted", name=view.name, fields=pairs))


def _fields(query: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Of the fields of a page those that belong to a view, without what says nothing."""
    given = {key: tuple(value.strip() for value in query.get(key, ()) if value.strip()) for key in FIELDS}
    if given["sort"] == ("start",):
        given["sort"] = ()
    return {key: values for key, values in given.items() if values}


ROUTES = (
    WebRoute("/views/rename", _rename, "POST"),
    WebRoute("/views/delete", _delete, "POST"),
)
