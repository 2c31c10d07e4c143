"""The lines of a deck: what each item says to an agent, and what makes it fire.

Pure, and light to import: lists ask here when a note is told. `line_tables` writes the lines for hooks.
"""

import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from afterwit.knowledge.shown_items import may_be_told
from afterwit.model.knowledge import EVERYWHERE, Authority, Item, ItemStatus, Scope, Trigger
from afterwit.recall.at_activity import is_called
from afterwit.recall.at_failure import answers
from afterwit.recall.at_prompt import about
from afterwit.recall.situation import order
from afterwit.recall.start_block import said_of
from afterwit.redaction.shown import Shown


class FiringLine(NamedTuple):
    """One item as an agent gets it, and what makes it fire."""

    item: str
    text: Shown  # one line, with its quotes and its confidence as they are to be read
    scope: Scope = EVERYWHERE
    authority: Authority = Authority.OBSERVATION
    advice: str = ""  # the command line to use, or the change that makes it
    confidence: float = 0.0
    agents: tuple[str, ...] = ()  # that it concerns; empty: all
    triggers: tuple[Trigger, ...] = ()
    awaits: tuple[Trigger, ...] = ()  # of these, commands whose first call it waits for
    about: str = ""  # the text by whose words a prompt finds it; "" where words do not
    silent_in: tuple[str, ...] = ()  # repositories whose own files say it, or otherwise
    rank: str = ""  # its place in the order in which all items are said; else that of the given order


def _rank(item: Item) -> str:
    """A text that is in order as `order` is: the bits of a positive number are, and what is worth more comes first."""
    worth, name = order(item)
    (bits,) = struct.unpack(">Q", struct.pack(">d", -worth))
    return f"{(1 << 64) - 1 - bits:016x} {name}"


def lines_of(items: Iterable[Item]) -> Iterator[FiringLine]:
    """In the order in which they are said."""
    for item in sorted(items, key=order):
        triggers = tuple(trigger for trigger in item.triggers if _is_used(item, trigger))
        if (triggers or about(item)) and not item.is_known_to_host and may_be_told(item):
            yield FiringLine(
                item=item.id,
                text=said_of(item),
                scope=item.scope,
                authority=item.authority,
                advice=item.advice,
                confidence=item.belief.mean,
                agents=item.agents,
                triggers=triggers,
                awaits=tuple(trigger for trigger in triggers if is_called(item, trigger)),
                about=about(item),
                silent_in=item.silent_in,
                rank=_rank(item),
            )


def _is_used(item: Item, trigger: Trigger) -> bool:
    """An item that is not active only answers failures."""
    return not trigger.rule and (item.status is ItemStatus.ACTIVE or answers(item, trigger))
