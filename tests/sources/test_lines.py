from collections.abc import Iterable
from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.model import zstd
from afterwit.model.readings import Problem, Reading
from afterwit.sources.framing import Framing, Record
from afterwit.sources.places import Chunks, Tap, is_packed, lines_of, whole_lines

PLAIN, PACKED = PurePosixPath("a.jsonl"), PurePosixPath("a.jsonl.zst")


class Nothing:
    """A reader that makes nothing of anything."""

    def feed(self, record: Record) -> Iterable[Reading]:
        return ()


def packed(*frames: bytes) -> bytes:
    compressor = zstd.Compressor(3, has_checksum=True)
    return b"".join(compressor.compress(frame) for frame in frames)


def numbered(count: int, start: int = 0) -> bytes:
    return b"".join(b'{"number": %d}\n' % number for number in range(start, start + count))


def read_whole(path: PurePosixPath, content: bytes) -> tuple[list[bytes], list[Problem]]:
    problems: list[Problem] = []
    lines = list(whole_lines(lines_of(path, Chunks([content])), Framing(Nothing()), problems))
    return lines, problems


@given(st.binary(max_size=300), st.integers(0, 320), st.integers(1, 40))
@settings(max_examples=examples(60))
def test_a_tap_shows_every_byte_that_passes_and_stops_at_its_limit(content: bytes, limit: int, block: int) -> None:
    seen: list[bytes] = []
    tap = Tap(Chunks([content]), limit, seen.append)
    found = b""
    while piece := tap.read(block):
        found += piece
    assert found == b"".join(seen) == content[:limit]


def test_a_tap_sees_what_the_lines_leave_unread() -> None:
    content = packed(numbered(5)) + b"damage behind the last frame"
    seen: list[bytes] = []
    tap = Tap(Chunks([content]), len(content), seen.append)
    problems: list[Problem] = []
    assert len(list(whole_lines(lines_of(PACKED, tap), Framing(Nothing()), problems))) == 5
    while tap.read(1_000):
        pass
    assert b"".join(seen) == content
    assert len(problems) == 1


@given(st.lists(st.binary(max_size=30), max_size=8), st.integers(1, 50))
@settings(max_examples=examples(60))
def test_chunks_are_a_file(chunks: list[bytes], block: int) -> None:
    file = Chunks(chunks)
    found = b""
    while piece := file.read(block):
        assert len(piece) <= block
        found += piece
    assert found == b"".join(chunks)


@given(st.lists(st.sampled_from([b"a\n", b"\n", b"\r\n", b"no end", b"\x00\xff\n", b"x" * 50]), max_size=8))
@settings(max_examples=examples(60))
def test_lines_are_cut_at_newlines_and_keep_them(pieces: list[bytes]) -> None:
    lines, problems = read_whole(PLAIN, b"".join(pieces))
    assert b"".join(lines) == b"".join(pieces)
    assert all(line.endswith(b"\n") for line in lines[:-1])
    assert all(b"\n" not in line[:-1] for line in lines)
    assert problems == []


def test_a_line_of_any_length_is_one_line() -> None:
    content = b"x" * 3_000_000 + b"\n" + b"y\n"
    for path, given_bytes in ((PLAIN, content), (PACKED, packed(content))):
        lines, _ = read_whole(path, given_bytes)
        assert [len(line) for line in lines] == [3_000_001, 2]


@pytest.mark.parametrize(
    ("name", "expected"), [("a.jsonl.zst", True), ("a.jsonl", False), ("zst", False), ("a.zst/b", False)]
)
def test_only_zst_files_are_packed(name: str, expected: bool) -> None:
    assert is_packed(PurePosixPath(name)) is expected


def test_a_packed_log_of_several_frames_is_read_whole() -> None:
    content = packed(numbered(10), numbered(3_000, 10), b"", numbered(5, 3_010))
    lines, problems = read_whole(PACKED, content)
    assert b"".join(lines) == numbered(3_015)
    assert problems == []


def test_a_skippable_frame_says_nothing() -> None:
    skippable = b"\x5a\x2a\x4d\x18\x03\x00\x00\x00abc"
    lines, problems = read_whole(PACKED, skippable + packed(numbered(3)) + skippable)
    assert b"".join(lines) == numbered(3)
    assert problems == []


@pytest.mark.parametrize("damage", [b"no zstd at all", b"\x28\xb5\x2f\xfd" + b"\xff" * 40])
def test_frames_before_the_damage_are_read_and_the_damage_is_a_problem(damage: bytes) -> None:
    lines, problems = read_whole(PACKED, packed(numbered(100), numbered(100, 100)) + damage)
    assert b"".join(lines) == numbered(200)
    (problem,) = problems
    assert problem.reason.startswith("cannot be unpacked: ")


def test_a_flipped_byte_late_in_a_frame_costs_its_end_only() -> None:
    content = bytearray(packed(b"".join(b"%d %s\n" % (n, bytes([65 + n * n % 50])) * 3 for n in range(60_000))))
    content[len(content) * 9 // 10] ^= 0xFF
    lines, problems = read_whole(PACKED, bytes(content))
    assert len(problems) == 1
    assert len(lines) > 60_000


def test_a_log_that_is_still_being_packed_is_read_as_far_as_it_goes() -> None:
    content = packed(numbered(20_000))
    lines, problems = read_whole(PACKED, content[: len(content) // 2])
    assert 0 < len(lines) < 20_000
    assert [problem.reason for problem in problems] == ["cannot be unpacked: it ends in the middle of a frame"]


def test_an_empty_log_has_no_lines() -> None:
    assert read_whole(PLAIN, b"") == read_whole(PACKED, b"") == ([], [])


def test_a_bomb_is_unpacked_in_bounded_pieces() -> None:
    bomb = packed(bytes(64 << 20))
    file = lines_of(PACKED, Chunks([bomb]))
    assert len(file.read(1 << 16)) == 1 << 16
