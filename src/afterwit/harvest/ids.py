"""Ids of items: the same on every machine, because of a redaction placeholder they see only the type."""

import hashlib

import msgspec

from afterwit.guard.placeholders import unkeyed
from afterwit.model.knowledge import Draft, Scope


def item_id(harvester: str, scope: Scope, key: tuple[str, ...]) -> str:
    """Twelve hexadecimal digits."""
    content = msgspec.json.encode([harvester, str(scope), [unkeyed(part) for part in key]])
    return hashlib.sha256(content).hexdigest()[:12]


def id_of(draft: Draft) -> str:
    return item_id(draft.harvester, draft.scope, draft.key)
