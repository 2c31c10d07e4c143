"""What plays in a backtest: it is told what became known, sees a session as it unfolds, and may speak.

A player has no other way to the future than what it is given: `know` brings sessions only as far as they had happened
before the present session began, and a step is shown without its result before it runs. Silence is the default.
"""

from collections.abc import Iterable
from typing import NamedTuple

from afterwit.measure.notes import Saying
from afterwit.model.digest import Digest, DigestStep


class Here(NamedTuple):
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

    def start(self, here: Here) -> Iterable[Saying]:
        """The session begins."""
        del here
        return ()

    def prompt(self, here: Here, prompt: str) -> Iterable[Saying]:
        """The first prompt has been given."""
        del here, prompt
        return ()

    def before(self, here: Here, step: DigestStep) -> Iterable[Saying]:
        """An action is about to run. Its result is not in the step."""
        del here, step
        return ()

    def after(self, here: Here, step: DigestStep) -> Iterable[Saying]:
        """An action has failed."""
        del here, step
        return ()
