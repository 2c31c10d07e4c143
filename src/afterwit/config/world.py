"""The surroundings of a command: what use cases may look at and pure code may not.

Every command imports this. What only some need, the rules of redaction and of reading, is imported when it is made.
"""

import datetime as dt
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from afterwit.agents.declared.description import Description
from afterwit.config.calendar import Calendar
from afterwit.model.errors import ConfigError
from afterwit.model.settings import Settings
from afterwit.store.layout import Layout, redaction_key
from afterwit.store.rows import repos
from afterwit.store.store import Store

if TYPE_CHECKING:
    from afterwit.config.run_rules import RunRules
    from afterwit.redaction.redaction import Redactor
    from afterwit.repos.exclusion import Exclusion


class World(NamedTuple):
    layout: Layout
    settings: Settings
    user_home: Path
    environ: Mapping[str, str]
    now_ms: int
    declared: tuple[Description, ...] = ()  # the logs that people have described
    zone: dt.tzinfo | None = None  # in which people look at times; None: that of this machine

    @property
    def calendar(self) -> Calendar:
        return Calendar(self.now_ms, self.zone)


def rules_for(world: World, store: Store) -> "RunRules":
    """The rules of this run: the redaction key, whom to pseudonymise, and the aliases in force."""
    from afterwit.config.run_rules import RunRules, known_people

    aliases = world.settings.aliases
    return RunRules(
        key=store.key,
        declared=world.declared,
        home=str(world.user_home),
        allow=_patterns(world.settings.redaction.allow),
        people=known_people(world.environ, world.user_home, world.settings.redaction),
        tool_names=repos.aliases(store.db, "tool") | dict(aliases.tools),
        user_names=repos.aliases(store.db, "user") | dict(aliases.users),
    )


def exclusion_of(world: World) -> "Exclusion":
    """What the settings leave out. A folder that is a link means what it leads to, as well."""
    from afterwit.repos.exclusion import Exclusion

    entries = list(world.settings.learn.exclude)
    home = str(world.user_home)
    for folder in Exclusion(entries, home).folders:
        real = os.path.realpath(folder)
        if real != folder and "*" not in folder and "?" not in folder and Path(folder).exists():
            entries.append(f"folder:{real}")
    return Exclusion(entries, home)


def redactor_of(world: World) -> "Redactor":
    """What shows texts from the archive redacts them like what stored them."""
    from afterwit.config.run_rules import known_people, redactor_for

    settings = world.settings.redaction
    people = known_people(world.environ, world.user_home, settings)
    return redactor_for(redaction_key(world.layout), people, _patterns(settings.allow))


def _patterns(allow: tuple[str, ...]) -> tuple[str, ...]:
    """The patterns, if RE2 knows them all."""
    import re2

    options = re2.Options()
    options.log_errors = False
    for pattern in allow:
        try:
            re2.compile(pattern, options)
        except re2.error as error:
            raise ConfigError(f"redaction.allow: {pattern!r} is not a pattern that RE2 knows ({error}).") from error
    return allow
