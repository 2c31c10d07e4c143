"""Logs at a URL are read as if they lay in a folder, and what cannot be read is an error like any other."""

import datetime as dt
import pickle
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from afterwit.model.errors import AfterwitError
from afterwit.sources.places import opened_in
from afterwit.sources.remote_folder import RemoteFolder

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")


@pytest.fixture
def memory() -> Iterator[Any]:
    files = fsspec.filesystem("memory")
    yield files
    files.store.clear()


def test_files_are_listed_with_paths_below_it_and_read_as_they_are(memory: Any) -> None:
    memory.pipe({"/logs/a/one.jsonl": b"apples\n", "/logs/two.json": b"{}", "/logsbook/three.json": b"{}"})
    folder = RemoteFolder("memory://logs/")
    assert [(path, size) for path, size, *_ in folder.listed()] == [("a/one.jsonl", 7), ("two.json", 2)]
    with opened_in(folder, PurePosixPath("a/one.jsonl")) as (file, about):
        assert (file.read(3), file.seek(1), file.read(), about.size_bytes) == (b"app", 1, b"pples\n", 7)
    assert str(folder / "a/one.jsonl") == "memory://logs/a/one.jsonl"


def test_it_can_be_sent_to_another_machine(memory: Any) -> None:
    memory.pipe("/logs/one.json", b"{}")
    folder = RemoteFolder("memory://logs")
    assert folder.listed()
    sent = pickle.loads(pickle.dumps(folder))
    assert sent == folder
    assert sent.listed() == folder.listed()


def test_a_file_is_fetched_with_its_time(tmp_path: Path) -> None:
    source = tmp_path / "logs" / "deep" / "state.db"
    source.parent.mkdir(parents=True)
    source.write_bytes(b"rows" * 3_000_000)
    folder = RemoteFolder(f"file://{tmp_path}/logs")
    folder.fetch(PurePosixPath("deep/state.db"), tmp_path / "fetched")
    fetched = tmp_path / "fetched" / "deep" / "state.db"
    assert fetched.read_bytes() == source.read_bytes()
    assert abs(fetched.stat().st_mtime_ns - source.stat().st_mtime_ns) < 1000


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("memory://nowhere", "memory://nowhere: there is no such folder"),
        ("orchard://apples", "orchard://apples cannot be opened: .*orchard"),
        ("file:///nowhere/at/all", "there is no such folder, or nothing in it"),
    ],
)
def test_a_folder_that_is_not_there_is_named(url: str, said: str) -> None:
    with pytest.raises(AfterwitError, match=said):
        RemoteFolder(url).listed()


def test_what_a_library_raises_is_an_error_of_files(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.pipe("/logs/one.json", b"{}")

    def refused(*_: object, **__: object) -> None:
        raise ValueError("the token has expired.")

    folder = RemoteFolder("memory://logs")
    monkeypatch.setattr(type(memory), "info", refused)
    with pytest.raises(OSError, match=r"the token has expired$"), opened_in(folder, "one.json"):
        pass
    monkeypatch.setattr(type(memory), "find", refused)
    with pytest.raises(AfterwitError, match=r"cannot be looked into: the token has expired\. Check the address"):
        folder.listed()


def test_no_path_leads_out_of_it(memory: Any) -> None:
    memory.store["/logs/../secrets/key.json"] = memory.open("/logs/one.json", "wb")
    memory.pipe("/logs/one.json", b"{}")
    assert [path for path, *_ in RemoteFolder("memory://logs").listed()] == ["one.json"]


@pytest.mark.parametrize("moment", [1_780_000_000, 1_780_000_000.0, "2026-05-28T20:26:40+00:00"])
def test_a_time_may_come_in_any_form(memory: Any, monkeypatch: pytest.MonkeyPatch, moment: object) -> None:
    at = dt.datetime(2026, 5, 28, 20, 26, 40, tzinfo=dt.UTC)
    for value in (moment, at):
        found = {"/logs/one.json": {"size": 2, "LastModified": value, "ETag": '"1"'}}
        monkeypatch.setattr(type(memory), "find", lambda *_, found=found, **__: found)
        ((_, _, changed_ns, mark),) = RemoteFolder("memory://logs").listed()
        assert changed_ns == 1_780_000_000 * 10**9
        assert mark != 0
