"""Companions of transcripts: which they are, where the archive keeps them, and their content, for the reader or packed.

A file that many transcripts share is copied for each transcript that used it, as it was then. So what is derived from a
transcript does not change with what others add to the file, and reading it again gives the same. The copy is kept under
a path below the transcript itself, where no file can lie. A companion that is gone, or that nobody may read, is None
and no error: a transcript is read without it.
"""

import hashlib
import os
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from afterwit.agents.protocol import Reader, shared_files
from afterwit.capture.derived import Copy
from afterwit.store.frames import Packer
from afterwit.store.regular_files import open_regular

COMPANION_LIMIT = 64 << 20
_BLOCK_BYTES = 1 << 20


class Belonging(NamedTuple):
    """The transcript that a companion belongs to, and the path under which the reader asks for it."""

    transcript: PurePosixPath
    path: PurePosixPath


def kept_at(transcript: PurePosixPath, shared: PurePosixPath) -> PurePosixPath:
    """Where the archive keeps a transcript's copy of a shared file."""
    return transcript / shared


def belonging(reader: Reader, path: PurePosixPath) -> Belonging | None:
    """What the companion that the archive keeps at this path belongs to."""
    for above in path.parents:
        shared = path.relative_to(above)
        if shared in shared_files(reader, above):
            return Belonging(above, shared)
    owner = reader.primary(path)
    return Belonging(owner, path) if owner is not None else None


def companion_content(path: Path) -> bytes | None:
    """What a companion holds now, up to the limit."""
    try:
        with open_regular(path) as file:
            return file.read(COMPANION_LIMIT)
    except OSError:
        return None


def copied_companion(home: Path, path: str, kept: PurePosixPath | None = None) -> Copy | None:
    """A companion as it is now, or None if it cannot be read. The archive keeps it at its own path or at `kept`."""
    sha, packer, frames, held_bytes = hashlib.sha256(), Packer(), list[bytes](), 0
    try:
        with open_regular(home / path) as file:
            about = os.fstat(file.fileno())
            while block := file.read(_BLOCK_BYTES):
                sha.update(block)
                frames.extend(packer.add(block))
                held_bytes += len(block)
    except OSError:
        return None
    return Copy(
        path=os.fsencode(kept or path),
        frames=[*frames, *packer.finish()],
        held_bytes=held_bytes,
        sha256=sha.hexdigest(),
        size_bytes=about.st_size,
        mtime_ns=about.st_mtime_ns,
        inode=about.st_ino,
    )
