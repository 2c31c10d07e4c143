"""Compiles the deck: puts into small files all that hooks may say, from what is known now.

Lines carry their triggers; blocks are rendered for each repository, and once more for agents with quirks of their own.
What is only for this machine (where checkouts lie, the key of the hold-out) is added here.

Only what changed is made anew: the database notes of which repositories sessions or notes changed, and marks in the
deck say what else its lines and blocks were made from. So this costs what changed, not what is known.
"""

import functools
import hashlib
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence

import apsw
import msgspec

from afterwit.capture.checkouts import GitCheckout, checkouts_in_settings, git_checkouts
from afterwit.capture.left_out import LeftOutSessions
from afterwit.config.run_rules import known_people
from afterwit.config.world import World, exclusion_of, redactor_of
from afterwit.digest.door import load_digest
from afterwit.knowledge.brief import ENTRIES, Page, is_in_progress, pages_of, threads_of, told_lines
from afterwit.knowledge.checks import checks_in_force
from afterwit.knowledge.door.list import item_in
from afterwit.knowledge.door.listeners import listener_here, own_names
from afterwit.knowledge.shown_items import may_be_told_to
from afterwit.knowledge.whose_words import is_personal
from afterwit.model.errors import StoreError
from afterwit.model.knowledge import EVERYWHERE, Item, Scope, ScopeKind
from afterwit.model.text import roots_of
from afterwit.recall.brief_block import thread_lines, worked_example
from afterwit.recall.deck.deck_checks import DeckedCheck
from afterwit.recall.deck.firing_lines import FiringLine, Redact, lines_of, lines_on_demand
from afterwit.recall.deck.prompt_tables import MOST_SESSIONS, PromptChanges, PromptSource, sighting_of
from afterwit.recall.deck.reader import LOOKER, SESSION, SUBAGENT, listener_mark
from afterwit.recall.deck.write import (
    NOTHING_DEALT,
    DealtDeck,
    DealtMarks,
    DeckBlock,
    DeckContent,
    DeckExample,
    DeckSettings,
    DeckThread,
    dealt_deck,
    write_deck,
)
from afterwit.recall.holdout import holdout_key
from afterwit.recall.prompt_block import MOST_OF_THREAD, THREAD_TOKENS, within
from afterwit.recall.recall import names_known, preference_lines, settings_of, start_block_for
from afterwit.recall.repository import UNCOMMITTED, git_mark, history_sightings, tree_file
from afterwit.recall.situation import MOST_STORIES, SPEAKING, Situation, agents_of
from afterwit.redaction import ruleset
from afterwit.redaction.markers import placeholder
from afterwit.repos.identity import is_folder
from afterwit.sources.checkout import TRUNKS, is_merged
from afterwit.store.database import UNREADABLE, is_damage, transaction
from afterwit.store.decisions import KnowledgeEntry, in_force
from afterwit.store.layout import redaction_key
from afterwit.store.marks import (
    DECK,
    EXAMPLES,
    DeckChange,
    count_stories,
    deck_changes,
    fingerprint,
    forget_deck_changes,
    key_mark,
    mark,
    newest_in,
    newest_tasks,
    put_mark,
)
from afterwit.store.rows import hooks, repos
from afterwit.store.rows.items import ItemRow, item_scopes, items_in, recorded_about
from afterwit.store.rows.session_list import repo_names, session_row
from afterwit.store.store import Store, hold_lease, open_store
from afterwit.store.template_files import read_templates

_WAIT_SECONDS = 60
_REPO = f"{ScopeKind.REPO}:"
_AGENT = f"{ScopeKind.AGENT}:"
_NOTES = 0
_FRESH = 4  # of the last sessions one must have touched a thread: of all for prompts, of a branch at its start
_MOST_PROMPTS = 60  # past sessions whose first prompts tell which names are common
_SESSION = "session "  # begins the keys of works that are sessions
_LEARN = ("-P", "-m", "afterwit", "learn", "--ended", "--jobs", "1", "--wait", "0", "--at-most", "300")


def compile_deck(store: Store, world: World) -> None:
    """Compiles the deck from the store, and marks it, so that damage is noticed. Of a damaged one nothing is used
    again, also where only the attempt shows that it is. Killed on the way, either of the two counts as it was."""
    path, before = store.layout.deck, fingerprint(store.layout.deck)
    if before in mark(store.db, DECK).split():
        try:
            with dealt_deck(path) as there:
                _compile(store, world, before, there)
                return
        except (apsw.Error, StoreError, *UNREADABLE) as error:
            if not (isinstance(error, UNREADABLE) or is_damage(error) or is_damage(error.__cause__)):
                raise
    _compile(store, world, "", NOTHING_DEALT)


def _compile(store: Store, world: World, before: str, there: DealtDeck) -> None:
    written: list[str] = []

    def about_to(new: str) -> None:
        written.append(new)
        put_mark(store.db, DECK, f"{before} {new}".strip())

    compiling = _Compiling(store, world, there)
    write_deck(store.layout.deck, compiling.content(), compiling.redact, compiling.dealt, about_to)
    with transaction(store.db):
        put_mark(store.db, DECK, written[0])
        forget_deck_changes(store.db)


def tell_hooks(world: World, exclude: Sequence[str]) -> int:
    """Compiles the deck anew, so that hooks leave out what the settings do from now on; nothing where there is no store
    yet. Returns how many stored sessions the settings leave out now."""
    if not world.layout.database.exists():
        return 0
    learn = msgspec.structs.replace(world.settings.learn, exclude=tuple(exclude))
    there = world._replace(settings=msgspec.structs.replace(world.settings, learn=learn))
    with hold_lease(world.layout.lease, _WAIT_SECONDS), open_store(world.layout) as store:
        compile_deck(store, there)
        return len(LeftOutSessions(there, store).stored())


def _settings(store: Store, world: World) -> DeckSettings:
    shares = hooks.shares(store.db)
    key = holdout_key(redaction_key(world.layout))
    return DeckSettings(
        key=key,
        listener=tuple(listener_mark(name, key) for name in own_names(world.environ, world.user_home)),
        session_share=shares.session_share,
        item_share=shares.item_share,
        arms=shares.arms,
        learns_at_end=world.settings.recall.learns_at_end,
        learn_command=(sys.executable, *_LEARN),
        exclude=tuple(exclusion_of(world).entries),
    )


def _examples(store: Store) -> Iterator[DeckExample]:
    """Of the templates that the experiment under way compares, as far as they are still there."""
    names = mark(store.db, EXAMPLES).split() if hooks.shares(store.db).arms else []
    for template in read_templates(store.layout).templates if names else ():
        if template.id in names and template.is_in_use and (text := worked_example(template)):
            yield DeckExample(template.source.repo, template.item, text)


def _roots(store: Store, world: World, rows: Iterable[repos.RepoRow]) -> dict[str, str]:
    """Folders of repositories, those in the user's home below `~`: they are stored without the user's name."""
    home = world.user_home
    hidden = str(home.parent / placeholder("user", home.name, store.key))
    roots = {str(root): repo for repo, root in checkouts_in_settings(store.db, world).items()}
    for row in rows:
        if row.repo and row.root:
            inside = next((row.root[len(top) :] for top in (hidden, str(home)) if row.root.startswith(f"{top}/")), None)
            roots[row.root if inside is None else f"~{inside}"] = row.repo
    return roots


class _Compiling:
    """One deck on its way."""

    def __init__(self, store: Store, world: World, dealt: DealtDeck) -> None:
        self._store = store
        self._world = world
        self._to = listener_here(store.db, world)
        self._redaction = _redaction_mark(store, world)
        stand_ins = sorted((repo, sorted(names)) for repo, names in self._to.stand_ins.items())
        self._rules = _hash(self._redaction, sorted(self._to.others), stand_ins)
        parts = {repo: part for repo, part in dealt.parts.items() if part.prompts.partition(" ")[0] == self._redaction}
        self.dealt = dealt._replace(parts=parts)
        self._changed = _by_scope(deck_changes(store.db))
        self._checkouts = {checkout.repo: checkout for checkout in git_checkouts(store, world)}
        scopes = item_scopes(store.db)
        self._noted = {scope.removeprefix(_REPO) for scope in scopes if scope.startswith(_REPO)}
        self._entries = in_force(recorded_about(store.db, (), (*ENTRIES, KnowledgeEntry.CHECK_DECIDED)))
        self._pages = pages_of(self._entries)
        self._repos = sorted({*repo_names(store.db), *self._checkouts, *self._noted, *self._pages} - {""})
        self._shared_rows = self._rows([scope for scope in scopes if not scope.startswith(_REPO)])
        self._start = _hash(settings_of(world), preference_lines(world))

    def content(self) -> DeckContent:
        rows = repos.repo_rows(self._store.db)
        names = names_known(self._store.db, self._world.settings)
        marks = dict(self._marks())
        return DeckContent(
            settings=_settings(self._store, self._world),
            roots=_roots(self._store, self._world, rows) | {key: repo for key, repo in names.items() if is_folder(key)},
            remotes={key: repo for key, repo in names.items() if not is_folder(key)},
            blocks=[block for repo in marks for block in self._blocks(repo, marks[repo])],
            threads=[thread for repo in self._repos for thread in self._threads(repo)],
            lines=[line for repo in marks for line in self._lines(repo, marks[repo])],
            prompts={repo: self._prompts(repo) for repo in self._repos},
            trees={repo: tree_file(repo) for repo in self._checkouts},
            marks=marks,
            personal={repo: self._personal(repo) for repo in marks if self._is_noted_anew(repo, marks[repo])},
            examples=list(_examples(self._store)),
            checks=[DeckedCheck.of(state) for state in checks_in_force(self._entries)],
        )

    def redact(self, text: str) -> str:
        return self._redactor(text)

    @functools.cached_property
    def _redactor(self) -> Redact:
        """Made when there is something to redact: its rules take longer to compile than most decks."""
        return redactor_of(self._world).text

    @functools.cached_property
    def _share(self) -> list[Item]:
        """What holds everywhere, or for an agent."""
        return self._heard(self._shared_rows)

    @functools.cached_property
    def _stories(self) -> dict[Scope, int]:
        """About how many stories each scope of these has, as far as it matters."""
        agents = {row.scope.removeprefix(_AGENT) for row in self._shared_rows if row.scope.startswith(_AGENT)}
        counts = {Scope(ScopeKind.AGENT, agent): self._count("", agent) for agent in agents}
        return {EVERYWHERE: self._count("", ""), **counts}

    def _marks(self) -> Iterator[tuple[str, DealtMarks]]:
        """What lines and blocks are made from now, by repository; first outside of all."""
        shared = _hash(self._shared_rows)
        around = (self._rules, self._start, shared, sorted(self._stories.items()))
        yield "", DealtMarks(shared, _hash(self._rules, shared), _hash(*around))
        for repo in self._repos:
            before = self.dealt.marks.get(repo)
            changed = self._changed.get(repo, set())
            items = _hash(self._rows([f"{_REPO}{repo}"])) if before is None or _NOTES in changed else before.items
            stories = self._count(repo, "") if before is None or changed - {_NOTES} else before.stories
            page = self._pages.get(repo)
            lines, blocks = _hash(self._rules, items, page), _hash(*around, items, stories, page)
            yield repo, DealtMarks(items, lines, blocks, stories)

    def _blocks(self, repo: str, now: DealtMarks) -> Iterator[DeckBlock]:
        before = self.dealt.marks.get(repo)
        if before is not None and before.blocks == now.blocks:
            return
        items = self._items(repo)
        page = self._page(repo)
        if not items and not page.lines and repo:
            return
        here = [*items, *self._share] if repo else items
        counts = {**self._stories, Scope(ScopeKind.REPO, repo): now.stories}
        for agent in agents_of(here):
            for listener in sorted((SESSION, SUBAGENT, LOOKER)):  # as they are read back
                at = Situation(repo, agent)
                block = start_block_for(self._world, page, at, self._to, here, counts, listener=listener)
                if block.text:
                    yield DeckBlock(block.sections, repo, agent, listener)

    def _threads(self, repo: str) -> Iterator[DeckThread]:
        """What goes on there, by the notes of now: they are few, and end by the day."""
        items = self._items(repo) if repo in self._noted else []
        if not any(map(is_in_progress, items)):
            return
        tasks = newest_tasks(self._store.db, repo, _MOST_PROMPTS)
        prompts, is_merged = [roots_of(given.task) for given in tasks], functools.partial(self._is_merged, repo)
        begun = {"": [given.started_ms for given in tasks]} | {
            branch: [given.started_ms for given in tasks if given.branch == branch]
            for branch in {given.branch for given in tasks}
        }
        fresh = {branch: times[_FRESH - 1] for branch, times in begun.items() if len(times) >= _FRESH}
        for thread in threads_of(items, self._world.now_ms, TRUNKS, is_merged, prompts, fresh):
            lines = within(thread_lines(thread), MOST_OF_THREAD, THREAD_TOKENS)
            if lines:
                yield DeckThread(repo, thread.branch, thread.names, tuple(lines))

    def _is_merged(self, repo: str, branch: str) -> bool:
        checkout = self._checkouts.get(repo)
        return checkout is not None and is_merged(checkout.git_dir, branch)

    def _page(self, repo: str) -> Page:
        return self._pages.get(repo, Page(repo))

    def _heard(self, rows: Iterable[ItemRow]) -> list[Item]:
        return [item for item in map(item_in, rows) if may_be_told_to(item, self._to)]

    def _lines(self, repo: str, now: DealtMarks) -> Iterator[FiringLine]:
        before = self.dealt.marks.get(repo)
        is_there = not repo or repo in self.dealt.parts
        if before is None or before.lines != now.lines or not is_there:
            items = self._items(repo)
            yield from lines_of(items)
            yield from lines_on_demand(repo, told_lines(self._page(repo), items, self._to))

    def _is_noted_anew(self, repo: str, now: DealtMarks) -> bool:
        before = self.dealt.marks.get(repo)
        return before is None or before.lines != now.lines

    def _personal(self, repo: str) -> list[str]:
        rows = self._rows([f"{_REPO}{repo}"]) if repo else self._shared_rows
        own = {item.id for item in map(item_in, rows) if is_personal(item) and not item.is_decided}
        lines = (line for line in self._page(repo).lines if not line.is_own)
        return [*own, *(line.id for line in lines if not own.isdisjoint(line.notes))]

    def _items(self, repo: str) -> list[Item]:
        return self._heard(self._rows([f"{_REPO}{repo}"])) if repo else self._share

    def _rows(self, scopes: Collection[str]) -> list[ItemRow]:
        return list(items_in(self._store.db, scopes, SPEAKING)) if scopes else []

    def _count(self, repo: str, agent: str) -> int:
        return min(MOST_STORIES, count_stories(self._store.db, repo, agent))

    def _prompts(self, repo: str) -> PromptSource:
        checkout = self._checkouts.get(repo)
        now = f"{self._redaction} {git_mark(checkout) if checkout else ''}"
        stale = self._changed.get(repo, set()) - {_NOTES}
        return PromptSource(now, functools.partial(self._changes, repo, checkout, now), bool(stale))

    def _changes(self, repo: str, checkout: GitCheckout | None, now: str, filed: Collection[str]) -> PromptChanges:
        """What sessions did there, and what the checkout tells. What is filed of a commit stays true."""
        works, kept = {}, set()
        for session in newest_in(self._store.db, repo, MOST_SESSIONS):
            key = f"{_SESSION}{session}"
            if key in filed and session not in self._changed.get(repo, ()):
                kept.add(key)
            elif (row := session_row(self._store.db, session)) and (digest := load_digest(self._store.db, row)):
                works[key] = sighting_of(digest)
        earlier = self.dealt.parts.get(repo)
        if checkout is not None and earlier is not None and earlier.prompts == now:
            return PromptChanges(kept | {key for key in filed if not key.startswith(_SESSION)}, works)
        for sighting in history_sightings(checkout, self._world.now_ms):
            key = f"{sighting.session} {sighting.branch}"
            if key in filed and sighting.session != UNCOMMITTED:
                kept.add(key)
            else:
                works[key] = sighting
        return PromptChanges(kept, works)


def _by_scope(rows: Iterable[DeckChange]) -> dict[str, set[int]]:
    """By repository, the sessions that changed; 0 stands for notes."""
    changed: dict[str, set[int]] = {}
    for scope, session in rows:
        if scope.startswith(_REPO):
            changed.setdefault(scope.removeprefix(_REPO), set()).add(session)
    return changed


def _redaction_mark(store: Store, world: World) -> str:
    """Another one whenever text is redacted otherwise."""
    settings = world.settings.redaction
    people = known_people(world.environ, world.user_home, settings)
    return _hash(ruleset.fingerprint(), people, settings, key_mark(store.key))


def _hash(*values: object) -> str:
    return hashlib.blake2b(msgspec.msgpack.encode(values, enc_hook=str), digest_size=12).hexdigest()
