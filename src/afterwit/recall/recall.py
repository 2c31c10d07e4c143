"""What a session would be told: reads the store and the deck, decides nothing.

The same start blocks go into the deck for hooks, to the MCP server and to people who ask; what comes with a prompt is
read from the deck by the function that hooks call. What a user prefers joins the start
block if `recall.preferences = true`: entries whose key begins with `preference` and that a person stored, cleaned and
cut like all text that is given to an agent; a failing backend means no lines, never a failing start. Which repository a
folder belongs to is found by comparing it, redacted as folders are stored: in a checkout the folders up to its root
count, then what else it is recognised by (`repos.identity`); elsewhere all folders above. So a checkout inside
another repository's folder is itself.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import apsw

from afterwit.capture.checkouts import checkouts_in_settings
from afterwit.config.extras import functions
from afterwit.config.world import World, exclusion_of, redactor_of
from afterwit.knowledge.door.list import item_in
from afterwit.knowledge.door.listeners import listener_here
from afterwit.knowledge.shown_items import preference
from afterwit.knowledge.whose_words import Listener
from afterwit.model.errors import AfterwitError, ConfigError, UsageError
from afterwit.model.knowledge import EVERYWHERE, READ, Item, ItemStatus, Scope, ScopeKind
from afterwit.model.memory_entry import Entry, is_persons
from afterwit.model.settings import Settings
from afterwit.recall.deck.first_prompt import block_at_prompt
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck
from afterwit.recall.prompt_block import PromptBlock
from afterwit.recall.repository import checkout_of
from afterwit.recall.situation import SPEAKING, Situation, expected, told_once
from afterwit.recall.start_block import TEMPLATE, StartBlock, StartSettings, checked_template, start_block
from afterwit.redaction.hygiene import clean
from afterwit.redaction.shown import Shown
from afterwit.repos.folders import Spot, root_of
from afterwit.repos.identity import COMMIT_MARK, repos_by_name
from afterwit.repos.remotes import keys_of_checkout
from afterwit.sessions.filters import find_repo, repos_by_alias
from afterwit.sources.checkout import remote_of, root_commit_of, root_of_checkout
from afterwit.store.regular_files import read_regular
from afterwit.store.rows.items import all_items, items_in, scopes_of
from afterwit.store.rows.repos import checkouts, repo_rows
from afterwit.store.rows.session_list import story_counts
from afterwit.store.store import readonly_database, require

_MOST_FOLDERS = 64
_PREFIX = "preference"
_MOST_LINES = 12
_LONGEST_LINE = 200
_LARGEST_TEMPLATE = 20_000


def speaking_items(db: apsw.Connection, to: Listener, scopes: Iterable[Scope] | None = None) -> list[Item]:
    """Items that may be said to this listener, of these scopes or of all; of those that say nearly the same, one."""
    rows = all_items(db) if scopes is None else items_in(db, map(str, scopes), SPEAKING)
    return told_once((item_in(row) for row in rows if row.status in SPEAKING), to)


def speaking_among(db: apsw.Connection, to: Listener, items: Iterable[Item]) -> list[Item]:
    """Those of these items that are among `speaking_items`. Others are read where one of them may say the same: only
    where a model has read, because `told_once` looks nowhere else."""
    asked = {item.id: item for item in items}
    shared = {str(item.scope) for item in asked.values()}.intersection(scopes_of(db, READ, ItemStatus.ACTIVE))
    others = (item_in(row) for row in items_in(db, shared, (ItemStatus.ACTIVE,)) if row.id not in asked)
    present = (item for item in (*asked.values(), *others) if item.status in SPEAKING)
    return [item for item in told_once(present, to) if item.id in asked]


def stories(db: apsw.Connection) -> dict[Scope, int]:
    """About how many stories each scope has: sessions without those that came out of another."""
    counts: dict[Scope, int] = {}
    for row in story_counts(db):
        for scope in (Scope(ScopeKind.REPO, row.repo), Scope(ScopeKind.AGENT, row.agent), EVERYWHERE):
            counts[scope] = counts.get(scope, 0) + row.stories
    return counts


def settings_of(world: World, budget_tokens: int | None = None) -> StartSettings:
    """How the start block is made here."""
    recall = world.settings.recall
    return StartSettings(budget_tokens or recall.budget_tokens, recall.confidence, _template(world.layout.template))


def start_block_for(
    world: World,
    situation: Situation,
    items: Iterable[Item],
    counts: Mapping[Scope, int],
    budget_tokens: int | None = None,
) -> StartBlock:
    """What a session in this situation gets at its start."""
    return start_block(items, situation, counts, preference_lines(world), settings_of(world, budget_tokens))


def _template(path: Path) -> str:
    """The user's own template, if there is one."""
    try:
        text = read_regular(path).decode() if path.is_file() else ""
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}. Mend or remove it.") from error
    if len(text) > _LARGEST_TEMPLATE:
        raise ConfigError(f"{path} has more than {_LARGEST_TEMPLATE} characters. Shorten it.")
    return checked_template(text, str(path)) if text.strip() else TEMPLATE


def prompt_block_for(db: apsw.Connection, world: World, situation: Situation, task: str) -> PromptBlock:
    """What a session in this situation gets with a first prompt like this, as hooks have it from the deck; nothing
    where there is none."""
    checkout = checkout_of(db, world, situation.repo)
    deck = deck_of(world)
    place = Location(situation.repo, str(checkout.root) if checkout else "")
    return block_at_prompt(deck, situation.agent, task, place) if deck is not None else PromptBlock()


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
    prompt: PromptBlock
    worth: Mapping[str, float]  # actions that an item is expected to spare, by id


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
        items, counts = speaking_items(db, listener_here(db, world), situation.scopes()), stories(db)
        start = start_block_for(world, situation, items, counts, budget_tokens)
        prompt = prompt_block_for(db, world, situation, task) if task else PromptBlock()
    worth = {item.id: expected(item, counts) for item in start.items}
    return ToldBlocks(place, agent, start, prompt, worth)
