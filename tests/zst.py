"""What any program that knows zstd gets out of a file, whatever wrote it."""

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import decompress
else:
    from backports.zstd import decompress

__all__ = ["decompress"]
