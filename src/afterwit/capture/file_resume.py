"""What the row of a file keeps of its reading, so that the next run goes on where this one ended.

Two states in one: the reader's, which only the reader understands, and the assembler's. Of the latter others may ask
which records and which sessions the file was found to hold. A file whose original was given up keeps the keys alone.
"""

import msgspec

from afterwit.capture.assembly import resume as assembling
from afterwit.capture.assembly.remains import unpacked_keys
from afterwit.model.captured import PartFacts
from afterwit.store.rows.files import FileRow


class Resume(msgspec.Struct, array_like=True):
    """The states of both. The order of the fields is the format."""

    reader: bytes
    assembler: bytes


def resumed(resume: bytes) -> Resume:
    """The states in these bytes."""
    return msgspec.msgpack.decode(resume, type=Resume)


def keys_held(resume: bytes) -> dict[str, list[int]]:
    """The keys of all records that a file was found to hold, by session."""
    return assembling.keys_held(resumed(resume).assembler)


def parts_held(resume: bytes) -> list[PartFacts]:
    """What a file was found to say of its sessions."""
    return assembling.parts_held(resumed(resume).assembler)


def keys_of(row: FileRow) -> dict[str, list[int]]:
    """The same keys for a file of the store, whether its original was given up or not."""
    if not row.resume:
        return {}
    return unpacked_keys(row.resume) if row.is_dropped else keys_held(row.resume)
