"""Pieces of one archived file."""

import io
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.model.errors import DamagedError
from afterwit.store import frames
from afterwit.store.frames import ArchivedFile

PIECES = [b"0123456789", b"abcdefg", b"ABCDEFGHIJKLMNOP", b"!"]
WHOLE = b"".join(PIECES)
HEADER = {"agent": "codex", "path": "a/b.jsonl"}


def held() -> ArchivedFile:
    packed = b"".join(frame for piece in PIECES for frame in frames.pack([piece]))
    return ArchivedFile("name", io.BytesIO(frames.pack_header(HEADER) + packed))


@given(st.lists(st.tuples(st.integers(0, len(WHOLE)), st.integers(0, len(WHOLE))), max_size=8))
@settings(max_examples=examples(60), deadline=None)
def test_any_pieces_can_be_read_in_any_order(places: list[tuple[int, int]]) -> None:
    with held() as file:
        for start, end in (sorted(place) for place in places):
            assert file.read(start, end - start) == WHOLE[start:end]
            assert file.header == HEADER


def test_a_piece_behind_the_end_is_damage() -> None:
    with held() as file, pytest.raises(DamagedError, match="holds 1 of 5 bytes at 33"):
        file.read(len(WHOLE) - 1, 5)


def test_a_file_without_frames_holds_nothing() -> None:
    empty = io.BytesIO(frames.pack_header(HEADER))
    with ArchivedFile("name", empty) as file, pytest.raises(DamagedError, match="holds 0 of 1 bytes"):
        file.read(0, 1)


def test_pieces_of_one_frame_unpack_it_once() -> None:
    with held() as file, patch.object(frames, "unpack", wraps=frames.unpack) as unpack:
        assert [file.read(offset, 2) for offset in (10, 12, 14)] == [b"ab", b"cd", b"ef"]
        assert unpack.call_count == 1


def test_what_is_read_needs_no_later_frames() -> None:
    damaged = frames.pack_header(HEADER) + b"".join(frames.pack([b"first"])) + b"no frame"
    with ArchivedFile("name", io.BytesIO(damaged)) as file:
        assert file.read(0, 5) == b"first"


def test_a_closed_file_is_closed() -> None:
    file = io.BytesIO()
    ArchivedFile("name", file).close()
    assert file.closed
