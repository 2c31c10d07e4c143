"""Numbers of rows as bytes: four for each, least significant first, and one more where each has a weight.

Packed by the writer of a deck and unpacked in a hook, which has no time for anything slower. Weights are kept in
hundredths, up to 2.55.
"""

from collections.abc import Iterable
from struct import iter_unpack, pack

_HUNDREDTHS = 100
_MOST = 255


def pack_numbers(numbers: Iterable[int]) -> bytes:
    listed = list(numbers)
    return pack(f"<{len(listed)}I", *listed)


def unpack_numbers(body: bytes) -> list[int]:
    return [number for (number,) in iter_unpack("<I", body)]


def count_numbers(body: bytes) -> int:
    return len(body) // 4


def pack_weighted(weighted: Iterable[tuple[int, float]]) -> bytes:
    return b"".join(pack("<IB", number, min(_MOST, round(weight * _HUNDREDTHS))) for number, weight in weighted)


def unpack_weighted(body: bytes) -> list[tuple[int, float]]:
    return [(number, weight / _HUNDREDTHS) for number, weight in iter_unpack("<IB", body)]
