"""Saved views of the session list: a name for a set of filters, kept in the data folder and used by page and commands.

Filters are kept as they were typed, so that `since = 3d` means three days before the day on which the view is opened.
The file is written whole. A name is given once; a file that cannot be read is said to be so and never written over.
"""

from collections.abc import Mapping, Sequence

import msgspec

from afterwit.model.errors import StoreError, UsageError
from afterwit.model.text.nearest import did_you_mean
from afterwit.store.atomic import replace_file
from afterwit.store.layout import Layout
from afterwit.store.regular_files import read_regular

FIELDS = ("text", "repo", "agent", "outcome", "since", "until", "branch", "task_type", "top", "sort", "reverse")
_MOST_VIEWS = 200
_LONGEST_NAME = 60


class SavedView(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    fields: dict[str, tuple[str, ...]]  # by the names that the page has for them


class _ViewsFile(msgspec.Struct, frozen=True, kw_only=True):
    version: int = 1
    views: tuple[SavedView, ...] = ()


def saved_views(layout: Layout) -> list[SavedView]:
    """All of them, by name."""
    try:
        kept = msgspec.json.decode(read_regular(layout.views), type=_ViewsFile)
    except FileNotFoundError:
        return []
    except (OSError, msgspec.DecodeError) as error:
        raise StoreError(f"{layout.views} cannot be read ({error}). Mend it, or move it away.") from error
    return sorted(kept.views, key=lambda view: view.name.casefold())


def view_named(layout: Layout, name: str) -> SavedView:
    views = {view.name: view for view in saved_views(layout)}
    if name not in views:
        hint = did_you_mean(name, sorted(views)) or (f"There are: {', '.join(views)}." if views else _NONE)
        raise UsageError(f"There is no saved view {name!r}. {hint}")
    return views[name]


_NONE = "None is saved yet: `afterwit web` saves the filters of its session list."


def save_view(layout: Layout, name: str, fields: Mapping[str, Sequence[str]]) -> SavedView:
    """Gives a set of filters a name that no other has."""
    views, given = saved_views(layout), {key: tuple(filter(None, fields.get(key, ()))) for key in FIELDS}
    view = SavedView(name=_free(name, views), fields={key: values for key, values in given.items() if values})
    if not view.fields:
        raise UsageError("There is nothing to save: no filter is set.")
    if len(views) >= _MOST_VIEWS:
        raise UsageError(f"{_MOST_VIEWS} views are saved already. Delete one that you do not use.")
    _keep(layout, [*views, view])
    return view


def rename_view(layout: Layout, name: str, to: str) -> SavedView:
    view, others = view_named(layout, name), [view for view in saved_views(layout) if view.name != name]
    renamed = msgspec.structs.replace(view, name=_free(to, others))
    _keep(layout, [*others, renamed])
    return renamed


def delete_view(layout: Layout, name: str) -> SavedView:
    """Returns what was deleted, so that it can be saved again."""
    view = view_named(layout, name)
    _keep(layout, [other for other in saved_views(layout) if other.name != name])
    return view


def _free(name: str, others: Sequence[SavedView]) -> str:
    name = " ".join(name.split())
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise UsageError(f"A view has a name of 1 to {_LONGEST_NAME} characters.")
    if any(name.casefold() == other.name.casefold() for other in others):
        raise UsageError(f"There is a view {name!r} already. Choose another name.")
    return name


def _keep(layout: Layout, views: Sequence[SavedView]) -> None:
    content = msgspec.json.format(msgspec.json.encode(_ViewsFile(views=tuple(views))), indent=2)
    replace_file(layout.views, content + b"\n")
