"""Who is told something on this machine: the user of this process, by login and home folder, as the store knows them.

Users are stored by pseudonym, so their names are compared as these. Other names of the same person are those that
`sessions users --merge` and `[aliases.users]` give.

And which stories were shown which items: what they say of them is an echo, not evidence. Hooks know their session. The
MCP server often does not: then the run of the server stands for it, and every session that it may have been counts as
shown. To discount one too many costs a piece of evidence; one too few would let an item prove itself.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import apsw
import msgspec

from afterwit.agents.hook_payloads import RUN
from afterwit.config.world import World
from afterwit.harvest.door import Stories
from afterwit.knowledge.whose_words import Listener, Names, listener
from afterwit.model.errors import UsageError
from afterwit.redaction.markers import placeholder
from afterwit.store.layout import redaction_key
from afterwit.store.rows.hooks import UNKNOWN_AGENT, DrawRow, draws_of_runs
from afterwit.store.rows.items import exposures
from afterwit.store.rows.repos import aliases, users_by_repo
from afterwit.store.rows.session_list import session_of, sessions_at
from afterwit.store.store import readonly_database

_LOGINS = ("USER", "LOGNAME", "USERNAME")
_TOOL = "afterwit"  # in the name of every tool of the server, whichever way an agent puts it
_AROUND_MS = 120_000  # between a call in a log and the answer to it


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


def echoes(db: apsw.Connection, of: Iterable[str] | None = None) -> dict[str, frozenset[str]]:
    """Stories that were shown an item, by item; of these items, or of all."""
    by_item: defaultdict[str, set[str]] = defaultdict(set)
    all_stories = Stories(db)
    for row in exposures(db, of):
        if row.is_shown and not row.session.startswith(RUN):
            session = session_of(db, row.agent, row.session)
            by_item[row.item].add(all_stories.of(session) if session else row.session)
    for draw in draws_of_runs(db, RUN):
        shown = [item for item, is_shown in msgspec.json.decode(draw.items, type=dict[str, int]).items() if is_shown]
        stories = _stories(db, draw, all_stories) if shown else set()
        for item in shown:
            by_item[item] |= stories
    return {item: frozenset(stories) for item, stories in by_item.items()}


def _stories(db: apsw.Connection, draw: DrawRow, all_stories: Stories) -> set[str]:
    """Those that may have asked. What the agent reports of an item is kept under the run itself, and counts."""
    agent = "" if draw.agent == UNKNOWN_AGENT else draw.agent
    running = sessions_at(db, agent, draw.repo, draw.at_ms - _AROUND_MS, draw.at_ms + _AROUND_MS, _TOOL)
    callers = [session for session in running if session.has_called] or running
    return {all_stories.of(caller.session) for caller in callers}
