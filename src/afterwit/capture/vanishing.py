"""When agents delete their logs by themselves: how long they keep what lies in a home, and when a transcript goes."""

from afterwit.agents import retention
from afterwit.agents.retention import Keeping
from afterwit.capture.logs import Home
from afterwit.sources.places import LogFile
from afterwit.store.regular_files import read_regular

_SETTINGS_BYTES = 1 << 20


def keeping_in(home: Home) -> Keeping | None:
    """How long the agent keeps what lies in this home. None: not known."""
    path = retention.settings_path(home.agent)
    try:
        settings = None if path is None else read_regular(home.folder / path, _SETTINGS_BYTES)
    except OSError:
        settings = None
    return retention.keeping(home.agent, settings)


def vanishes_at(home: Home, kept: Keeping | None, file: LogFile) -> int | None:
    """When the agent will delete this transcript, in milliseconds since 1970. None: not known, or never."""
    return retention.vanishes_at_ms(home.agent, kept, file.path, file.mtime_ns // 1_000_000)
