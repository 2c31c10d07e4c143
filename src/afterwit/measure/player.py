"""What plays in a backtest: it is told what became known, sees a session as it unfolds, and may speak.

A player has no other way to the future than what it is given: `know` brings sessions only as far as they had happened
before the present session began, and a step is shown without its result before it runs. Silence is the default. What it
says becomes a note: when, to whom, and because of what. The JSON form of notes is the backtest's format.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from afterwit.model.digest import Digest
from afterwit.model.kinds import Step


class NoteMoment(StrEnum):
    """When a note can be given, as outside examiners tell it."""

    START = "start"
    PROMPT = "prompt"
    BEFORE = "before"  # an action
    AFTER = "after"  # an action


class NoteOccasion(StrEnum):
    """What gave rise to a note, where the moment does not say it: usually the first prompt, or a failure."""

    USUAL = ""
    LATER_PROMPT = "later-prompt"
    ACTIVITY = "activity"  # the first action of its kind


class Saying(msgspec.Struct, frozen=True, kw_only=True):
    """What a player says; the replay knows the rest."""

    text: str
    items: tuple[str, ...] = ()  # ids of what stands behind it
    advice: str = ""  # the command line to use instead
    files: tuple[str, ...] = ()  # where the work is likely to be, best first
    is_rewrite: bool = False  # it changes the command itself
    occasion: NoteOccasion = NoteOccasion.USUAL


class PlayerNote(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    session: str
    action: str | None  # that it comes before or after; of a later prompt, the last action before it
    moment: NoteMoment
    item: str
    text: str
    advice: str = ""
    files: tuple[str, ...] = ()
    is_rewrite: bool = msgspec.field(default=False, name="rewrite")
    occasion: NoteOccasion = NoteOccasion.USUAL

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
    began_ms: int = 0
    user: str = ""
    relation: str = ""


class Player:
    """A player that knows nothing and says nothing. Others override what they need."""

    name: str = "nothing"
    version: int = 1  # counts up when it would say something else

    @property
    def mark(self) -> str:
        """Changes whenever it would say something else about the same sessions."""
        return str(self.version)

    def know(self, digest: Digest) -> None:
        """A session, as far as it is known by now. Replaces what was known of it before."""

    def end(self, digest: Digest) -> None:
        """A session that was just made known has ended: nothing will be added to it."""

    def read_notes(self) -> Mapping[str, str] | None:
        """Notes that models read and that are known by now: ids of all that was read, each with that of the note that
        it became. None: it goes by nothing that was read."""
        return None

    def start(self, here: Whereabouts) -> Iterable[Saying]:
        """The session begins."""
        del here
        return ()

    def prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        """The first prompt has been given."""
        del here, prompt
        return ()

    def later_prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        """The user has typed another prompt."""
        del here, prompt
        return ()

    def before(self, here: Whereabouts, step: Step) -> Iterable[Saying]:
        """An action is about to run. Its result is not in the step."""
        del here, step
        return ()

    def after(self, here: Whereabouts, step: Step) -> Iterable[Saying]:
        """An action has failed."""
        del here, step
        return ()

    def action(self, here: Whereabouts, step: Step, paths: Sequence[str]) -> Iterable[Saying]:
        """An action is over, however it ended; a failure was told to `after` before. Its target and its error are as
        long as they are stored. The paths are those below the repository that it read or changed."""
        del here, step, paths
        return ()
