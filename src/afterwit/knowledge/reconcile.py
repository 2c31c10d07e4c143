"""Shows what does not go together: instruction files with each other and with what was learned, and likely doubles.

The files of repositories that are on this machine and the agents' own memory files are read, and pairs of notes that
a model found to contradict each other. *Commands* contradict
each other where two sources name different programs for the same purpose (`npm test`, `bun run test`), and neither
names the other's; *rules*, where two statements are about the same thing, one for and one against. Plain words are
compared, so an odd pair may be shown now and then. Nothing is changed: which side is right is for people to say.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
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


_HELD = (ItemStatus.ACTIVE, ItemStatus.CANDIDATE)


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One of two sources: an item, or a line of a file."""

    text: str
    item: str = ""
    file: str = ""
    line: int = 0

    @property
    def name(self) -> str:
        return self.item or self.file


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


class _Named(NamedTuple):
    purpose: Purpose
    program: str  # with what it is run through
    side: Side


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
    clashes = contradictions(_holding(items, ""), HostText.of(everywhere))
    shown = {(clash.one, clash.other) for clash in clashes}
    for repo in sorted(hosts.keys() - {""}):
        own = contradictions(_holding(items, repo), HostText.of(everywhere | hosts[repo]), repo)
        clashes += [clash for clash in own if (clash.one, clash.other) not in shown]
    clashes += _opposites(by_id)
    return Reconciliation(
        files=len({path for named in hosts.values() for path in named}),
        clashes=clashes,
        doubles=[
            Double(one=_of_item(by_id[first]), other=_of_item(by_id[second]))
            for first, second in pairs
            if first in by_id and second in by_id
        ],
    )


def _opposites(items: Mapping[str, Item]) -> Iterator[Clash]:
    """Notes that were found to contradict each other while their repository's notes were settled."""
    for name, item in sorted(items.items()):
        for other in (items[other] for other in item.contradicts if other in items and name < other):
            about = " ".join(sorted(salient(item.sentence) & salient(other.sentence))) or "one matter"
            yield Clash(repo=item.scope.name, about=about, one=_of_item(item), other=_of_item(other))


def _holding(items: list[Item], repo: str) -> list[Item]:
    """What holds in a repository; "": what holds everywhere."""
    return [
        item
        for item in items
        if item.scope.kind is ScopeKind.GLOBAL or (item.scope.kind is ScopeKind.REPO and item.scope.name == repo)
    ]


def _of_item(item: Item) -> Side:
    return Side(text=item.sentence, item=item.id)


def contradictions(items: Sequence[Item], host: HostText, repo: str = "") -> list[Clash]:
    """Pairs of sources that cannot both be followed, in a stable order."""
    commands = [named for passage in host.passages for named in _commands_of(passage)]
    commands += [named for item in items for named in _named(item.advice, _of_item(item))]
    clashes = {*_of_commands(commands, repo), *_of_rules(items, host.passages, repo)}
    return sorted(clashes, key=lambda clash: (clash.about, _order(clash.one), _order(clash.other)))


def _of_commands(commands: Iterable[_Named], repo: str) -> Iterator[Clash]:
    by_purpose: defaultdict[Purpose, dict[str, list[_Named]]] = defaultdict(dict)
    for named in commands:
        by_purpose[named.purpose].setdefault(named.side.name, []).append(named)
    for purpose, by_source in by_purpose.items():
        for ours, theirs in combinations([by_source[name] for name in sorted(by_source)], 2):
            is_of_file = bool(ours[0].side.line or theirs[0].side.line)
            if is_of_file and not {named.program for named in ours} & {named.program for named in theirs}:
                yield Clash(repo=repo, about=f"the command for {purpose}", one=ours[0].side, other=theirs[0].side)


def _of_rules(items: Iterable[Item], passages: Sequence[Passage], repo: str) -> Iterator[Clash]:
    said = [_of_passage(passage) for passage in passages if not passage.is_code]
    said += [Side(text=words_stated(item.sentence), item=item.id) for item in items]
    norms = [(side, salient(side.text), is_negative(side.text)) for side in said if _NORM.search(side.text)]
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    for at, (side, words, negative) in enumerate(norms):
        if len(words) < _FEWEST_WORDS:
            continue
        for near in sorted({earlier for word in words for earlier in by_word[word]}):
            other, others, is_other_negative = norms[near]
            is_of_file = bool(side.line or other.line)
            if is_of_file and negative != is_other_negative and likeness(words, others) >= _ALIKE:
                yield Clash(repo=repo, about=" ".join(sorted(words & others)), one=other, other=side)
        for word in words:
            by_word[word].append(at)


def _commands_of(passage: Passage) -> Iterator[_Named]:
    if passage.is_code:
        yield from _named(passage.text, _of_passage(passage))
    elif not is_negative(passage.text):
        for code in _CODE.findall(passage.text):
            yield from _named(code, _of_passage(passage))


def _of_passage(passage: Passage) -> Side:
    return Side(text=passage.text, file=passage.path, line=passage.line)


def _order(side: Side) -> tuple[str, str, int]:
    return side.name, side.text, side.line


def _named(line: str, side: Side) -> Iterator[_Named]:
    """The commands of a line that serve a purpose as a whole, not for one file."""
    for command in parse(line).commands if line else ():
        purpose = purpose_of(command)
        if purpose is not None and not any(_FILE.search(word) for word in command.arguments):
            wrappers = (word for word in command.wrappers if word not in _PLAIN_WRAPPERS)
            yield _Named(purpose, " ".join((*wrappers, command.program)), side)
