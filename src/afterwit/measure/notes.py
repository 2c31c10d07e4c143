"""A note: what would have been said to an agent, when, and because of what. Its JSON form is the backtest's format."""

from enum import StrEnum

import msgspec


class Moment(StrEnum):
    """When a note can be given."""

    START = "start"
    PROMPT = "prompt"  # the first one
    BEFORE = "before"  # an action
    AFTER = "after"  # a failed action


class Saying(msgspec.Struct, frozen=True, kw_only=True):
    """What a player says; the replay knows the rest."""

    text: str
    items: tuple[str, ...] = ()  # ids of what stands behind it
    advice: str = ""  # the command line to use instead
    files: tuple[str, ...] = ()  # where the work is likely to be, best first
    is_rewrite: bool = False  # it changes the command itself


class Note(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    session: str
    action: str | None
    moment: Moment
    item: str
    text: str
    advice: str = ""
    files: tuple[str, ...] = ()
    is_rewrite: bool = msgspec.field(default=False, name="rewrite")

    @property
    def tokens(self) -> float:
        """About what it costs to read."""
        return len(self.text) / 4
