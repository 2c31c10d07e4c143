"""Asks a model to settle duplicates and contradictions among the notes of a repository.

A model sees the notes with who said them and when, and names ids alone; `note_claims` checks what it says of them.
Notes that may say the same stand in one question, and those of a large repository in several: the likest
pairs, by the rare words that they share, are joined first, as long as a group has room, and small groups share a
question. What is settled, and resembles nothing new, is in none of them. Pure.
"""

import datetime as dt
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from afterwit.model.knowledge import Channel, Item
from afterwit.model.text import words_of
from afterwit.reader.note_claims import times_seen_ms
from afterwit.reader.requests import CHARS_PER_TOKEN, MOST_TOKENS, LineSpan, ReadingPrompt, ReadingRequest, hash_texts

_RARE = 40  # notes that have a word; what more have says little of two
_NEAR = 0.15  # of the weight of the words of the lighter of two, from which they stand together
PROMPT = "consolidate.md"
NEW_NOTES = 8  # after so many a repository is due
_HEADING = 500  # characters, at most
_SPEAKERS = {
    Channel.USER: "the user",
    Channel.OUTCOME: "a command that was run",
    Channel.ASSISTANT: "the agent",
    Channel.TOOL: "output",
    Channel.FILE: "a file",
    Channel.WEB: "a page",
    Channel.MCP: "a foreign tool",
}


class LikePair(NamedTuple):
    """Two notes, and how much they share."""

    share: float
    first: str
    second: str


def note_groups(items: Iterable[Item], before: Collection[str], sizes: Mapping[str, int], room: int) -> list[list[str]]:
    """Ids in groups whose sizes have room together. `before` holds what was asked about already."""
    words = {item.id: frozenset(words_of(item.sentence)) for item in items}
    is_new = {name: name not in before for name in words}
    pairs = [pair for pair in _like_pairs(words) if is_new[pair.first] or is_new[pair.second]]
    wanted = {name for name in words if is_new[name]}.union(*((pair.first, pair.second) for pair in pairs))
    return _pack(_join(sorted(wanted), pairs, sizes, room), sizes, room)


def _like_pairs(words: Mapping[str, frozenset[str]]) -> list[LikePair]:
    """All pairs that share enough, the likest first."""
    counts = Counter(word for several in words.values() for word in several)
    weights = {word: math.log((len(words) + 1) / count) for word, count in counts.items()}
    by_word: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(words):
        for word in words[name]:
            if counts[word] <= _RARE:
                by_word[word].append(name)
    shared: defaultdict[tuple[str, str], float] = defaultdict(float)
    for word in sorted(by_word):
        for pair in combinations(by_word[word], 2):
            shared[pair] += weights[word]
    totals = {name: math.fsum(weights[word] for word in several) for name, several in words.items()}
    pairs = (LikePair(weight / min(totals[name] for name in pair), *pair) for pair, weight in shared.items())
    return sorted((pair for pair in pairs if pair.share >= _NEAR), key=lambda pair: (-pair.share, pair[1:]))


def _join(names: Sequence[str], pairs: Iterable[LikePair], sizes: Mapping[str, int], room: int) -> list[list[str]]:
    """The likest pairs in one group, and what they bring with them, as long as it has room."""
    group_of = {name: [name] for name in names}
    used = {name: sizes[name] for name in names}  # by the first of a group
    for pair in pairs:
        first, second = group_of[pair.first], group_of[pair.second]
        if first is not second and used[first[0]] + used[second[0]] <= room:
            used[first[0]] += used[second[0]]
            first += second
            group_of |= dict.fromkeys(second, first)
    return list({id(group): group for group in group_of.values()}.values())


def _pack(groups: Iterable[list[str]], sizes: Mapping[str, int], room: int) -> list[list[str]]:
    """The groups in as few as have room for them, the largest first."""
    packed: list[list[str]] = []
    left: list[int] = []
    for group in sorted(groups, key=lambda group: (-sum(sizes[name] for name in group), min(group))):
        size = sum(sizes[name] for name in group)
        at = next((at for at, free in enumerate(left) if size <= free), len(left))
        if at == len(left):
            packed.append([])
            left.append(room)
        packed[at] += group
        left[at] -= size
    return packed


def consolidations(
    repo: str, items: Iterable[Item], before: Collection[str], prompt: ReadingPrompt, model: str
) -> list[ReadingRequest]:
    """The questions about notes of a repository that were not asked about `before`, with those that resemble them."""
    by_id = {item.id: item for item in items}
    rows = {name: _row(item) for name, item in by_id.items()}
    sizes = {name: len(row) + 1 for name, row in rows.items()}
    room = MOST_TOKENS * CHARS_PER_TOKEN - len(prompt.text) - _HEADING
    made = []
    for group in note_groups(by_id.values(), before, sizes, room):
        names = tuple(sorted(group, key=lambda name: (by_id[name].last_ms, name)))
        if len(names) > 1:
            count = f"Notes: {len(names)}, the newest last."
            heading = f"Repository: {repo.rpartition('/')[2] or 'none'}. {count}\n\n## The notes"
            text = "\n".join((heading, *(rows[name] for name in names), ""))
            request = hash_texts(prompt.version, model, repo, text)
            made.append(ReadingRequest(request, 1, 1, LineSpan(0, 0), hash_texts(text), prompt.text, text, names))
    return made


def _row(item: Item) -> str:
    moments = times_seen_ms(item)
    days = dict.fromkeys(_day(at_ms) for at_ms in (min(moments), max(moments))) if moments else ("an unknown day",)
    return f"[{item.id}] {' to '.join(days)}, {_SPEAKERS.get(item.channel, 'elsewhere')}: {item.sentence}"


def _day(at_ms: int) -> str:
    return dt.datetime.fromtimestamp(at_ms / 1000, tz=dt.UTC).date().isoformat()
