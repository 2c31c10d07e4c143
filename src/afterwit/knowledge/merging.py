"""Makes one draft of those that mean one thing, and says which pairs a person should look at.

Within a scope drafts merge that have the same triggers and advice, or whose sentences say the same, or that are said to
by somebody whose word was checked: that also chooses among the words that are trusted equally. The same matter
drafted in two repositories, with nothing of them in it, holds everywhere; but facts that were measured in a repository,
rules, places and anything that names a file or a script of a repository stay there. The outcome is a function of the
set of drafts. A union keeps its parts: joining unions with more drafts is merging all parts at once. Words and channel
are those of one part, the most trusted; evidence of others is added and keeps its own channel, so that nothing is
laundered.
"""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import ceil
from typing import NamedTuple

import msgspec

from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.tree import Command
from afterwit.harvest.harvester import id_of, is_general
from afterwit.knowledge.belief import newest_first, rank
from afterwit.knowledge.likeness import DOUBTFUL, Meaning, alike, doubt, meaning
from afterwit.model.knowledge import EVERYWHERE, Category, Channel, Draft, Evidence, Scope, ScopeKind
from afterwit.model.text import regex

_REPOS = 2
_MOST_ALIKE = 50  # others that a note is compared with by one word
_RUNNERS = frozenset("make gmake just task rake mage invoke inv doit tox nox grunt gulp ninja".split())  # noqa: SIM905
_SCRIPTED = frozenset("npm pnpm yarn bun deno composer mise poe pdm hatch turbo nx lerna rush".split())  # noqa: SIM905
_OWN = frozenset("install add remove ci init create update outdated audit publish exec x dlx use".split())  # noqa: SIM905
_QUOTE = regex(r"`([^`]*)`")
_PATH = regex(r"^\.{0,2}/?[\w@.-]+(?:/[\w@.*-]+)+/?$|^[\w-]+\.[a-z]{1,5}$")
_OPENING = regex(r"(?s)^In `(?P<repo>[^`]+)`(?:,|:)? (?P<rest>\S.*)$")
_STATED = (Channel.USER, Channel.ASSISTANT, Channel.IMPORTED)
Matter = tuple[str, tuple[str, ...]]
Same = Mapping[str, str]  # by id: the item that is kept of those that were found to say the same


class Union(NamedTuple):
    """Drafts that mean one thing."""

    draft: Draft
    parts: tuple[Draft, ...]
    id: str
    absorbed: tuple[str, ...]  # ids of the parts, without its own


class Review(NamedTuple):
    """Two items that a person should look at."""

    first: str
    second: str
    likeness: float
    reason: str


class Merged(NamedTuple):
    """What merging made of a set of drafts, by id."""

    unions: tuple[Union, ...]
    reviews: tuple[Review, ...] = ()

    @property
    def drafts(self) -> tuple[Draft, ...]:
        return tuple(union.draft for union in self.unions)

    @property
    def parts(self) -> tuple[Draft, ...]:
        return tuple(chain.from_iterable(union.parts for union in self.unions))


def merge_drafts(drafts: Iterable[Draft], same: Same | None = None, scopes: Container[str] | None = None) -> Merged:
    """Merges a set of drafts; give it the `parts` of earlier results to add to them. Where scopes are named, only what
    comes to hold in these is made."""
    by_matter: defaultdict[Matter, list[Draft]] = defaultdict(list)
    for draft in drafts:
        by_matter[matter_of(draft)].append(draft)
    by_scope: defaultdict[Scope, list[Union]] = defaultdict(list)
    for of_one in by_matter.values():
        for union in place_drafts(of_one, scopes):
            by_scope[union.draft.scope].append(union)
    wanted = [unions for scope, unions in by_scope.items() if _is_among(scope, scopes)]
    results = [merge_in_scope(unions, same) for unions in wanted]
    unions = sorted(chain.from_iterable(results), key=lambda union: union.id)
    return Merged(tuple(unions), tuple(sorted(chain.from_iterable(map(reviews, results)))))


def _is_among(scope: Scope, scopes: Container[str] | None) -> bool:
    return scopes is None or str(scope) in scopes


def matter_of(draft: Draft) -> Matter:
    """What a draft is about, wherever it holds."""
    return draft.harvester, draft.key


def place_drafts(drafts: Sequence[Draft], scopes: Container[str] | None = None) -> list[Union]:
    """Drafts of one matter, one union for each scope, or one for all where it holds everywhere. Where scopes are named,
    drafts of others only tell whether it does, and are not made ready to be kept."""
    by_scope: defaultdict[Scope, list[Draft]] = defaultdict(list)
    for draft in drafts:
        by_scope[draft.scope].append(draft)
    is_wide = _is_among(EVERYWHERE, scopes)
    unions = [
        _unite(same) if is_wide or len(same) > 1 or _is_among(scope, scopes) else Union(same[0], (same[0],), "", ())
        for scope, same in sorted(by_scope.items())
    ]
    bound = [union for union in unions if union.draft.scope.kind is ScopeKind.AGENT]
    free = [union for union in unions if union.draft.scope.kind is not ScopeKind.AGENT]
    promoted = everywhere([union.draft for union in free])
    if not promoted:
        return unions
    parts = _in_order(chain.from_iterable(union.parts for union in free))
    return [_union(min(promoted, key=_precedence), parts), *bound]


def merge_in_scope(unions: Sequence[Union], same: Same | None = None) -> tuple[Union, ...]:
    """Merges the unions of one scope, by id."""
    kept = same or {}
    results = [group[0] if len(group) == 1 else _one_of(group, kept) for group in _connect(unions, kept)]
    return tuple(sorted(results, key=lambda union: union.id))


def reviews(unions: Sequence[Union]) -> Iterator[Review]:
    """Pairs of one scope that share enough words to be looked at. Two mechanical drafts of one harvester are different
    matters by its own word."""
    said = [meaning(union.draft.sentence) for union in unions]
    for at, later in _pairs(said):
        first, second = unions[at].draft, unions[later].draft
        is_stated = first.channel in _STATED or second.channel in _STATED
        reason = doubt(said[at], said[later]) if is_stated or first.harvester != second.harvester else ""
        if reason:
            yield Review(unions[at].id, unions[later].id, round(alike(said[at], said[later]), 2), reason)


def unite_evidence(drafts: Iterable[Draft]) -> tuple[Evidence, ...]:
    """All pieces of evidence, each step of a session once for a channel and a side."""
    pieces: dict[Hashable, Evidence] = {}
    for piece in sorted(chain.from_iterable(draft.evidence for draft in drafts), key=newest_first):
        session = piece.session
        place = (session.agent, session.native_id, piece.at, piece.channel, piece.source, piece.is_against)
        pieces.setdefault(place, piece)
    return tuple(pieces.values())


def _connect(unions: Sequence[Union], same: Same) -> list[list[Union]]:
    """Unions that share a name of what they mean, directly or through others."""
    owner: dict[Hashable, int] = {}
    leader = list(range(len(unions)))
    for number, union in enumerate(unions):
        for name in set(chain.from_iterable(_names(part, union.draft.scope, same) for part in union.parts)):
            first, second = _leader_of(leader, owner.setdefault(name, number)), _leader_of(leader, number)
            leader[max(first, second)] = min(first, second)
    groups: defaultdict[int, list[Union]] = defaultdict(list)
    for number, union in enumerate(unions):
        groups[_leader_of(leader, number)].append(union)
    return list(groups.values())


def _leader_of(leader: list[int], number: int) -> int:
    while leader[number] != number:
        leader[number] = leader[leader[number]]
        number = leader[number]
    return number


def _names(draft: Draft, scope: Scope, same: Same) -> Iterator[Hashable]:
    """Names of what a draft means: equal names, same thing."""
    if same and (kept := same.get(id_of(draft))) is not None:
        yield "same", kept
    is_question = draft.category is Category.QUESTION
    said = meaning(draft.sentence)
    yield "said", scope, is_question, draft.advice, said
    yield "id", scope, draft.harvester, draft.key
    if not draft.triggers:
        return
    triggers = frozenset(draft.triggers)
    if draft.advice:
        yield "advice", draft.category, triggers, draft.advice
    elif all(trigger.rule or trigger.signature for trigger in triggers):
        yield "sign", draft.category, triggers, draft.files, said.denied, said.quotes, said.marks


def _one_of(group: Sequence[Union], same: Same) -> Union:
    preferred = frozenset(same.get(id_of(part), "") for union in group for part in union.parts) if same else ()
    kept = min((union.draft for union in group), key=lambda draft: _precedence(draft, preferred))
    return _union(kept, _in_order(chain.from_iterable(union.parts for union in group)))


def _unite(drafts: Sequence[Draft]) -> Union:
    """Drafts of one matter and one scope."""
    parts = _in_order(drafts)
    return _union(_by_precedence(parts)[0], parts)


def _union(kept: Draft, parts: tuple[Draft, ...]) -> Union:
    own = id_of(kept)
    return Union(_join(kept, parts), parts, own, tuple(sorted({id_of(part) for part in parts} - {own})))


def _join(kept: Draft, parts: Sequence[Draft]) -> Draft:
    """The words of one, the evidence, triggers and files of all."""
    others = _by_precedence(parts)
    ids = {id_of(part) for part in parts} | {id_of(kept)}
    triggers = sorted({trigger for part in parts for trigger in part.triggers}, key=msgspec.json.encode)
    newest = min(others, key=lambda part: min(map(newest_first, part.evidence), default=(0,)))
    return msgspec.structs.replace(
        kept,
        triggers=tuple(triggers),
        files=tuple(dict.fromkeys(chain(kept.files, *(part.files for part in others)))),
        evidence=unite_evidence(parts),
        is_closed=newest.is_closed,
        supersedes=tuple(sorted({old for part in parts for old in part.supersedes} - ids)),
        saves=max(part.saves for part in parts),
    )


def _precedence(draft: Draft, preferred: Container[str] = ()) -> tuple[object, ...]:
    """Whose words are kept: the most trusted, then the preferred, then the first. Does not change with evidence that
    comes later."""
    first = min((piece.at_ms or piece.session.at_ms for piece in draft.evidence), default=0)
    own = id_of(draft)
    trust = (-rank(draft.channel), draft.channel is not Channel.USER)
    return *trust, own not in preferred, not draft.advice, first, own, msgspec.json.encode(draft)


def _by_precedence(drafts: Sequence[Draft]) -> Sequence[Draft]:
    """Mostly there is one alone, and comparing is costly."""
    return sorted(drafts, key=_precedence) if len(drafts) > 1 else drafts


def _in_order(drafts: Iterable[Draft]) -> tuple[Draft, ...]:
    """Each draft once."""
    every = tuple(drafts)
    return tuple(sorted(set(every), key=msgspec.json.encode)) if len(every) > 1 else every


def _pairs(said: Sequence[Meaning]) -> list[tuple[int, int]]:
    """Pairs that can share enough words: they name the same, and have one of their rarest words in common. Of very many
    such only the nearest: nobody looks at all pairs of a thousand, and somebody else may have sent them."""
    counts = Counter(word for sentence in said for word in sentence.bag)
    by_word: defaultdict[Hashable, deque[int]] = defaultdict(lambda: deque(maxlen=_MOST_ALIKE))
    pairs: set[tuple[int, int]] = set()
    for number, sentence in enumerate(said):
        names = (*sorted(sentence.quotes), None, *sentence.marks)
        rarest = sorted(sentence.bag, key=lambda word: (counts[word], word))
        for word in rarest[: len(rarest) - ceil(DOUBTFUL * len(rarest)) + 1]:
            pairs.update((earlier, number) for earlier in by_word[word, names])
            by_word[word, names].append(number)
    return sorted(pairs)


def everywhere(drafts: Sequence[Draft]) -> tuple[Draft, ...]:
    """The drafts, any of which can stand for their matter everywhere; none where it stays with its repositories.

    The drafts are of one matter, one for each repository and perhaps one that holds everywhere already.
    """
    if len({(draft.category, draft.channel, draft.advice) for draft in drafts}) > 1:
        return ()
    holds = tuple(draft for draft in drafts if draft.scope == EVERYWHERE)
    local = [draft for draft in drafts if draft.scope.kind is ScopeKind.REPO]
    if holds and local:
        return holds
    if len(local) < _REPOS:
        return ()
    general = list(filter(None, map(_general, local)))
    return tuple(general) if len(general) == len(local) else ()


def depends_on_repo(draft: Draft) -> bool:
    """Whether there is anything of a repository in it."""
    if draft.files or any(trigger.topic or trigger.path or trigger.rule for trigger in draft.triggers):
        return True
    lines = [draft.advice, *_QUOTE.findall(draft.sentence)]
    lines += [" ".join((trigger.program, *trigger.words)) for trigger in draft.triggers]
    return any(_is_of_repo(line) for line in lines if line)


def _general(draft: Draft) -> Draft | None:
    """The draft without the repository's name; None where it depends on it."""
    if not is_general(draft):
        return None
    sentence = _without_opening(draft.sentence, draft.scope)
    general = msgspec.structs.replace(draft, scope=EVERYWHERE, sentence=sentence)
    names = {draft.scope.name, draft.scope.name.rpartition("/")[2]} - {""}
    if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sentence + " " + draft.advice) for name in names):
        return None
    return None if depends_on_repo(general) else general


def _without_opening(sentence: str, scope: Scope) -> str:
    opening = _OPENING.match(sentence)
    if opening is None or opening["repo"].rpartition("/")[2] != scope.name.rpartition("/")[2]:
        return sentence
    rest = opening["rest"]
    return rest[0].upper() + rest[1:]


def _is_of_repo(line: str) -> bool:
    return any(_runs_script(command) or _names_path(command) for command in parsed(line).commands)


def _runs_script(command: Command) -> bool:
    """Whether the repository defines what this runs."""
    if command.program in _RUNNERS:
        return bool(command.arguments)
    own = command.arguments[0] if command.arguments else ""
    return command.program in _SCRIPTED and bool(own) and not own.startswith("-") and own not in _OWN


def _names_path(command: Command) -> bool:
    words: Iterable[str] = (word.text for word in command.words)
    return any(_PATH.match(word) for word in words)
