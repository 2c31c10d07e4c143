"""The page of a repository: what was compiled, as people changed it, and what of it may be told now. Pure.

A page follows from the entries of the journal that stand: the last compilation, and every edit since the first. A
person's line stays word for word and in its place under its heading, however often the rest is compiled; what a person
took out does not come back, neither in these words nor from the same notes.

A line is told as far as its least trusted note: as it stands, where all of them were typed by the user, ran here with
success or were approved; as something seen, where an agent's own words are among them; and not at all as soon as one of
its notes is gone, or may not be told to whoever listens. Without a compilation the page is made by rule, of what was
counted, said or approved.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from afterwit.knowledge.likeness import meaning
from afterwit.knowledge.shown_items import may_be_told_to
from afterwit.knowledge.whose_words import Listener
from afterwit.model.brief import Heading, Line, id_of_line
from afterwit.model.knowledge import READ, Channel, Item, ItemKind, ItemStatus
from afterwit.model.text import roots_of
from afterwit.store.decisions import BriefCompiled, BriefEdited, JournalEntry, KnowledgeEntry, RejectedProposal

ENTRIES = (KnowledgeEntry.COMPILED, KnowledgeEntry.BRIEF_EDITED)
THREAD_MS = 14 * 86_400_000
MOST_SHARE = 0.15  # of the past sessions in which what is told on demand may fire
_FEW_PROMPTS = 3  # in which a name stands without being a common one
_LONG_NAME = 7  # letters of a single word that names a work
_CHANGED = 0.5  # of the letters of a line that are still there where a person changed it and did not write another


class Page(NamedTuple):
    """The page of one repository, and its lines on demand."""

    repo: str
    compiled: tuple[Line, ...] = ()
    own: tuple[Line, ...] = ()  # a person's
    removed: tuple[Line, ...] = ()  # by a person
    asked: frozenset[str] = frozenset()  # the notes that whoever compiled it saw
    is_draft: bool = False  # whoever compiled it is to see what its trial on the past showed
    refused: tuple[RejectedProposal, ...] = ()  # of the draft
    number: int = 0  # of versions so far
    at_ms: int = 0

    def after(self, entry: JournalEntry) -> "Page":
        """The page as an entry leaves it."""
        now = self._replace(number=self.number + 1, at_ms=entry.at_ms)
        if entry.kind == KnowledgeEntry.COMPILED:
            made = msgspec.convert(entry.body, BriefCompiled)
            refused = made.rejected if made.is_draft else ()
            seen = frozenset(made.items)
            return now._replace(compiled=made.lines, asked=seen, is_draft=made.is_draft, refused=refused)
        edit = msgspec.convert(entry.body, BriefEdited)
        touched = {line.id for line in (*edit.put, *edit.removed)}
        own = [line for line in self.own if line.id not in touched]
        back = {line.text for line in edit.put}
        removed = [line for line in (*self.removed, *edit.removed) if line.text not in back]
        return now._replace(own=(*own, *edit.put), removed=tuple({line.id: line for line in removed}.values()))

    @property
    def lines(self) -> tuple[Line, ...]:
        """What stands on the page, heading by heading, then what waits for a trigger."""
        compiled = [line for line in self.compiled if not self.refuses(line)]
        return tuple(line for heading in (*Heading, None) for line in self._under(heading, compiled))

    def _under(self, heading: Heading | None, compiled: Iterable[Line]) -> list[Line]:
        there = [line for line in compiled if line.heading is heading]
        for line in sorted((line for line in self.own if line.heading is heading), key=lambda line: line.at):
            there.insert(line.at, line)
        return there

    def refuses(self, line: Line) -> bool:
        """Whether a person says this themselves, or took it out."""
        for other in (*self.own, *self.removed):
            is_same = line.id == other.id or meaning(line.text) == meaning(other.text)
            is_of_it = bool(line.notes) and set(line.notes) <= set(other.notes) and line.heading is other.heading
            if is_same or is_of_it:
                return True
        return False


def pages_of(entries: Iterable[JournalEntry]) -> dict[str, Page]:
    """The pages that follow from the entries that stand, in their order."""
    pages: dict[str, Page] = {}
    for entry in entries:
        if entry.kind in ENTRIES:
            repo = str(entry.body["repo"])
            pages[repo] = pages.get(repo, Page(repo)).after(entry)
    return pages


def versions_of(entries: Iterable[JournalEntry], repo: str) -> list[tuple[JournalEntry, Page]]:
    """The page after each entry about it, the first one first."""
    page, versions = Page(repo), []
    for entry in entries:
        if entry.kind in ENTRIES and entry.body["repo"] == repo:
            page = page.after(entry)
            versions.append((entry, page))
    return versions


def lines_ever(entries: Iterable[JournalEntry]) -> Iterator[Line]:
    """Every line that ever was, as often as it was compiled or written."""
    for entry in entries:
        if entry.kind == KnowledgeEntry.COMPILED:
            yield from msgspec.convert(entry.body, BriefCompiled).lines
        elif entry.kind == KnowledgeEntry.BRIEF_EDITED:
            yield from msgspec.convert(entry.body, BriefEdited).put


def notes_of_lines(entries: Iterable[JournalEntry]) -> dict[str, tuple[str, ...]]:
    """By every line that ever was, the notes that it told."""
    notes: dict[str, tuple[str, ...]] = {}
    for line in lines_ever(entries):
        notes[line.id] = tuple(dict.fromkeys((*notes.get(line.id, ()), *line.notes)))
    return notes


class ToldLine(NamedTuple):
    """A line that may be told, and how."""

    line: Line
    is_seen: bool = False  # an agent said it: an observation
    agents: tuple[str, ...] = ()  # that it concerns; empty: all
    items: tuple[Item, ...] = ()  # the notes that it rests on


def told_lines(page: Page, items: Iterable[Item], to: Listener) -> list[ToldLine]:
    """The lines of a page that may be told to this listener, in their order."""
    by_id = {name: item for item in items for name in (item.id, *item.merged)}
    told = []
    for line in page.lines:
        notes = [by_id.get(name) for name in line.notes]
        there = tuple({item.id: item for item in notes if item is not None and may_be_told_to(item, to)}.values())
        if line.is_own:
            told.append(ToldLine(line, items=there))
        elif notes and all(item is not None and may_be_told_to(item, to) for item in notes):
            told.append(ToldLine(line, any(map(_is_seen, there)), _agents(there), there))
    return told


def rests_on(told: ToldLine) -> str:
    """What a line rests on, in words."""
    if told.line.is_own:
        return "written by a person"
    return "; ".join(dict.fromkeys(item.rests_on for item in told.items)) or "nothing that stands"


def _is_seen(item: Item) -> bool:
    """Whether its words are nobody's but an agent's."""
    return not item.is_decided and item.channel not in (Channel.USER, Channel.OUTCOME)


def _agents(items: Sequence[Item]) -> tuple[str, ...]:
    named = {item.agents for item in items}
    return next(iter(named)) if len(named) == 1 else ()


def is_compiled(item: Item) -> bool:
    """Whether only a line that rests on it, or its thread, tells it: what a model read and nobody has approved."""
    return item.kind is ItemKind.THREAD or (item.harvester == READ and not item.is_decided)


def is_in_progress(item: Item) -> bool:
    """Whether it is about work that goes on."""
    return item.kind is ItemKind.THREAD and item.status in (ItemStatus.ACTIVE, ItemStatus.CANDIDATE)


class Thread(NamedTuple):
    """Work in progress, and the notes about it, the latest first."""

    branch: str
    names: tuple[tuple[str, ...], ...]  # words by which a prompt names it, each stemmed
    items: tuple[Item, ...]


def threads_of(
    items: Iterable[Item],
    now_ms: int,
    trunks: Collection[str],
    is_merged: Callable[[str], bool],
    prompts: Sequence[Collection[str]] = (),
    fresh_ms: Mapping[str, int] = MappingProxyType({}),
) -> list[Thread]:
    """The threads that live: touched in the last two weeks, and not merged. Notes of one branch, or with a name in
    common, are about one work. What several sessions have gone past is no longer how things stand: a branch tells what
    was touched since the time that `fresh_ms` has of it, prompts name what was touched since that of "", and by no name
    that many of these prompts hold, by their words."""
    groups: list[list[Item]] = []
    for item in sorted(filter(is_in_progress, items), key=lambda item: (-item.last_ms, item.id)):
        own = next((group for group in groups if any(_is_one_work(item, other, trunks) for other in group)), None)
        if own is None:
            groups.append([item])
        else:
            own.append(item)
    threads = []
    for group in groups:
        branch = next((item.branch for item in group if item.branch and item.branch not in trunks), "")
        if group[0].last_ms >= now_ms - THREAD_MS and not (branch and is_merged(branch)):
            names = dict.fromkeys(
                stems for item in group for stems in _names_of(item) if not _is_common(stems, prompts)
            )
            is_fresh = group[0].last_ms >= fresh_ms.get("", 0)
            if is_fresh or (branch and group[0].last_ms >= fresh_ms.get(branch, 0)):
                threads.append(Thread(branch, tuple(names) if is_fresh else (), tuple(group)))
    return threads


def _is_common(stems: Collection[str], prompts: Sequence[Collection[str]]) -> bool:
    holding = sum(set(stems) <= set(words) for words in prompts)
    return holding > max(_FEW_PROMPTS, MOST_SHARE * len(prompts))


def _is_one_work(item: Item, other: Item, trunks: Collection[str]) -> bool:
    if item.branch and item.branch not in trunks and item.branch == other.branch:
        return True
    return not set(_names_of(item)).isdisjoint(_names_of(other))


def _names_of(item: Item) -> list[tuple[str, ...]]:
    """The names that say enough: of two words, or a long one."""
    stems = (tuple(sorted(roots_of(name))) for name in item.names)
    return [words for words in stems if len(words) > 1 or any(len(word) >= _LONG_NAME for word in words)]


def edit_of(page: Page, wanted: Mapping[Heading, Sequence[str]]) -> BriefEdited:
    """What a person changed who gives the page these lines: those that are new, changed or moved become theirs, and
    those that are no longer there are taken out. A line that they leave alone stays whose it is."""
    there = {heading: [line for line in page.lines if line.heading is heading] for heading in Heading}
    before = {line.text: line for lines in there.values() for line in lines}
    given = {text for texts in wanted.values() for text in texts}
    lost = [line for line in before.values() if line.text not in given]
    put: list[Line] = []
    for heading, texts in wanted.items():
        still = _in_order([line.text for line in there.get(heading, ())], texts)
        for at, text in enumerate(texts):
            line = before.get(text)
            if line is not None and text in still:
                if line.is_own and line.at != at:
                    put.append(msgspec.structs.replace(line, at=at))
                continue
            origin = line or _origin(text, lost)
            notes = origin.notes if origin is not None else ()
            put.append(
                Line(id=id_of_line(page.repo, text), text=text, heading=heading, notes=notes, is_own=True, at=at)
            )
    return BriefEdited(repo=page.repo, put=tuple(put), removed=tuple(lost))


def _in_order(before: Sequence[str], after: Sequence[str]) -> frozenset[str]:
    """The lines that stayed where they were, beside the others."""
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    return frozenset(text for block in blocks for text in before[block.a : block.a + block.size])


def _origin(text: str, lost: Iterable[Line]) -> Line | None:
    """The line that a person made this of."""
    near = [(SequenceMatcher(None, line.text, text).ratio(), line) for line in lost]
    best = max(near, key=lambda pair: pair[0], default=None)
    return best[1] if best is not None and best[0] >= _CHANGED else None
