import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples
from tests.zst import decompress

from afterwit.model import zstd
from afterwit.model.errors import DamagedError
from afterwit.store import frames
from afterwit.store.frames import FRAME_BYTES


def whole(pieces: list[bytes]) -> bytes:
    return frames.pack_header({"agent": "codex"}) + b"".join(frames.pack(pieces))


def walked(packed: bytes) -> list[bytes]:
    file = io.BytesIO(packed)
    found = []
    for frame in frames.walk(file):
        file.seek(frame.packed_offset)
        found.append(frames.unpack(file.read(frame.packed_length)))
    return found


@given(st.lists(st.binary(max_size=2_000), max_size=8))
@settings(max_examples=examples(40), deadline=None)
def test_any_pieces_come_back_byte_for_byte(pieces: list[bytes]) -> None:
    packed = whole(pieces)
    assert b"".join(walked(packed)) == b"".join(pieces)
    assert decompress(packed) == b"".join(pieces)


@pytest.mark.parametrize("size", [1, FRAME_BYTES - 1, FRAME_BYTES, FRAME_BYTES + 1, 3 * FRAME_BYTES + 17])
def test_frames_are_of_the_stated_size_and_the_last_one_holds_the_rest(size: int) -> None:
    lengths = [len(piece) for piece in walked(whole([bytes(size)]))]
    assert sum(lengths) == size
    assert all(length == FRAME_BYTES for length in lengths[:-1])
    assert 0 < lengths[-1] <= FRAME_BYTES


def test_one_large_piece_and_many_small_ones_make_the_same_frames() -> None:
    data = bytes(range(256)) * 3_000
    small = [data[at : at + 1_000] for at in range(0, len(data), 1_000)]
    assert list(frames.pack([data])) == list(frames.pack(small))


def test_nothing_packs_to_no_frame() -> None:
    assert list(frames.pack([])) == []
    assert list(frames.pack([b"", b""])) == []


def test_content_that_looks_like_a_frame_is_only_content() -> None:
    inner = whole([b"inner"])
    assert walked(whole([inner])) == [inner]


@given(st.data())
@settings(max_examples=examples(40), deadline=None)
def test_a_torn_end_is_left_out_and_what_is_before_stays(data: st.DataObject) -> None:
    first, second = whole([b"first"]), b"".join(frames.pack([b"second" * 20]))
    cut = data.draw(st.integers(0, len(second) - 1))
    assert walked(first + second[:cut]) == [b"first"]


@pytest.mark.parametrize(
    "header",
    [{}, {"agent": "codex", "generation": 3}, {"path": "a\nb/ü/\udcff.jsonl", "label": "‹x›"}, {"deep": {"list": [1]}}],
)
def test_a_header_comes_back_as_it_was(header: dict[str, Any]) -> None:
    packed = frames.pack_header(header)
    assert frames.read_header(io.BytesIO(packed + b"".join(frames.pack([b"content"])))) == header


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"short",
        b"{}" * 20,
        frames.pack_header({"a": 1})[:-1],
        b"\x5a\x2a\x4d\x18\xff\xff\xff\xff{}",
        b"\x5a\x2a\x4d\x18\x02\x00\x00\x00[]",
        b'\x5a\x2a\x4d\x18\x04\x00\x00\x00"\xff\xfe"',
    ],
)
def test_a_damaged_header_is_called_damaged(content: bytes) -> None:
    with pytest.raises(DamagedError):
        frames.read_header(io.BytesIO(content))


@given(st.data())
@settings(max_examples=examples(150), deadline=None)
def test_a_flipped_bit_never_goes_unnoticed_and_never_crashes(data: st.DataObject) -> None:
    content = [bytes(range(200)) * 4, b"more text, and more text" * 9]
    packed = bytearray(frames.pack_header({"agent": "codex"}) + b"".join(b"".join(frames.pack([c])) for c in content))
    packed[data.draw(st.integers(0, len(packed) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    try:
        found = walked(bytes(packed))
    except DamagedError:
        return
    assert found == content[: len(found)]


def test_a_frame_that_claims_to_be_huge_is_refused_before_memory_is_taken() -> None:
    huge = zstd.Compressor(3).compress(bytes(FRAME_BYTES + 1))
    with pytest.raises(DamagedError, match="impossible size"):
        frames.unpack(huge)
