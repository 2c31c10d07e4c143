"""Where the deck lies, and the key of the hold-out.

The key is made once and stays with the store: with another one every session would be drawn anew.
"""

import hashlib
from pathlib import Path

from afterwit.store.layout import Layout, redaction_key

_PURPOSE = b"afterwit hold-out"


def deck_path(layout: Layout) -> Path:
    """Where hooks look for it."""
    return layout.deck


def holdout_key(layout: Layout) -> bytes:
    """The key of the draws: as secret and as lasting as the redaction key, which it is made from."""
    return hashlib.blake2b(_PURPOSE, key=redaction_key(layout), digest_size=32).digest()
