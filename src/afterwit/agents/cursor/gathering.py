"""Where the Cursor editor keeps its conversations: keys and values in `state.vscdb`.

Two generations: conversations that list their messages (`fullConversationHeadersOnly`), each under its own key, and
before that conversations that hold them (`conversation`). The keys with which Cursor encrypts data are left alone.
"""

from afterwit.sources.gathering import Gatherer
from afterwit.sources.key_values import KeyValueGatherer, KeyValues

_SECRETS = frozenset(("blobEncryptionKey", "speculativeSummarizationEncryptionKey"))
_DATABASE = KeyValues(
    names=r"state\.vscdb",
    table="cursorDiskKV",
    session="composerData:",
    item="bubbleId:",
    order="fullConversationHeadersOnly",
    item_id="bubbleId",
    updated="lastUpdatedAt",
    secrets=_SECRETS,
    inline="conversation",
)


def gatherers() -> tuple[Gatherer, ...]:
    return (KeyValueGatherer(_DATABASE),)
