import hashlib
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples
from tests.zst import decompress

from afterwit.model.errors import DamagedError
from afterwit.store import frames
from afterwit.store.archive import Archive, ArchiveName, archive_name
from afterwit.store.layout import Layout
from afterwit.store.rows.files import file_key

HEADER = {"agent": "codex", "path": "a/b.jsonl"}
NAME = archive_name(bytes(range(16)), 0)


def file_of(layout: Layout, name: ArchiveName = NAME) -> Path:
    return layout.archive / name[:2] / f"{name}.zst"


def append(archive: Archive, held: int, *pieces: bytes) -> int:
    """Appends the pieces one run after the other. Returns how many bytes the object holds then."""
    for piece in pieces:
        archive.append(NAME, HEADER, held, list(frames.pack([piece])))
        held += len(piece)
    archive.flush()
    return held


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@given(pieces=st.lists(st.binary(min_size=1, max_size=600), min_size=1, max_size=6))
@settings(max_examples=examples(25), deadline=None)
def test_appends_in_any_pieces_restore_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]
) -> None:
    archive = Archive(tmp_path_factory.mktemp("archive"))
    held = append(archive, 0, *pieces)
    original = b"".join(pieces)
    assert held == len(original)
    assert b"".join(archive.read(NAME, held)) == original
    assert b"".join(archive.read(NAME)) == original
    assert archive.digest(NAME, held) == hashlib.sha256(original).hexdigest()


def test_the_file_is_an_ordinary_zst(archive: Archive, layout: Layout) -> None:
    append(archive, 0, b"one\n" * 100, b"two\n" * 100)
    packed = file_of(layout).read_bytes()
    assert decompress(packed) == b"one\n" * 100 + b"two\n" * 100


def test_an_object_describes_itself(archive: Archive) -> None:
    append(archive, 0, b"content")
    assert archive.header(NAME) == HEADER
    assert list(archive.names()) == [NAME]


@pytest.mark.parametrize("torn_bytes", [1, 4, 12, 20])
def test_a_torn_frame_is_ignored_and_cut_off_by_the_next_append(
    archive: Archive, layout: Layout, tmp_path: Path, torn_bytes: int
) -> None:
    held = append(archive, 0, b"first " * 50)
    torn = b"".join(frames.pack([b"lost " * 50]))[:torn_bytes]
    with file_of(layout).open("ab") as file:
        file.write(torn)
    assert b"".join(archive.read(NAME, held)) == b"first " * 50
    held = append(archive, held, b"second")
    assert b"".join(archive.read(NAME, held)) == b"first " * 50 + b"second"
    whole = Archive(tmp_path / "untorn")
    append(whole, 0, b"first " * 50, b"second")
    assert archive.packed_bytes(NAME) == whole.packed_bytes(NAME)


NEXT = archive_name(bytes(range(16)), 1)


def put(archive: Archive, held: int, content: bytes) -> ArchiveName:
    return archive.append(NAME, HEADER, held, list(frames.pack([content])))


def test_frames_that_nobody_knows_of_are_continued_where_they_are_the_same(archive: Archive) -> None:
    """As a killed run leaves them, or a database that is older than the archive."""
    held = append(archive, 0, b"kept")
    append(archive, held, b" and so")
    assert put(archive, held, b" and so on") == NAME
    assert b"".join(archive.read(NAME)) == b"kept and so on"
    assert put(archive, 0, b"kept and so on, from the beginning") == NAME
    assert b"".join(archive.read(NAME)) == b"kept and so on, from the beginning"
    assert list(archive.names()) == [NAME]


@pytest.mark.parametrize("held", [0, 4])
@pytest.mark.parametrize("new", [b" other", b" an", b""])
def test_frames_that_nobody_knows_of_are_never_cut_off(archive: Archive, held: int, new: bytes) -> None:
    append(archive, 0, b"kept")
    append(archive, 4, b" and so on")
    content = b"kept"[held:] + new
    assert put(archive, held, content) == NEXT
    assert b"".join(archive.read(NAME)) == b"kept and so on"
    assert b"".join(archive.read(NEXT)) == b"kept" + new
    assert archive.header(NEXT) == {**HEADER, "generation": 1}


def test_an_object_that_is_damaged_or_another_is_left_alone(archive: Archive, layout: Layout) -> None:
    for content in (b"no header at all", frames.pack_header({"other": 1}), b"\0" * 90):
        file_of(layout).parent.mkdir(exist_ok=True)
        file_of(layout).write_bytes(content)
        name = put(archive, 0, b"new")
        assert name != NAME
        assert b"".join(archive.read(name)) == b"new"
        assert file_of(layout).read_bytes() == content


@pytest.mark.parametrize("length", [0, 3, 20])
def test_a_header_that_was_never_completed_is_begun_again(archive: Archive, layout: Layout, length: int) -> None:
    file_of(layout).parent.mkdir()
    file_of(layout).write_bytes(frames.pack_header(HEADER)[:length])
    assert put(archive, 0, b"new") == NAME
    assert b"".join(archive.read(NAME)) == b"new"


@given(data=st.data(), pieces=st.lists(st.binary(min_size=1, max_size=300), min_size=1, max_size=5))
@settings(max_examples=examples(60), deadline=None)
def test_no_append_makes_what_could_be_read_unreadable(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, pieces: list[bytes]
) -> None:
    """Whatever the database says is held, and whatever happened to the object before."""
    layout = Layout(tmp_path_factory.mktemp("store"))
    archive = Archive(layout.archive)
    append(archive, 0, *pieces)
    packed = bytearray(file_of(layout).read_bytes())
    for _ in range(data.draw(st.integers(0, 2))):
        packed[data.draw(st.integers(0, len(packed) - 1))] ^= data.draw(st.integers(1, 255))
    file_of(layout).write_bytes(packed[: data.draw(st.integers(0, len(packed)))])
    before = _readable(archive)
    held = data.draw(st.sampled_from([0, len(pieces[0]), sum(map(len, pieces))]))
    new = data.draw(st.sampled_from([b"".join(pieces)[held:], b"something else"]))
    try:
        put(archive, held, new)
    except DamagedError:
        assert file_of(layout).read_bytes() == packed[: file_of(layout).stat().st_size]
    assert _readable(archive).startswith(before)


def _readable(archive: Archive) -> bytes:
    found = b""
    try:
        for piece in archive.read(NAME):
            found += piece
    except DamagedError:
        return found
    return found


@pytest.mark.parametrize("held", [1, 9, 11, 14, 16, 1_000])
def test_a_length_that_no_frame_ends_at_is_damage(archive: Archive, held: int) -> None:
    append(archive, 0, b"0123456789", b"abcde")
    with pytest.raises(DamagedError):
        list(archive.read(NAME, held))
    with pytest.raises(DamagedError):
        archive.append(NAME, HEADER, held, [])
    with pytest.raises(DamagedError):
        archive.digest(NAME, held)


def test_nothing_is_cut_off_when_an_append_is_refused(archive: Archive, layout: Layout) -> None:
    append(archive, 0, b"0123456789")
    before = file_of(layout).read_bytes()
    with pytest.raises(DamagedError, match="does not hold the 7 bytes"):
        archive.append(NAME, HEADER, 7, list(frames.pack([b"more"])))
    assert file_of(layout).read_bytes() == before


def test_a_flipped_byte_in_a_frame_is_damage(archive: Archive, layout: Layout) -> None:
    held = append(archive, 0, os.urandom(5_000))
    packed = bytearray(file_of(layout).read_bytes())
    packed[len(packed) // 2] ^= 0xFF
    file_of(layout).write_bytes(packed)
    with pytest.raises(DamagedError):
        archive.digest(NAME, held)
    with archive.held(NAME) as opened, pytest.raises(DamagedError):
        opened.read(0, 10)


def test_a_missing_object_is_damage(archive: Archive) -> None:
    for ask in (lambda: list(archive.read(NAME, 1)), lambda: archive.header(NAME), lambda: archive.compact(NAME, 1)):
        with pytest.raises(DamagedError, match="missing"):
            ask()


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_only_the_user_can_read_what_is_archived(archive: Archive, layout: Layout) -> None:
    held = append(archive, 0, b"a", b"b", b"c")
    archive.compact(NAME, held)
    assert stat.S_IMODE(file_of(layout).stat().st_mode) == 0o600
    assert stat.S_IMODE(file_of(layout).parent.stat().st_mode) == 0o700


@pytest.mark.skipif(os.name != "posix", reason="links are POSIX's")
def test_a_link_in_the_place_of_an_object_is_not_followed(archive: Archive, layout: Layout, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    file_of(layout).parent.mkdir()
    file_of(layout).symlink_to(victim)
    with pytest.raises(OSError, match="symbolic link"):
        append(archive, 0, b"overwritten")
    assert victim.read_bytes() == b"precious"


@given(st.text(max_size=60))
@settings(max_examples=examples(40))
def test_a_name_holds_nothing_of_what_it_names(path: str) -> None:
    name = archive_name(file_key("codex", path), 12)
    assert set(name) <= set("0123456789abcdef-")
    assert name.endswith("-12")
    assert len(name) == 35


def test_flushing_makes_the_folders_of_new_files_durable_too(
    archive: Archive, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    append(archive, 0, b"content")
    path = file_of(layout)
    assert set(synced) == {path.stat().st_ino, path.parent.stat().st_ino, layout.archive.stat().st_ino}


def test_compacting_keeps_the_bytes_and_gains_space(archive: Archive, layout: Layout) -> None:
    lines = [b'{"type": "message", "number": %d}\n' % number for number in range(60)]
    held = append(archive, 0, *lines)
    before, digest = archive.packed_bytes(NAME), archive.digest(NAME, held)
    gained = archive.compact(NAME, held)
    assert gained > 0
    assert archive.packed_bytes(NAME) == before - gained
    assert archive.digest(NAME, held) == digest
    assert archive.header(NAME) == HEADER
    assert archive.compact(NAME, held) == 0
    assert append(archive, held, b"and it grows on") == held + 15


def test_compacting_keeps_what_nobody_knows_of(archive: Archive) -> None:
    held = append(archive, 0, b"a", b"b")
    append(archive, held, b"c", b"d")
    archive.compact(NAME, held)
    assert b"".join(archive.read(NAME)) == b"abcd"
    assert b"".join(archive.read(NAME, held)) == b"ab"


def test_a_damaged_object_is_not_compacted_away(archive: Archive, layout: Layout) -> None:
    held = append(archive, 0, b"a" * 50, b"b" * 50)
    before = snapshot(layout.archive)
    with pytest.raises(DamagedError):
        archive.compact(NAME, held + 1)
    assert snapshot(layout.archive) == before


def test_a_removed_object_is_gone_and_removing_it_again_is_fine(archive: Archive) -> None:
    append(archive, 0, b"content")
    archive.remove(NAME)
    archive.remove(NAME)
    assert list(archive.names()) == []


def test_an_overlay_takes_all_changes_and_the_root_stays_as_it_was(
    archive: Archive, layout: Layout, tmp_path: Path
) -> None:
    held = append(archive, 0, b"old ", b"and small ")
    before = snapshot(layout.root)
    over = Archive(layout.archive, tmp_path / "overlay")
    assert b"".join(over.read(NAME, held)) == b"old and small "
    assert append(over, held, b"new") == held + 3
    assert b"".join(over.read(NAME)) == b"old and small new"
    other = archive_name(bytes(16), 0)
    over.append(other, HEADER, 0, list(frames.pack([b"other"])))
    assert b"".join(over.read(other)) == b"other"
    over.compact(NAME, held + 3)
    over.remove(NAME)
    assert snapshot(layout.root) == before


def test_compacting_through_an_overlay_leaves_the_root_alone(archive: Archive, layout: Layout, tmp_path: Path) -> None:
    held = append(archive, 0, b"small ", b"frames")
    before = snapshot(layout.root)
    Archive(layout.archive, tmp_path / "overlay").compact(NAME, held)
    assert snapshot(layout.root) == before


def test_remains_take_the_place_of_an_original_and_are_not_taken_for_it(layout: Layout) -> None:
    archive = Archive(layout.archive)
    held = append(archive, 0, b"an original" * 1000)
    assert not archive.is_remains(NAME)
    archive.replace(NAME, archive.header(NAME), b"what is left")
    archive.flush()
    assert archive.is_remains(NAME)
    assert archive.remains(NAME) == b"what is left"
    assert archive.header(NAME) == {**HEADER, "role": "remains"}
    assert set(snapshot(layout.archive)) == {f"{NAME[:2]}/{NAME}.zst"}
    with pytest.raises(DamagedError, match="the original was dropped"):
        list(archive.read(NAME, held))
    with archive.held(NAME) as one, pytest.raises(DamagedError, match="the original was dropped"):
        one.read(0, 4)


def test_an_original_is_not_taken_for_remains(layout: Layout) -> None:
    archive = Archive(layout.archive)
    append(archive, 0, b"an original")
    with pytest.raises(DamagedError, match="should hold what is kept"):
        archive.remains(NAME)


def test_what_a_killed_replacement_left_is_cleared_away(layout: Layout) -> None:
    archive = Archive(layout.archive)
    append(archive, 0, b"an original")
    file_of(layout).with_suffix(".leaving").write_bytes(b"half of it")
    assert list(archive.names()) == [NAME]
    archive.clear_beside(NAME)
    assert len(snapshot(layout.archive)) == 1


def test_sizes_are_told_in_one_look_and_those_of_the_overlay_count(
    archive: Archive, layout: Layout, tmp_path: Path
) -> None:
    assert archive.sizes() == {}
    held = append(archive, 0, b"plum")
    assert archive.sizes() == {NAME: archive.size(NAME)}
    over = Archive(layout.archive, tmp_path / "overlay")
    append(over, held, b"fig" * 1000)
    assert over.sizes() == {NAME: over.size(NAME)} != archive.sizes()


def test_an_object_in_a_folder_that_is_not_its_own_has_no_size(archive: Archive, layout: Layout) -> None:
    other = layout.archive / "zz" / f"{NAME}.zst"
    other.parent.mkdir(parents=True)
    other.write_bytes(b"plum")
    assert archive.sizes() == {NAME: 0} == {NAME: archive.size(NAME)}
    append(archive, 0, b"plum")
    assert archive.sizes() == {NAME: archive.size(NAME)}
