"""Saved views: a name for filters, kept in the data folder, and safe from what it cannot read."""

from pathlib import Path

import pytest

from afterwit.model.errors import StoreError, UsageError
from afterwit.sessions.filters import delete_view, rename_view, save_view, saved_views, view_named
from afterwit.store.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path / "store")
    layout.create()
    return layout


def test_views_are_saved_renamed_and_deleted_by_name(layout: Layout) -> None:
    save_view(layout, "  failed   this week ", {"outcome": ["failure"], "since": ["7d"], "page": ["3"], "text": [""]})
    assert view_named(layout, "failed this week").fields == {"outcome": ("failure",), "since": ("7d",)}
    rename_view(layout, "failed this week", "failed")
    save_view(layout, "cheap", {"sort": ["cost"]})
    assert [view.name for view in saved_views(layout)] == ["cheap", "failed"]
    gone = delete_view(layout, "failed")
    assert save_view(layout, gone.name, gone.fields) == gone


def test_a_view_that_is_not_there_is_said_with_those_that_are(layout: Layout) -> None:
    with pytest.raises(UsageError, match="None is saved yet"):
        view_named(layout, "x")
    save_view(layout, "cheap", {"sort": ["cost"]})
    with pytest.raises(UsageError, match="Did you mean cheap"):
        delete_view(layout, "chep")


def test_a_file_that_cannot_be_read_is_never_written_over(layout: Layout) -> None:
    layout.views.write_text("{", encoding="utf-8")
    with pytest.raises(StoreError, match=r"views\.json cannot be read"):
        save_view(layout, "cheap", {"sort": ["cost"]})
    assert layout.views.read_text(encoding="utf-8") == "{"
