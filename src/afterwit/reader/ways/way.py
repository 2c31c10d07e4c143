"""How a model is reached: one small interface. `registry` knows the ways that there are.

A model is named by its way and, where the way knows several, by its own name: `claude-code`, `codex:gpt-5-mini`,
`llm:orca`. A name without a way is that of a model that only files reach.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from afterwit.reader.answers import GivenAnswer


class ModelQuestion(NamedTuple):
    """What is asked: the request's id, the prompt, the text, and the form of the answer."""

    id: str
    system: str
    text: str
    schema: Mapping[str, Any] = {}  # a JSON schema, for models that can be held to one; empty: any form will do


class WaySurroundings(NamedTuple):
    """Where a way finds itself. Ways read no environment of their own."""

    environ: Mapping[str, str]
    home: Path  # the user's
    folder: Path  # to work in, below the folder where data is stored; it may not be there yet


class Way(Protocol):
    """One way to a model. An object is made for one model, and may be asked by several threads."""

    most_at_once: int  # calls that may run side by side
    overhead_tokens: int  # about what it adds to every request by itself; reserved with it

    def recipient(self) -> str:
        """Who gets to read what is sent, in words for people."""

    def refusal(self) -> str:
        """Why the model cannot be asked as things are, and what to do; "" where it can. Sends nothing."""

    def answer(self, question: ModelQuestion, seconds: float) -> GivenAnswer:
        """What the model answers within this time; a fault where it does not. Leaves no process and no transcript."""


WayFactory = Callable[[str, WaySurroundings], Way]  # takes the model's own name; "": the one that the way chooses
