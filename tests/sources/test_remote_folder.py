"""Logs at a URL are read as if they lay in a folder, and what cannot be read is an error like any other."""

import datetime as dt
import pickle
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from afterwit.model.errors import AfterwitError, UsageError
from afterwit.sources.places import RemoteFolder, open_in

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")


@pytest.fixture
def memory() -> Iterator[Any]:
    files = fsspec.filesystem("memory")
    yield files
    files.store.clear()


def test_files_are_listed_with_paths_below_it_and_read_as_they_are(memory: Any) -> None:
    memory.pipe({"/logs/a/one.jsonl": b"apples\n", "/logs/two.json": b"{}", "/logsbook/three.json": b"{}"})
    folder = RemoteFolder("memory://logs/")
    assert [(path, size) for path, size, *_ in folder.listed()[0]] == [("a/one.jsonl", 7), ("two.json", 2)]
    with open_in(folder, PurePosixPath("a/one.jsonl")) as (file, about):
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
    with pytest.raises(OSError, match=r"the token has expired$"), open_in(folder, "one.json"):
        pass
    monkeypatch.setattr(type(memory), "find", refused)
    with pytest.raises(AfterwitError, match=r"cannot be looked into: the token has expired\. Check the address"):
        folder.listed()


def test_no_path_leads_out_of_it(memory: Any) -> None:
    memory.store["/logs/../secrets/key.json"] = memory.open("/logs/one.json", "wb")
    memory.pipe("/logs/one.json", b"{}")
    files, refused = RemoteFolder("memory://logs").listed()
    assert ([path for path, *_ in files], refused) == (["one.json"], ["/logs/../secrets/key.json"])


@pytest.mark.parametrize("name", ["/etc/passwd", "a//b.jsonl", "./c.jsonl", "a/../../b.jsonl", "nul\0.jsonl", "", "a/"])
@pytest.mark.parametrize("about", [{"size": 2}])
def test_odd_names_are_refused(memory: Any, monkeypatch: pytest.MonkeyPatch, name: str, about: dict[str, Any]) -> None:
    monkeypatch.setattr(type(memory), "find", lambda *_, **__: {f"/logs/{name}": about})
    assert RemoteFolder("memory://logs").listed() == ([], [f"/logs/{name}"])


@pytest.mark.parametrize("size", [None, -4, "abc", 10**30, 1.5])
def test_a_size_that_is_none_is_refused(memory: Any, monkeypatch: pytest.MonkeyPatch, size: object) -> None:
    monkeypatch.setattr(type(memory), "find", lambda *_, **__: {"/logs/a.json": {"size": size}})
    assert RemoteFolder("memory://logs").listed() == ([], ["/logs/a.json"])


@pytest.mark.parametrize("moment", [float("inf"), float("nan"), -1, "soon", 10**30])
def test_a_time_that_is_none_is_not_known(memory: Any, monkeypatch: pytest.MonkeyPatch, moment: object) -> None:
    monkeypatch.setattr(type(memory), "find", lambda *_, **__: {"/logs/a.json": {"size": 1, "mtime": moment}})
    assert RemoteFolder("memory://logs").listed() == ([("a.json", 1, 0, 0)], [])


def test_nothing_is_fetched_to_elsewhere(memory: Any, tmp_path: Path) -> None:
    memory.pipe("/logs//escaped.db", b"rows")
    with pytest.raises(OSError, match="leads out of the folder"):
        RemoteFolder("memory://logs").fetch(PurePosixPath("/escaped.db"), tmp_path / "fetched")
    assert not (tmp_path / "fetched").exists()


def test_a_password_in_a_url_is_refused_and_not_repeated() -> None:
    with pytest.raises(UsageError, match="A password stands in the URL of the logs") as refused:
        RemoteFolder("sftp://joe:hunter2@orchard.example/logs")
    assert "hunter2" not in str(refused.value)


def test_the_root_of_a_file_system_is_a_folder_too(memory: Any) -> None:
    memory.pipe("/one.json", b"{}")
    assert [path for path, *_ in RemoteFolder("memory://").listed()[0]] == ["one.json"]


@pytest.mark.parametrize("moment", [1_780_000_000, 1_780_000_000.0, "2026-05-28T20:26:40+00:00"])
def test_a_time_may_come_in_any_form(memory: Any, monkeypatch: pytest.MonkeyPatch, moment: object) -> None:
    at = dt.datetime(2026, 5, 28, 20, 26, 40, tzinfo=dt.UTC)
    for value in (moment, at):
        found = {"/logs/one.json": {"size": 2, "LastModified": value, "ETag": '"1"'}}
        monkeypatch.setattr(type(memory), "find", lambda *_, found=found, **__: found)
        ((_, _, changed_ns, mark),), _ = RemoteFolder("memory://logs").listed()
        assert changed_ns == 1_780_000_000 * 10**9
        assert mark != 0
