"""`afterwit store sync`: exchanges the notes of some repositories with a hub.

First what others say is fetched and taken in, as `share pull` does: it waits for a person. Then own lines leave, as
with `share push`: what was approved, after a look for secrets, and if `agree` says so. Killed or cut off at any point,
the next run goes on. What is known here is never made to depend on whether the hub answers.
"""

import hashlib
from collections.abc import Callable, Sequence

import apsw
import msgspec

from afterwit import __version__
from afterwit.config.world import World, redactor_of
from afterwit.extras.team.folder import BadLine
from afterwit.extras.team.hub import rows
from afterwit.extras.team.hub.address import HubAddress
from afterwit.extras.team.hub.connection import Hub, joined
from afterwit.extras.team.hub.digests import send_digests, send_sums, take_back_digests
from afterwit.extras.team.hub.pulling import fetch, take_in
from afterwit.extras.team.hub.pushing import PlannedPush, plan, send
from afterwit.extras.team.hub.rows import HubSpeaker
from afterwit.extras.team.push import SharedChange
from afterwit.extras.team.records import AHEAD_MS
from afterwit.knowledge.door.list import find_item
from afterwit.model.errors import UsageError
from afterwit.model.settings import Settings
from afterwit.repos.identity import key_of
from afterwit.sessions.filters import aliased_repos, find_repo, fits_repo, known_repos
from afterwit.store.database import transaction
from afterwit.store.rows import extras as kept
from afterwit.store.store import hold_lease, open_store

_VERSION = 1  # raised when the same notes make other lines
_WAIT_SECONDS = 5


class Synced(msgspec.Struct, kw_only=True):
    """What a sync did for one repository."""

    repo: str
    team: str
    incoming: list[SharedChange]
    outgoing: list[SharedChange]
    bad: list[BadLine]
    notes_sent: int = 0
    digests_sent: int = 0
    digests_taken_back: int = 0
    is_read_only: bool = False
    is_dry_run: bool = False


class SyncRequest(msgspec.Struct, frozen=True, kw_only=True):
    repos: tuple[str, ...]
    rules: tuple[str, ...] = ()  # notes in a user's own words that are named as rules of the project
    has_digests: bool | None = None  # None: as the settings say; False: those that were sent are taken back
    is_dry_run: bool = False


def sync(
    world: World, address: HubAddress, request: SyncRequest, agree: Callable[[Sequence[Synced]], bool]
) -> list[Synced] | None:
    """Pulls, then pushes if `agree` says so to what would leave. None: it did not; what came in stays."""
    world.layout.create()
    with hold_lease(world.layout.hub_lease, _WAIT_SECONDS), open_store(world.layout) as store, joined(address) as hub:
        db, machine = store.db, store.journal.machine
        repos = [_named(db, name, world.settings) for name in request.repos]
        rules = [find_item(db, name).id for name in request.rules]
        runs = [_RepoSync(world, db, hub, repo, machine) for repo in dict.fromkeys(repos)]
        done = [run.pull(is_dry_run=request.is_dry_run) for run in runs]
        if not hub.is_read_only:
            for run in runs:
                run.plan(rules)
        if request.is_dry_run:
            return done
        if any(synced.outgoing for synced in done) and not agree(done):
            return None
        speaker = HubSpeaker(hub.team, hub.role, machine, hub.name)
        for run in runs:
            run.push(request.has_digests)
        rows.note_machine(hub.db, speaker, __version__)
        return done


class _RepoSync:
    """The sync of one repository."""

    def __init__(self, world: World, db: apsw.Connection, hub: Hub, repo: str, machine: str) -> None:
        self._world, self._db, self._hub = world, db, hub
        self._repo, self._machine = repo, machine
        self._rules = _rules_mark(world, hub)
        self._number = 0
        self._touched: list[str] | None = None
        self._plan = PlannedPush([], [])
        self.done = Synced(repo=repo, team=hub.team, incoming=[], outgoing=[], bad=[], is_read_only=hub.is_read_only)

    def pull(self, *, is_dry_run: bool) -> Synced:
        db, hub, repo = self._db, self._hub, self._repo
        with transaction(db):  # from here on changes are counted
            kept.put_hub_cursor(db, kept.hub_cursor(db, hub.key, repo))
        self.done.bad = fetch(db, hub, repo, self._machine)
        cursor = kept.hub_cursor(db, hub.key, repo)
        if cursor.rules == self._rules:
            self._touched = kept.untaken_notes(db, hub.key, repo, cursor.looked_ms + AHEAD_MS)
        self.done.incoming = take_in(self._world, hub, repo, self._touched, is_dry_run=is_dry_run)
        self.done.is_dry_run = is_dry_run
        if hub.is_read_only and not is_dry_run:
            self._number = kept.last_change(db)
            self._keep(())
        return self.done

    def plan(self, rules: Sequence[str]) -> None:
        self._number = kept.last_change(self._db)
        cursor = kept.hub_cursor(self._db, self._hub.key, self._repo)
        items = kept.changes_since(self._db, kept.ITEM, cursor.number)
        touched = self._touched
        if touched is not None and not touched and not items and not rules:
            return
        self._plan = plan(self._world, self._db, self._hub, self._repo, self._machine, touched, items, rules)
        self.done.outgoing = self._plan.changes

    def push(self, has_digests: bool | None) -> None:
        db, hub, repo, machine = self._db, self._hub, self._repo, self._machine
        if hub.is_read_only:
            return
        self._keep(self._plan.rows)
        self.done.notes_sent = send(db, hub, repo, machine)
        if has_digests is False:
            self.done.digests_taken_back = take_back_digests(db, hub, repo, machine)
        elif has_digests or self._world.settings.hub.digests:
            self.done.digests_sent = send_digests(db, hub, repo, machine, redactor_of(self._world).value)
        send_sums(db, hub, repo, machine)

    def _keep(self, lines: Sequence[kept.HubLinesRow]) -> None:
        """What is to be sent waits in the store, together with the word that all before it was looked at."""
        db, hub, repo = self._db, self._hub, self._repo
        with transaction(db):
            cursor = kept.hub_cursor(db, hub.key, repo)
            kept.put_hub_lines(db, lines)
            kept.mark_taken(db, hub.key, repo)
            looked = cursor._replace(number=self._number, looked_ms=self._world.now_ms, rules=self._rules)
            kept.put_hub_cursor(db, looked)


def _rules_mark(world: World, hub: Hub) -> str:
    """Another mark where the same notes would make other lines, or be taken in otherwise."""
    settings = world.settings
    content = msgspec.json.encode([_VERSION, hub.name, settings.share, settings.redaction])
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _named(db: apsw.Connection, name: str, settings: Settings) -> str:
    """A repository that is known here by the name; else the name itself: its first notes may come from the hub."""
    if not name.strip():
        raise UsageError("The name of a repository is empty.")
    is_known = any(fits_repo(repo, (name,)) for repo in known_repos(db)) or key_of(name) in aliased_repos(db, settings)
    return find_repo(db, name, settings) if is_known else name
