"""The lines of a deck: what each item says to an agent, and what makes it fire.

Pure, and light to import: lists ask here when a note is told. `put_lines` writes them for hooks.
"""

import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import apsw
import msgspec

from afterwit.actions.quick_look import LEAST_BELIEF, is_any_call
from afterwit.knowledge.brief import ToldLine, is_compiled
from afterwit.knowledge.shown_items import may_be_told
from afterwit.model.kinds import ActionKind
from afterwit.model.knowledge import EVERYWHERE, READ, Authority, Channel, Item, ItemStatus, Scope, ScopeKind, Trigger
from afterwit.model.text import root
from afterwit.recall.brief_block import line_of, said_of
from afterwit.recall.deck.reader import TRIGGER_COLUMNS, words_in
from afterwit.recall.situation import order
from afterwit.redaction.markers import defused
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
        if triggers and not is_compiled(item) and not item.is_known_to_host and may_be_told(item):
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
                silent_in=item.silent_in,
                rank=_rank(item),
            )


def lines_on_demand(repo: str, told: Iterable[ToldLine]) -> Iterator[FiringLine]:
    """The lines of a page that wait for a trigger."""
    for waiting in told:
        line, text = waiting.line, line_of(waiting)
        if line.heading is None and line.triggers and text:
            yield FiringLine(
                item=line.id,
                text=text,
                scope=Scope(ScopeKind.REPO, repo),
                confidence=1.0,
                agents=waiting.agents,
                triggers=line.triggers,
                awaits=tuple(trigger for trigger in line.triggers if trigger.program),
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


def _is_used(item: Item, trigger: Trigger) -> bool:
    """An item that is not active only answers failures."""
    return not trigger.rule and (item.status is ItemStatus.ACTIVE or answers(item, trigger))


Redact = Callable[[str], str]
LINE_TABLES = ("lines", "triggers", "keys")
_LONGEST_SIGNATURE = 120  # characters of a template; a longer one was cut, perhaps within a word
_REWRITTEN = ("command not found: ",)  # several wordings are brought to this one
_INVENTED = ("tests fail", "build fails")  # stand for no words of the output


class _Key(NamedTuple):
    moment: str
    needs: frozenset[str]
    trigger: int


def safe(redact: Redact, text: str) -> str:
    """A text as it may be said."""
    return defused(redact(text))


def put_lines(db: apsw.Connection, lines: Iterable[FiringLine], redact: Redact) -> None:
    """Replaces all lines by these."""
    for table in LINE_TABLES:
        db.execute(f"DELETE FROM main.{table}")  # noqa: S608
    _put_keys(db, _put_lines(db, lines, redact))


def _put_lines(db: apsw.Connection, lines: Iterable[FiringLine], redact: Redact) -> list[_Key]:
    keys: list[_Key] = []
    count = 0
    for number, line in enumerate(lines):
        kind, place = line.scope
        agents = "".join(f" {agent} " for agent in line.agents)
        row = (str(kind), place, str(line.authority), safe(redact, line.advice), line.confidence, agents)
        silent_in = "".join(f" {repo} " for repo in line.silent_in)
        values = (number, line.item, safe(redact, line.text), *row, silent_in, line.rank or f"{number:08}")
        db.execute("INSERT INTO main.lines VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        is_waiting = bool(line.awaits) or (not line.advice and any(trigger.activity for trigger in line.triggers))
        for trigger in line.triggers:
            filed = list(_keys_of(count, trigger, is_waiting=is_waiting, is_awaited=trigger in line.awaits))
            if filed:
                columns = (count, number, *_row(trigger))
                db.execute("INSERT INTO main.triggers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", columns)
                keys += filed
                count += 1
    return keys


def _row(trigger: Trigger) -> Iterator[str]:
    for name in TRIGGER_COLUMNS:
        value = getattr(trigger, name)
        yield str(value or "") if name not in ("words", "lines") else msgspec.json.encode(value).decode()


def _keys_of(number: int, trigger: Trigger, *, is_waiting: bool, is_awaited: bool) -> Iterator[_Key]:
    """Under what a trigger is filed; nothing where hooks have no use for it: one that names nothing but a tool. A
    command is known before it runs, by its failure, and, where that is awaited, by its first call. A path of what waits
    for an activity only says where it is."""
    called = words_in(trigger.program).union(*map(words_in, trigger.words))
    if trigger.activity:
        yield _Key("activity", frozenset({str(trigger.activity), *needed_by_path(trigger.path)} | called), number)
    elif trigger.signature or trigger.rule or trigger.error:
        needs = needed_by_signature(trigger.signature) | words_in(trigger.rule) | called | set(trigger.error)
        yield _Key("failure", frozenset(needs), number)
    elif trigger.program or trigger.words:
        moments = ("command", "failure", "first") if is_awaited else ("command", "failure")
        yield from (_Key(moment, frozenset(called), number) for moment in moments)
    elif trigger.path:
        yield _Key("near" if is_waiting else "path", frozenset(needed_by_path(trigger.path)), number)
    elif trigger.topic:
        yield _Key("topic", frozenset(map(root, trigger.topic)), number)


def _put_keys(db: apsw.Connection, keys: list[_Key]) -> None:
    frequency = Counter((key.moment, word) for key in keys for word in key.needs)
    for moment, needs, trigger in keys:
        word = min(needs, key=lambda word: (frequency[moment, word], -len(word), word), default="")
        db.execute("INSERT INTO main.keys VALUES (?, ?, ?, ?)", (moment, word, " ".join(sorted(needs)), trigger))


def needed_by_signature(signature: str) -> set[str]:
    """Words that occur in the command line or in the output of every failure with this signature."""
    head, _, template = signature.partition(": ")
    needed = set() if head in set(ActionKind) else words_in(head)
    if template in _INVENTED:
        return needed
    for rewritten in _REWRITTEN:
        template = template.removeprefix(rewritten)
    chunks = template.split()
    if len(template) >= _LONGEST_SIGNATURE:
        chunks = chunks[:-1]
    return needed.union(*(words_in(chunk) for chunk in chunks if not _is_masked(chunk))) - {"rules"}


def needed_by_path(pattern: str) -> set[str]:
    """Words that occur in every path that this pattern fits."""
    return set().union(*(words_in(part) for part in pattern.split("/") if not set(part) & set("*?[\\")))


def _is_masked(chunk: str) -> bool:
    return "<" in chunk or ">" in chunk or "\0" in chunk
