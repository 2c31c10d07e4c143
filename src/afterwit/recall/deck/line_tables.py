"""Writes the lines of a deck, or of a part of it, with what makes them fire.

Each trigger is filed under the rarest word that must occur wherever it fires, so that a hook finds it, or finds that
there is nothing, with one look: too few words cost time, a word that need not occur would cost a hit, so what a
signature rewrites or masks is left out. Read by `reader`.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import apsw
import msgspec

from afterwit.model.kinds import ActionKind
from afterwit.model.knowledge import Trigger
from afterwit.recall.deck.firing_lines import FiringLine
from afterwit.recall.deck.first_prompt import hundredths, pack_weighted
from afterwit.recall.deck.reader import NOTES, TRIGGER_COLUMNS, words_in
from afterwit.recall.terms import counts_of, weights
from afterwit.redaction.markers import defused

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


def put_notes(db: apsw.Connection, lines: Iterable[FiringLine], redact: Redact) -> None:
    """Replaces the notes of a repository by these, by the terms that they hold. Words that go with a secret are not
    filed."""
    size = 0
    holders: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, line in enumerate(lines):
        if line.about:
            size += 1
            for term, weight in weights(counts_of(redact(line.about))).items():
                holders[term].append((number, hundredths(weight)))
    db.execute("DELETE FROM main.note_terms")
    rows = ((term, pack_weighted(weighted)) for term, weighted in sorted(holders.items()))
    db.executemany("INSERT INTO main.note_terms VALUES (?, ?)", rows)
    db.execute("INSERT OR REPLACE INTO main.indexes VALUES (?, ?)", (NOTES, size))


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
        yield _Key("topic", frozenset(trigger.topic), number)


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
