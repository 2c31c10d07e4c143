"""Compression: Python's own zstd where it has one (3.14), elsewhere its backport, which is the same code.

`Compressor` makes frames that state their content size, `unpack` reads one frame whole and refuses what is torn or
would become larger than it may. Streams of unknown length take `ZstdDecompressor` as it is.
"""

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import CompressionParameter, ZstdCompressor, ZstdDecompressor, ZstdError, get_frame_info
else:
    from backports.zstd import CompressionParameter, ZstdCompressor, ZstdDecompressor, ZstdError, get_frame_info

__all__ = ["Compressor", "ZstdDecompressor", "ZstdError", "content_bytes", "unpack"]


class Compressor:
    """Packs pieces, each into a frame of its own."""

    def __init__(self, level: int, *, has_checksum: bool = False) -> None:
        parameter = CompressionParameter
        self._compressor = ZstdCompressor(
            options={parameter.compression_level: level, parameter.checksum_flag: int(has_checksum)}
        )

    def compress(self, content: bytes | bytearray) -> bytes:
        return self._compressor.compress(content, ZstdCompressor.FLUSH_FRAME)


def content_bytes(frame: bytes) -> int:
    """How many bytes a frame says it holds; 0 where it does not say."""
    return get_frame_info(frame).decompressed_size or 0


def unpack(frame: bytes, most_bytes: int = -1) -> bytes:
    """The content of a whole frame, of at most so many bytes. Raises ZstdError for anything else."""
    unpacker = ZstdDecompressor()
    content = unpacker.decompress(frame, max_length=most_bytes)
    if not unpacker.eof and len(content) == most_bytes:
        content += unpacker.decompress(b"", max_length=1)  # the checksum may still be unread
    if not unpacker.eof or (0 <= most_bytes < len(content)):
        raise ZstdError("it is torn, or larger than it may be")
    return content
