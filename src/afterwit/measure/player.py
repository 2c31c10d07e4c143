"""What plays in a backtest: it is told what became known, sees a session as it unfolds, and may speak.

A player has no other way to the future than what it is given: `know` brings sessions only as far as they had happened
before the present session began, and a step is shown without its result before it runs. Silence is the default. What it
says becomes a note: when, to whom, and because of what. The JSON form of notes is the backtest's format.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

import msgspec

from afterwit.model.digest import Digest, DigestStep


class NoteMoment(StrEnum):
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


class PlayerNote(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    session: str
    action: str | None
    moment: NoteMoment
    item: str
    text: str
    advice: str = ""
    files: tuple[str, ...] = ()
    is_rewrite: bool = msgspec.field(default=False, name="rewrite")

    @property
    def tokens(self) -> float:
        """About what it costs to read."""
        return len(self.text) / 4


class Whereabouts(NamedTuple):
    """Where the agent is: what is known of a session when it begins."""

    session: str
    agent: str
    repo: str
    branch: str = ""
    parent: str = ""


class Player:
    """A player that knows nothing and says nothing. Others override what they need."""

    name: str = "nothing"
    version: int = 1  # counts up when it would say something else

    def know(self, digest: Digest) -> None:
        """A session, as far as it is known by now. Replaces what was known of it before."""

    def start(self, here: Whereabouts) -> Iterable[Saying]:
        """The session begins."""
        del here
        return ()

    def prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        """The first prompt has been given."""
        del here, prompt
        return ()

    def before(self, here: Whereabouts, step: DigestStep) -> Iterable[Saying]:
        """An action is about to run. Its result is not in the step."""
        del here, step
        return ()

    def after(self, here: Whereabouts, step: DigestStep) -> Iterable[Saying]:
        """An action has failed."""
        del here, step
        return ()
