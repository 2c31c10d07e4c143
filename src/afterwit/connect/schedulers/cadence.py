"""How often a scheduled job runs: once an hour, or once a day at a time of the local clock."""

from typing import NamedTuple

HOURLY = "hourly"
_MINUTE = 17  # of the hour: on the hour everyone's jobs start


class Cadence(NamedTuple):
    """Each day at this hour and minute; each hour at this minute where there is no hour."""

    hour: int | None
    minute: int

    @classmethod
    def of(cls, text: str) -> "Cadence":
        """`hourly` or `HH:MM`, as the settings have it."""
        if text == HOURLY:
            return cls(None, _MINUTE)
        hour, _, minute = text.partition(":")
        return cls(int(hour), int(minute))

    @property
    def text(self) -> str:
        return HOURLY if self.hour is None else f"{self.hour:02d}:{self.minute:02d}"

    @property
    def words(self) -> str:
        """For people."""
        return "every hour" if self.hour is None else f"every day at {self.text}"
