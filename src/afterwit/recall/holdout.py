"""Who gets nothing, to compare with: drawn by a keyed hash, before anything is shown.

The same session and item give the same draw on every call, nobody without the key can foretell it, and no state is
kept. A session that is held out gets nothing at all; an item that is held out is left out of one session. The key stays
with the store: with another one every session would be drawn anew.
"""

try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

_BYTES = 8
_PURPOSE = b"afterwit hold-out"


def draw(key: bytes, agent: str, session: str, item: str = "") -> float:
    """A number from 0 up to 1 for an item in a session, or for the session itself."""
    content = f"{agent}\0{session}\0{item}".encode("utf-8", "surrogatepass")
    digest = blake2b(content, key=key[:64], digest_size=_BYTES).digest()
    return int.from_bytes(digest, "big") / (1 << (8 * _BYTES))


def is_held_out(share: float, key: bytes, agent: str, session: str, item: str = "") -> bool:
    """Whether the draw falls into the share."""
    return draw(key, agent, session, item) < share


def holdout_key(redaction_key: bytes) -> bytes:
    """The key of the draws: as secret and as lasting as the redaction key, which it is made from."""
    return blake2b(_PURPOSE, key=redaction_key, digest_size=32).digest()
