"""Shows people what a session would be told, with what each item is expected to spare."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from afterwit.config.world import World
from afterwit.recall.prompt_block import PromptBlock
from afterwit.recall.recall import prompt_block_for, repo_at, speaking_items, start_block_for, stories
from afterwit.recall.situation import Situation, expected
from afterwit.recall.start_block import Block
from afterwit.sessions.repo_names import find_repo
from afterwit.store.store import readonly_database, require


class ToldBlocks(NamedTuple):
    repo: str
    agent: str
    start: Block
    prompt: PromptBlock
    worth: Mapping[str, float]  # actions that an item is expected to spare, by id


def shown(world: World, folder: Path, repo: str | None, agent: str, task: str, budget_tokens: int | None) -> ToldBlocks:
    """The blocks for a folder, or for a repository by its name."""
    require(world.layout)
    with readonly_database(world.layout) as db:
        place = find_repo(db, repo) if repo else repo_at(db, world, folder)
        situation = Situation(place, agent)
        known, counts = speaking_items(db, situation.scopes()), stories(db)
        start = start_block_for(world, situation, known, counts, budget_tokens)
        told = {item.id for item in start.items}
        prompt = prompt_block_for(db, situation, task, known, told) if task else PromptBlock()
    worth = {item.id: expected(item, counts) for item in start.items}
    return ToldBlocks(place, agent, start, prompt, worth)
