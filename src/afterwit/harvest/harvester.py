"""What a harvester is, and what several of them ask of their sightings. Pure, without a model.

`see` looks at one digest and says what matters in it, each thing under a *group*: the name of the matter that it
belongs to. `conclude` gets everything that was seen of one group, in all sessions, and drafts what follows. So a new
session costs a look at its own digest and new conclusions for the groups it touches, whatever the history holds, and
the outcome depends on the set of sessions, not on their order. Of a matter that has many sightings the newest count.

The words of items are sentences of a bounded length, with foreign text in them quoted and harmless: one line, nothing
invisible, no backtick inside, home folders shortened to `~`.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from afterwit.actions.failures.failure_class import classify
from afterwit.actions.failures.signature import answerable_signature
from afterwit.model.digest import Digest, Failure
from afterwit.model.kinds import ActionKind, Status
from afterwit.model.knowledge import (
    EXCERPT_LIMIT,
    SENTENCE_LIMIT,
    Category,
    Channel,
    Draft,
    Evidence,
    Item,
    Scope,
    ScopeKind,
    Seen,
    SessionRef,
    Sighting,
)
from afterwit.model.text import regex
from afterwit.redaction.hygiene import clean
from afterwit.redaction.markers import PLACEHOLDER, unkeyed
from afterwit.redaction.plain_names import is_plain_name

K = TypeVar("K", bound=Hashable)
S = TypeVar("S", bound=Seen)
T = TypeVar("T")
_MOST_SIGNATURES = 6
_FOUND = "found as"  # begins the key of a draft that was made of an item
MOST_TELLING = 400
"""The newest sightings of a matter that it is concluded from: what is older changes no judgement any more."""
MOST_OTHERS = 200
"""The same, of those that only speak for or against what others tell."""
NEVER_ALONE = 1_000_000
"""Stories asked of what never counts without a person's word: it only answers a failure, however often it is seen."""
_PATH_CHARS = 120
_HOME = regex(
    rf"(?<![\w.~])(?:/(?:Users|home|var/home)/|[A-Za-z]:[\\/]Users[\\/])(?:{PLACEHOLDER.pattern}|[^\s/\\'\"`:;,)‹]+)"
)
_ROOT_HOME = regex(r"(?<![\w./~])/root(?=/)")
_BLANKS = regex(r"\s+")
_CUT = "…"


class Grouped(NamedTuple, Generic[S]):
    """Something seen, under the name of the matter that it belongs to."""

    group: str
    seen: S


class SessionLook(Protocol):
    """What is seen in single sessions, and kept."""

    name: str
    version: int  # counts up when it would see otherwise

    def see(self, digest: Digest) -> Iterable[Grouped[Any]]:
        """What matters in one session."""
        ...


class Harvester(Protocol[S]):
    name: str
    version: int  # counts up when it would see or conclude otherwise
    minimum_stories: int  # that must show the same before an item counts without a person's word
    seen: type[S]

    def see(self, digest: Digest) -> Iterable[Grouped[S]]:
        """What matters in one session."""
        ...

    def conclude(self, group: str, sightings: Sequence[Sighting[S]]) -> Iterable[Draft]:
        """What follows from everything that was seen of one matter. The order of the sightings does not matter."""
        ...


@lru_cache(maxsize=8_192)
def item_id(harvester: str, scope: Scope, key: tuple[str, ...]) -> str:
    """Twelve hexadecimal digits: the same on every machine, because of a redaction placeholder they see the type."""
    content = msgspec.json.encode([harvester, str(scope), [unkeyed(part) for part in key]])
    return hashlib.sha256(content).hexdigest()[:12]


def id_of(draft: Draft) -> str:
    return draft.key[1] if draft.key[:1] == (_FOUND,) else item_id(draft.harvester, draft.scope, draft.key)


def as_found(item: Item) -> Draft:
    """What an item was made from, where nothing else says so any more. It has the id of the item."""
    names = set(Draft.__struct_fields__) & set(Item.__struct_fields__)
    return Draft(key=(_FOUND, item.id), **{name: getattr(item, name) for name in names})


def is_general(draft: Draft) -> bool:
    """Whether it is of a kind that may hold everywhere: what was measured in a repository stays there."""
    return draft.category in (Category.PITFALL, Category.TOOL_QUIRK) or draft.channel is Channel.USER


def about_hash(draft: Draft) -> bytes:
    """The same for all drafts that are about the same, wherever they hold."""
    return hashlib.blake2b(msgspec.msgpack.encode((draft.harvester, draft.key)), digest_size=12).digest()


def evidence_of(sighting: Sighting[S], channel: Channel, *, is_against: bool = False, source: str = "") -> Evidence:
    """A sighting as evidence for, or against, what is concluded from it."""
    session, seen = sighting
    return Evidence(
        session=session,
        channel=channel,
        source=source,
        at=seen.at,
        at_ms=seen.at_ms or session.at_ms,
        excerpt=seen.excerpt[:EXCERPT_LIMIT],
        is_against=is_against,
    )


def outcomes(sightings: Iterable[Sighting[S]], against: Iterable[Sighting[S]] = ()) -> tuple[Evidence, ...]:
    """Sightings as evidence by what was seen to happen: those that speak for something, and those against it."""
    return (
        *(evidence_of(sighting, Channel.OUTCOME) for sighting in sightings),
        *(evidence_of(sighting, Channel.OUTCOME, is_against=True) for sighting in against),
    )


def when(sighting: Sighting[S]) -> tuple[int, str, int]:
    """Where in time something was seen."""
    return sighting.session.at_ms, sighting.session.native_id, sighting.seen.at or 0


def in_order(sightings: Iterable[Sighting[S]]) -> list[Sighting[S]]:
    return sorted(sightings, key=when)


def failures_of(digest: Digest) -> Iterator[Failure]:
    """The failures of a session, and commands that look like one although nothing says how they ended."""
    yield from digest.failures
    for at, step in enumerate(digest.steps):
        if step.kind is ActionKind.SHELL and step.status is Status.UNKNOWN and step.has_failed:
            failed = step._replace(status=Status.FAILED)
            yield Failure(at=at, failure=classify(failed), signature=answerable_signature(failed))


def stories_in(sightings: Iterable[Sighting[S]]) -> set[str]:
    return {sighting.session.story for sighting in sightings}


def by_repo(sightings: Iterable[Sighting[S]]) -> dict[Scope, list[Sighting[S]]]:
    """What was seen in each repository, in order. What was seen outside of any belongs to the agent that met it."""
    scopes = group_by(in_order(sightings), lambda sighting: scope_of(sighting.session))
    repos_first = sorted(scopes, key=lambda scope: (scope.kind is not ScopeKind.REPO, scope))
    return {scope: scopes[scope] for scope in repos_first}


def scope_of(session: SessionRef) -> Scope:
    """What was seen in a session holds in its repository; where it has none, for its agent."""
    return Scope(ScopeKind.REPO, session.repo) if session.repo else Scope(ScopeKind.AGENT, session.agent)


def group_by(values: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Values that have the same key, in order."""
    groups: defaultdict[K, list[T]] = defaultdict(list)
    for value in values:
        groups[key(value)].append(value)
    return dict(groups)


def unique(values: Iterable[T], key: Callable[[T], Hashable]) -> Iterator[T]:
    """The first value of each key."""
    keys: set[Hashable] = set()
    for value in values:
        if (name := key(value)) not in keys:
            keys.add(name)
            yield value


def rank_counts(counts: Mapping[str, float]) -> list[str]:
    """Values by how often they occur, the commonest first."""
    return sorted(counts, key=lambda value: (-counts[value], value))


def commonest(counts: Mapping[str, float]) -> str:
    """The value that occurs most; "" where there is none."""
    return min(counts, key=lambda value: (-counts[value], value), default="")


def story_counts(values: Iterable[tuple[str, str]]) -> Counter[str]:
    """In how many stories each value occurs; from values with their stories."""
    return Counter(value for value, _ in set(values) if value)


def commonest_signatures(signatures: Iterable[str]) -> list[str]:
    """Of the failures that were seen; the commonest first."""
    return rank_counts(Counter(signatures))[:_MOST_SIGNATURES]


def quote(text: str, limit: int = 80) -> str:
    """The text between backticks, at most `limit` characters of it; "" where nothing is left that can be shown."""
    line = plain(text)
    if not line:
        return ""
    return f"`{line if len(line) <= limit else line[: limit - 1].rstrip() + _CUT}`"


def plain(text: str) -> str:
    """The text in one clean line, without home folders and backticks; "" where it holds a placeholder."""
    line = _BLANKS.sub(" ", clean(text)).strip().replace("`", "'")
    line = _ROOT_HOME.sub("~", _HOME.sub("~", line))
    return "" if PLACEHOLDER.search(line) else line


def sentence(text: str) -> str:
    """The text in one line. It is never cut: what is longer than a note may be is refused by the gate."""
    return _BLANKS.sub(" ", text).strip()


def quote_path(path: str) -> str:
    """A path, quoted. Whoever names it has seen that it is a plain one."""
    return quote(path, _PATH_CHARS)


def quote_repo(repo: str) -> str:
    """The name of a repository without host and owner, quoted; where it is no plain name, words of ours."""
    name = repo.rpartition("/")[2]
    return quote(name) if is_plain_name(name) and quote(name) else "this repository"


def fit_sentence(begin: str, further: Iterable[str], ending: str = "") -> str:
    """A sentence of a beginning, of as many further parts as fit, and of the ending if that fits."""
    text = begin
    ending = ending if len(begin) + len(ending) < SENTENCE_LIMIT else ""
    for part in further:
        if len(text) + len(part) + len(ending) >= SENTENCE_LIMIT:
            break
        text += part
    return sentence(f"{text}{ending}.")
