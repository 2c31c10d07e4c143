"""The errors that a flipped byte can raise in whoever reads what was stored, besides those of SQLite itself."""

import msgspec
import zstandard

UNREADABLE = (
    ValueError,  # UnicodeDecodeError too
    TypeError,
    LookupError,
    ArithmeticError,
    AttributeError,
    AssertionError,
    msgspec.MsgspecError,
    zstandard.ZstdError,
)
