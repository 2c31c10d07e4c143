"""How knowledge ages: certainty fades by category, and what an item speaks of can be gone at once.

A half-life is the time after which a sighting counts half. What is gone (files, versions of agents) is
found by others and passed in as `Gone`; nothing here looks at a disk.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from afterwit.model.knowledge import Category, Draft, ScopeKind

HALF_LIFE_DAYS: Mapping[Category, float] = {
    Category.FACT: 120,  # commands and places move with the code
    Category.PITFALL: 180,  # command-line interfaces change slowly
    Category.PATTERN: 180,  # habits and standing rules outlive the code they were stated for
    Category.TOOL_QUIRK: 180,  # the same; quirks of an agent's own tools go at once with its version
    Category.QUESTION: 30,  # a failure that nobody met again is no longer a question
}
_RELEASES = 3  # minor releases, later or earlier, at which an agent's quirk has to be seen again
_NUMBER = re.compile(r"\d+")


class Gone(NamedTuple):
    """What does not exist any more, as far as the caller knows."""

    files: Mapping[str, frozenset[str]] = {}  # by repository
    versions: Mapping[str, str] = {}  # that each agent ran with last


NOTHING_GONE = Gone()


def gone_reason(draft: Draft, gone: Gone) -> str:
    """What the draft speaks of and is gone, in words; "" where nothing is."""
    return _file_gone(draft, gone) or _version_gone(draft, gone)


def _file_gone(draft: Draft, gone: Gone) -> str:
    """Half of the files or more: an item about several places outlives one of them."""
    missing = gone.files.get(draft.scope.name, frozenset()) if draft.scope.kind is ScopeKind.REPO else frozenset()
    lost = [file for file in draft.files if file in missing]
    if not lost or 2 * len(lost) < len(draft.files):
        return ""
    return f"{lost[0]} is gone"


def _version_gone(draft: Draft, gone: Gone) -> str:
    """A quirk of an agent that now has a version with which it was not seen, nor with one that is near."""
    if draft.scope.kind is not ScopeKind.AGENT or draft.scope.name not in gone.versions:
        return ""
    now = gone.versions[draft.scope.name]
    seen = [piece.session.version for piece in draft.evidence if piece.session.version and not piece.is_against]
    if not seen or _is_near([_release(version) for version in seen], _release(now)):
        return ""
    return f"seen with {draft.scope.name} {max(seen, key=_release)}, now {now}"


def _release(version: str) -> tuple[int, int]:
    """The first two numbers of a version."""
    major, minor, *_ = (*map(int, _NUMBER.findall(version)[:2]), 0, 0)
    return major, minor


def _is_near(seen: Sequence[tuple[int, int]], now: tuple[int, int]) -> bool:
    """What has outlived many releases may outlive as many more."""
    minors = [minor for major, minor in seen if major == now[0]]
    reach = max(_RELEASES, max(minors) - min(minors) + 1) if minors else 0
    return any(abs(now[1] - minor) < reach for minor in minors)
