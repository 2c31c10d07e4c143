"""Identities of records as 64-bit numbers, the form in which they are claimed and compared."""

import hashlib


def key_of(identity: str) -> int:
    """A signed 64-bit number for a record's identity: equal for a record and its copies, on every machine."""
    digest = hashlib.blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
