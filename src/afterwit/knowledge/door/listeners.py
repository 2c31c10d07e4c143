"""Who is told something on this machine: the user of this process, by login and home folder, as the store knows them.

Users are stored by pseudonym, so their names are compared as these. Other names of the same person are those that
`sessions users --merge` and `[aliases.users]` give.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import apsw

from afterwit.config.world import World
from afterwit.knowledge.whose_words import Listener, Names, listener
from afterwit.model.errors import UsageError
from afterwit.redaction.markers import placeholder
from afterwit.store.layout import redaction_key
from afterwit.store.rows.repos import aliases, users_by_repo
from afterwit.store.store import readonly_database

_LOGINS = ("USER", "LOGNAME", "USERNAME")


def listener_here(db: apsw.Connection, world: World) -> Listener:
    """Whoever runs this process."""
    key = redaction_key(world.layout)
    own = own_names(world.environ, world.user_home)
    given = world.settings.aliases.users
    pseudonyms = {placeholder("user", name, key): target for name, target in given.items()}
    names = Names(
        own=frozenset((*own, *(placeholder("user", name, key) for name in own))),
        aliases={**aliases(db, "user"), **pseudonyms, **given},
    )
    return listener(names, users_by_repo(db))


def who_listens(world: World) -> Listener:
    """The same, of a store that is opened for it."""
    with readonly_database(world.layout) as db:
        return listener_here(db, world)


def names_in_store(db: apsw.Connection, world: World, users: Sequence[str]) -> tuple[str, ...]:
    """Users as sessions have them: by pseudonym, or by the name that one was given. Raises for one that none has."""
    key = redaction_key(world.layout)
    users_seen = {user for several in users_by_repo(db).values() for user in several} if users else set()
    names: list[str] = []
    for user in users:
        same = [name for name in (user, placeholder("user", user, key)) if name in users_seen]
        if not same:
            raise UsageError(f"No session is of the user {user!r}. `afterwit sessions users` lists whose there are.")
        names += same
    return tuple(names)


def own_names(environ: Mapping[str, str], home: Path) -> tuple[str, ...]:
    """The names under which the user of this process may have worked."""
    return tuple(sorted({home.name, *(environ.get(name, "") for name in _LOGINS)} - {""}))
