"""Goes on with trials of skills at the end of a `learn`, where a person began any."""

import time

from afterwit.config.world import World
from afterwit.model.learn_run import Options, Progress


def advance_trials(world: World, options: Options, progress: Progress, *, is_json: bool) -> list[str]:  # noqa: ARG001
    """Which ended, in words."""
    if options.is_dry_run or not world.layout.database.exists():
        return []
    from afterwit.store.rows.extras import has_skill_decisions
    from afterwit.store.store import readonly_database

    with readonly_database(world.layout) as db:
        if not has_skill_decisions(db):
            return []
    from afterwit.extras.lab.skills.cli.evolve import end_words
    from afterwit.extras.lab.skills.evolve.decide import advance

    return [end_words(trial) for trial in advance(world, lambda: time.time_ns() // 1_000_000)]
