"""What all files of a run have in common: how they are redacted, and under which names tools and users are known.

The rules go to worker processes as they are; the redactor that follows from them is made once in each. Where they come
from, settings, surroundings and the store, is in `world`.
"""

from functools import lru_cache

import msgspec

from afterwit.agents.declared.description import Description
from afterwit.guard.people import People
from afterwit.guard.redaction import Redactor


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What all files of a run have in common."""

    key: bytes
    people: People
    allow: tuple[str, ...] = ()  # patterns of values that are no secrets
    tool_names: dict[str, str]
    user_names: dict[str, str]
    declared: tuple[Description, ...] = ()  # the logs that people have described


@lru_cache(maxsize=2)
def redactor_for(key: bytes, people: People, allow: tuple[str, ...]) -> Redactor:
    """Kept for all files of a process: compiling its rules costs more than most files."""
    return Redactor(key, people, allow)
