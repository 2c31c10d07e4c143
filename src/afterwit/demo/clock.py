"""The passing of time and tokens in a demo session: a plain rule, close enough to real sessions."""

from typing import NamedTuple

from afterwit.demo.script import Compacted, Delegate, Prompt, Reply, Shell, Step, Thought

_SYSTEM_TOKENS = 14_200  # what an agent's own instructions cost before the first word
_CHARS_PER_TOKEN = 4


class Tokens(NamedTuple):
    """The tokens of one response."""

    fresh: int
    cached: int
    output: int


def duration_ms(step: Step) -> int:
    """How long a person or a model takes over a step."""
    match step:
        case Prompt(text):
            return 20_000 + 50 * len(text)
        case Reply(text) | Thought(text):
            return 4_000 + 25 * len(text)
        case Compacted():
            return 40_000
    return 6_500


def wait_ms(step: Step) -> int:
    """How long a tool takes to answer."""
    match step:
        case Shell(seconds=seconds):
            return round(seconds * 1_000)
        case Delegate(steps=steps):
            return 60_000 + sum(duration_ms(inner) + wait_ms(inner) for inner in steps)
    return 300


class Meter:
    """Counts tokens as the context grows."""

    def __init__(self) -> None:
        self._cached = 0
        self._waiting = _SYSTEM_TOKENS

    def take(self, text: str) -> None:
        """Text that goes into the context."""
        self._waiting += len(text) // _CHARS_PER_TOKEN + 8

    def respond(self, text: str) -> Tokens:
        """The tokens of a response that says this."""
        output = len(text) // _CHARS_PER_TOKEN + 40
        tokens = Tokens(self._waiting, self._cached, output)
        self._cached += self._waiting
        self._waiting = output
        return tokens

    def forget(self) -> None:
        """A compaction: only the instructions stay."""
        self._cached, self._waiting = 0, _SYSTEM_TOKENS
