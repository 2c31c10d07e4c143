"""A file of logs as whoever keeps it describes it: enough to tell whether it has changed."""

from pathlib import PurePosixPath
from typing import NamedTuple


class LogFile(NamedTuple):
    path: PurePosixPath  # below the agent's home
    size_bytes: int
    mtime_ns: int
    inode: int


ListedFile = tuple[str, int, int, int]  # what a LogFile holds, its path a text: there are tens of thousands
