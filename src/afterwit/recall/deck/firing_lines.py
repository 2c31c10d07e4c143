"""The lines of a deck: what each item says to an agent, and what makes it fire.

Pure, and light to import: lists ask here when a note is told. `line_tables` writes the lines for hooks.
"""

import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from afterwit.actions.quick_look import LEAST_BELIEF, is_any_call
from afterwit.knowledge.shown_items import may_be_told
from afterwit.model.knowledge import EVERYWHERE, READ, Authority, Channel, Item, ItemStatus, Scope, Trigger
from afterwit.recall.situation import order
from afterwit.recall.start_block import said_of
from afterwit.redaction.shown import Shown

_STATED = (Channel.USER, Channel.ASSISTANT)


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


def answers(item: Item, trigger: Trigger) -> bool:
    """Whether an item may answer the failures that one of its triggers means. A candidate of one story may, as a guess
    that is called so, if no words stand behind it, and only where the trigger names the very failure: that has just
    happened, so a hint costs little and the agent sees at once whether it fits."""
    if item.is_known_to_host or item.belief.mean < LEAST_BELIEF or trigger.rule or trigger.topic:
        return False
    if is_any_call(trigger.program, trigger.words, trigger.signature, item.advice):
        return False
    if item.status is ItemStatus.ACTIVE:
        return not trigger.path or bool(item.advice)
    is_exact = bool(trigger.signature or (trigger.path and item.advice))
    return item.status is ItemStatus.CANDIDATE and is_exact and item.channel not in _STATED


def is_called(item: Item, trigger: Trigger) -> bool:
    """Whether a trigger waits for the first call of a command: only of what was put into words about it."""
    is_more = trigger.signature or trigger.rule or trigger.topic or trigger.tool
    return item.harvester == READ and bool(trigger.program) and not is_more and not item.advice


def is_touched(item: Item, trigger: Trigger) -> bool:
    """Whether a trigger waits for a file, however it is touched."""
    is_more = trigger.program or trigger.words or trigger.signature or trigger.rule or trigger.topic or trigger.activity
    return bool(trigger.path) and not is_more and not item.advice


def about(item: Item) -> str:
    """The text by whose words a prompt finds an item; "" where words say nothing about it: what a person or a model put
    into words is found, what was counted is not."""
    if item.status is not ItemStatus.ACTIVE or not (item.harvester == READ or item.channel is Channel.USER):
        return ""
    triggers = (
        word for trigger in item.triggers for word in (trigger.path, trigger.program, *trigger.words, *trigger.topic)
    )
    return " ".join((item.sentence, item.when, *item.files, *dict.fromkeys(triggers)))


def _is_used(item: Item, trigger: Trigger) -> bool:
    """An item that is not active only answers failures."""
    return not trigger.rule and (item.status is ItemStatus.ACTIVE or answers(item, trigger))
