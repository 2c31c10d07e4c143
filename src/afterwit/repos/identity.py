"""Which repository a session belongs to, although one repository goes by many names, and by which names a checkout is
recognised in which no session was seen yet.

Looks at all sightings at once, so their order does not matter: a folder whose log names no remote is told by the
sessions beside it, by the checkout on this machine, by its name where only one repository has it, or by its first
commit. Remotes count as one repository where their names are spelled alike and they were seen in one folder or have one
owner; the one with most sessions gives the name. In doubt two repositories stay apart; people join them with an alias.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import NamedTuple

import msgspec

from afterwit.repos.folders import PARTS_OF_A_REPOSITORY, Spot, root_name, root_of
from afterwit.repos.remotes import OF_CLONE, OF_FOLDER, canonical_remote, last_part, name_key

COMMIT_MARK = "commit:"  # before the first commit of a checkout without a remote, where its remote would stand


class ResolvedBy(StrEnum):
    """Why a session was counted to its repository, as people read it."""

    ALIAS = "alias in config.toml"
    MERGED = "merged by you"
    LOG = "named by the log"
    LOG_OTHERWISE = "named by the log, under another name of it"
    CHECKOUT = "remote of the checkout"
    FOLDER = "same folder as a session that names it"
    PART = "subfolder of a folder seen elsewhere"
    ONLY_ONE = "only repository with this name"
    COMMIT = "same first commit as a checkout elsewhere"
    NAME = "folder name"
    NOWHERE = "no repository"


class RepoSighting(msgspec.Struct, frozen=True):
    """A root folder and a remote ("" where the log names none), and how many sessions say so."""

    root: str
    remote: str
    count: int = 1


class RepoResolution(NamedTuple):
    repo: str  # host/owner/name, or a folder's name; "" where there is none
    how: ResolvedBy


def resolve(
    sightings: Iterable[RepoSighting],
    aliases: Mapping[str, str],
    checkouts: Mapping[str, str],
    merges: Mapping[str, str] | None = None,
) -> dict[Spot, RepoResolution]:
    """The repository of every spot. Aliases (from the configuration) and merges (made by people later) map a remote, an
    owner/name, a folder or a name to what it should be; `checkouts` maps root folders to remotes, and those without one
    to their first commit."""
    counts: Counter[Spot] = Counter()
    for sighting in sightings:
        counts[Spot(sighting.root, sighting.remote)] += sighting.count
    rename = _Renames(aliases, merges or {})
    repos = _Known(counts, checkouts, rename)
    resolutions = {spot: repos.place(spot) for spot in counts}
    return _unify_spelling(resolutions, counts, rename.targets)


def domain_of(repo: str, domains: Mapping[str, Sequence[str]]) -> str:
    """The first domain, in the order given, with a pattern for this repository's whole name or its last part."""
    names = (repo.casefold(), last_part(repo).casefold())
    for domain, patterns in domains.items():
        if repo and any(fnmatchcase(name, pattern.casefold()) for pattern in patterns for name in names):
            return domain
    return ""


class _Rename(NamedTuple):
    target: str
    how: ResolvedBy


class _Renames:
    """Aliases and merges, looked up by any of the names that a place goes by. An alias goes before a merge."""

    def __init__(self, aliases: Mapping[str, str], merges: Mapping[str, str]) -> None:
        self._rows: dict[str, _Rename] = {}
        for table, how in ((merges, ResolvedBy.MERGED), (aliases, ResolvedBy.ALIAS)):
            for name in sorted(table):
                self._rows[_alias_key(name)] = _Rename(table[name].strip(), how)
        self.targets = frozenset(row.target for row in self._rows.values())

    def follow(self, keys: Iterable[str]) -> _Rename | None:
        """Where the chain of renames ends that starts at one of these keys. A circle ends at its first name by the
        alphabet."""
        first = next((self._rows[key] for key in keys if key in self._rows), None)
        if first is None:
            return None
        chain = [first.target]
        while (row := self._rows.get(_alias_key(chain[-1]))) is not None:
            if row.target in chain:
                return _Rename(min(chain[chain.index(row.target) :]), first.how)
            chain.append(row.target)
        return _Rename(chain[-1], first.how)


class _Known:
    """What all sightings together tell of remotes, folders and names."""

    def __init__(self, counts: Mapping[Spot, int], checkouts: Mapping[str, str], rename: _Renames) -> None:
        self._rename = rename
        self._sessions: Counter[str] = Counter()
        self._checked_out = {
            _folder_key(root): remote for root, url in sorted(checkouts.items()) if (remote := canonical_remote(url))
        }
        self._folders = {
            _folder_key(root): root_of(root) for root in sorted({*checkouts, *(spot.root for spot in counts)})
        }
        self._in_folder: dict[str, set[str]] = defaultdict(set)
        for spot, count in counts.items():
            remote = canonical_remote(spot.remote)
            self._in_folder[_folder_key(spot.root)] |= {remote} - {""}
            self._sessions[remote] += count
        self._begun_with = {
            _folder_key(root): commit for root, commit in checkouts.items() if commit.startswith(COMMIT_MARK)
        }
        self._used: Counter[str] = Counter()
        for spot, count in counts.items():
            self._used[_folder_key(spot.root)] += count
        self._seen_as = _unite(self._groups(), self._name_of)
        self._named: dict[str, set[str]] = defaultdict(set)
        for remote, repo in self._seen_as.items():
            self._named[name_key(last_part(remote))].add(repo)
            self._named[name_key(last_part(repo))].add(repo)

    def place(self, spot: Spot) -> RepoResolution:
        remote = canonical_remote(spot.remote)
        renamed = self._rename.follow(_alias_keys(spot.root, remote))
        if renamed:
            return RepoResolution(self._target(renamed.target), renamed.how)
        if remote:
            repo = self._seen_as[remote]
            return RepoResolution(repo, ResolvedBy.LOG if repo == remote else ResolvedBy.LOG_OTHERWISE)
        return self._place_of_folder(spot.root)

    def _place_of_folder(self, root: str) -> RepoResolution:
        name, key = root_name(root), _folder_key(root)
        if key in self._checked_out:
            return RepoResolution(self._seen_as[self._checked_out[key]], ResolvedBy.CHECKOUT)
        if not name:
            return RepoResolution("", ResolvedBy.NOWHERE)
        if self._in_folder.get(key):
            return RepoResolution(self._seen_as[self._of_folder(name, key)], ResolvedBy.FOLDER)
        whole = self._whole_of(key)
        if whole:
            return RepoResolution(self.place(Spot(whole, "")).repo, ResolvedBy.PART)
        named = self._named.get(name_key(name), set())
        if len(named) == 1:
            return RepoResolution(min(named), ResolvedBy.ONLY_ONE)
        first = self._first_of_commit(key)
        if first != key:
            return RepoResolution(root_name(self._folders[first]), ResolvedBy.COMMIT)
        return RepoResolution(name, ResolvedBy.NAME)

    def _first_of_commit(self, key: str) -> str:
        """Of the checkouts that begin with the same commit, the one with most sessions gives the name."""
        commit = self._begun_with.get(key)
        same = [other for other, begun in self._begun_with.items() if commit and begun == commit]
        return min(same, key=lambda other: (-self._used[other], other), default=key)

    def _of_folder(self, name: str, key: str) -> str:
        """The remote of a folder with several: the one of its name, else the most used."""
        same = {remote for remote in self._in_folder[key] if name_key(last_part(remote)) == name_key(name)}
        return self._prefer(same or self._in_folder[key])

    def _whole_of(self, key: str) -> str:
        """A folder above that was seen as well, if this one is a usual part of a repository."""
        parts = key.split("/")
        for end in range(len(parts) - 1, 0, -1):
            above = self._folders.get("/".join(parts[:end]), "")
            if parts[end] in PARTS_OF_A_REPOSITORY and root_name(above):
                return above
        return ""

    def _groups(self) -> Iterator[set[str]]:
        """Remotes that are one repository. A home or a temporary folder is no sign of that."""
        folders = {key: set(remotes) for key, remotes in self._in_folder.items()}
        for key, remote in self._checked_out.items():
            folders.setdefault(key, set()).add(remote)
        for key, remotes in folders.items():
            if root_name(self._folders[key]):
                yield from _alike(remotes, lambda remote: name_key(last_part(remote)))
        targets = {canonical_remote(target) for target in self._rename.targets} - {""}
        yield from _alike(targets.union(*folders.values()), _owner_and_name)

    def _prefer(self, remotes: Iterable[str]) -> str:
        return min(remotes, key=lambda remote: (-self._sessions[remote], remote))

    def _name_of(self, remotes: set[str]) -> str:
        """What a repository with these remotes is called: as an alias of one of them says, else like the most used."""
        renames = (self._rename.follow(_alias_keys("", remote)) for remote in remotes)
        targets = {canonical_remote(rename.target) or rename.target for rename in renames if rename}
        return min(targets) if targets else self._prefer(remotes)

    def _target(self, text: str) -> str:
        """The repository that an alias names: by its remote, or by a name that only one has."""
        remote = canonical_remote(text)
        if remote:
            return self._seen_as.get(remote, remote)
        owned = {repo for remote_seen, repo in self._seen_as.items() if remote_seen.endswith(f"/{text.casefold()}")}
        named = self._named.get(name_key(text), set()) if "/" not in text else owned
        return min(named) if len(named) == 1 else text


def _unify_spelling(
    resolutions: dict[Spot, RepoResolution], counts: Mapping[Spot, int], chosen: frozenset[str]
) -> dict[Spot, RepoResolution]:
    """Gives all spellings of a name the one that an alias chose, else the most used one, else the first."""
    votes: Counter[str] = Counter()
    for spot, (repo, _) in resolutions.items():
        votes[repo] += counts[spot]
    spelling: dict[str, str] = {}
    for name in sorted(votes, key=lambda name: (name not in chosen, -votes[name], name)):
        spelling.setdefault(name if "/" in name else name_key(name), name)
    return {
        spot: RepoResolution(spelling[repo if "/" in repo else name_key(repo)], how)
        for spot, (repo, how) in resolutions.items()
    }


def _unite(groups: Iterable[set[str]], name_of: Callable[[set[str]], str]) -> dict[str, str]:
    """For every member of overlapping groups, the name of all that hang together."""
    together: dict[str, set[str]] = {}
    for group in groups:
        joined = group.union(*(together.get(member, set()) for member in group))
        together.update(dict.fromkeys(joined, joined))
    return {member: name_of(members) for member, members in together.items()}


def _alike(remotes: Iterable[str], trait: Callable[[str], str]) -> Iterator[set[str]]:
    groups: dict[str, set[str]] = defaultdict(set)
    for remote in remotes:
        groups[trait(remote)].add(remote)
    yield from groups.values()


def _owner_and_name(remote: str) -> str:
    owner, _, name = remote.rpartition("/")
    return f"{owner}/{name_key(name)}"


def _folder_key(root: str) -> str:
    return root_of(root).casefold()


def _alias_key(text: str) -> str:
    remote = canonical_remote(text)
    if remote:
        return remote
    if "/" not in text and "\\" not in text:
        return name_key(text)
    return _folder_key(text)


def _alias_keys(root: str, remote: str) -> list[str]:
    """The names by which an alias can mean this place, the most precise first. A mere name means folders only: other
    owners may have a repository of that name."""
    keys = [_folder_key(root)] if root else []
    if remote:
        return [*keys, remote, remote.partition("/")[2]]
    return [*keys, name_key(root_name(root))]


_ANY_HOST = "any.invalid"  # stands for the host of an alias that names an owner and a name


def repos_meant(
    sightings: Iterable[RepoSighting],
    aliases: Mapping[str, str],
    checkouts: Mapping[str, str],
    merges: Mapping[str, str],
) -> dict[str, str]:
    """The repository that each alias leads to, by the alias as it is looked up."""
    spots = {name: _spot(name) for name in {*aliases, *merges}}
    seen = [*sightings, *(RepoSighting(*spot, 0) for spot in spots.values())]
    places = resolve(seen, aliases, checkouts, merges)
    chosen = (ResolvedBy.ALIAS, ResolvedBy.MERGED)
    return {key_of(name): places[spot].repo for name, spot in sorted(spots.items()) if places[spot].how in chosen}


def repos_by_name(repos: Mapping[Spot, str], checkouts: Mapping[str, str]) -> dict[str, str]:
    """The repositories that a checkout is recognised as, by its keys, of places with their repositories."""
    named: defaultdict[str, set[str]] = defaultdict(set)
    by_key: defaultdict[str, set[str]] = defaultdict(set)
    for spot, repo in repos.items():
        if repo:
            named[name_key(last_part(repo))].add(repo)
            by_key[spot.remote].add(repo)
            by_key[checkouts.get(spot.root, "")].add(repo)
            by_key[repo].add(repo)
    for name, same in named.items():
        by_key[f"{OF_FOLDER}{name}"] |= same
        if all("/" not in repo for repo in same):
            by_key[f"{OF_CLONE}{name}"] |= same
    keys = (key for key in by_key if "/" in key or key.startswith((OF_FOLDER, OF_CLONE, COMMIT_MARK)))
    return {key: min(by_key[key]) for key in sorted(keys) if len(by_key[key]) == 1}


def key_of(name: str) -> str:
    """An alias as it is looked up: a remote or an owner and a name in lower case, a folder as it is, a name folded."""
    remote = canonical_remote(name)
    if remote or _is_owned(name):
        return remote or name.casefold()
    return root_of(name) if is_folder(name) else f"{OF_FOLDER}{name_key(name)}"


def is_folder(name: str) -> bool:
    """Whether an alias, or the key of one, is a folder."""
    return name.startswith(("/", "~", "\\")) or (name[1:2] == ":" and name[2:3] in ("/", "\\"))


def _spot(name: str) -> Spot:
    remote = canonical_remote(name)
    if remote or _is_owned(name):
        return Spot("", remote or f"{_ANY_HOST}/{name.casefold()}")
    return Spot(root_of(name) if is_folder(name) else f"/{name}", "")


def _is_owned(name: str) -> bool:
    return name.count("/") == 1 and not is_folder(name)
