"""Which file it is, for the archive and for the rows: of which agent, where below its home, and in which role.

The key of a file comes from this alone, so it is the same on every run and after a rebuild. Archived files say their
origin in their header. Which files exist, and what is in them, is not known here.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from afterwit.store.rows.files import file_key

TRANSCRIPT, COMPANION, SOURCE = "transcript", "companion", "source"
SESSIONS = "session"  # under this name the row of a source says how many it holds


class Origin(NamedTuple):
    """Which file it is: of which agent, and where below the agent's home."""

    agent: str
    label: str  # "" for the agent's first home
    path: PurePosixPath

    @property
    def key(self) -> bytes:
        return file_key(self.agent, self.label + str(self.path))

    def header(self, role: str, generation: int) -> dict[str, str | int]:
        """What an archived file says of itself."""
        path = str(self.path)
        return {"agent": self.agent, "label": self.label, "path": path, "role": role, "generation": generation}


def origin_in(header: Mapping[str, Any]) -> Origin:
    """The origin that an archived file's header names."""
    return Origin(str(header["agent"]), str(header["label"]), PurePosixPath(str(header["path"])))
