"""What an assembler remembers between two appends of a file, as bytes that are stored beside the file's row.

The order of the fields is the format: bytes that an earlier run has written must be read by this one. Everything in
here is redacted already, and ids that come from the log are hashes. What the reader itself remembers is not in here.
"""

import msgspec

from afterwit.capture.assembly.calls import OpenCall, Outcome
from afterwit.model.captured import PartFacts


class Resume(msgspec.Struct, array_like=True):
    """The state of an assembler."""

    parts: list[PartFacts]
    open_calls: dict[int, OpenCall]
    early: dict[int, Outcome]  # results that came before their calls
    owned: list[list[int]]  # per part: the keys of all records read so far
    copied: list[int]
    is_copying: list[bool]
    problems: int


def resumed(resume: bytes | None) -> Resume:
    """The state in these bytes, or that of a file of which nothing was read."""
    return msgspec.msgpack.decode(resume, type=Resume) if resume else Resume([], {}, {}, [], [], [], 0)


def keys_held(resume: bytes) -> dict[str, list[int]]:
    """The keys of all records that a file was found to hold, by session."""
    state = msgspec.msgpack.decode(resume, type=Resume)
    return {part.native_id: keys for part, keys in zip(state.parts, state.owned, strict=True)}


def parts_held(resume: bytes) -> list[PartFacts]:
    """What a file was found to say of its sessions."""
    return [part for part in msgspec.msgpack.decode(resume, type=Resume).parts if not part.is_empty]
