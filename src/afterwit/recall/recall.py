"""What a session would be told: reads the store and the deck, decides nothing.

The same briefs go into the deck for hooks, to the MCP server and to people who ask; what comes with a prompt is
read from the deck by the function that hooks call. What a user prefers joins the start
block if `recall.preferences = true`: entries whose key begins with `preference` and that a person stored, cleaned and
cut like all text that is given to an agent; a failing backend means no lines, never a failing start. Which repository a
folder belongs to is found by comparing it, redacted as folders are stored: in a checkout the folders up to its root
count, then what else it is recognised by (`repos.identity`); elsewhere all folders above. So a checkout inside
another repository's folder is itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import apsw

from afterwit.capture.checkouts import checkouts_in_settings
from afterwit.config.extras import functions
from afterwit.config.world import World, exclusion_of, redactor_of
from afterwit.knowledge.brief import ENTRIES, Page, pages_of
from afterwit.knowledge.door.list import item_in
from afterwit.knowledge.door.listeners import listener_here
from afterwit.knowledge.shown_items import may_be_told_to, preference
from afterwit.knowledge.whose_words import Listener
from afterwit.model.errors import AfterwitError, UsageError
from afterwit.model.knowledge import EVERYWHERE, Item, Scope, ScopeKind
from afterwit.model.memory_entry import Entry, is_persons
from afterwit.model.settings import Settings
from afterwit.recall.brief_block import BriefSettings, StartBlock, start_block
from afterwit.recall.deck.first_prompt import files_at_prompt, lines_at_prompt, thread_at_prompt
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import SESSION, Deck
from afterwit.recall.prompt_block import MOST_AT_PROMPT, BlockLine, BlockSection, files_section, prompt_sections
from afterwit.recall.repository import checkout_of
from afterwit.recall.situation import SPEAKING, Situation
from afterwit.redaction.hygiene import clean
from afterwit.redaction.shown import Shown
from afterwit.repos.folders import Spot, root_of
from afterwit.repos.identity import COMMIT_MARK, repos_by_name
from afterwit.repos.remotes import keys_of_checkout
from afterwit.sessions.filters import find_repo, repos_by_alias
from afterwit.sources.checkout import remote_of, root_commit_of, root_of_checkout
from afterwit.store.decisions import in_force
from afterwit.store.rows.items import all_items, items_in, recorded_about
from afterwit.store.rows.repos import checkouts, repo_rows
from afterwit.store.rows.session_list import story_counts
from afterwit.store.store import readonly_database, require

_MOST_FOLDERS = 64
_PREFIX = "preference"
_MOST_LINES = 12
_LONGEST_LINE = 200


def speaking_items(db: apsw.Connection, to: Listener, scopes: Iterable[Scope] | None = None) -> list[Item]:
    """Items that may be said to this listener, of these scopes or of all."""
    rows = all_items(db) if scopes is None else items_in(db, map(str, scopes), SPEAKING)
    return [item for row in rows if row.status in SPEAKING and may_be_told_to(item := item_in(row), to)]


def stories(db: apsw.Connection) -> dict[Scope, int]:
    """About how many stories each scope has: sessions without those that came out of another."""
    counts: dict[Scope, int] = {}
    for row in story_counts(db):
        for scope in (Scope(ScopeKind.REPO, row.repo), Scope(ScopeKind.AGENT, row.agent), EVERYWHERE):
            counts[scope] = counts.get(scope, 0) + row.stories
    return counts


def settings_of(world: World, budget_tokens: int | None = None) -> BriefSettings:
    """How the page is told here."""
    return BriefSettings(budget_tokens or world.settings.recall.budget_tokens, world.settings.recall.confidence)


def start_block_for(
    world: World,
    page: Page,
    situation: Situation,
    to: Listener,
    items: Sequence[Item],
    counts: Mapping[Scope, int],
    budget_tokens: int | None = None,
    listener: str = SESSION,
) -> StartBlock:
    """What a session in this situation gets at its start."""
    settings = settings_of(world, budget_tokens)
    preferences = preference_lines(world)
    return start_block(page, items, situation, to, counts, preferences, settings, listener)


def page_of(db: apsw.Connection, repo: str) -> Page:
    """The page of a repository as it stands."""
    return pages_of(in_force(recorded_about(db, (), ENTRIES))).get(repo, Page(repo))


def prompt_block_for(db: apsw.Connection, world: World, situation: Situation, task: str) -> list[BlockSection]:
    """What a session in this situation gets with a first prompt like this, as hooks have it from the deck; nothing
    where there is none."""
    checkout, deck = checkout_of(db, world, situation.repo), deck_of(world)
    if deck is None:
        return []
    place = Location(situation.repo, str(checkout.root) if checkout else "")
    files = files_section(files_at_prompt(deck, situation.agent, task, place))
    lines = lines_at_prompt(deck, situation.agent, task, place)[:MOST_AT_PROMPT]
    thread = thread_at_prompt(deck, task, place)
    return prompt_sections(files, thread, [BlockLine(line.item, line.text) for line in lines])


def deck_of(world: World) -> Deck | None:
    """What hooks read; None where there is none, one of another version, or a damaged one."""
    try:
        deck = Deck(str(world.layout.deck))
        deck.listen(str(world.user_home))
        return deck
    except (ValueError, apsw.Error):
        return None


def preference_lines(world: World, user: str | None = None) -> list[Shown]:
    """The lines, by key; none where the setting is off."""
    if not world.settings.recall.preferences:
        return []
    entries: list[Entry] = []
    for remembered in functions("preferences"):
        with suppress(AfterwitError):
            entries += remembered(world, user, _PREFIX, _MOST_LINES)
    return [line for entry in entries if is_persons(entry.metadata) and (line := _line(entry))]


def _line(entry: Entry) -> Shown:
    text = " ".join(clean(entry.value).split())
    return preference(text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 1].rstrip() + "…")


def repo_at(db: apsw.Connection, world: World, folder: Path) -> str:
    """The repository; "" where no session was seen there, and the settings do not name it."""
    rows = [row for row in repo_rows(db) if row.repo]
    by_root = {row.root: row.repo for row in rows}
    configured = {str(root): repo for repo, root in checkouts_in_settings(db, world).items()}
    redact, home = redactor_of(world), world.user_home
    top = root_of_checkout(folder)
    for place in _upwards(folder, top):
        short = f"~/{place.relative_to(home).as_posix()}" if home in place.parents else ""
        repo = by_root.get(redact.path(root_of(str(place)))) or by_root.get(short) or configured.get(str(place))
        if repo:
            return repo
    return _recognise(db, world, top) if top else ""


def _recognise(db: apsw.Connection, world: World, top: Path) -> str:
    """The repository of a checkout in which no session was seen: by an alias, its remote, its name or its first
    commit."""
    names = names_known(db, world.settings)
    short = f"~/{top.relative_to(world.user_home).as_posix()}" if world.user_home in top.parents else ""
    keys = (str(top), short, *keys_of_checkout(remote_of(top), top.name))
    repo = next((names[key] for key in keys if key in names), "")
    if repo or not any(key.startswith(COMMIT_MARK) for key in names):
        return repo
    return names.get(f"{COMMIT_MARK}{root_commit_of(top)}", "")


def names_known(db: apsw.Connection, settings: Settings) -> dict[str, str]:
    """Repositories by the names under which a checkout is recognised; aliases stand before what was seen."""
    places = {Spot(row.root, row.remote): row.repo for row in repo_rows(db)}
    return repos_by_name(places, checkouts(db)) | repos_by_alias(db, settings)


def is_left_out(world: World, folder: Path | None, agent: str = "", repo: str = "") -> bool:
    """Whether the settings leave out this agent, this folder, or the repository that it is or that is named."""
    exclusion = exclusion_of(world)
    if not exclusion:
        return False
    if exclusion.has_agent(agent) or exclusion.has_repo(repo):
        return True
    if folder is None:
        return False
    top = root_of_checkout(folder)
    names = (remote_of(folder) if top else "", (top or folder).name)
    return any(map(exclusion.has_folder, (str(folder.absolute()), str(top or "")))) or any(
        map(exclusion.has_repo, names)
    )


def _upwards(folder: Path, top: Path | None) -> list[Path]:
    whole = folder.absolute()
    places = [whole, *whole.parents][:_MOST_FOLDERS]
    return places[: places.index(top) + 1] if top in places else places


class ToldBlocks(NamedTuple):
    repo: str
    agent: str
    start: StartBlock
    prompt: list[BlockSection]


def recalled(
    world: World, folder: Path, repo: str | None, agent: str, task: str, budget_tokens: int | None
) -> ToldBlocks:
    """The blocks for a folder, or for a repository by its name."""
    require(world.layout)
    with readonly_database(world.layout) as db:
        place = find_repo(db, repo, world.settings) if repo else repo_at(db, world, folder)
        if is_left_out(world, None if repo else folder, agent, place):
            raise UsageError(
                f"Nothing is told {f'in {place}' if place else 'here'}: your settings leave it out."
                " `afterwit config show` shows `learn.exclude`."
            )
        situation = Situation(place, agent)
        to = listener_here(db, world)
        items = speaking_items(db, to, situation.scopes())
        page = page_of(db, place)
        start = start_block_for(world, page, situation, to, items, stories(db), budget_tokens)
        prompt = prompt_block_for(db, world, situation, task) if task else []
    return ToldBlocks(place, agent, start, prompt)
