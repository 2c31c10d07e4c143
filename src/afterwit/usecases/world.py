"""The surroundings of a command: what use cases may look at and pure code may not."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import re2

from afterwit.model.errors import ConfigError
from afterwit.model.settings import Settings
from afterwit.store import repos
from afterwit.store.layout import Layout
from afterwit.store.store import Store
from afterwit.usecases.derive import Rules
from afterwit.usecases.people import known_people


class World(NamedTuple):
    layout: Layout
    settings: Settings
    user_home: Path
    environ: Mapping[str, str]
    now_ms: int


def rules_for(world: World, store: Store) -> Rules:
    """The rules of this run: the redaction key, whom to pseudonymise, and the aliases in force."""
    aliases = world.settings.aliases
    return Rules(
        key=store.key,
        allow=_patterns(world.settings.redaction.allow),
        people=known_people(world.environ, world.user_home, world.settings.redaction),
        tool_names=repos.aliases(store.db, "tool") | dict(aliases.tools),
        user_names=repos.aliases(store.db, "user") | dict(aliases.users),
    )


def _patterns(allow: tuple[str, ...]) -> tuple[str, ...]:
    for pattern in allow:
        try:
            re2.compile(pattern)
        except re2.error as error:
            raise ConfigError(f"redaction.allow: {pattern!r} is not a pattern that RE2 knows ({error}).") from error
    return allow
