"""The engine with its clock at *then*: a store of its own that learns a history session by session, and its hooks.

A replay runs the stages that `learn` runs (`harvest`, `update_trees`, `compile_deck`) on a scratch store that knows of
each session as far as it had happened, with checkouts that stand where they stood, and asks the very function that
`afterwit-hook` calls. So what is measured is what is shipped. Nothing is held out. What hooks noted is not taken in
again: a replayed session is not changed by what it is told, so what it shows is no echo. Decisions of people count from
the time when they were made, what a model read in a session from the end of that session, and what was forgotten or
taken back from the beginning.

Of its checkout a session sees the last commit before its start on the default branch, and what was on its own branch by
then, where that is still there; never anything later. Commits are taken in the order of the branch, up to the first
that is not older than the session, so that one with a wrong date hides what follows rather than showing too much. Each
checkout is a folder of our own that borrows the objects of the real one, so everything that reads checkouts reads it as
it would have then, and nothing of the real one is touched. What was never committed is not there, but for the names of
files that earlier sessions wrote on the same branch: most branches are gone once they are merged.
"""

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from afterwit.agents.hook_payloads import ACTIVITY, PROMPT, START, SUBAGENT_EVENT, Moment, described, payloads_of
from afterwit.capture.checkouts import OpenedRows, git_checkouts
from afterwit.config.world import World
from afterwit.digest.door import pack
from afterwit.knowledge.belief import DAY_MS
from afterwit.knowledge.brief import notes_of_lines
from afterwit.knowledge.door.settle import harvest
from afterwit.measure.backtest import PRODUCT
from afterwit.measure.replay import BASELINES, NoteOccasion, Player, Saying, Whereabouts
from afterwit.model.digest import VERSION, Digest
from afterwit.model.errors import UsageError, did_you_mean
from afterwit.model.kinds import ActionKind, Relation, Status, Step
from afterwit.model.settings import Settings
from afterwit.model.text import regex
from afterwit.recall.deck.compile import compile_deck
from afterwit.recall.deck.first_prompt import likely_places
from afterwit.recall.deck.location import location_of
from afterwit.recall.deck.prompt_tables import sighting_of
from afterwit.recall.deck.reader import Deck
from afterwit.recall.holdout import DRAW
from afterwit.recall.hook.call import HookCall, Proposal
from afterwit.recall.prompt_block import PLACES
from afterwit.recall.repository import update_trees
from afterwit.recall.trial import moment_of
from afterwit.sources.checkout import TRUNKS, MainLineCommit, branches, main_line, trunk
from afterwit.sources.gathering import SourceError
from afterwit.sources.git import answer_of
from afterwit.store.atomic import create_file
from afterwit.store.database import transaction
from afterwit.store.decisions import JournalEntry, KnowledgeEntry, SessionRead
from afterwit.store.layout import Layout, redaction_key
from afterwit.store.rows import items, repos
from afterwit.store.rows.hooks import Shares, put_shares
from afterwit.store.rows.sessions import put_known
from afterwit.store.rows.sightings import DigestRow, put_digest
from afterwit.store.store import Store, open_store, readonly_database

_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
_BRANCH = regex(r"(?a)(?!.*(?:\.\.|//|\.lock$|[/.]$))[A-Za-z0-9][\w./+@#-]{0,199}")


class PastCheckout:
    """One checkout on its way through time. Without a git folder to borrow from it only names a branch."""

    def __init__(self, root: Path, git_dir: Path | None) -> None:
        self.root = root
        self._own = root / ".git"
        for folder in ("objects/info", "refs", "info"):
            (self._own / folder).mkdir(mode=0o700, parents=True)
        (self._own / "config").write_text(_CONFIG)
        (self._own / "info/exclude").write_text("*\n")  # what sessions wrote is no other work besides theirs
        self._lines: dict[str, list[MainLineCommit]] = {"": []}
        self._branches: dict[str, str] = {}
        self._stands: tuple[str, str, str] | None = None
        self._tree = ""
        self._placed: list[Path] = []
        self._git_dir = git_dir
        self.has_files = False
        if git_dir is not None:
            with suppress(SourceError):
                self._borrow(git_dir)
                self.has_files = True
        self._point("", "", "")

    def _borrow(self, git_dir: Path) -> None:
        """Finds out what there is, and where its objects lie."""
        shared = {
            name: Path(answer_of(git_dir, ["rev-parse", "--git-path", name]).decode().strip())
            for name in ("objects", "shallow")
        }
        end = trunk(git_dir)
        self._lines[""] = main_line(git_dir, end) if end else []
        self._branches = {ref.name: ref.object for ref in branches(git_dir) if ref.name not in TRUNKS}
        (self._own / "objects/info/alternates").write_text(f"{shared['objects']}\n")
        if shared["shallow"].is_file():
            (self._own / "shallow").write_bytes(shared["shallow"].read_bytes())

    @property
    def has_stood(self) -> bool:
        return self._stands is not None

    def stand(self, now_ms: int, branch: str, written: Iterable[str] = ()) -> bool:
        """Makes it what it was at this moment, on this branch, where sessions have written these files. Returns whether
        its history is another than before."""
        for file in self._placed:
            file.unlink()
        is_other = self._check_out(now_ms, branch)
        self._placed = list(filter(None, map(self._place, sorted(written) if self.has_files else ())))
        return is_other

    def _place(self, path: str) -> Path | None:
        """An empty file of this name, unless something is there; none where it would lie elsewhere."""
        file = self.root / path
        try:
            folder = file.parent.resolve()
            if ".git" in file.relative_to(self.root).parts or not folder.is_relative_to(self.root.resolve()):
                return None
            folder.mkdir(parents=True, exist_ok=True)
            file.touch(exist_ok=False)
        except (OSError, ValueError):
            return None
        return file

    def _check_out(self, now_ms: int, branch: str) -> bool:
        named = branch if _BRANCH.fullmatch(branch) else ""
        base = self._last("", now_ms)
        own = self._last(named, now_ms) if named in self._branches else ""
        if (base, own, named) == self._stands:
            return False
        self._point(base, own or base, named)
        self._stands = (base, own, named)
        return True

    def _point(self, base: str, head: str, branch: str) -> None:
        refs = {"main": base} | ({branch: head} if branch else {})
        packed = "".join(f"{commit} refs/heads/{name}\n" for name, commit in sorted(refs.items()) if commit)
        (self._own / "packed-refs").write_text(packed)
        is_on_none = head and not branch
        (self._own / "HEAD").write_text(f"{head}\n" if is_on_none else f"ref: refs/heads/{branch or 'main'}\n")
        if head and head != self._tree:
            there = ["-C", str(self.root), f"--work-tree={self.root}"]
            with suppress(SourceError):
                answer_of(self._own, [*there, "read-tree", "--reset", "-u", head])
            self._tree = head

    def _last(self, branch: str, now_ms: int) -> str:
        """The last commit before this moment."""
        if branch not in self._lines and self._git_dir is not None:
            self._lines[branch] = main_line(self._git_dir, self._branches[branch])
        last = ""
        for commit in self._lines[branch]:
            if commit.at_ms >= now_ms:
                break
            last = commit.id
        return last


_NOBODY = "nobody"  # names the home folder of a user that is not known
_TAKEN_BACK = (KnowledgeEntry.FORGOTTEN, KnowledgeEntry.UNDONE)
_BY_MODELS = (KnowledgeEntry.READ, KnowledgeEntry.CONSOLIDATED, KnowledgeEntry.COMPILED)
_NEVER_CALLED = (Status.DENIED, Status.CANCELLED)
_OF_FILES = (ActionKind.READ, ActionKind.EDIT, ActionKind.WRITE)
_FACTS = ("repo", "user", "relation", "parent", "branch", "started_ms", "ended_ms", "title", "task")


def ask_hook(agent: str, moment: Moment, world: World) -> HookCall:
    """The call of a hook, after it was answered. Agents that have no hooks are asked as Claude Code is."""
    payloads = payloads_of(agent) or payloads_of("claude-code")
    events = described(agent)["hooks"]["events"] if "hooks" in described(agent) else {}
    moment.native = next((name for name, event in events.items() if event == moment.event), "")
    call = HookCall(agent, payloads, moment, str(world.layout.root), [], str(world.user_home))
    call.run()
    return call


class _Unwatched:
    """A progress that nobody watches: the replay has its own."""

    def begin(self, files: int, total_bytes: int) -> None: ...
    def advance(self, files: int, done_bytes: int) -> None: ...
    def stage(self, label: str, count: int, unit: str) -> None: ...


class PastStore:
    """A store that stands at a moment of the history that it is given."""

    def __init__(
        self,
        world: World,
        store: Store,
        git_dirs: Mapping[str, Path],
        recorded: Sequence[JournalEntry],
        ask: Callable[[str, Moment, World], HookCall],
    ) -> None:
        self._world = world  # its user's home is the folder of all that belongs to the replay
        self._store = store
        self._checkouts: dict[str, PastCheckout] = {}
        for repo, git_dir in sorted(git_dirs.items()):
            self._check_out(repo, git_dir)
        self._ask = ask
        due = [row for row in recorded if row.kind not in (*_TAKEN_BACK, KnowledgeEntry.READ)]
        self._due = sorted(map(_as_of, due), key=lambda row: row.at_ms)
        self._read: defaultdict[tuple[str, str], list[JournalEntry]] = defaultdict(list)
        for row in recorded:
            if row.kind == KnowledgeEntry.READ:
                session = msgspec.convert(row.body, SessionRead).session
                self._read[session.agent, session.native_id].append(row)
        self._put_decisions(row for row in recorded if row.kind in _TAKEN_BACK)
        self.notes_of = notes_of_lines(recorded)
        self._written: defaultdict[tuple[str, str], set[str]] = defaultdict(set)  # by repository and branch
        self._last: Digest | None = None
        self._is_stale = True
        self._then = world
        self._here: Whereabouts | None = None

    def know(self, digest: Digest) -> None:
        """A session, as far as it is known by now; told once, however many players share this."""
        if digest is self._last:
            return
        self._last, self._is_stale = digest, True
        if digest.branch not in ("", *TRUNKS):
            self._written[digest.repo, digest.branch].update(sighting_of(digest).changed)
        with transaction(self._store.db):
            facts = {name: getattr(digest, name) for name in _FACTS}
            session = put_known(self._store.db, digest.agent, digest.native_id, facts)
            row = DigestRow(session, VERSION, pack(digest))
            put_digest(self._store.db, row, digest.verdict.outcome, digest.task_type)

    def end(self, digest: Digest) -> None:
        """A session has ended: what was read in it is known."""
        self._put_decisions(self._read.pop((digest.agent, digest.native_id), ()))

    def at(self, here: Whereabouts) -> World:
        """The world when a session began, of whoever has it. What was known by then is ready to be told."""
        if here == self._here and not self._is_stale:
            return self._then
        due = [row for row in self._due if row.at_ms < here.began_ms]
        self._put_decisions(due)
        self._due = self._due[len(due) :]
        if here.repo:
            written = self._written[here.repo, here.branch]
            self._is_stale |= self._check_out(here.repo).stand(here.began_ms, here.branch, written)
        before = (self._then.user_home, self._then.now_ms // DAY_MS)
        home = self._world.user_home / "home" / (here.user.replace("/", "") or _NOBODY)
        self._here = here
        self._then = self._world._replace(now_ms=here.began_ms, user_home=home, settings=self._settings())
        if self._is_stale or before != (home, here.began_ms // DAY_MS):
            harvest(self._store, self._then)
            update_trees(self._store, self._then, _Unwatched())
            compile_deck(self._store, self._then)
            self._is_stale = False
        return self._then

    def ask(self, here: Whereabouts, moment: Moment) -> HookCall:
        """What hooks say at a moment of a session. A subagent has a context of its own in its parent's session."""
        is_subagent = here.relation == Relation.SUBAGENT and here.parent
        moment.session, moment.context = (here.parent, here.session) if is_subagent else (here.session, "")
        moment.cwd = self.folder(here.repo)
        return self._ask(here.agent, moment, self.at(here))

    def folder(self, repo: str) -> str:
        """Where sessions of a repository work."""
        return str(self._check_out(repo).root if repo else self._world.user_home)

    def _check_out(self, repo: str, git_dir: Path | None = None) -> PastCheckout:
        if repo not in self._checkouts:
            folder = self._world.user_home / "checkouts" / str(len(self._checkouts))
            self._checkouts[repo] = PastCheckout(folder, git_dir)
        return self._checkouts[repo]

    def _settings(self) -> Settings:
        """With the checkouts in which somebody worked by now. A folder without a repository only leads to its name."""
        stood = {repo: checkout for repo, checkout in self._checkouts.items() if checkout.has_stood}
        roots = {repo: checkout.root for repo, checkout in stood.items() if checkout.has_files}
        names = {str(checkout.root): repo for repo, checkout in stood.items() if not checkout.has_files}
        settings = self._world.settings
        return msgspec.structs.replace(
            settings,
            repositories=msgspec.structs.replace(settings.repositories, checkouts=roots),
            aliases=msgspec.structs.replace(settings.aliases, repos=names),
        )

    def _put_decisions(self, rows: Iterable[JournalEntry]) -> None:
        for row in rows:
            items.put_decision(self._store.db, row)
            self._is_stale = True


@contextmanager
def past_of(
    world: World, *, with_reading: bool = True, ask: Callable[[str, Moment, World], HookCall] = ask_hook
) -> Iterator[PastStore]:
    """A past in which nothing is known yet, for the history of this world's store; gone at the end."""
    with readonly_database(world.layout) as db:
        left_out = () if with_reading else _BY_MODELS
        recorded = [row for row in items.recorded(db) if row.kind not in left_out]
        there = git_checkouts(OpenedRows(db, redaction_key(world.layout)), world)
        git_dirs = {checkout.repo: checkout.git_dir for checkout in there}
        users = repos.aliases(db, "user")
    with tempfile.TemporaryDirectory(prefix="afterwit-replay-") as name:
        folder = Path(name).resolve()
        layout = Layout(folder / "store")
        layout.create()
        create_file(layout.key, redaction_key(world.layout))
        with open_store(layout) as store:
            store.db.pragma("synchronous", "off")
            put_shares(store.db, Shares(session_share=0.0, item_share=0.0))
            for user, target in users.items():
                repos.put_alias(store.db, "user", user, target)
            recall = msgspec.structs.replace(world.settings.recall, preferences=False)
            settings = msgspec.structs.replace(world.settings, recall=recall)
            then = world._replace(layout=layout, settings=settings, user_home=folder, environ={})
            yield PastStore(then, store, git_dirs, recorded, ask)


class PlacesPlayer(Player):
    """Names the files where the work is likely to be, and needs no notes."""

    name = "places"

    def __init__(self, past: PastStore) -> None:
        self._past = past

    def know(self, digest: Digest) -> None:
        self._past.know(digest)

    def end(self, digest: Digest) -> None:
        self._past.end(digest)

    def prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        deck = Deck(str(self._past.at(here).layout.deck))
        places = likely_places(deck, prompt, location_of(deck, self._past.folder(here.repo)))
        files = tuple(place.path for place in places)
        if files:
            yield Saying(text=f"A guess at the files: {', '.join(files)}", item=PLACES, files=files)


class HookPlayer(PlacesPlayer):
    """The product: what its hooks say."""

    name = PRODUCT

    def start(self, here: Whereabouts) -> Iterable[Saying]:
        hears = SUBAGENT_EVENT in described(here.agent).get("hooks", {}).get("events", {})
        if here.relation != Relation.SUBAGENT or hears:
            source = "resume" if here.relation in (Relation.RESUME, Relation.FORK) else "startup"
            yield from self._said(here, Moment(START, "", role=here.role, source=source))

    def prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        if here.relation != Relation.SUBAGENT:
            yield from self._said(here, Moment(PROMPT, "", prompt=prompt))

    def later_prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        return self.prompt(here, prompt)

    def action(self, here: Whereabouts, step: Step, paths: Sequence[str]) -> Iterable[Saying]:
        if step.status in _NEVER_CALLED:
            return ()
        folder = self._past.folder(here.repo)
        moment = moment_of(step, here.agent, [f"{folder}/{path}" for path in paths])
        return self._said(here, moment)

    def _said(self, here: Whereabouts, moment: Moment) -> Iterator[Saying]:
        """What was told, as the hook has noted it."""
        call = self._past.ask(here, moment)
        for record in call.records:
            if record.get("kind") == DRAW and record["text"]:
                yield _to_saying(record, call.proposal, self._past.notes_of)


def _as_of(row: JournalEntry) -> JournalEntry:
    """A brief counts from the time of the newest note that it was made of, whenever a model was asked."""
    return row._replace(at_ms=int(row.body["until_ms"]) + 1) if row.kind == KnowledgeEntry.COMPILED else row


def _to_saying(record: Mapping[str, Any], proposal: Proposal | None, notes_of: Mapping[str, Sequence[str]]) -> Saying:
    """Of a line that was compiled, the notes that it rests on were told."""
    told = tuple(item for item, is_shown in record["items"].items() if is_shown)
    fixes = [line for line in proposal.lines if line.item in told] if proposal else []
    return Saying(
        text=record["text"],
        item=" ".join(dict.fromkeys(name for item in told for name in notes_of.get(item) or (item,))),
        advice=fixes[0].advice if fixes else "",
        files=tuple(place.path for place in proposal.files) if proposal and PLACES in told else (),
        occasion=NoteOccasion.ACTIVITY if record.get("act") == ACTIVITY else NoteOccasion.USUAL,
    )


PLAYERS = (*(kind.name for kind in BASELINES), PlacesPlayer.name, HookPlayer.name)


def players_named(names: Iterable[str], past: PastStore) -> list[Player]:
    """The strategies of these names; all where none is given."""
    kinds: dict[str, Callable[[], Player]] = {kind.name: kind for kind in BASELINES}
    kinds |= {kind.name: partial(kind, past) for kind in (PlacesPlayer, HookPlayer)}
    wanted = list(dict.fromkeys(names)) or list(kinds)
    unknown = [name for name in wanted if name not in kinds]
    if unknown:
        hint = did_you_mean(unknown[0], kinds) or f"Known are: {', '.join(kinds)}."
        raise UsageError(f"There is no strategy named {unknown[0]!r}. {hint}")
    return [kinds[name]() for name in wanted]
