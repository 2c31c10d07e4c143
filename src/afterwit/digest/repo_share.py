"""How much of a session was about a repository, wherever it ran: the share of its actions or of its prompts.

An action is about a repository if its command runs in a folder of that name, asks a host about a remote of that name,
or names it; a prompt, if it names it. What a session does without naming a place is done in its own repository, and of
that its actions alone tell. Of others the larger share counts: one prompt may start a hundred actions that name
nothing. Names that any repository may have a folder of (`docs`, `api`), and very short ones, count only as a place.
Pure.
"""

import re
from collections.abc import Iterable, Sequence, Set

from afterwit.model.digest import Digest, DigestStep
from afterwit.model.kinds import ActionKind
from afterwit.repos.folders import PARTS_OF_A_REPOSITORY, place_of_file, places_of_command
from afterwit.repos.remotes import last_part, name_key

_SHORTEST_NAME = 4
_FILES = (ActionKind.READ, ActionKind.EDIT, ActionKind.WRITE)


class RepoNames:
    """Names that a repository goes by, to be looked for in sessions."""

    def __init__(self, names: Iterable[str]) -> None:
        short = {last_part(name) for name in names if name}
        self._keys = frozenset(map(name_key, short))
        told = sorted(
            name for name in short if len(name) >= _SHORTEST_NAME and name.casefold() not in PARTS_OF_A_REPOSITORY
        )
        words = "|".join(map(re.escape, told))
        self._mention = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE) if words else None

    def share_of(self, digest: Digest, *, is_own: bool, folder: str = "") -> float:
        """The share of a session that is about it; `is_own`: it is the session's repository, in a folder of this
        name."""
        keys = self._keys | ({name_key(folder)} if folder else set())
        steps = [self._is_there(step, keys, is_own=is_own) for step in digest.steps]
        if is_own:
            return _share(steps) if steps else 1.0
        prompts = [self._is_named(said.text) for said in digest.prompts if said.is_person]
        return max(_share(steps), _share(prompts))

    def _is_there(self, step: DigestStep, keys: Set[str], *, is_own: bool) -> bool:
        places = _places_of(step)
        if any(name_key(part) in keys for place in places for part in place.split("/") if part):
            return True
        return not places and (is_own or self._is_named(step.target))

    def _is_named(self, text: str) -> bool:
        return self._mention is not None and self._mention.search(text) is not None


def _places_of(step: DigestStep) -> set[str]:
    """The folders and remotes that a step names, and its files elsewhere: the digest has those of the session's own
    repository by their path below it."""
    if step.kind is ActionKind.SHELL:
        return places_of_command(step.target)
    paths = [*step.files, step.target] if step.kind in _FILES else []
    return {path for path in paths if place_of_file(path)}


def _share(flags: Sequence[bool]) -> float:
    return round(sum(flags) / len(flags), 3) if flags else 0.0
