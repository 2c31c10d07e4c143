import os
from pathlib import Path, PurePosixPath

import pytest

from afterwit.sources.discovery import Discovery, Unit, Unreadable, discover, list_home
from afterwit.sources.places import ListedFile, LogFile

posix_only = pytest.mark.skipif(os.name != "posix", reason="links and such names are POSIX's")


def logs(path: PurePosixPath) -> PurePosixPath | None:
    """Transcripts are *.jsonl; what lies in a folder of the same name belongs to them."""
    if path.suffix == ".jsonl":
        return path
    return path.parent.with_suffix(".jsonl") if path.suffix == ".txt" else None


def put(home: Path, *paths: str) -> None:
    for path in paths:
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(path)


def walked(home: Path) -> list[str]:
    listing = list_home(home)
    assert listing.unreadable == []
    return sorted(path for path, *_ in listing.files)


def test_every_file_is_found_with_what_the_system_says_of_it(tmp_path: Path) -> None:
    put(tmp_path, "a.jsonl", "deep/er/b.jsonl", "deep/notes.md")
    assert walked(tmp_path) == ["a.jsonl", "deep/er/b.jsonl", "deep/notes.md"]
    about = (tmp_path / "a.jsonl").stat()
    assert ("a.jsonl", about.st_size, about.st_mtime_ns, about.st_ino) in list_home(tmp_path).files


@pytest.mark.parametrize("place", ["nowhere", "nowhere/deep"])
def test_a_home_that_is_not_there_is_empty(tmp_path: Path, place: str) -> None:
    assert list_home(tmp_path / place)[1:] == ([], [], [])
    assert discover(list_home(tmp_path / place), logs) == Discovery([])


def test_a_home_that_is_a_file_is_reported(tmp_path: Path) -> None:
    put(tmp_path, "file")
    (fault,) = list_home(tmp_path / "file").unreadable
    assert fault.place == tmp_path / "file"


def test_companions_go_with_their_transcript(tmp_path: Path) -> None:
    put(tmp_path, "b.jsonl", "a.jsonl", "a/2.txt", "a/1.txt", "other.md", "orphan/1.txt")
    found = discover(list_home(tmp_path), logs)
    paths = [(str(unit.transcript.path), [str(one.path) for one in unit.companions]) for unit in found.units]
    assert paths == [("a.jsonl", ["a/1.txt", "a/2.txt"]), ("b.jsonl", [])]


def test_what_is_known_is_counted_and_asked_about_only_where_something_lies_beside_it(tmp_path: Path) -> None:
    put(tmp_path, "a.jsonl", "b.jsonl", "c.jsonl", "a/1.txt")
    asked: list[str] = []

    def primary(path: PurePosixPath) -> PurePosixPath | None:
        asked.append(str(path))
        return logs(path)

    def is_known(file: ListedFile) -> bool:
        return file[0] in ("a.jsonl", "b.jsonl")

    found = discover(list_home(tmp_path), primary, is_known=is_known)
    assert sorted(asked) == ["a/1.txt", "c.jsonl"]
    assert found.settled == 1
    of_a, _, of_c = discover(list_home(tmp_path), logs).units
    assert found.units == [of_a, of_c]


def test_the_mark_of_companions_changes_when_one_does(tmp_path: Path) -> None:
    put(tmp_path, "a.jsonl", "a/1.txt")

    def mark() -> str:
        (unit,) = discover(list_home(tmp_path), logs).units
        return unit.companions_mark

    seen = [mark()]
    assert mark() == seen[0]
    os.utime(tmp_path / "a/1.txt", ns=(1, 1))
    seen.append(mark())
    (tmp_path / "a/1.txt").write_text("longer than it was before")
    seen.append(mark())
    put(tmp_path, "a/2.txt")
    seen.append(mark())
    assert len(set(seen)) == 4


def test_the_mark_of_companions_holds_nothing_of_their_names(tmp_path: Path) -> None:
    found = LogFile(PurePosixPath("secret-name.txt"), 1, 2, 3)
    assert "secret" not in Unit(tmp_path, found, (found,)).companions_mark


@posix_only
def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    put(tmp_path, "a/b/c.jsonl")
    (tmp_path / "a/b/up").symlink_to(tmp_path)
    (tmp_path / "a/self").symlink_to(tmp_path / "a/self")
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    assert walked(tmp_path) == ["a/b/c.jsonl"]


@posix_only
def test_a_folder_elsewhere_is_followed_once_under_the_first_link(tmp_path: Path) -> None:
    put(tmp_path, "elsewhere/a.jsonl")
    home = tmp_path / "home"
    home.mkdir()
    for name in ("z", "b", "m"):
        (home / name).symlink_to(tmp_path / "elsewhere")
    assert walked(home) == ["b/a.jsonl"]


@posix_only
@pytest.mark.parametrize("link", ["0-link", "zz-link"])
def test_a_folder_keeps_its_own_name_whatever_links_to_it(tmp_path: Path, link: str) -> None:
    put(tmp_path, "real/deep/a.jsonl", "m/x.jsonl")
    (tmp_path / link).symlink_to(tmp_path / "real/deep")
    (tmp_path / "m" / link).symlink_to(tmp_path / "real")
    assert walked(tmp_path) == ["m/x.jsonl", "real/deep/a.jsonl"]


@posix_only
def test_a_link_to_a_file_is_a_file_and_a_broken_one_is_nothing(tmp_path: Path) -> None:
    put(tmp_path, "elsewhere/a.jsonl")
    home = tmp_path / "home"
    home.mkdir()
    (home / "link.jsonl").symlink_to(tmp_path / "elsewhere/a.jsonl")
    (home / "broken.jsonl").symlink_to(tmp_path / "nothing")
    assert walked(home) == ["link.jsonl"]


@posix_only
def test_what_is_no_regular_file_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "device.jsonl").symlink_to("/dev/null")
    assert walked(tmp_path) == []


@posix_only
@pytest.mark.parametrize(
    "name", [b"new\nline.jsonl", b"\xff\xfe.jsonl", b" .jsonl", b"-rf.jsonl", "ü\u202e.jsonl".encode()]
)
def test_a_file_may_have_any_name(tmp_path: Path, name: bytes) -> None:
    folder = os.fsencode(tmp_path) + b"/odd \xff\n"
    os.mkdir(folder)  # noqa: PTH102 - a name that is no text
    handle = os.open(folder + b"/" + name, os.O_CREAT | os.O_WRONLY)
    os.write(handle, b"content")
    os.close(handle)
    (unit,) = discover(list_home(tmp_path), logs).units
    assert Path(unit.home / unit.transcript.path).read_bytes() == b"content"
    assert unit._replace(companions=(unit.transcript,)).companions_mark.isascii()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_folder_that_cannot_be_entered_is_reported(tmp_path: Path) -> None:
    put(tmp_path, "closed/a.jsonl", "b.jsonl")
    (tmp_path / "closed").chmod(0)
    try:
        listing = list_home(tmp_path)
    finally:
        (tmp_path / "closed").chmod(0o700)
    assert [fault.place for fault in listing.unreadable] == [tmp_path / "closed"]
    assert len(listing.files) == 1


def test_an_error_of_the_system_is_reported_and_a_file_that_is_gone_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "closed/a.jsonl", "gone/b.jsonl", "c.jsonl")
    scandir = os.scandir

    def failing(folder: str) -> object:
        if folder.endswith("closed"):
            raise PermissionError(13, "Permission denied")
        if folder.endswith("gone"):
            raise FileNotFoundError(2, "No such file or directory")
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", failing)
    listing = list_home(tmp_path)
    assert listing.unreadable == [Unreadable(tmp_path / "closed", "Permission denied")]
    assert [path for path, *_ in listing.files] == ["c.jsonl"]


def test_a_glimpse_is_the_same_until_a_file_comes_goes_or_changes(tmp_path: Path) -> None:
    put(tmp_path, "a.jsonl", "deep/er/b.jsonl")
    seen = [list_home(tmp_path).mark]
    assert list_home(tmp_path).mark == seen[0]
    with (tmp_path / "a.jsonl").open("a") as file:
        file.write("more")
    seen.append(list_home(tmp_path).mark)
    put(tmp_path, "deep/c.jsonl")
    seen.append(list_home(tmp_path).mark)
    (tmp_path / "deep/c.jsonl").rename(tmp_path / "deep/d.jsonl")
    seen.append(list_home(tmp_path).mark)
    os.utime(tmp_path / "a.jsonl", (1, 1))
    seen.append(list_home(tmp_path).mark)
    (tmp_path / "deep/er/b.jsonl").unlink()
    seen.append(list_home(tmp_path).mark)
    assert len(set(seen)) == len(seen)


def test_a_glimpse_of_nothing_is_none_of_something(tmp_path: Path) -> None:
    put(tmp_path, "home/a.jsonl")
    assert (
        list_home(tmp_path / "nowhere").mark
        == list_home(tmp_path / "nor there").mark
        != list_home(tmp_path / "home").mark
    )


@posix_only
def test_names_that_are_no_text_are_glimpsed(tmp_path: Path) -> None:
    before = list_home(tmp_path).mark
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.jsonl")).touch()
    assert list_home(tmp_path).mark != before
