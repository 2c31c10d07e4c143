"""Copied history, recognised by key, and what an assembler remembers between two appends of a file.

A record whose key another part owns, or that occurred before in this file, is a copy. Prompts, calls and spends have
keys; everything else goes with the last of them in its session. A record whose format gives it no identity gets one
here. Which of several parts owns a record is settled between files, elsewhere: here it is only noted which keys each
part holds.

Of `AssemblerResume` the order of the fields is the format: bytes that an earlier run has written must be read by this
one. Everything in it is redacted already, and ids that come from the log are hashes.
"""

from collections.abc import Set

import msgspec

from afterwit.capture.assembly.calls import CallOutcome, PendingCall
from afterwit.capture.assembly.part_facts import is_task
from afterwit.model.captured import PartFacts, key_of
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event


class AssemblerResume(msgspec.Struct, array_like=True):
    parts: list[PartFacts]
    open_calls: dict[int, PendingCall]
    early: dict[int, CallOutcome]  # results that came before their calls
    owned: list[list[int]]  # per part: the keys of all records read so far
    copied: list[int]
    is_copying: list[bool]
    problems: int


class CopiedHistory:
    """The keys of one file's records, and which of its parts is inside a copy. Parts are known by position."""

    def __init__(self, copied: Set[int], state: AssemblerResume) -> None:
        self.copied = copied | set(state.copied)
        self.is_copying = state.is_copying
        self.claims: list[list[int]] = [[] for _ in state.parts]  # per part: the keys that this pass found
        self._owner = {key: number for number, keys in enumerate(state.owned) for key in keys}

    def add_part(self) -> None:
        self.claims.append([])
        self.is_copying.append(False)

    def owned(self) -> list[list[int]]:
        """Per part: the keys of all records read so far."""
        owned: list[list[int]] = [[] for _ in self.claims]
        for key, number in self._owner.items():
            owned[number].append(key)
        return owned

    def is_copy(self, number: int, part: PartFacts, event: Event) -> bool:
        """Whether this record's original is elsewhere."""
        if event.kind in (EventKind.PROMPT, EventKind.CALL) or _is_own_task(part, event):
            key = key_of(event.key or _made_up(part, event))
            self.is_copying[number] = key in self._owner or key in self.copied
            self._claim(number, key)
        return self.is_copying[number]

    def is_own(self, number: int, key: int) -> bool:
        """Whether a record that may come several times counts for this part."""
        self._claim(number, key)
        return key not in self.copied and self._owner[key] == number

    def _claim(self, number: int, key: int) -> None:
        """Notes the record as one that this part holds; who owns it is settled between the parts."""
        if key not in self._owner:
            self._owner[key] = number
            self.claims[number].append(key)


def _is_own_task(part: PartFacts, event: Event) -> bool:
    """What a subagent was told by its parent: where its own history begins, behind a copy of its parent's."""
    return bool(event.key) and is_task(part, event)


def _made_up(part: PartFacts, event: Event) -> str:
    """An identity for a record whose format gives it none: good within its session, also after a rewrite."""
    part.unkeyed += 1
    content = (event.call_id, event.tool, event.arguments, event.text)
    return f"{event.session}#{part.unkeyed}:{content!r}"


def resumed(resume: bytes | None) -> AssemblerResume:
    """The state in these bytes, or that of a file of which nothing was read."""
    return (
        msgspec.msgpack.decode(resume, type=AssemblerResume) if resume else AssemblerResume([], {}, {}, [], [], [], 0)
    )


def keys_held(resume: bytes) -> dict[str, list[int]]:
    """The keys of all records that a file was found to hold, by session."""
    state = msgspec.msgpack.decode(resume, type=AssemblerResume)
    return {part.native_id: keys for part, keys in zip(state.parts, state.owned, strict=True)}


def parts_held(resume: bytes) -> list[PartFacts]:
    """What a file was found to say of its sessions."""
    return [part for part in msgspec.msgpack.decode(resume, type=AssemblerResume).parts if not part.is_empty]
