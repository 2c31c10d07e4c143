"""Whether checkouts are as they were, as far as items rely on them: by names, sizes and times, and no file is read.

As long as the marks are the same, what `missing` would find is the same. Loads nothing that only a run needs.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from afterwit.capture.checkouts.known import MOST_READ, Checkout
from afterwit.sources.checkout import files_named, has_path, stat_in


class Watched(msgspec.Struct, frozen=True):
    """What is looked at in each checkout of a repository."""

    paths: list[str]  # whether they are there
    files: list[str]  # whether they have changed
    names: list[str]  # of files that are looked for in the whole tree; none where that was not needed


_NOTHING = Watched([], [], [])


def tree_marks(places: Iterable[Checkout], by_repo: Mapping[str, Watched]) -> Iterator[Any]:
    """Equal as long as nothing has changed that matters."""
    for repo, roots in sorted(roots_of(places).items()):
        subjects = by_repo.get(repo, _NOTHING)
        for at, root in enumerate(roots):
            yield repo, str(root), [path for path in subjects.paths if has_path(root, path) is False]
            yield [(path, about) for path in subjects.files if (about := stat_in(root, path))]
            if subjects.names and at < MOST_READ:
                named = files_named(root, subjects.names)
                yield named.is_whole, [(path, stat_in(root, path)) for path in (*named.paths, ".gitignore")]


def roots_of(places: Iterable[Checkout]) -> dict[str, list[Path]]:
    """The checkouts of each repository."""
    roots: dict[str, list[Path]] = {}
    for repo, root in places:
        roots.setdefault(repo, []).append(root)
    return roots
