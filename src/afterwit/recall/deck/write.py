"""Writes the deck: a read-only SQLite file with all that hooks need, rendered, and nothing else.

Written beside and renamed into place, so that a hook reads the old deck or the new one, never half of one. Each trigger
is filed under the rarest word that must occur wherever it fires, so that a hook finds it, or finds that there is
nothing, with one look: too few words cost time, a word that need not occur would cost a hit, so what a signature
rewrites or masks is left out. All that can be said goes through redaction here once more, whatever it went through
before: items that people wrote, preferences and what earlier rules left in digests end up here. What is written is
filled in by `compile`, and read by `reader`.
"""

import functools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import apsw
import msgspec

from afterwit.guard.markers import CLOSING, OPENING, defused
from afterwit.guard.shown import Shown
from afterwit.model.kinds import ActionKind
from afterwit.model.knowledge import EVERYWHERE, Authority, Scope, ScopeKind, Trigger
from afterwit.recall.deck.first_prompt import pack_weighted
from afterwit.recall.deck.prompt_tables import PromptSource, write_prompt_tables
from afterwit.recall.deck.reader import NOTES, TRIGGER_COLUMNS, VERSION, words_in
from afterwit.recall.prompt_block import BlockLine, BlockSection
from afterwit.recall.talks import counts_of, weights
from afterwit.store.atomic import PRIVATE, renamed_into, sync
from afterwit.store.database import transaction, translated
from afterwit.store.marks import fingerprint

Redact = Callable[[str], str]
_LONGEST_SIGNATURE = 120  # characters of a template; a longer one was cut, perhaps within a word
_REWRITTEN = ("command not found: ",)  # several wordings are brought to this one
_INVENTED = ("tests fail", "build fails")  # stand for no words of the output


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
    talks: tuple[str, ...] = ()  # sessions whose quotes it stands for
    silent_in: tuple[str, ...] = ()  # repositories whose own files say it, or otherwise


class DeckBlock(NamedTuple):
    """What a session gets at its start. Empty names stand for any repository or agent; the closest fit is taken."""

    sections: tuple[BlockSection, ...]
    repo: str = ""
    agent: str = ""


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
    exclude: tuple[str, ...] = ()  # where hooks say and note nothing, as in the settings


class DeckContent(NamedTuple):
    """Everything."""

    settings: DeckSettings
    roots: Mapping[str, str] = MappingProxyType({})  # folder to repository; `~` stands for the user's home folder
    remotes: Mapping[str, str] = MappingProxyType({})  # what else a checkout is recognised by: `repos.known_names`
    blocks: Iterable[DeckBlock] = ()
    lines: Iterable[FiringLine] = ()
    prompts: Mapping[str, PromptSource] = MappingProxyType({})  # by repository
    trees: Mapping[str, str] = MappingProxyType({})  # names of files with the words of a repository's files


class _Key(NamedTuple):
    moment: str
    needs: frozenset[str]
    trigger: int


def write_deck(
    path: Path,
    deck: DeckContent,
    redact: Redact | None = None,
    *,
    is_sound: bool = True,
    about_to: Callable[[str], None] = lambda _: None,
) -> None:
    """Puts a deck at this path, in the place of the one that is there, of which parts are used again if it `is_sound`.
    Without a machine's own redaction the placeholders have a key that everybody knows. `about_to` gets its fingerprint
    before it has its place."""
    try:
        with renamed_into(path) as beside:
            beside.touch(PRIVATE)
            with closing(apsw.Connection(str(beside))) as db:
                _fill(db, deck, redact or _plain_redaction(), _attached(db, path) if is_sound else None)
            sync(beside)
            about_to(fingerprint(beside))
    except (apsw.Error, OSError) as error:
        raise translated(error, path) from error


@functools.cache
def _plain_redaction() -> Redact:
    from afterwit.guard.redaction import Redactor

    return Redactor(b"deck").text


def _attached(db: apsw.Connection, path: Path) -> str | None:
    """The name under which the deck that is there can be read; None where there is none of this version."""
    if not path.is_file():
        return None
    try:
        db.execute("ATTACH ? AS earlier", (str(path),))
        if db.pragma("user_version", schema="earlier") == VERSION:
            db.execute("SELECT mark FROM earlier.prompt_repos LIMIT 1").fetchone()
            return "earlier"
    except apsw.Error:
        return None
    return None


def _fill(db: apsw.Connection, deck: DeckContent, redact: Redact, earlier: str | None) -> None:
    said = functools.partial(_safe, redact)
    db.execute("PRAGMA main.journal_mode = OFF; PRAGMA main.synchronous = OFF; PRAGMA main.page_size = 4096")
    with transaction(db):
        db.execute(resources.files("afterwit.recall.deck").joinpath("deck.sql").read_text("utf-8"))
        db.executemany("INSERT INTO main.settings VALUES (?, ?)", _settings(deck.settings))
        db.executemany("INSERT INTO main.roots VALUES (?, ?)", sorted(deck.roots.items()))
        db.executemany("INSERT INTO main.remotes VALUES (?, ?)", sorted(deck.remotes.items()))
        db.executemany("INSERT INTO main.trees VALUES (?, ?)", sorted(deck.trees.items()))
        blocks = ((block.repo, block.agent, _sections(block, said)) for block in deck.blocks)
        db.executemany("INSERT OR REPLACE INTO main.blocks VALUES (?, ?, ?)", blocks)
        lines = list(deck.lines)
        _put_keys(db, _put_lines(db, lines, said))
        _put_notes(db, lines, redact)
        write_prompt_tables(db, deck.prompts, earlier, redact)
        db.pragma("user_version", VERSION)


def _settings(settings: DeckSettings) -> Iterator[tuple[str, object]]:
    yield from (("opening", OPENING), ("closing", CLOSING))
    for name, value in settings._asdict().items():
        is_list = isinstance(value, tuple)
        yield name, msgspec.json.encode(value).decode() if is_list else int(value) if isinstance(value, bool) else value


def _safe(redact: Redact, text: str) -> str:
    return defused(redact(text))


def _sections(block: DeckBlock, said: Redact) -> str:
    sections = [(said(section.heading), _lines(section.lines, said)) for section in block.sections]
    return msgspec.json.encode(sections).decode()


def _lines(lines: Iterable[BlockLine], said: Redact) -> list[tuple[str, str]]:
    return [(line.item, said(line.text)) for line in lines]


def _put_lines(db: apsw.Connection, lines: Iterable[FiringLine], said: Redact) -> list[_Key]:
    keys: list[_Key] = []
    count = 0
    for number, line in enumerate(lines):
        kind, place = line.scope
        agents = "".join(f" {agent} " for agent in line.agents)
        row = (str(kind), place, str(line.authority), said(line.advice), line.confidence, agents)
        silent_in = "".join(f" {repo} " for repo in line.silent_in)
        values = (number, line.item, said(line.text), *row, msgspec.json.encode(line.talks).decode(), silent_in)
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


def _put_notes(db: apsw.Connection, lines: Sequence[FiringLine], redact: Redact) -> None:
    """By repository, the notes that hold a term. Words that go with a secret are not filed."""
    sizes: Counter[str] = Counter()
    holders: defaultdict[tuple[str, str], list[tuple[int, float]]] = defaultdict(list)
    for number, line in enumerate(lines):
        if line.about and line.scope.kind is ScopeKind.REPO:
            sizes[line.scope.name] += 1
            for term, weight in weights(counts_of(redact(line.about))).items():
                holders[line.scope.name, term].append((number, weight))
    rows = ((repo, term, pack_weighted(weighted)) for (repo, term), weighted in sorted(holders.items()))
    db.executemany("INSERT INTO main.note_terms VALUES (?, ?, ?)", rows)
    counts = ((repo, NOTES, msgspec.json.encode(size)) for repo, size in sorted(sizes.items()))
    db.executemany("INSERT INTO main.indexes VALUES (?, ?, ?)", counts)


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
