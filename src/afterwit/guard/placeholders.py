"""The marks that stand for what was taken out: `‹aws-key:3f9c2a›`.

A placeholder says the type of the value and, by a keyed hash, which value it was: equal secrets stay equal on one
machine, and nobody without the key can check a guess. Ids and content hashes must agree between machines, so they see
the text through `unkeyed`. What counts as a secret is decided elsewhere.
"""

import functools
import hmac
import re

SUFFIX_LENGTH = 6
PLACEHOLDER = re.compile(r"‹[a-z][a-z0-9-]*:[0-9a-f]{4,16}›")
PLACEHOLDER_BYTES = re.compile(PLACEHOLDER.pattern.encode())
_KEYED = re.compile(r"‹([a-z][a-z0-9-]*):[0-9a-f]{4,16}›")


@functools.lru_cache(maxsize=4096)
def placeholder(kind: str, value: str | bytes, key: bytes) -> str:
    """The mark for this value; a text and its UTF-8 bytes get the same one."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    return f"‹{kind}:{hmac.digest(key, value, 'sha256').hex()[:SUFFIX_LENGTH]}›"


def unkeyed(text: str) -> str:
    """The same text with the machine's own suffixes removed: `‹aws-key:3f9c2a›` becomes `‹aws-key›`."""
    return _KEYED.sub(r"‹\1›", text) if "‹" in text else text
