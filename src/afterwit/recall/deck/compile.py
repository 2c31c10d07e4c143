"""Compiles the deck: puts into one small file all that hooks may say, from what is known now.

Lines carry their triggers; blocks are rendered for each repository, and once more for agents with quirks of their own.
What is only for this machine (where checkouts lie, the key of the hold-out) is added here. Compiling again with nothing
new writes nothing.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from afterwit.capture.left_out import LeftOutSessions
from afterwit.checkouts.known import GitCheckout, git_checkouts
from afterwit.config.world import World, exclusion_of, redactor_of
from afterwit.guard import ruleset
from afterwit.guard.placeholders import placeholder
from afterwit.knowledge.shown_items import may_be_told
from afterwit.model.knowledge import Item, ItemStatus, Trigger
from afterwit.recall.at_activity import is_called
from afterwit.recall.at_failure import answers
from afterwit.recall.at_prompt import about, talks_of
from afterwit.recall.deck.prompt_tables import PromptIndex, PromptSource
from afterwit.recall.deck.write import DeckBlock, DeckContent, DeckSettings, FiringLine, Redact, write_deck
from afterwit.recall.holdout import holdout_key
from afterwit.recall.recall import names_known, prompt_index, speaking_items, start_block_for, stories
from afterwit.recall.repository import git_mark, history_sightings, tree_file
from afterwit.recall.situation import order, situations
from afterwit.recall.start_block import said_of
from afterwit.repos.known_names import is_folder
from afterwit.store.layout import redaction_key
from afterwit.store.lease import held
from afterwit.store.marks import DECK, fingerprint, mark, put_mark
from afterwit.store.rows import hooks, repos
from afterwit.store.rows.session_list import repo_marks
from afterwit.store.store import Store, opened

_WAIT_SECONDS = 60
_LEARN = ("-P", "-m", "afterwit", "learn", "--ended", "--jobs", "1", "--wait", "0", "--at-most", "300")


def compile_deck(store: Store, world: World) -> None:
    """Compiles the deck from the store."""
    items = speaking_items(store.db)
    rows = list(repos.repo_rows(store.db))
    names = names_known(store.db, world.settings)
    checkouts = {checkout.repo: checkout for checkout in git_checkouts(store, world)}
    deck = DeckContent(
        settings=_settings(store, world),
        roots=_roots(store, world, rows) | {key: repo for key, repo in names.items() if is_folder(key)},
        remotes={key: repo for key, repo in names.items() if not is_folder(key)},
        blocks=tuple(_blocks(store, world, items)),
        lines=tuple(lines_of(items)),
        prompts=_prompts(store, world, checkouts),
        trees={repo: tree_file(repo) for repo in checkouts},
    )
    _put(store, deck, redactor_of(world).text)


def tell_hooks(world: World, exclude: Sequence[str]) -> int:
    """Compiles the deck anew, so that hooks leave out what the settings do from now on; nothing where there is no store
    yet. Returns how many stored sessions the settings leave out now."""
    if not world.layout.database.exists():
        return 0
    learn = msgspec.structs.replace(world.settings.learn, exclude=tuple(exclude))
    there = world._replace(settings=msgspec.structs.replace(world.settings, learn=learn))
    with held(world.layout.lease, _WAIT_SECONDS), opened(world.layout) as store:
        compile_deck(store, there)
        return len(LeftOutSessions(there, store).stored())


def _put(store: Store, deck: DeckContent, redact: Redact) -> None:
    """Puts the deck into its place and marks it, so that damage to it is noticed. Of a damaged one nothing is used
    again. Killed on the way, either of the two counts as it was written."""
    path = store.layout.deck
    before = fingerprint(path)
    is_sound = before in mark(store.db, DECK).split()
    written: list[str] = []

    def about_to(new: str) -> None:
        written.append(new)
        put_mark(store.db, DECK, f"{before if is_sound else ''} {new}".strip())

    write_deck(path, deck, redact, is_sound=is_sound, about_to=about_to)
    put_mark(store.db, DECK, written[0])


def _settings(store: Store, world: World) -> DeckSettings:
    shares = hooks.shares(store.db)
    return DeckSettings(
        key=holdout_key(redaction_key(world.layout)),
        session_share=shares.session_share,
        item_share=shares.item_share,
        learns_at_end=world.settings.recall.learns_at_end,
        learn_command=(sys.executable, *_LEARN),
        exclude=tuple(exclusion_of(world).entries),
    )


def _roots(store: Store, world: World, rows: Iterable[repos.RepoRow]) -> dict[str, str]:
    """Folders of repositories, those in the user's home below `~`: they are stored without the user's name."""
    home = world.user_home
    hidden = str(home.parent / placeholder("user", home.name, store.key))
    roots = {str(root): repo for repo, root in world.settings.repositories.checkouts.items()}
    for row in rows:
        if row.repo and row.root:
            inside = next((row.root[len(top) :] for top in (hidden, str(home)) if row.root.startswith(f"{top}/")), None)
            roots[row.root if inside is None else f"~{inside}"] = row.repo
    return roots


def _blocks(store: Store, world: World, items: Sequence[Item]) -> Iterator[DeckBlock]:
    counts = stories(store.db)
    for situation in situations(items):
        block = start_block_for(world, situation, items, counts)
        if block.text:
            yield DeckBlock(block.sections, situation.repo, situation.agent)


def _prompts(store: Store, world: World, checkouts: Mapping[str, GitCheckout]) -> dict[str, PromptSource]:
    """By repository, what was done and said there, made anew only where sessions, the checkout or the rules of
    redaction changed."""
    marks = dict.fromkeys(checkouts, "") | {row.repo: row.mark for row in repo_marks(store.db) if row.repo}
    return {
        repo: PromptSource(
            f"{mark}.{git_mark(checkouts[repo]) if repo in checkouts else ruleset.fingerprint()}",
            partial(_known_of, store, world, repo, checkouts.get(repo)),
        )
        for repo, mark in marks.items()
    }


def _known_of(store: Store, world: World, repo: str, checkout: GitCheckout | None) -> PromptIndex:
    of_sessions = prompt_index(store.db, repo)
    history = history_sightings(checkout, world.now_ms) if checkout else []
    return of_sessions._replace(sightings=[*of_sessions.sightings, *history])


def lines_of(items: Iterable[Item]) -> Iterator[FiringLine]:
    """In the order in which they are said."""
    for item in sorted(items, key=order):
        triggers = tuple(trigger for trigger in item.triggers if _is_used(item, trigger))
        if (triggers or about(item)) and not item.is_known_to_host and may_be_told(item):
            yield FiringLine(
                item=item.id,
                text=said_of(item),
                scope=item.scope,
                authority=item.authority,
                advice=item.advice,
                confidence=item.belief.mean,
                agents=item.agents,
                triggers=triggers,
                awaits=tuple(trigger for trigger in triggers if is_called(item, trigger)),
                about=about(item),
                talks=talks_of(item),
                silent_in=item.silent_in,
            )


def _is_used(item: Item, trigger: Trigger) -> bool:
    """An item that is not active only answers failures."""
    return not trigger.rule and (item.status is ItemStatus.ACTIVE or answers(item, trigger))
