"""`afterwit store sync`: exchanges the notes of some repositories with a hub.

First what others say is fetched and taken in, as `share pull` does: it waits for a person. Then own lines leave, as
with `share push`: what was approved, after a look for secrets, and if `agree` says so. Killed or cut off at any point,
the next run goes on. What is known here is never made to depend on whether the hub answers.

Of a session may leave, if its owner says so, what it was about, how it went, what failed, and counts: no prompt but the
task, no reply, no command line, no output. Everything is redacted already; it is redacted once more, and the marks of
what was taken out lose what only this machine could make of them. Sessions are named by a hash.
"""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import apsw
import msgspec

from afterwit import __version__
from afterwit.config.world import World, redactor_of
from afterwit.digest.door import unpack
from afterwit.engine.curation.curate import decision_desk
from afterwit.extras.team.folder import BadLine
from afterwit.extras.team.hub import rows
from afterwit.extras.team.hub.address import HubAddress
from afterwit.extras.team.hub.connection import Hub, join_hub
from afterwit.extras.team.hub.rows import DigestToSend, HubSpeaker, NoteLinesRow
from afterwit.extras.team.outgoing import ChangedNotes, Sharer, known_states, local_notes, notes_that_changed, own_lines
from afterwit.extras.team.pull import Redact, brought_by, is_others, news, states_of
from afterwit.extras.team.push import SharedChange, changes_of, refuse_secrets
from afterwit.extras.team.records import AHEAD_MS, SharedLine, SharedNote, decode, encode, line_in, note_of, one_line
from afterwit.knowledge.door.list import find_item
from afterwit.model.digest import Digest
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import IMPORT
from afterwit.model.settings import Settings
from afterwit.redaction.markers import unkeyed
from afterwit.repos.identity import key_of
from afterwit.sessions.filters import find_repo, fits_repo, known_repos, repos_by_alias
from afterwit.store.atomic import step
from afterwit.store.database import transaction
from afterwit.store.decisions import KnowledgeEntry
from afterwit.store.rows import extras as kept
from afterwit.store.rows.extras import HubLinesRow, NamedSession, SentDigest
from afterwit.store.rows.items import items_with_ids
from afterwit.store.rows.sightings import digest_of
from afterwit.store.store import hold_lease, open_store

_SESSIONS = 500
_TASK_LIMIT = 400
_MOST = 20  # failures, rules and files of a session
_LONGEST_NAME = 200


class SharedFailure(msgspec.Struct, frozen=True, kw_only=True):
    failure: str
    signature: str
    resolution: str
    count: int


class SharedDigest(msgspec.Struct, frozen=True, kw_only=True):
    """A digest as others see it."""

    agent: str
    models: tuple[str, ...]
    task: str
    task_type: str
    outcome: str
    started_ms: int | None
    duration_ms: int | None
    kinds: dict[str, int]  # actions, by kind
    failures: tuple[SharedFailure, ...]
    rules: tuple[str, ...]
    files: tuple[str, ...]  # of the repository, that were changed
    tokens: int


def digest_to_share(digest: Digest, redact: Redact) -> SharedDigest:
    """What leaves of a digest."""
    counts: dict[tuple[str, str, str], int] = {}
    for failure in digest.failures:
        key = (str(failure.failure), failure.signature[:_LONGEST_NAME], str(failure.resolution))
        counts[key] = counts.get(key, 0) + 1
    most = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST]
    changed = sorted(file.path for file in digest.files if file.changes and not file.path.startswith(("/", "~")))
    made = SharedDigest(
        agent=digest.agent,
        models=digest.models[:_MOST],
        task=one_line(digest.task, _TASK_LIMIT),
        task_type=str(digest.task_type),
        outcome=str(digest.verdict.outcome),
        started_ms=digest.started_ms,
        duration_ms=digest.measures.duration_ms,
        kinds=dict(sorted(digest.kinds.items())),
        failures=tuple(
            SharedFailure(failure=kind, signature=signature, resolution=how, count=count)
            for (kind, signature, how), count in most
        ),
        rules=tuple(sorted({rule.id[:_LONGEST_NAME] for rule in digest.rules}))[:_MOST],
        files=tuple(path[:_LONGEST_NAME] for path in changed[:_MOST]),
        tokens=digest.measures.tokens,
    )
    return msgspec.convert(_without_keys(redact(msgspec.to_builtins(made))), SharedDigest)


def _without_keys(value: object) -> object:
    if isinstance(value, str):
        return unkeyed(value).replace("\x00", "")
    if isinstance(value, dict):
        return {name: _without_keys(inner) for name, inner in value.items()}
    return [_without_keys(inner) for inner in value] if isinstance(value, list | tuple) else value


def send_digests(db: apsw.Connection, hub: Hub, repo: str, machine: str, redact: Redact) -> int:
    """Sends the digests that changed, and takes back those that are gone; how many were sent."""
    cursor = kept.hub_cursor(db, hub.key, repo)
    last = kept.last_change(db)
    changed = None
    if cursor.digest_number:
        changed = [int(name) for name in kept.changes_since(db, kept.DIGEST, cursor.digest_number - 1)]
        if not changed:
            return 0
    sent, present = kept.digests_sent(db, hub.key, repo, changed), kept.sessions_with_digest(db, repo, changed)
    speaker = HubSpeaker(hub.team, hub.role, machine, hub.name)
    _take_back(db, hub, repo, machine, [sent[session] for session in sent.keys() - {row.id for row in present}])
    count = 0
    for start in range(0, len(present), _SESSIONS):
        made = [_make(db, session, redact) for session in present[start : start + _SESSIONS]]
        new = [pair for pair in made if sent.get(pair[0].session_id) != pair[0]]
        if new:
            rows.put_digests(hub.db, speaker, repo, [digest for _, digest in new])
            step("digests are on the hub, not marked")
            with transaction(db):
                kept.put_sent_digests(db, hub.key, repo, [mark for mark, _ in new])
            count += len(new)
    with transaction(db):
        cursor = kept.hub_cursor(db, hub.key, repo)
        kept.put_hub_cursor(db, cursor._replace(digest_number=last + 1))
    return count


def _make(db: apsw.Connection, session: NamedSession, redact: Redact) -> tuple[SentDigest, DigestToSend]:
    row = digest_of(db, session.id)
    name = hashlib.sha256(f"{session.agent}\0{session.native_id}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    body = msgspec.json.encode(digest_to_share(unpack(row.body), redact)) if row is not None else b"{}"
    mark = hashlib.blake2b(body, digest_size=16).digest()
    return SentDigest(session.id, name, mark), DigestToSend(name, body.decode())


def take_back_digests(db: apsw.Connection, hub: Hub, repo: str, machine: str) -> int:
    """Removes all that this machine sent; how many."""
    sent = list(kept.digests_sent(db, hub.key, repo).values())
    _take_back(db, hub, repo, machine, sent)
    with transaction(db):
        kept.put_hub_cursor(db, kept.hub_cursor(db, hub.key, repo)._replace(digest_number=0))
    return len(sent)


def _take_back(db: apsw.Connection, hub: Hub, repo: str, machine: str, gone: Sequence[SentDigest]) -> None:
    for start in range(0, len(gone), _SESSIONS):
        batch = gone[start : start + _SESSIONS]
        rows.delete_digests(hub.db, machine, repo, [row.name for row in batch])
        with transaction(db):
            kept.forget_sent_digests(db, hub.key, repo, [row.session_id for row in batch])


def send_sums(db: apsw.Connection, hub: Hub, repo: str, machine: str) -> None:
    """Counts of what was done, without a word of it."""
    speaker = HubSpeaker(hub.team, hub.role, machine, hub.name)
    rows.put_sum(hub.db, speaker, repo, kept.session_sums(db, repo))


BATCH = 1_000  # notes in one message, one page and one entry of the journal
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
    with hold_lease(world.layout.hub_lease, _WAIT_SECONDS), open_store(world.layout) as store, join_hub(address) as hub:
        db, machine = store.db, store.journal.machine
        repos = [_name_of(db, name, world.settings) for name in request.repos]
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
        if not hub.is_read_only:
            for run in runs:
                run.push(request.has_digests)
        rows.note_machine(hub.db, HubSpeaker(hub.team, hub.role, machine, hub.name), __version__)
        return done


class _RepoSync:
    """The sync of one repository."""

    def __init__(self, world: World, db: apsw.Connection, hub: Hub, repo: str, machine: str) -> None:
        self._world, self._db, self._hub = world, db, hub
        self._repo, self._machine = repo, machine
        self._rules = _rules_mark(world, hub)
        self._number = 0
        self._touched: list[str] | None = None  # None: all notes
        self._waiting: list[HubLinesRow] = []
        self.done = Synced(repo=repo, team=hub.team, incoming=[], outgoing=[], bad=[], is_read_only=hub.is_read_only)

    def pull(self, *, is_dry_run: bool) -> Synced:
        db, hub, repo = self._db, self._hub, self._repo
        with transaction(db):  # from here on changes are counted
            kept.put_hub_cursor(db, self._cursor())
        self._fetch()
        cursor = self._cursor()
        if cursor.rules == self._rules:
            self._touched = kept.untaken_notes(db, hub.key, repo, cursor.looked_ms + AHEAD_MS)
        if self._touched is None or self._touched:
            self.done.incoming = self._take_in(is_dry_run=is_dry_run)
        self.done.is_dry_run = is_dry_run
        if hub.is_read_only and not is_dry_run:
            self._number = kept.last_change(db)
            self._keep()
        return self.done

    def plan(self, rules: Sequence[str]) -> None:
        """What this machine has to say anew about its items and notes of the hub that changed."""
        db, hub, repo, world = self._db, self._hub, self._repo, self._world
        self._number = kept.last_change(db)
        items = kept.changes_since(db, kept.ITEM, self._cursor().number)
        if self._touched is None:
            notes = local_notes(db, repo)
            local, asked = ChangedNotes(notes, frozenset(notes)), None
        elif self._touched or items or rules:
            local = notes_that_changed(db, repo, {*items, *rules}, self._touched)
            asked = local.ids
        else:
            return
        sharer = Sharer(hub.name, self._machine, world.settings.share.policy, frozenset(rules))
        lines = lines_of(db, hub, repo, asked)
        own = {
            note: tuple(line for line in said[hub.role, self._machine] if line.by == hub.name)
            for note, said in lines.items()
            if said.get((hub.role, self._machine))
        }
        shared = notes_of_hub(lines, world.now_ms)
        clock_ms = max(world.now_ms, kept.latest_clock(db, hub.key, repo, world.now_ms + AHEAD_MS) + 1)
        changed: dict[str, tuple[SharedLine, ...]] = {}
        for note, said in sorted(own_lines(local.notes, shared, own, sharer, "", clock_ms).items()):
            before = {line.content: line for line in own.get(note, ())}
            after = tuple(before.get(line.content, line) for line in said)
            if set(after) != set(own.get(note, ())):
                changed[note] = after
                self.done.outgoing += changes_of(note, own.get(note, ()), after, shared)
        refuse_secrets(world, changed)
        place = hub.role, self._machine
        self._waiting = [self._row(note, *place, said, is_sent=0, is_taken=1) for note, said in changed.items()]

    def push(self, has_digests: bool | None) -> None:
        db, hub, repo, machine = self._db, self._hub, self._repo, self._machine
        self._keep()
        self._send()
        if has_digests is False:
            self.done.digests_taken_back = take_back_digests(db, hub, repo, machine)
        elif has_digests or self._world.settings.hub.digests:
            self.done.digests_sent = send_digests(db, hub, repo, machine, redactor_of(self._world).value)
        send_sums(db, hub, repo, machine)

    def _keep(self) -> None:
        """What is to be sent waits in the store, together with the word that all before it was looked at."""
        db = self._db
        with transaction(db):
            cursor = self._cursor()
            kept.put_hub_lines(db, self._waiting)
            kept.mark_taken(db, self._hub.key, self._repo)
            looked = cursor._replace(number=self._number, looked_ms=self._world.now_ms, rules=self._rules)
            kept.put_hub_cursor(db, looked)

    def _send(self) -> None:
        """Sends all own lines that wait."""
        db, hub = self._db, self._hub
        speaker = HubSpeaker(hub.team, hub.role, self._machine, hub.name)
        while batch := kept.unsent_lines(db, hub.key, self._repo, BATCH):
            texts = [msgspec.json.encode([*map(msgspec.Raw, row.body.splitlines())]).decode() for row in batch]
            ticks = rows.put_lines(hub.db, speaker, self._repo, [row.note for row in batch], texts)
            step("a batch is on the hub, not marked")
            cursor = self._cursor()
            is_next = bool(ticks) and min(ticks) == cursor.tick + 1 and max(ticks) - min(ticks) + 1 == len(ticks)
            with transaction(db):
                kept.put_hub_lines(db, (row._replace(is_sent=1) for row in batch))
                if is_next:  # nobody else wrote meanwhile, so there is nothing to fetch before them
                    kept.put_hub_cursor(db, cursor._replace(tick=max(ticks)))
            self.done.notes_sent += len(batch)

    def _fetch(self) -> None:
        """Brings what is new on the hub."""
        db, hub, repo = self._db, self._hub, self._repo
        cursor, head = self._cursor(), rows.head_tick(hub.db, hub.team)
        if head < cursor.tick:  # it was put back to an earlier state
            cursor = cursor._replace(tick=0)
            with transaction(db):
                kept.unsend_all(db, hub.key, repo, hub.role, self._machine)
        while cursor.tick < head:
            page = rows.lines_after(hub.db, hub.team, repo, cursor.tick, head, BATCH)
            cursor = cursor._replace(tick=head if len(page) < BATCH else page[-1].tick)
            with transaction(db):
                kept.put_hub_lines(db, [row for sent in page for row in self._news(sent)])
                kept.put_hub_cursor(db, cursor)
            step("a page of a hub is kept")

    def _news(self, sent: NoteLinesRow) -> Iterator[HubLinesRow]:
        lines = _check(sent, self._repo, self.done.bad)
        row = self._row(sent.note, sent.member, sent.machine, lines, is_sent=1, is_taken=0)
        present = kept.own_lines_at(self._db, row)
        is_own = (sent.member, sent.machine) == (self._hub.role, self._machine)
        if present is None or not (present.body == row.body or (is_own and not present.is_sent)):
            yield row

    def _row(
        self, note: str, member: str, machine: str, lines: Sequence[SharedLine], *, is_sent: int, is_taken: int
    ) -> HubLinesRow:
        clock_ms = max((line.clock_ms for line in lines), default=0)
        place = (self._hub.key, self._repo, note, member, machine)
        return HubLinesRow(*place, clock_ms, encode(lines), is_sent=is_sent, is_taken=is_taken)

    def _take_in(self, *, is_dry_run: bool) -> list[SharedChange]:
        """Journals what others say of the notes by now; what that brought."""
        world, repo, touched = self._world, self._repo, self._touched
        source = self._hub.source(repo)
        with decision_desk(world, is_new=True) as desk:
            db = desk.store.db
            lines = lines_of(db, self._hub, repo, touched)
            notes = notes_of_hub(lines, world.now_ms)
            others = {own: note for own, note in notes.items() if is_others(_all(lines[own]), self._machine)}
            found_here = {row.id for row in items_with_ids(db, others) if row.harvester != IMPORT}
            states = states_of(others, found_here, world.settings.share, repo, redactor_of(world).value)
            before = known_states(db, source)
            if touched is not None:
                before = {own: before[own] for own in touched if own in before}
            brought = news(states, before)
            if (brought or before) and not is_dry_run:  # also after a run that was killed before it settled
                parts = [brought[start : start + BATCH] for start in range(0, len(brought), BATCH)]
                bodies = ({"source": source, "notes": msgspec.to_builtins(part)} for part in parts)
                desk.note(*((KnowledgeEntry.SHARED, body) for body in bodies))
                desk.settle()
        return [brought_by(state, before.get(state.id), notes.get(state.id)) for state in brought]

    def _cursor(self) -> kept.HubCursor:
        return kept.hub_cursor(self._db, self._hub.key, self._repo)


def _check(sent: NoteLinesRow, repo: str, bad: list[BadLine]) -> tuple[SharedLine, ...]:
    lines = []
    name = f"{repo}/{sent.note} of {sent.author}"
    try:
        said = decode(sent.lines, list[msgspec.Raw])
    except ValueError as error:
        bad.append(BadLine(file=name, line=0, reason=str(error)[:200]))
        return ()
    for number, plain in enumerate(said, start=1):
        try:
            line = line_in(bytes(plain))
            if (line.by, line.machine) != (sent.author, sent.machine):
                raise ValueError(f"it says that it is by {line.by!r}, and was written by {sent.author!r}")
            if line.words is not None and line.words.repo != repo:
                raise ValueError("it is about another repository")
        except ValueError as error:  # msgspec's own errors are ValueErrors too
            bad.append(BadLine(file=name, line=number, reason=str(error)[:200]))
        else:
            lines.append(line)
    return tuple(lines)


def lines_of(
    db: apsw.Connection, hub: Hub, repo: str, notes: Collection[str] | None
) -> dict[str, dict[tuple[str, str], tuple[SharedLine, ...]]]:
    """What is kept of these notes, or of all: by note, then by member and machine."""
    by_note: dict[str, dict[tuple[str, str], tuple[SharedLine, ...]]] = {}
    for row in kept.hub_lines(db, hub.key, repo, notes):
        lines = tuple(map(line_in, row.body.splitlines()))
        by_note.setdefault(row.note, {})[row.member, row.machine] = lines
    return by_note


def notes_of_hub(
    lines: Mapping[str, Mapping[tuple[str, str], tuple[SharedLine, ...]]], now_ms: int
) -> dict[str, SharedNote]:
    """What follows from the lines of each note."""
    notes = {own: note_of(own, _all(said), now_ms) for own, said in lines.items()}
    return {own: note for own, note in sorted(notes.items()) if note is not None}


def _all(said: Mapping[tuple[str, str], tuple[SharedLine, ...]]) -> list[SharedLine]:
    return [line for lines in said.values() for line in lines]


def _rules_mark(world: World, hub: Hub) -> str:
    """Another mark where the same notes would make other lines, or be taken in otherwise."""
    settings = world.settings
    content = msgspec.json.encode([_VERSION, hub.name, settings.share, settings.redaction])
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _name_of(db: apsw.Connection, name: str, settings: Settings) -> str:
    """A repository that is known here by the name; else the name itself: its first notes may come from the hub."""
    if not name.strip():
        raise UsageError("The name of a repository is empty.")
    is_known = any(fits_repo(repo, (name,)) for repo in known_repos(db)) or key_of(name) in repos_by_alias(db, settings)
    return find_repo(db, name, settings) if is_known else name
