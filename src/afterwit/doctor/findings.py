"""What `doctor` has to say: alarms, which need somebody, and warnings, which are good to know."""

from enum import StrEnum

import msgspec


class Level(StrEnum):
    ALARM = "alarm"
    WARNING = "warning"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong, as a sentence that says what to do."""

    level: Level
    code: str  # stable, for scripts
    agent: str = ""  # "" where it is about the store
    what: str


def alarm(code: str, what: str, agent: str = "") -> Finding:
    return Finding(level=Level.ALARM, code=code, agent=agent, what=what)


def warning(code: str, what: str, agent: str = "") -> Finding:
    return Finding(level=Level.WARNING, code=code, agent=agent, what=what)
