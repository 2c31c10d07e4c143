"""Deals the deck: puts into one small file all that hooks may say, from what is known now.

Lines carry their triggers; blocks are rendered for each repository, and once more for agents with quirks of their own.
What is only for this machine (where checkouts lie, the key of the hold-out) is added here. Dealing again with nothing
new writes nothing.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import msgspec

from afterwit.config.world import World, redactor_of
from afterwit.guard import ruleset
from afterwit.guard.placeholders import placeholder
from afterwit.knowledge.shown_items import may_be_told
from afterwit.model.knowledge import Item, ItemStatus, ScopeKind, Trigger
from afterwit.recall.at_failure import answers
from afterwit.recall.at_prompt import rules_for_prompt
from afterwit.recall.deck.first_prompt import RULES
from afterwit.recall.deck.prompt_tables import PromptSource
from afterwit.recall.deck.publish import deck_path, holdout_key
from afterwit.recall.deck.write import Block, Deck, DeckSettings, Entry, Index, Line, Redact, Section, write_deck
from afterwit.recall.recall import prompt_index, speaking_items, start_block_for, stories
from afterwit.recall.situation import Situation, order
from afterwit.recall.start_block import Piece, said_of
from afterwit.store.marks import DECK, fingerprint, mark, put_mark
from afterwit.store.rows import experiment, repos
from afterwit.store.rows.session_list import repo_marks
from afterwit.store.store import Store

_LEARN = ("-P", "-m", "afterwit", "learn", "--ended", "--jobs", "1", "--wait", "0", "--at-most", "300")


def deal(store: Store, world: World) -> None:
    """Compiles the deck from the store."""
    known = speaking_items(store.db)
    deck = Deck(
        settings=_settings(store, world),
        roots=_roots(store, world),
        remotes={row.remote: row.repo for row in repos.repo_rows(store.db) if row.remote and row.repo},
        blocks=tuple(_blocks(store, world, known)),
        lines=tuple(lines_of(known)),
        indexes=tuple(_rules(world, store, known)),
        prompts=_prompts(store),
    )
    _put(store, deck, redactor_of(world).text)


def _put(store: Store, deck: Deck, redact: Redact) -> None:
    """Puts the deck into its place and marks it, so that damage to it is noticed. Of a damaged one nothing is used
    again. Killed on the way, either of the two counts as it was written."""
    path = deck_path(store.layout)
    before = fingerprint(path)
    is_sound = before in mark(store.db, DECK).split()
    written: list[str] = []

    def about_to(new: str) -> None:
        written.append(new)
        put_mark(store.db, DECK, f"{before if is_sound else ''} {new}".strip())

    write_deck(path, deck, redact, is_sound=is_sound, about_to=about_to)
    put_mark(store.db, DECK, written[0])


def _settings(store: Store, world: World) -> DeckSettings:
    shares = experiment.shares(store.db)
    return DeckSettings(
        key=holdout_key(world.layout),
        session_share=shares.session_share,
        item_share=shares.item_share,
        learns_at_end=world.settings.recall.learns_at_end,
        learn_command=(sys.executable, *_LEARN),
    )


def _roots(store: Store, world: World) -> dict[str, str]:
    """Folders of repositories, those in the user's home below `~`: they are stored without the user's name."""
    home = world.user_home
    hidden = str(home.parent / placeholder("user", home.name, store.key))
    found: dict[str, str] = {}
    for row in repos.repo_rows(store.db):
        if row.repo and row.root:
            inside = next((row.root[len(top) :] for top in (hidden, str(home)) if row.root.startswith(f"{top}/")), None)
            found[row.root if inside is None else f"~{inside}"] = row.repo
    return found


def _blocks(store: Store, world: World, known: Sequence[Item]) -> Iterator[Block]:
    counts = stories(store.db)
    places = sorted({"", *(item.scope.name for item in known if item.scope.kind is ScopeKind.REPO)})
    own = {item.scope.name for item in known if item.scope.kind is ScopeKind.AGENT}
    agents = sorted({"", *own, *(agent for item in known for agent in item.agents)})
    for repo in places:
        for agent in agents:
            block = start_block_for(world, Situation(repo, agent), known, counts)
            if block.text:
                yield Block(tuple(_sections(block.pieces)), repo, agent)


def _rules(world: World, store: Store, known: Sequence[Item]) -> Iterator[Index]:
    """Rules that the start block does not have, for the first prompt."""
    counts = stories(store.db)
    for repo in sorted({item.scope.name for item in known if item.scope.kind is ScopeKind.REPO}):
        situation = Situation(repo)
        told = {item.id for item in start_block_for(world, situation, known, counts).items}
        rules = [[rule.item, rule.text] for rule in rules_for_prompt(known, situation, told)]
        if rules:
            yield Index(repo, RULES, msgspec.json.encode(rules))


def _prompts(store: Store) -> dict[str, PromptSource]:
    """By repository, what was done and said there, made anew only where sessions or the rules of redaction changed."""
    return {
        row.repo: PromptSource(f"{row.mark}.{ruleset.fingerprint()}", partial(prompt_index, store.db, row.repo))
        for row in repo_marks(store.db)
        if row.repo
    }


def _sections(pieces: Iterable[Piece]) -> Iterator[Section]:
    for heading, lines in pieces:
        yield Section(heading, tuple(Entry(line.item, line.text) for line in lines))


def lines_of(known: Iterable[Item]) -> Iterator[Line]:
    """In the order in which they are said."""
    for item in sorted(known, key=order):
        triggers = tuple(trigger for trigger in item.triggers if _is_used(item, trigger))
        if triggers and not item.is_known_to_host and may_be_told(item):
            yield Line(
                item=item.id,
                text=said_of(item),
                scope=item.scope,
                authority=item.authority,
                advice=item.advice,
                confidence=item.belief.mean,
                agents=item.agents,
                triggers=triggers,
            )


def _is_used(item: Item, trigger: Trigger) -> bool:
    """An item that is not active only answers failures."""
    return not trigger.rule and (item.status is ItemStatus.ACTIVE or answers(item, trigger))
