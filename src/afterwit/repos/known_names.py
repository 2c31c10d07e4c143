"""By which names a checkout is recognised in which no session was seen yet: remotes, aliases, names and first commits.

An alias names a remote, an owner and a name, a folder, or a mere name; it leads where sessions there would be counted.
A clone has the remote of a repository, or of one that was only ever known by its folder's name; or it begins with the
same commit. What two repositories could be meant by means none. By which keys a checkout is looked up is in
`repos.remotes.keys_of_checkout`. Pure.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from afterwit.repos.folders import root_of
from afterwit.repos.identity import COMMIT_MARK, RepoSighting, ResolvedBy, Spot, resolve
from afterwit.repos.remotes import OF_CLONE, OF_FOLDER, canonical_remote, last_part, name_key

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
