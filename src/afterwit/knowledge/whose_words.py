"""Whose words a note is, and who is told them: what one person said or wants speaks to that person alone. Pure.

Personal are the words that a user typed in a session, in their own form or as a model read them there, and what a user
refused again and again. Notes about a repository or a tool are everybody's, and so is what somebody wrote down as a
note or approved. A note is the word of all whose sessions it was learned from: people who say the same independently
each hear it.

Who somebody is, is known by the home folder that a session ran in. Words of an unknown user, and of an account that
names nobody (`root`, `vscode` …), are kept from no one. Whoever goes by none of the names in a store is taken for the
only person there is, in a repository or in the store: a home that was restored or moved under another name, a
container. Where there are several, none of them is.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from afterwit.model.knowledge import DENIALS, PERSON, Channel, Item, ScopeKind
from afterwit.redaction.accounts import is_person


def is_personal(item: Item) -> bool:
    """Whether it says what a user said or wants, and nobody wrote it down as a note."""
    return item.harvester == DENIALS or (item.channel is Channel.USER and item.harvester != PERSON)


def is_persons(item: Item) -> bool:
    """Whether a person stands behind its words: typed, written, approved, edited or pinned."""
    return item.channel is Channel.USER or item.is_decided or item.is_pinned


def speakers(item: Item) -> frozenset[str]:
    """The users whose words or wishes it is, "" for one who is not known; none where it is nobody's."""
    if not is_personal(item):
        return frozenset()
    own = [piece for piece in item.evidence if piece.channel is item.channel and not piece.is_against]
    return frozenset(piece.session.user for piece in own)


def people(item: Item) -> tuple[str, ...]:
    """Of these the ones who can be told from others, by name."""
    return tuple(sorted(filter(is_person, speakers(item))))


def speaks_for(item: Item, other: Item) -> bool:
    """Whether all whose words the other is have said this one, or nobody knows who said it."""
    mine = speakers(item)
    return not mine or not all(map(is_person, mine)) or mine.issuperset(people(other))


class Listener(NamedTuple):
    """Whoever is told something, by who they are not."""

    others: frozenset[str] = frozenset()  # people whose words are not told
    stand_ins: Mapping[str, frozenset[str]] = {}  # by repository, "" for the store: of these, who is taken for them

    def hears(self, item: Item) -> bool:
        """Whether the words of an item may be told."""
        if item.is_decided:
            return True
        said_by = speakers(item)
        repo = item.scope.name if item.scope.kind is ScopeKind.REPO else ""
        return not said_by or not said_by <= self.others_in(repo)

    def hears_user(self, user: str, repo: str) -> bool:
        """Whether what this user typed in a session in this repository may be quoted."""
        return user not in self.others_in(repo)

    def others_in(self, repo: str) -> frozenset[str]:
        return self.others - self.stand_ins.get(repo, frozenset())


class Names(NamedTuple):
    """Under which names users go."""

    own: frozenset[str]  # of whoever is told
    aliases: Mapping[str, str] = {}

    def are_mine(self, user: str) -> bool:
        return self.resolved(user) in {self.resolved(name) for name in self.own}

    def resolved(self, user: str) -> str:
        for _ in self.aliases:
            user = self.aliases.get(user, user)
        return user


def listener(names: Names, users: Mapping[str, Collection[str]]) -> Listener:
    """Who goes by these names, in a store where these users had sessions, by repository."""
    everybody = frozenset(filter(is_person, (user for several in users.values() for user in several)))
    mine = frozenset(filter(names.are_mine, everybody))
    if mine:
        return Listener(everybody - mine)
    places = {repo: frozenset(filter(is_person, several)) for repo, several in users.items()} | {"": everybody}
    return Listener(everybody, {repo: there for repo, there in places.items() if _is_one(names, there)})


def _is_one(names: Names, there: Iterable[str]) -> bool:
    return len({names.resolved(user) for user in there}) == 1


def words_of(item: Item, to: Listener) -> str:
    """Whose words a note is, as people read it; "" where it is nobody's, or nobody knows."""
    others = to.others_in(item.scope.name if item.scope.kind is ScopeKind.REPO else "")
    return ", ".join(dict.fromkeys(name if name in others else "you" for name in people(item)))
