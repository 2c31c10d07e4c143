"""What goes into a deck: all that hooks need to know, rendered, and nothing else.

Plain values: whoever compiles a deck fills them from items, and `recall.deck.write` writes them. Texts are redacted,
clean and final; a hook only chooses among them and puts the markers around. Not for hooks to import.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from afterwit.guard.shown import Shown
from afterwit.model.knowledge import EVERYWHERE, Authority, Scope, Trigger
from afterwit.recall.deck.prompt_tables import PromptSource


class Line(NamedTuple):
    """One item as an agent gets it, and what makes it fire."""

    item: str
    text: Shown  # one line, with its quotes and its confidence as they are to be read
    scope: Scope = EVERYWHERE
    authority: Authority = Authority.OBSERVATION
    advice: str = ""  # the command line to use, or the change that makes it
    confidence: float = 0.0
    agents: tuple[str, ...] = ()  # that it concerns; empty: all
    triggers: tuple[Trigger, ...] = ()


class Entry(NamedTuple):
    """One line of a block, and the item that it tells; "" for a line that stands whatever is held out."""

    item: str
    text: Shown


class Section(NamedTuple):
    """Lines below a heading, which is left out together with the last of them. A heading without any lines frames the
    others: it stands as long as any of them does."""

    heading: Shown
    entries: tuple[Entry, ...]


class Block(NamedTuple):
    """What a session gets at its start. Empty names stand for any repository or agent; the closest fit is taken."""

    sections: tuple[Section, ...]
    repo: str = ""
    agent: str = ""


class Index(NamedTuple):
    """Prepared data for the first prompt, as `recall` wants it."""

    repo: str
    name: str
    body: bytes


class DeckSettings(NamedTuple):
    """How hooks behave. `key` draws the hold-out: made once per machine, 16 bytes or more."""

    key: bytes
    session_share: float = 0.1  # of sessions that get nothing, to compare with
    item_share: float = 0.1  # of items that a session does not get
    refusing: tuple[str, ...] = ()  # agents whose commands may be refused once
    rewriting: tuple[str, ...] = ()  # agents whose commands may be rewritten
    refuse_confidence: float = 0.8
    rewrite_confidence: float = 0.95
    most_lines: int = 1  # after one failure
    learns_at_end: bool = True  # whether the end of a session starts a `learn`
    learn_command: tuple[str, ...] = ()  # that does it


class Deck(NamedTuple):
    """Everything."""

    settings: DeckSettings
    roots: Mapping[str, str] = MappingProxyType({})  # folder to repository; `~` stands for the user's home folder
    remotes: Mapping[str, str] = MappingProxyType({})  # other remotes of repositories: host/owner/name to name
    blocks: Iterable[Block] = ()
    lines: Iterable[Line] = ()
    indexes: Iterable[Index] = ()
    prompts: Mapping[str, PromptSource] = MappingProxyType({})  # by repository
