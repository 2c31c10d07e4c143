"""Which transcript an archived companion belongs to, and where copies of shared files are kept.

A file that many transcripts share is copied for each transcript that used it, as it was then. So what is derived from a
transcript does not change with what others add to the file, and reading it again gives the same. The copy is kept under
a path below the transcript itself, where no file can lie.
"""

from pathlib import PurePosixPath
from typing import NamedTuple

from afterwit.agents.protocol import Reader, shared_files


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
