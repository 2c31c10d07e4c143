"""What the reading of one file has to remember between two appends.

Ids, counts and digests only: the state goes into the store, and the text of a log may hold secrets. Everything that
grows with the file is bounded, and forgets its oldest entries first.
"""

from hashlib import blake2b

import msgspec

_RECENT = 32
_LINKS = 500
_QUEUED = 64
_CALLS = 50
_NAMES = 100


class ClaudeState(msgspec.Struct):
    known: dict[str, int] = {}
    unknown: dict[str, int] = {}
    version: str = ""  # of the client, as of the last record that names it
    told: dict[str, str] = {}  # digests of the facts given last
    children: list[str] = []  # subagents inside this file that were introduced
    roots: dict[str, str] = {}  # record of an old sidechain → the record it began with
    agent_types: dict[str, str] = {}  # call that starts a subagent → the subagent's type
    queued: list[str] = []  # digests of prompts that were read from the queue and may come again as a message
    recent: list[str] = []  # the last messages' uuids

    def count(self, name: str, *, is_known: bool) -> None:
        counts = self.known if is_known else self.unknown
        if name not in counts and len(counts) >= _NAMES and not is_known:
            name = "(other)"
        counts[name] = counts.get(name, 0) + 1

    def tells_new(self, field: str, value: str) -> bool:
        """Whether this fact differs from the one told before; it counts as told from now on."""
        digest = digest_of(value)
        if self.told.get(field) == digest:
            return False
        self.told[field] = digest
        return True

    def introduces(self, child: str) -> bool:
        if child in self.children:
            return False
        self.children.append(child)
        return True

    def root_of(self, uuid: str, parent: str) -> str:
        """The record that began the sidechain which this record belongs to."""
        root = self.roots.get(parent, uuid)
        self.roots[uuid] = root
        if len(self.roots) > _LINKS:
            del self.roots[next(iter(self.roots))]
        return root

    def remember_call(self, call: str, agent_type: str) -> None:
        self.agent_types[call] = agent_type
        if len(self.agent_types) > _CALLS:
            del self.agent_types[next(iter(self.agent_types))]

    def remember_queued(self, text: str) -> None:
        self.queued.append(digest_of(text.strip()))
        del self.queued[:-_QUEUED]

    def was_queued(self, text: str) -> bool:
        """Whether this text was read from the queue; true once for each time that it was put there."""
        if not self.queued:
            return False
        digest = digest_of(text.strip())
        if digest not in self.queued:
            return False
        self.queued.remove(digest)
        return True

    def remember_message(self, uuid: str) -> None:
        self.recent.append(uuid)
        if len(self.recent) > _RECENT:
            del self.recent[0]


def digest_of(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
