"""Shows what does not go together: instruction files with each other and with what was learned, and likely doubles.

The files of repositories that are on this machine and the agents' own memory files are read. *Commands* contradict
each other where two sources name different programs for the same purpose (`npm test`, `bun run test`), and neither
names the other's; *rules*, where two statements are about the same thing, one for and one against. Plain words are
compared, so an odd pair may be shown now and then. Nothing is changed: which side is right is for people to say.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from afterwit.actions.shell.parse import parse
from afterwit.config.world import World
from afterwit.harvest.commands.purposes import Purpose, purpose_of
from afterwit.harvest.stated.recurrence import is_negative, likeness
from afterwit.harvest.stated.statements import salient, words_stated
from afterwit.knowledge.host_files import checkouts, instructions
from afterwit.knowledge.host_text import HostText, Passage
from afterwit.knowledge.list import all_items
from afterwit.model.knowledge import Item, ItemStatus, ScopeKind
from afterwit.store.rows import items as rows
from afterwit.store.store import opened, require

_ALIKE = 0.6
_FEWEST_WORDS = 2
_PLAIN_WRAPPERS = frozenset(("timeout", "env", "time", "nice", "nohup", "command", "exec", "sudo", "xargs"))
_CODE = re.compile(r"`([^`\n]{3,120})`")
_FILE = re.compile(r"\w\.\w{1,5}\Z")
_NORM = re.compile(r"\b(?:always|never|must|should|do not|don't|use|avoid|prefer|only)\b", re.IGNORECASE)


class ClaimSource(NamedTuple):
    """Where something is said: in a file, or in an item of ours."""

    name: str  # the path, or the item's id
    text: str
    line: int = 0  # 0: an item


class Contradiction(NamedTuple):
    about: str
    one: ClaimSource
    other: ClaimSource


class _Named(NamedTuple):
    purpose: Purpose
    program: str  # with what it is run through
    source: ClaimSource


_HELD = (ItemStatus.ACTIVE, ItemStatus.CANDIDATE)


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One of two sources: an item, or a line of a file."""

    text: str
    item: str = ""
    file: str = ""
    line: int = 0


class Clash(msgspec.Struct, frozen=True, kw_only=True):
    """Two sources that cannot both be followed."""

    repo: str  # "": everywhere
    about: str
    one: Side
    other: Side


class Double(msgspec.Struct, frozen=True, kw_only=True):
    """Two items that may say the same."""

    one: Side
    other: Side


class Reconciliation(msgspec.Struct, frozen=True, kw_only=True):
    files: int  # that were read
    clashes: list[Clash]
    doubles: list[Double]


def reconcile(world: World) -> Reconciliation:
    require(world.layout)
    with opened(world.layout) as store:
        items = [item for item in all_items(store.db) if item.status in _HELD]
        hosts = instructions(store, world, checkouts(store, world))
        pairs = rows.doubles(store.db)
    by_id = {item.id: item for item in items}
    everywhere = hosts.get("", {})
    clashes = [
        _clash("", contradiction) for contradiction in contradictions(_holding(items, ""), HostText.of(everywhere))
    ]
    seen = {(clash.one, clash.other) for clash in clashes}
    for repo in sorted(hosts.keys() - {""}):
        host = HostText.of(everywhere | hosts[repo])
        found = [_clash(repo, contradiction) for contradiction in contradictions(_holding(items, repo), host)]
        clashes += [clash for clash in found if (clash.one, clash.other) not in seen]
    return Reconciliation(
        files=len({path for named in hosts.values() for path in named}),
        clashes=clashes,
        doubles=[
            Double(one=_of_item(by_id[one]), other=_of_item(by_id[other]))
            for one, other in pairs
            if one in by_id and other in by_id
        ],
    )


def _holding(items: list[Item], repo: str) -> list[Item]:
    """What holds in a repository; "": what holds everywhere."""
    return [
        item
        for item in items
        if item.scope.kind is ScopeKind.GLOBAL or (item.scope.kind is ScopeKind.REPO and item.scope.name == repo)
    ]


def _clash(repo: str, found: Contradiction) -> Clash:
    return Clash(repo=repo, about=found.about, one=_side(found.one), other=_side(found.other))


def _side(source: ClaimSource) -> Side:
    if source.line:
        return Side(text=source.text, file=source.name, line=source.line)
    return Side(text=source.text, item=source.name)


def _of_item(item: Item) -> Side:
    return Side(text=item.sentence, item=item.id)


def contradictions(items: Sequence[Item], host: HostText) -> list[Contradiction]:
    """Pairs of sources that cannot both be followed, in a stable order."""
    of_files = [named for passage in host.passages for named in _commands_of(passage)]
    of_items = [named for item in items for named in _named(item.advice, ClaimSource(item.id, item.sentence))]
    found = [*_of_commands(of_files, of_items), *_of_rules(items, host.passages)]
    return sorted(set(found), key=lambda one: (one.about, one.one, one.other))


def _of_commands(of_files: Sequence[_Named], of_items: Sequence[_Named]) -> Iterator[Contradiction]:
    by_purpose: defaultdict[Purpose, dict[str, list[_Named]]] = defaultdict(dict)
    for named in (*of_files, *of_items):
        by_purpose[named.purpose].setdefault(named.source.name, []).append(named)
    for purpose, by_source in by_purpose.items():
        sources = sorted(by_source)
        for at, one in enumerate(sources):
            for other in sources[at + 1 :]:
                ours, theirs = by_source[one], by_source[other]
                is_of_file = bool(ours[0].source.line or theirs[0].source.line)
                if is_of_file and not {n.program for n in ours} & {n.program for n in theirs}:
                    yield Contradiction(f"the command for {purpose}", ours[0].source, theirs[0].source)


def _of_rules(items: Iterable[Item], passages: Sequence[Passage]) -> Iterator[Contradiction]:
    said = [ClaimSource(passage.path, passage.text, passage.line) for passage in passages if not passage.is_code]
    said += [ClaimSource(item.id, words_stated(item.sentence)) for item in items]
    norms = [(source, salient(source.text), is_negative(source.text)) for source in said if _NORM.search(source.text)]
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    for at, (source, words, negative) in enumerate(norms):
        if len(words) < _FEWEST_WORDS:
            continue
        for near in sorted({one for word in words for one in by_word[word]}):
            other, others, is_other_negative = norms[near]
            is_of_file = bool(source.line or other.line)
            if is_of_file and negative != is_other_negative and likeness(words, others) >= _ALIKE:
                yield Contradiction(" ".join(sorted(words & others)), other, source)
        for word in words:
            by_word[word].append(at)


def _commands_of(passage: Passage) -> Iterator[_Named]:
    source = ClaimSource(passage.path, passage.text, passage.line)
    if passage.is_code:
        yield from _named(passage.text, source)
    elif not is_negative(passage.text):
        for found in _CODE.finditer(passage.text):
            yield from _named(found[1], source)


def _named(line: str, source: ClaimSource) -> Iterator[_Named]:
    """The commands of a line that serve a purpose as a whole, not for one file."""
    for command in parse(line).commands if line else ():
        purpose = purpose_of(command)
        if purpose is not None and not any(_FILE.search(word) for word in command.arguments):
            wrappers = (word for word in command.wrappers if word not in _PLAIN_WRAPPERS)
            yield _Named(purpose, " ".join((*wrappers, command.program)), source)
